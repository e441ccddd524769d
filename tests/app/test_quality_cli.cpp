// SPDX-License-Identifier: GPL-3.0-or-later
// The quality suite, driven as a user does.
#include "call.h"

#include <nlohmann/json.hpp>

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <cmath>

using nlohmann::json;

namespace {

const QString tiny = QStringLiteral(EXAMPLES "/tiny.problem.json");

json parsed(const QByteArray& text)
{
    return json::parse(text.toStdString());
}

}  // namespace

#define QVERIFY_OK(result) QVERIFY2((result).status == 0, (result).err.constData())

class TestQualityCli : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;
    QString file(const QString& name) const { return folder_.filePath(name); }

private slots:
    void quality()
    {
        QVERIFY(QDir(folder_.path()).mkpath("problems"));
        for (const char* name : {"L016-D04-S04-0.problem.json", "L016-D04-S04-1.problem.json"})
            QVERIFY(QFile::copy(QStringLiteral(TEST_DATA "/problems/") + name, file(QString("problems/") + name)));
        const Result result = call({"evaluate", "--suite", "quality", "--data", file("problems"), "--planner",
                                    "local-search,uniform", "--budget-ms", "50", "--format", "json"});
        QVERIFY(result.status == 0 || result.status == 1);
        const json document = parsed(result.out);
        QCOMPARE(document["results"].size(), std::size_t(4));
        for (const json& row : document["results"])
            if (row["feasible"].get<bool>())
                QVERIFY(row["gap"].get<double>() > -0.5 && std::isfinite(row["gap"].get<double>()));
        const Result table = call({"evaluate", "--suite", "quality", "--data", file("problems"), "--planner",
                                   "local-search", "--budget-ms", "50"});
        QVERIFY(table.out.contains("mean gap %") && table.out.contains("16x4x4"));
    }

    void qualityOnFrozenAndFreshProblems()
    {
        const Result frozen = call({"evaluate", "--suite", "quality", "--sizes", "16x4x4", "--problems", "2", "--planner",
                                    "exact,uniform", "--budget-ms", "20000", "--format", "json"});
        QVERIFY_OK(frozen);
        const json document = parsed(frozen.out);
        QVERIFY(document["source"] == "frozen");
        QCOMPARE(document["figures"].size(), std::size_t(2));
        const json& exact = document["figures"][0];
        QVERIFY(exact["group"] == "16x4x4");
        QCOMPARE(exact["problems"].get<int>(), 2);
        QVERIFY(std::abs(exact["mean_gap"].get<double>()) < 1e-9);  // frozen plans of this size are proved optimal
        QVERIFY(document["figures"][1]["difference"].get<double>() >= 0);
        for (const json& row : document["results"])
            QVERIFY(row["proved"].get<bool>());

        const Result fresh = call({"evaluate", "--suite", "quality", "--fresh", "1", "--sizes", "10x3x3,10x3x3x1", "--kinds",
                                   "slow-wan", "--planner", "uniform"});
        QVERIFY_OK(fresh);
        QVERIFY(fresh.out.contains("10x3x3, slow WAN") && fresh.out.contains("10x3x3x1, slow WAN") && fresh.out.contains("all"));

        QCOMPARE(call({"evaluate", "--suite", "quality", "--sizes", "7x3x3", "--planner", "uniform"}).status, 2);
        QCOMPARE(call({"evaluate", "--suite", "quality", "--methods", "fast"}).status, 2);
        QCOMPARE(call({"evaluate", "--suite", "quality", "--fresh", "1", "--data", folder_.path()}).status, 2);
    }

    void freezing()
    {
        const QString set = file("frozen.json");
        const QStringList arguments{"evaluate", "--suite", "quality", "--freeze", set, "--seconds", "0.01", "--sizes", "96x32x24x1"};
        const Result first = call(arguments);
        QVERIFY_OK(first);
        QVERIFY(first.out.contains("96x32x24x1"));
        const auto searched = [&] {
            QFile text(set);
            int count = 0;
            if (text.open(QIODevice::ReadOnly)) {
                const json stored = parsed(text.readAll());
                for (const json& problem : stored["problems"])
                    count += problem["searched_s"].get<double>() > 0 ? 1 : 0;
            }
            return count;
        };
        QCOMPARE(searched(), 20);
        QVERIFY_OK(call(arguments));
        QCOMPARE(searched(), 20);
        QCOMPARE(call({"evaluate", "--suite", "quality", "--freeze", set, "--seconds", "0"}).status, 2);
    }
};

QTEST_GUILESS_MAIN(TestQualityCli)
#include "test_quality_cli.moc"
