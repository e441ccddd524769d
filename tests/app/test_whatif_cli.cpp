// SPDX-License-Identifier: GPL-3.0-or-later
// What-if questions, asked as a user does.
#include "call.h"

#include <nlohmann/json.hpp>

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

using nlohmann::json;

namespace {

const QString example = QStringLiteral(EXAMPLES "/qwen-1gbe.nnpiper.json");

json parsed(const QByteArray& text)
{
    return json::parse(text.toStdString());
}

}  // namespace

class TestWhatifCli : public QObject {
    Q_OBJECT

private slots:
    void what_pays_comes_first_and_every_change_is_there()
    {
        const Result result = call({"whatif", example, "--budget-ms", "50", "--json"});
        QVERIFY2(result.status == 0, result.err.constData());
        const json document = parsed(result.out);
        const double before = document["before"]["throughput_samples_per_s"];
        QVERIFY(before > 0);
        std::vector<int> numbers;
        bool lost = false;  // losses come last
        for (const json& row : document["changes"]) {
            numbers.push_back(row["number"]);
            if (row["failure"].is_null()) {
                const double throughput = row["throughput_samples_per_s"];
                const double gain = row["gain"];
                QVERIFY(std::abs(throughput / before - 1 - gain) < 1e-12);
                QVERIFY(!lost || gain < 0);
                lost = gain < -5e-4;
            }
        }
        std::sort(numbers.begin(), numbers.end());
        for (std::size_t i = 0; i < numbers.size(); ++i)
            QCOMPARE(numbers[i], static_cast<int>(i) + 1);
    }

    void a_change_is_applied_to_a_project_that_can_be_planned()
    {
        QTemporaryDir folder;
        const QString changed = folder.filePath("changed.nnpiper.json");
        const Result applied = call({"whatif", example, "--apply", "1", "-o", changed});
        QVERIFY2(applied.status == 0, applied.err.constData());
        QFile before(example);
        QFile after(changed);
        QVERIFY(before.open(QIODevice::ReadOnly) && after.open(QIODevice::ReadOnly));
        // The first change of all takes a device away.
        QCOMPARE(parsed(after.readAll())["cluster"]["devices"].size(),
                 parsed(before.readAll())["cluster"]["devices"].size() - 1);
        QCOMPARE(call({"validate", changed}).status, 0);
    }

    void wrong_use_is_told_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QByteArray>("names");
        QTest::newRow("a raw problem") << QStringList{"whatif", QStringLiteral(EXAMPLES "/tiny.problem.json")}
                                       << QByteArray("a project");
        QTest::newRow("no such change") << QStringList{"whatif", example, "--apply", "999"} << QByteArray("--apply");
        QTest::newRow("no time") << QStringList{"whatif", example, "--budget-ms", "0"} << QByteArray("--budget-ms");
        QTest::newRow("no file") << QStringList{"whatif"} << QByteArray("PROJECT");
    }
    void wrong_use_is_told()
    {
        QFETCH(QStringList, arguments);
        QFETCH(QByteArray, names);
        const Result result = call(arguments);
        QCOMPARE(result.status, 2);
        QVERIFY2(result.err.contains(names), result.err.constData());
    }
};

QTEST_GUILESS_MAIN(TestWhatifCli)
#include "test_whatif_cli.moc"
