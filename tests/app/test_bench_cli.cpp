// SPDX-License-Identifier: GPL-3.0-or-later
#include "call.h"

#include <nlohmann/json.hpp>

#include <QTemporaryDir>
#include <QTest>

#include <cmath>
#include <set>

using nlohmann::json;

class TestBenchCli : public QObject {
    Q_OBJECT

private slots:
    void planners()
    {
        const Result result =
            call({"bench", "planners", "--planner", "local-search,greedy-speed,subset-dp", "--largest", "8",
                  "--generated", "1", "--reference-ms", "20", "--budget-ms", "10", "--format", "json"},
                 {"LC_ALL=de_DE.UTF-8"});
        QVERIFY2(result.status == 0, result.err.constData());
        const json document = json::parse(result.out.toStdString());
        QCOMPARE(document["budget_ms"].get<double>(), 10.0);
        QCOMPARE(document["means"].size(), 9U);
        QCOMPARE(document["results"].size(), 9U);
        std::set<std::string> groups;
        for (const json& mean : document["means"]) {
            groups.insert(mean["group"].get<std::string>());
            QVERIFY(mean["planner"] != "local-search" || mean["time_ratio"] == 1.0);
        }
        QCOMPARE(groups, (std::set<std::string>{"L8 D2 S2", "L16 D4 S4", "L32 D8 S8"}));
        for (const json& trial : document["results"]) {
            if (trial["feasible"].get<bool>())
                QVERIFY(trial["gap"].get<double>() >= -1e-12 && trial["value"].get<double>() > 0);
        }
    }

    void files_and_folders()
    {
        QTemporaryDir folder;
        QVERIFY(QFile::copy(TEST_DATA "/problems/L016-D04-S04-0.problem.json", folder.filePath("a.problem.json")));
        const Result table = call({"bench", "planners", folder.path(), EXAMPLES "/tiny.problem.json", "--planner",
                                   "uniform,exact", "--reference-ms", "0", "--cancel-after-ms", "0"});
        QVERIFY2(table.status == 0, table.err.constData());
        QVERIFY(table.out.contains("L16 D4 S4") && table.out.contains("x uniform") && table.out.contains("exact"));
        QTemporaryDir empty;
        const Result none = call({"bench", "planners", empty.path()});
        QCOMPARE(none.status, 2);
        QVERIFY(none.err.contains("holds no *.problem.json"));
    }

    void simulator()
    {
        const Result result = call({"bench", "simulator", "--format", "json"});
        QVERIFY2(result.status == 0, result.err.constData());
        const json document = json::parse(result.out.toStdString());
        QVERIFY(document["results"].size() >= 6);
        for (const json& row : document["results"])
            QVERIFY(row["ops_per_s"].get<double>() > 0 && row["ratio"].get<double>() > 0);
    }

    void faults_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QString>("says");
        QTest::newRow("nothing to bench") << QStringList{} << "see nnpiper bench --help";
        QTest::newRow("planner") << QStringList{"planners", "--planner", "nobody"} << "\"nobody\" is not known";
        QTest::newRow("no planner") << QStringList{"planners", "--planner", ","} << "names no planner";
        QTest::newRow("budget") << QStringList{"planners", "--budget-ms", "0"} << "a number above 0 is allowed";
        QTest::newRow("reference") << QStringList{"planners", "--reference-ms", "-1"} << "at least 0 is allowed";
        QTest::newRow("too small") << QStringList{"planners", "--largest", "1"} << "at least 2 devices";
        QTest::newRow("no file") << QStringList{"planners", "/nowhere.problem.json"} << "/nowhere.problem.json";
    }
    void faults()
    {
        QFETCH(QStringList, arguments);
        QFETCH(QString, says);
        const Result result = call(QStringList{"bench"} + arguments);
        QCOMPARE(result.status, 2);
        QVERIFY(result.out.isEmpty());
        QVERIFY2(result.err.startsWith("nnpiper: ") && QString::fromUtf8(result.err).contains(says),
                 result.err.constData());
        QCOMPARE(result.err.count('\n'), 1);
    }
};

QTEST_GUILESS_MAIN(TestBenchCli)
#include "test_bench_cli.moc"
