// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/error.h"
#include "core/formats/files.h"
#include "core/formats/json_text.h"

#include <QTest>

#include <clocale>

using namespace nnpiper;

class TestJsonText : public QObject {
    Q_OBJECT

private slots:
    void faults_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("sentence");
        QTest::newRow("empty") << QByteArray(" \n") << "f.json: the file is empty; a JSON document is expected";
        QTest::newRow("brace missing")
            << QByteArray("{\n  \"a\": 1,\n  \"b\": [1, 2\n")
            << "f.json: line 4, column 1: not valid JSON: unexpected end of input; expected ']'";
        QTest::newRow("comma missing")
            << QByteArray("{\"a\": 1 \"b\": 2}")
            << "f.json: line 1, column 11: not valid JSON: unexpected string literal; expected '}'";
        QTest::newRow("double key") << QByteArray("{\"a\": [{\"x\": 1}, {\"x\": 1, \"y\": 2, \"x\": 3}]}")
                                    << "f.json: /a/1/x: the key \"x\" stands twice in one object; write it once";
        QTest::newRow("huge number")
            << QByteArray("{\"a\":\n 1e999}")
            << "f.json: line 2, column 6: a number beyond the range of a double; finite numbers are allowed";
    }
    void faults()
    {
        QFETCH(QByteArray, text);
        QFETCH(QString, sentence);
        try {
            parse_json(text.toStdString(), "f.json");
            QFAIL("no error");
        } catch (const Error& error) {
            QCOMPARE(QString::fromUtf8(error.what()), sentence);
        }
    }

    void notJson_data()
    {
        QTest::addColumn<QByteArray>("text");
        for (const char* text : {"nan", "{\"a\": NaN}", "{\"a\": Infinity}", "{'a': 1}", "{\"a\": 01}", "[1,]", "{} {}",
                                 "\"\xff\"", "{\"a\": \"\x01\"}", "tru"})
            QTest::newRow(text) << QByteArray(text);
        QTest::newRow("deep") << QByteArray(5000, '[');
    }
    void notJson()
    {
        QFETCH(QByteArray, text);
        QVERIFY_EXCEPTION_THROWN(parse_json(text.toStdString(), "f"), Error);
    }

    void columnCountsCharacters()
    {
        try {
            parse_json("{\"größe\": !}", "f");
            QFAIL("no error");
        } catch (const Error& error) {
            QVERIFY2(QString(error.what()).contains("line 1, column 11"), error.what());
        }
    }

    void wholeNumbers()
    {
        const auto document = parse_json("[4e9, 8.0, 0.5, -3, 18446744073709551615]", "f");
        QVERIFY(document[0].is_number_integer());
        QCOMPARE(document[0].get<std::int64_t>(), std::int64_t(4000000000));
        QVERIFY(document[1].is_number_integer());
        QCOMPARE(document[2].get<double>(), 0.5);
        QCOMPARE(json_number(24e9).dump(), std::string("24000000000"));
        QCOMPARE(json_number(0.1).dump(), std::string("0.1"));
        QVERIFY(json_number(std::nan("")).is_null());
    }

    void numbersSurvive()
    {
        // Shortest digits that read back as the same double.
        for (const double value : {1.0 / 3, 1e-300, 6.02214076e23, 0.1 + 0.2, 5e-324, 123456.789}) {
            const std::string text = print_json(nlohmann::ordered_json{{"v", json_number(value)}});
            QCOMPARE(parse_json(text, "f").at("v").get<double>(), value);
        }
    }

    void layout()
    {
        nlohmann::ordered_json document;
        document["name"] = "x";
        document["rows"] = {{1, 2, 3}, {4, 5, 6}};
        document["long"] = nlohmann::ordered_json::array();
        for (int i = 0; i < 3; ++i)
            document["long"].push_back({{"id", std::string(40, static_cast<char>('a' + i))}, {"n", i}});
        QCOMPARE(QString::fromStdString(print_json(document)),
                 QString("{\n  \"name\": \"x\",\n  \"rows\": [[1, 2, 3], [4, 5, 6]],\n  \"long\": [\n"
                         "    {\"id\": \"%1\", \"n\": 0},\n    {\"id\": \"%2\", \"n\": 1},\n    {\"id\": \"%3\", "
                         "\"n\": 2}\n  ]\n}\n")
                     .arg(QString(40, 'a'), QString(40, 'b'), QString(40, 'c')));
    }

    void pointersAreEscaped() { QCOMPARE(pointer_to("/layout", "a/b~c"), std::string("/layout/a~1b~0c")); }

    void commaLocaleChangesNothing()
    {
        const char* set = std::setlocale(LC_ALL, "de_DE.UTF-8");
        if (!set)
            set = std::setlocale(LC_ALL, "de_DE.utf8");
        const auto document = parse_json("[0.5, 1.25e-3]", "f");
        const std::string text = print_json(nlohmann::ordered_json{{"v", json_number(0.25)}});
        std::setlocale(LC_ALL, "C");
        QCOMPARE(document[0].get<double>(), 0.5);
        QCOMPARE(document[1].get<double>(), 1.25e-3);
        QCOMPARE(text, std::string("{\n  \"v\": 0.25\n}\n"));
        if (!set)
            QSKIP("no locale with a decimal comma on this machine");
    }

    void filesAreReplacedWhole()
    {
        QVERIFY_EXCEPTION_THROWN(read_text("no/such/file"), Error);
        QVERIFY_EXCEPTION_THROWN(read_text("/"), Error);
        QVERIFY_EXCEPTION_THROWN(write_text("no/such/folder/file.json", "x"), Error);
        const auto folder = std::filesystem::temp_directory_path() / "nnpiper-test-files";
        std::filesystem::remove_all(folder);
        std::filesystem::create_directory(folder);
        const auto file = folder / "a.json";
        write_text(file, "first\n");
        std::filesystem::permissions(file, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
        std::filesystem::create_symlink("a.json", folder / "link.json");
        write_text(folder / "link.json", "second\n");
        QCOMPARE(read_text(file), std::string("second\n"));
        QVERIFY(std::filesystem::is_symlink(folder / "link.json"));
        QVERIFY(std::filesystem::status(file).permissions()
                == (std::filesystem::perms::owner_read | std::filesystem::perms::owner_write));
        std::size_t count = 0;
        for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder))
            ++count;
        QCOMPARE(count, std::size_t(2));  // no temporary is left behind
        write_text("/dev/null", "x");     // no neighbour can be renamed over a device file
        std::filesystem::remove_all(folder);
    }
};

QTEST_APPLESS_MAIN(TestJsonText)
#include "test_json_text.moc"
