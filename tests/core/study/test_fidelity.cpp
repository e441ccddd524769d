// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/error.h"
#include "core/formats/fidelity_file.h"
#include "core/formats/files.h"
#include "core/study/fidelity.h"

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <cmath>

using namespace nnpiper;

namespace {

std::string suite(const std::string& records, const std::string& groups)
{
    return R"({"format": "nnpiper-fidelity", "version": 1, "records": [)" + records + R"(], "groups": [)" + groups
           + "]}";
}

/// GPipe on two equal stages without delay lasts (m + 1)(tf + tb) = 3 (m + 1) units (Huang et al. 2019).
std::string gpipe(const std::string& id, int micro_batches, const std::string& measured, const std::string& more = {})
{
    return R"({"id": ")" + id + R"(", "tags": {"m": )" + std::to_string(micro_batches)
           + R"(, "kind": "gpipe"}, "schedule": {"name": "gpipe", "stages": 2, "micro_batches": )"
           + std::to_string(micro_batches) + R"(, "forward_s": 1, "backward_input_s": 2}, "samples": )"
           + std::to_string(micro_batches) + R"(, "measured": {)" + measured + "}" + more + "}";
}

const FidelityResult& result_of(const std::vector<FidelityResult>& results, const std::string& group)
{
    const auto it = std::find_if(results.begin(), results.end(), [&](const auto& r) { return r.group == group; });
    if (it == results.end())
        throw Error(group, "is not there");
    return *it;
}

std::vector<FidelityResult> evaluated(const std::string& text)
{
    return evaluate_fidelity(read_fidelity(text, "test", {}), Control{});
}

}  // namespace

class TestFidelity : public QObject {
    Q_OBJECT
private slots:
    /// What was measured and published, by others, must be met by what is promised.
    void shippedRecords()
    {
        const FidelitySuite shipped = load_fidelity(TEST_DATA "/fidelity");
        const auto results = evaluate_fidelity(shipped, Control{});
        QCOMPARE(results.size(), shipped.groups.size());
        for (std::size_t i = 0; i < results.size(); ++i)
            QVERIFY2(results[i].passed || shipped.groups[i].stretch,
                     (results[i].group + ": " + results[i].missed).c_str());
        const auto holds = [&](const char* group, double limit, int compared) {
            const FidelityResult& result = result_of(results, group);
            QCOMPARE(result.counted, compared);
            QVERIFY2(result.largest_error <= limit, group);
        };
        holds("bubble-rate", 0.0001, 12);
        holds("bubble-rate-zb-2p", 0.0001, 6);
        holds("unequal-stages", 0.02, 8);
        holds("unequal-stages-ratio", 0.01, 4);
        holds("zb-1p-over-1f1b", 0.03, 6);
        holds("zb-micro-batches-small", 0.02, 6);
        holds("zb-micro-batches-large", 0.02, 6);
        holds("gpt3-batch", 0.02, 4);
        holds("mlperf-eos", 0.02, 5);
        holds("mlperf-coreweave", 0.02, 1);
        holds("bloom-batch", 0.03, 2);
        // Of the two records that look like one measurement, one is counted.
        QCOMPARE(result_of(results, "rtx-plans").counted, 8);
        QCOMPARE(result_of(results, "rtx-plans").rows.size(), 9U);
        for (const FidelityRecord& record : shipped.records)
            QVERIFY2(!record.source.empty(), record.id.c_str());
    }

    void comparesAbsolutely()
    {
        const std::string records = gpipe("a", 3, "\"iteration_s\": 12") + "," + gpipe("b", 7, "\"iteration_s\": 25");
        const auto group = [](const std::string& tolerance) {
            return R"({"id": "g", "records": ["*"], "figure": "iteration_s", "tolerance": )" + tolerance + "}";
        };
        const FidelityResult close = evaluated(suite(records, group(R"({"each": 0.04})"))).front();
        QVERIFY(close.passed && close.missed.empty());
        QCOMPARE(close.counted, 2);
        QVERIFY(std::abs(close.rows[0].error) < 1e-12);
        QVERIFY(std::abs(close.rows[1].error - (24.0 / 25 - 1)) < 1e-12);
        QVERIFY(std::abs(close.mean_error - 0.02) < 1e-12);
        QVERIFY(std::abs(close.largest_error - 0.04) < 1e-12);
        QVERIFY(!evaluated(suite(records, group(R"({"each": 0.039})"))).front().passed);
        QVERIFY(!evaluated(suite(records, group(R"({"mean": 0.019})"))).front().passed);
        QVERIFY(evaluated(suite(records, group(R"({"within": 0.01, "at_least": 1})"))).front().passed);
        QVERIFY(!evaluated(suite(records, group(R"({"within": 0.01, "at_least": 2})"))).front().passed);
        QVERIFY(evaluated(suite(records, group(R"({"kind": "absolute", "each": 1})"))).front().passed);
        QVERIFY(!evaluated(suite(records, group(R"({"kind": "absolute", "each": 0.99})"))).front().passed);
    }

    void figuresOfARun_data()
    {
        QTest::addColumn<QString>("figure");
        QTest::addColumn<double>("predicted");
        // Three micro-batches on two devices: 12 units, of which each device works 9.
        QTest::newRow("iteration") << "iteration_s" << 12.0;
        QTest::newRow("makespan") << "makespan_s" << 12.0;
        QTest::newRow("bubble") << "bubble_fraction" << 0.25;
        QTest::newRow("samples") << "samples_per_s" << 3.0 / 12;
        QTest::newRow("samples a device") << "samples_per_s_per_device" << 3.0 / 12 / 2;
        QTest::newRow("tokens a device") << "tokens_per_s_per_device" << 3.0 / 12 / 2 * 100;
        QTest::newRow("FLOP a device") << "flop_per_s_per_device" << 3.0 / 12 / 2 * 1e6;
        QTest::newRow("activations") << "peak_activations" << 3.0;
    }
    void figuresOfARun()
    {
        QFETCH(QString, figure);
        QFETCH(double, predicted);
        const std::string name = figure.toStdString();
        const auto results = evaluated(
            suite(gpipe("a", 3, "\"" + name + "\": 1", R"(, "tokens_per_sample": 100, "flop_per_sample": 1e6)"),
                  R"({"id": "g", "records": ["a"], "figure": ")" + name + R"(", "tolerance": {"each": 0}})"));
        QVERIFY(std::abs(results.front().rows.front().predicted - predicted) < 1e-9 * predicted);
    }

    void comparesRatios()
    {
        // 24 / 12 predicted, 2.5 measured; the reference itself is no row.
        const auto results =
            evaluated(suite(gpipe("a", 3, "\"iteration_s\": 10") + "," + gpipe("b", 7, "\"iteration_s\": 25"),
                            R"({"id": "g", "records": ["*"], "figure": "iteration_s", "compare": "ratio",
                                "reference": {"tags": {"m": 3}, "same": ["kind"]}, "tolerance": {"each": 0.2}})"));
        QCOMPARE(results.front().rows.size(), 1U);
        QCOMPARE(results.front().rows.front().reference, std::string("a"));
        QVERIFY(std::abs(results.front().rows.front().error - (2.0 / 2.5 - 1)) < 1e-12);
        QVERIFY(results.front().passed);
    }

    void fitsConstantsAndChecksThemElsewhere()
    {
        // Twice as slow and 5 s more each step.
        std::string records;
        for (const int m : {1, 3, 7, 15})
            records += (records.empty() ? "" : ",")
                       + gpipe("m" + std::to_string(m), m, "\"iteration_s\": " + std::to_string(2 * 3 * (m + 1) + 5));
        const auto results = evaluated(suite(records, R"({"id": "g", "records": ["*"], "figure": "iteration_s",
            "fit": {"constants": ["time_scale", "fixed_step_s"], "on": ["m1", "m15"], "per": ["kind"]}, "tolerance": {"each": 1e-6}})"));
        const FidelityResult& result = results.front();
        QVERIFY2(result.passed, result.missed.c_str());
        QCOMPARE(result.counted, 2);
        QCOMPARE(result.fitted.front().part, std::string("kind gpipe"));
        QVERIFY(std::abs(result.fitted.front().values.at(FittedConstant::time_scale) - 2) < 1e-5);
        QVERIFY(std::abs(result.fitted.front().values.at(FittedConstant::fixed_step_s) - 5) < 1e-4);
    }

    void copiesAndImpossibleRunsAreTold()
    {
        const std::string impossible =
            R"({"id": "b", "schedule": {"name": "interleaved-1f1b", "stages": 4, "micro_batches": 6, "chunks": 2, "forward_s": 1},
                "measured": {"iteration_s": 1}})";
        const auto results =
            evaluated(suite(gpipe("a", 3, "\"iteration_s\": 12") + "," + impossible + ","
                                + gpipe("c", 7, "\"iteration_s\": 99", R"(, "copy_of": "a")"),
                            R"({"id": "all", "records": ["*"], "figure": "iteration_s", "tolerance": {"each": 0.01}},
                     {"id": "good", "records": ["a", "c"], "figure": "iteration_s", "tolerance": {"each": 0.01}, "stretch": true})"));
        const FidelityResult& all = result_of(results, "all");
        QVERIFY(!all.passed);
        QCOMPARE(all.counted, 2);
        QVERIFY(all.rows[1].failure.find("micro-batches") != std::string::npos);
        QVERIFY(std::isnan(all.rows[1].predicted));
        QVERIFY(all.missed.starts_with("1 record is not predicted"));
        QVERIFY(result_of(results, "good").passed);
    }

    void ranks()
    {
        QVERIFY(std::abs(rank_correlation({1, 2, 3, 4}, {2, 1, 4, 3}) - 0.6) < 1e-12);
        QVERIFY(std::abs(rank_correlation({1, 2, 3}, {9, 5, 1}) + 1) < 1e-12);
        // Ties take their mean rank: Pearson of (1, 2.5, 2.5, 4) and (1, 2, 3, 4) is 4.5 / sqrt(4.5 * 5).
        QVERIFY(std::abs(rank_correlation({1, 2, 2, 3}, {1, 2, 3, 4}) - 4.5 / std::sqrt(22.5)) < 1e-12);
        QVERIFY(std::isnan(rank_correlation({1}, {1})) && std::isnan(rank_correlation({1, 1}, {1, 2})));

        const std::string records = gpipe("a", 1, "\"iteration_s\": 5") + "," + gpipe("b", 3, "\"iteration_s\": 4")
                                    + "," + gpipe("c", 7, "\"iteration_s\": 30");
        const auto group = [](const std::string& tolerance) {
            return R"({"id": "g", "records": ["*"], "figure": "iteration_s", "compare": "rank", "tolerance": )"
                   + tolerance + "}";
        };
        const FidelityResult result =
            evaluated(suite(records, group(R"({"rank_correlation": 0.5, "regret": 0.25})"))).front();
        QCOMPARE(result.ranks.size(), 1U);
        QVERIFY(std::abs(result.ranks.front().correlation - 0.5) < 1e-12);
        QCOMPARE(result.ranks.front().predicted_best, std::string("a"));
        QCOMPARE(result.ranks.front().measured_best, std::string("b"));
        QVERIFY(std::abs(result.ranks.front().regret - 0.25) < 1e-12);
        QVERIFY2(result.passed, result.missed.c_str());
        QVERIFY(!evaluated(suite(records, group(R"({"regret": 0.24})"))).front().passed);
        QVERIFY(!evaluated(suite(records, group(R"({"rank_correlation": 0.51})"))).front().passed);
    }

    /// Records with files of their own in a folder that nobody has seen.
    void problemAndTrainingRecords()
    {
        QTemporaryDir folder;
        const auto path = [&](const char* name) { return std::filesystem::path(folder.filePath(name).toStdString()); };
        write_text(path("p.problem.json"), R"({"format": "nnpiper-problem", "version": 1, "micro_batches": 3,
            "layers": [{"state_bytes": 1, "stored_activation_bytes": 1, "output_bytes": 10}, {"state_bytes": 1, "stored_activation_bytes": 1, "output_bytes": 0}],
            "devices": [{"id": "x", "memory_bytes": 100}, {"id": "y", "memory_bytes": 100}],
            "forward_s": [[1, 1], [1, 1]], "backward_s": [[2, 2], [2, 2]],
            "bandwidth_bytes_per_s": [[0, 10], [10, 0]], "latency_s": [[0, 0], [0, 0]]})");
        const std::string plan = R"({"planner": "measured", "schedule": "gpipe", "micro_batches": 3,
            "stages": [{"devices": ["x"], "first_layer": 0, "end_layer": 1}, {"devices": ["y"], "first_layer": 1, "end_layer": 2}]})";
        const std::string training =
            R"({"model": {"family": "gpt2", "hidden": 512, "blocks": 6, "heads": 8, "feed_forward": 2048,
            "vocabulary": 1024, "positions": 128, "sequence_length": 128}, "job": {"global_batch": 8, "micro_batch": 2},
            "cluster": {"device": "A100 SXM4 80GB", "devices_per_node": 2, "nodes": 2},
            "layout": {"pipeline_parallel": 2, "data_parallel": 2}})";
        write_text(path("x.fidelity.json"),
                   suite(R"({"id": "files", "problem": "p.problem.json", "plan": )" + plan
                             + R"(, "measured": {"iteration_s": 14}}, {"id": "train", "training": )" + training
                             + R"(, "measured": {"iteration_s": 1}})",
                         R"({"id": "g", "records": ["files"], "figure": "iteration_s", "tolerance": {"each": 1e-9}},
                            {"id": "t", "records": ["train"], "figure": "iteration_s",
                             "fit": {"constants": ["achieved_fraction"], "on": ["train"]}, "tolerance": {"each": 1}})"));
        const FidelitySuite read = load_fidelity(folder.path().toStdString());
        // 12 units and one message of one second each way at the two ends.
        const auto results = evaluate_fidelity(read, Control{});
        QVERIFY2(results[0].passed, results[0].missed.c_str());
        const RunFigures figures = predict_run(read.records[1].run, {});
        QCOMPARE(figures.devices, 4);
        QCOMPARE(figures.samples, 8.0);
        QVERIFY(figures.peak_memory_bytes > 0);
        // Slower devices take longer: the fitted fraction makes the prediction meet the second.
        QVERIFY(std::abs(results[1].rows.front().error) < 1e-3);
        QVERIFY(results[1].fitted.front().values.at(FittedConstant::achieved_fraction) > 0);
    }

    void faultsAreTold_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("says");
        const auto row = [](const char* name, const std::string& records, const std::string& groups, const char* says) {
            QTest::newRow(name) << QString::fromStdString(suite(records, groups)) << QString(says);
        };
        const std::string good = gpipe("a", 3, "\"iteration_s\": 12");
        const std::string group = R"({"id": "g", "records": ["a"], "figure": "iteration_s", "tolerance": {"each": 1})";
        row("nothing run", R"({"id": "a", "measured": {"iteration_s": 1}})", "",
            "test: /records/0: says nothing of what was run");
        row("two runs", gpipe("a", 3, "\"iteration_s\": 1", R"(, "training": {"model": {}, "cluster": {"device": "T4",
            "devices_per_node": 1, "nodes": 1}})"),
            "", "has schedule and training");
        row("figure", gpipe("a", 3, "\"speed\": 1"), "", "test: /records/0/measured/speed: \"speed\" is not known");
        row("schedule", R"({"id": "a", "schedule": {"name": "2f2b", "stages": 2, "micro_batches": 2, "forward_s": 1},
            "measured": {"iteration_s": 1}})",
            "", "test: /records/0/schedule/name");
        row("list",
            R"({"id": "a", "schedule": {"name": "1f1b", "stages": 4, "micro_batches": 2, "forward_s": [1, 1, 1]},
            "measured": {"iteration_s": 1}})",
            "", "test: /records/0/schedule");
        row("twice", good + "," + good, "", "two records are called \"a\"");
        row("no such record", good,
            R"({"id": "g", "records": ["b"], "figure": "iteration_s", "tolerance": {"each": 1}})",
            "no record is called \"b\"");
        row("not measured", good, R"({"id": "g", "records": ["a"], "figure": "makespan_s", "tolerance": {"each": 1}})",
            "has no measured makespan_s");
        row("constant", good, group + R"(, "fit": {"constants": ["luck"], "on": ["a"]}})",
            "test: /groups/0/fit/constants/0: \"luck\" is not known");
        row("no tag", good, group + R"(, "fit": {"constants": ["time_scale"], "on": ["a"], "per": ["colour"]}})",
            "has no tag \"colour\"");
        row("ratio without reference", good, group + R"(, "compare": "ratio"})", "test: /groups/0/reference: missing");
        row("within alone", good,
            R"({"id": "g", "records": ["a"], "figure": "iteration_s", "tolerance": {"within": 1}})",
            "within and at_least come together");
        row("lag",
            R"({"id": "a", "schedule": {"name": "zb-h1", "stages": 2, "micro_batches": 2, "forward_s": 1, "weight_lag": 3},
            "measured": {"iteration_s": 1}})",
            "", "test: /records/0/schedule/weight_lag: given for zb-h1");
        row("device",
            R"({"id": "a", "training": {"model": {}, "cluster": {"device": "abacus", "devices_per_node": 1, "nodes": 1}},
            "measured": {"iteration_s": 1}})",
            "", "\"abacus\" is not in the catalogue");
    }
    void faultsAreTold()
    {
        QFETCH(QString, text);
        QFETCH(QString, says);
        try {
            evaluated(text.toStdString());
            QFAIL("no error");
        } catch (const Error& error) {
            QVERIFY2(QString(error.what()).contains(says), error.what());
        }
    }
};

QTEST_APPLESS_MAIN(TestFidelity)
#include "test_fidelity.moc"
