// SPDX-License-Identifier: GPL-3.0-or-later
// The comparison with published planners, driven as a user does, where numbers have a decimal comma.
#include "call.h"

#include <nlohmann/json.hpp>

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <cmath>

using nlohmann::json;

class TestPublishedCli : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;
    QString file_;

    Result compare(const QStringList& more = {}) const
    {
        return call(QStringList{"evaluate", "--suite", "published", "--data", file_, "--budget-ms", "20", "--planner",
                                "pipedream,amp"}
                        + more,
                    {"LC_ALL=de_DE.UTF-8"});
    }

    void write(const QByteArray& text)
    {
        QFile out(file_);
        QVERIFY(out.open(QIODevice::WriteOnly));
        QCOMPARE(out.write(text), text.size());
    }

private slots:
    void initTestCase()
    {
        file_ = folder_.filePath("environments.json");
        write(R"({"format": "nnpiper-environments", "version": 1, "colour": "red", "environments": [{
          "id": "box", "source": "made up",
          "nodes": [{"id": "a", "devices": [{"type": "RTX 3090", "count": 1}, {"type": "RTX 4090", "count": 1}],
                     "interconnect": "PCIe 4.0 x16", "host": "PCIe 4.0 x16"}],
          "jobs": [{"model": "GPT-2 small", "sequence_length": 512, "global_batch": 16}]}]})");
    }

    void json_document()
    {
        const Result result = compare({"--format", "json"});
        QCOMPARE(result.status, 0);
        QVERIFY2(result.err.contains("/colour"), result.err.constData());
        const json document = json::parse(result.out.toStdString());
        QCOMPARE(document.at("cases").size(), 1U);
        QCOMPARE(document.at("cases")[0].at("devices").get<int>(), 2);
        double published = 0, own = 0;
        for (const json& trial : document.at("results")) {
            const bool first = trial.at("planner") == "nn-piper-no-network";
            if (first)
                own = trial.at("throughput_samples_per_s").get<double>();
            else if (trial.at("planner") == "pipedream" && trial.at("costs") == "published")
                published = trial.at("throughput_samples_per_s").get<double>();
        }
        QVERIFY(own > 0 && published > 0);
        // Without LibTorch the network plans nothing, and nothing can be held against it.
        for (const json& gain : document.at("gains"))
            QCOMPARE(gain.at("mean").is_null(), gain.at("cases") == 0);
    }

    void table()
    {
        const Result result = compare();
        QCOMPARE(result.status, 0);
        for (const char* word : {"box, GPT-2 small", "as published", "mean gain", "best published"})
            QVERIFY2(result.out.contains(word), word);
    }

    void status_tells_cases_that_nobody_plans()
    {
        QFile in(file_);
        QVERIFY(in.open(QIODevice::ReadOnly));
        QByteArray text = in.readAll();
        in.close();
        write(text.replace("GPT-2 small", "GPT-3 175B"));
        const Result result = compare();
        QCOMPARE(result.status, 1);
        QVERIFY2(result.out.contains("needs"), result.out.constData());
        write("{}");
        QCOMPARE(compare().status, 2);
    }
};

QTEST_GUILESS_MAIN(TestPublishedCli)
#include "test_published_cli.moc"
