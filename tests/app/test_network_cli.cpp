// SPDX-License-Identifier: GPL-3.0-or-later
// What the command line shows of the network: how it decided, and where the time went.
#include "call.h"

#include <nlohmann/json.hpp>

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <cmath>

using nlohmann::json;

class TestNetworkCli : public QObject {
    Q_OBJECT
private slots:
    void decisions_are_written()
    {
        QTemporaryDir folder;
        const QString path = folder.filePath("decisions.json");
        const Result result = call({"plan", QString(EXAMPLES) + "/tiny.problem.json", "--planner", "nn-piper-raw", "--decisions", path},
                                   {"LC_ALL=de_DE.UTF-8"});
        if (result.err.contains("LibTorch"))
            QSKIP("without LibTorch there is no network");
        QCOMPARE(result.status, 0);
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const json document = json::parse(file.readAll().toStdString());
        int stage = 0;
        for (const json& decision : document.at("decisions")) {
            QCOMPARE(decision.at("stage").get<int>(), stage++);
            double sum = 0, before = 1;
            bool listed = false;
            for (const json& candidate : decision.at("candidates")) {
                const double p = candidate.at("probability").get<double>();
                QVERIFY(p > 0 && p <= before);
                before = p;
                sum += p;
                listed = listed || candidate.at("device") == decision.at("device");
            }
            QVERIFY(listed);
            QVERIFY(std::abs(sum - 1) < 1e-4);
        }
        QVERIFY(stage > 0);
    }

    void profile_names_the_steps()
    {
        const Result result =
            call({"plan", QString(TEST_DATA) + "/problems/L032-D08-S08-1.problem.json", "--planner", "nn-piper-no-network", "--budget-ms",
                  "20", "--profile"});
        QCOMPARE(result.status, 0);
        for (const char* step : {"device orders", "splits", "search"})
            QVERIFY2(result.err.contains(QByteArray("nn-piper-no-network: ") + step), result.err.constData());
        const Result groups = call({"plan", QString(EXAMPLES) + "/tiny.problem.json", "--planner", "local-search", "--budget-ms", "20",
                                    "--profile"});
        QVERIFY2(groups.err.contains("local-search: search over groups"), groups.err.constData());
    }
};

QTEST_APPLESS_MAIN(TestNetworkCli)
#include "test_network_cli.moc"
