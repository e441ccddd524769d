// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/error.h"
#include "core/formats/files.h"

#include <QtTest>

using namespace nnpiper;

namespace {

constexpr const char* csv = "# measured on one card\n"
                            "layer, device_type ,micro_batch,forward_s,backward_s,stored_bytes\r\n"
                            "block,\"RTX, 3090\",2,1.5e-3,0.003,\n"
                            "\n"
                            "1-24,A100,4,0.25,0.5,1000\n";

}  // namespace

class TestProfileFile : public QObject {
    Q_OBJECT

private slots:
    void csv_rows()
    {
        const Profile profile = read_profile(csv, "p.csv");
        QCOMPARE(profile.size(), std::size_t{2});
        QCOMPARE(profile[0].device_type, std::string("RTX, 3090"));
        QCOMPARE(profile[0].layer, std::string("block"));
        QCOMPARE(profile[0].micro_batch, 2);
        QCOMPARE(profile[0].tensor_parallel, 1);
        QCOMPARE(profile[0].forward_s, 1.5e-3);
        QCOMPARE(profile[0].backward_s.value(), 0.003);
        QVERIFY(!profile[0].stored_bytes && !profile[0].backward_input_s);
        QCOMPARE(profile[1].stored_bytes.value(), 1000.0);
    }

    void comes_back()
    {
        Profile profile = read_profile(csv, "p.csv");
        profile[1].tensor_parallel = 8;
        profile[1].backward_s.reset();
        profile[1].backward_input_s = 0.1;
        profile[1].backward_weight_s = 0.2;
        QVERIFY(read_profile(write_profile(profile), "p.json") == profile);
    }

    void layer_as_a_number()
    {
        const Profile profile = read_profile(
            R"({"format": "nnpiper-profile", "version": 1, "rows": [{"device_type": "A", "layer": 7, "forward_s": 1, "backward_s": 2}]})",
            "p.json");
        QCOMPARE(profile[0].layer, std::string("7"));
        QCOMPARE(profile[0].micro_batch, 1);
    }

    void refuses_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("beginning");
        QTest::addColumn<QString>("mentions");
        const QString head = "device_type,layer,micro_batch,forward_s,backward_s\n";
        QTest::newRow("empty") << ""
                               << "p: there is no line"
                               << "heading";
        QTest::newRow("no heading") << "A,block,1,2,3\n"
                                    << "p: line 1: \"A\" is no column"
                                    << "forward_s";
        QTest::newRow("missing column") << "device_type,layer,forward_s\n"
                                        << "p: line 1: the column \"micro_batch\" is missing"
                                        << "";
        QTest::newRow("twice") << "device_type,layer,layer,micro_batch,forward_s\n"
                               << "p: line 1: the column \"layer\""
                               << "twice";
        QTest::newRow("cells") << head + "A,block,1,2\n"
                               << "p: line 2: 4 cells"
                               << "5 are expected";
        QTest::newRow("comma decimal") << head + "A,block,1,\"1,5\",3\n"
                                       << "p: line 2: forward_s: \"1,5\" is no number"
                                       << "decimal point";
        QTest::newRow("count") << head + "A,block,0.5,1,3\n"
                               << "p: line 2: micro_batch: \"0.5\""
                               << "whole number";
        QTest::newRow("negative") << head + "\nA,block,1,-1,3\n"
                                  << "p: line 3: forward_s: "
                                  << "above 0";
        QTest::newRow("no backward") << head + "A,block,1,1,\n"
                                     << "p: line 2: backward_s: missing"
                                     << "backward_input_s";
        QTest::newRow("json row") << R"({"format": "nnpiper-profile", "version": 1, "rows": [{"layer": "block"}]})"
                                  << "p: /rows/0"
                                  << "";
        QTest::newRow("json time")
            << R"({"format": "nnpiper-profile", "version": 1, "rows": [{"device_type": "A", "layer": "block", "forward_s": 1}]})"
            << "p: /rows/0/backward_s: missing"
            << "";
        QTest::newRow("other format") << R"({"format": "nnpiper-plan", "version": 1})"
                                      << "p: /format"
                                      << "nnpiper-profile";
    }
    void refuses()
    {
        QFETCH(QString, text);
        QFETCH(QString, beginning);
        QFETCH(QString, mentions);
        try {
            read_profile(text.toStdString(), "p");
            QFAIL("accepted");
        } catch (const Error& error) {
            const QString what = QString::fromUtf8(error.what());
            QVERIFY2(what.startsWith(beginning) && what.contains(mentions) && !what.contains('\n'), qPrintable(what));
        }
    }
};

QTEST_APPLESS_MAIN(TestProfileFile)
#include "test_profile_file.moc"
