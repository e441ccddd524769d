// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/error.h"
#include "core/formats/files.h"

#include <nlohmann/json.hpp>

#include <QDir>
#include <QElapsedTimer>
#include <QTest>

#include <functional>

using namespace nnpiper;
using nlohmann::json;

namespace {

json small_problem()
{
    return json::parse(R"({
        "format": "nnpiper-problem", "version": 1, "name": "small", "micro_batches": 4, "stages": 2, "schedule": "1f1b",
        "layers": [{"state_bytes": 10, "stored_activation_bytes": 1, "output_bytes": 2},
                   {"state_bytes": 20, "stored_activation_bytes": 1, "output_bytes": 2},
                   {"name": "head", "state_bytes": 30, "stored_activation_bytes": 1, "output_bytes": 2}],
        "devices": [{"id": "a", "memory_bytes": 100}, {"id": "b", "memory_bytes": 200}],
        "forward_s": [[1, 2], [1, 2], [1, 2]], "backward_s": [[2, 4], [2, 4], [3, 6]],
        "bandwidth_bytes_per_s": [[0, 5], [5, 0]], "latency_s": [[0, 0.5], [0.5, 0]],
        "locks": [{"devices": ["b"], "stage": 1}],
        "best_known": {"makespan_s": 12.5, "stages": [{"devices": ["a"], "first_layer": 0, "end_layer": 2},
                                                      {"devices": ["b"], "first_layer": 2, "end_layer": 3}]}})");
}

std::string error_of(const json& document)
{
    try {
        read_problem(document.dump(), "p.json");
        return "no error";
    } catch (const Error& error) {
        return error.what();
    }
}

}  // namespace

using Edit = std::function<void(json&)>;
Q_DECLARE_METATYPE(Edit)

class TestProblemFile : public QObject {
    Q_OBJECT

private slots:
    void values()
    {
        const Problem p = read_problem(small_problem().dump(), "p.json");
        QVERIFY(p.raw);
        QCOMPARE(p.layers(), 3);
        QCOMPARE(p.devices(), 2);
        QCOMPARE(p.layer_names[2], std::string("head"));
        QCOMPARE(p.stages.value(), 2);
        QVERIFY(p.schedule == ScheduleKind::one_f_one_b);
        QVERIFY(!p.samples_known);
        QVERIFY(!p.replicas_allowed());
        const Variant& v = p.variants.front();
        QCOMPARE(v.micro_batches, 4);
        QVERIFY(v.backward_split_assumed);
        QCOMPARE(v.backward_input_s(2, 1), 3.0);
        QCOMPARE(v.backward_weight_s(2, 1), 3.0);
        QCOMPARE(p.latency_s(0, 1), 0.5);
        QCOMPARE(p.locks.size(), std::size_t(1));
        QCOMPARE(p.best_known->stages[1].devices.front(), std::string("b"));
        QCOMPARE(p.best_known->makespan_s, 12.5);
        QCOMPARE(p.best_known->micro_batches, 4);
    }

    void split()
    {
        json document = small_problem();
        document["backward_input_s"] = {{1.5, 3}, {1, 2}, {1, 2}};
        document["backward_weight_s"] = {{0.5, 1}, {1, 2}, {2, 4}};
        const Problem both = read_problem(document.dump(), "p.json");
        QVERIFY(!both.variants.front().backward_split_assumed);
        QCOMPARE(both.variants.front().backward_weight_s(2, 0), 2.0);
        document.erase("backward_s");
        const Problem parts = read_problem(document.dump(), "p.json");
        QCOMPARE(parts.variants.front().backward_input_s(0, 1), 3.0);
    }

    void replicas()
    {
        json document = small_problem();
        document["micro_batch_samples"] = 2;
        for (auto& layer : document["layers"])
            layer["gradient_bytes"] = 5;
        const Problem p = read_problem(document.dump(), "p.json");
        QVERIFY(p.replicas_allowed());
        QCOMPARE(p.variants.front().micro_batch_samples, 2);
    }

    void faults_data()
    {
        QTest::addColumn<Edit>("edit");
        QTest::addColumn<QString>("sentence");
        const auto row = [](const char* name, Edit edit, const char* sentence) {
            QTest::newRow(name) << edit << QString::fromUtf8(sentence);
        };
        row(
            "missing list", [](json& d) { d.erase("layers"); },
            "p.json: /layers: missing; a list of at least 1 is needed");
        row(
            "missing field", [](json& d) { d["devices"][1].erase("memory_bytes"); },
            "p.json: /devices/1/memory_bytes: missing; a number above 0 is needed");
        row(
            "wrong type", [](json& d) { d["layers"][2]["output_bytes"] = "2 MB"; },
            "p.json: /layers/2/output_bytes: is \"2 MB\"; a number of at least 0 is allowed");
        row(
            "wrong type of a whole part", [](json& d) { d["layers"] = 3; },
            "p.json: /layers: is 3; a list of at least 1 is allowed");
        row(
            "negative bandwidth", [](json& d) { d["bandwidth_bytes_per_s"][0][1] = -5; },
            "p.json: /bandwidth_bytes_per_s/0/1: is -5; a number of at least 0 is allowed");
        row(
            "null in a matrix", [](json& d) { d["forward_s"][2][0] = nullptr; },
            "p.json: /forward_s/2/0: is null; a number of at least 0 is allowed");
        row(
            "rows", [](json& d) { d["forward_s"].erase(0); },
            "p.json: /forward_s: has 2 rows; 3 are expected, one for each layer");
        row(
            "columns", [](json& d) { d["latency_s"][1].push_back(1); },
            "p.json: /latency_s/1: has 3 numbers; 2 are expected, one for each device");
        row(
            "diagonal", [](json& d) { d["bandwidth_bytes_per_s"][1][1] = 9; },
            "p.json: /bandwidth_bytes_per_s/1/1: is 9; 0 is expected on the diagonal");
        row(
            "double id", [](json& d) { d["devices"][1]["id"] = "a"; },
            "p.json: /devices/1/id: the id \"a\" already stands at /devices/0; every device has an id of its own");
        row(
            "no backward", [](json& d) { d.erase("backward_s"); },
            "p.json: /backward_s: missing; it, or backward_input_s and backward_weight_s, is needed");
        row(
            "half a split", [](json& d) { d["backward_input_s"] = d["forward_s"]; },
            "p.json: /backward_weight_s: missing; backward_input_s and backward_weight_s come together");
        row(
            "no sum",
            [](json& d) {
                d["backward_input_s"] = d["forward_s"];
                d["backward_weight_s"] = d["forward_s"];
            },
            "p.json: /backward_s/2/0: is 3; 2 is expected, backward_input_s plus backward_weight_s");
        row(
            "micro-batches", [](json& d) { d["micro_batches"] = 0; },
            "p.json: /micro_batches: is 0; a whole number of at least 1 is allowed");
        row(
            "fraction", [](json& d) { d["micro_batches"] = 2.5; },
            "p.json: /micro_batches: is 2.5; a whole number of at least 1 is allowed");
        row(
            "too many to count", [](json& d) { d["micro_batches"] = 3000000000; },
            "p.json: /micro_batches: is 3000000000; at most 10000000 is allowed");
        row(
            "stages", [](json& d) { d["stages"] = 3; },
            "p.json: /stages: is 3; at most 2 is allowed, a layer and a device for each stage");
        row(
            "some gradients", [](json& d) { d["layers"][0]["gradient_bytes"] = 1; },
            "p.json: /layers/1/gradient_bytes: missing; every layer or none has it");
        row(
            "lock on nothing", [](json& d) { d["locks"][0]["devices"][0] = "c"; },
            "p.json: /locks/0/devices/0: there is no device \"c\"; an id of the devices is allowed");
        row(
            "lock stage", [](json& d) { d["locks"][0]["stage"] = 2; },
            "p.json: /locks/0/stage: is 2; 0 to 1 is allowed");
        row(
            "lock layers",
            [](json& d) {
                d["locks"][0]["first_layer"] = 2;
                d["locks"][0]["end_layer"] = 2;
            },
            "p.json: /locks/0/end_layer: is 2; a layer behind first_layer 2 is allowed");
        row(
            "best gap", [](json& d) { d["best_known"]["stages"][1]["first_layer"] = 1; },
            "p.json: /best_known/stages/1/first_layer: is 1; 2 is expected, where the stage before ends");
        row(
            "best beyond", [](json& d) { d["best_known"]["stages"][1]["end_layer"] = 4; },
            "p.json: /best_known/stages/1/end_layer: is 4; at most 3 is allowed, the number of layers");
        row(
            "best short", [](json& d) { d["best_known"]["stages"].erase(1); },
            "p.json: /best_known/stages/0/end_layer: is 2; 3 is expected: the last stage ends with the last layer");
        row(
            "best device twice", [](json& d) { d["best_known"]["stages"][1]["devices"][0] = "a"; },
            "p.json: /best_known/stages/1/devices/0: the device \"a\" already stands at "
            "/best_known/stages/0/devices/0; a device "
            "runs one stage");
        row(
            "format", [](json& d) { d["format"] = "nnpiper-plan"; },
            "p.json: /format: is \"nnpiper-plan\"; \"nnpiper-problem\" is expected");
        row(
            "no format", [](json& d) { d.erase("format"); },
            "p.json: /format: missing; \"nnpiper-problem\" is expected");
        row(
            "newer", [](json& d) { d["version"] = 7; },
            "p.json: /version: is 7, written by a newer NN-Piper Workbench; this program reads version 1");
        row(
            "no version", [](json& d) { d["version"] = "1"; }, "p.json: /version: is \"1\"; 1 is expected");
        row(
            "not an object", [](json& d) { d = json::array({1}); },
            "p.json: /: a list of 1; an object with \"format\": \"nnpiper-problem\" is expected");
    }
    void faults()
    {
        QFETCH(Edit, edit);
        QFETCH(QString, sentence);
        json document = small_problem();
        edit(document);
        QCOMPARE(QString::fromStdString(error_of(document)), sentence);
    }

    void unknownSchedule()
    {
        json document = small_problem();
        document["schedule"] = "1b1f";
        const QString sentence = QString::fromStdString(error_of(document));
        QVERIFY2(sentence.startsWith("p.json: /schedule: ") && sentence.contains("1b1f") && sentence.contains("gpipe"),
                 qPrintable(sentence));
    }

    void unknownFieldsAreNamed()
    {
        json document = small_problem();
        document["colour"] = "red";
        document["layers"][1]["flops"] = 3;
        std::vector<std::string> warnings;
        read_problem(document.dump(), "p.json", &warnings);
        std::sort(warnings.begin(), warnings.end());
        QCOMPARE(warnings, (std::vector<std::string>{"/colour is not known and is kept out",
                                                     "/layers/1/flops is not known and is kept out"}));
    }

    void writtenIsStable_data()
    {
        QTest::addColumn<QString>("path");
        const QDir folder(QStringLiteral(TEST_DATA "/problems"));
        for (const QString& name : folder.entryList({"*.problem.json"}))
            QTest::newRow(qPrintable(name)) << folder.filePath(name);
    }
    void writtenIsStable()
    {
        QFETCH(QString, path);
        const Problem first = read_problem(read_text(path.toStdString()), path.toStdString());
        const std::string once = write_problem(first);
        const Problem second = read_problem(once, "once");
        QCOMPARE(write_problem(second), once);
        const Variant& a = first.variants.front();
        const Variant& b = second.variants.front();
        for (int l = 0; l < first.layers(); ++l)
            for (int d = 0; d < first.devices(); ++d) {
                QCOMPARE(a.forward_s(l, d), b.forward_s(l, d));
                QCOMPARE(a.backward_input_s(l, d), b.backward_input_s(l, d));
            }
        QCOMPARE(first.best_known->stages, second.best_known->stages);
        QCOMPARE(first.state_bytes, second.state_bytes);
    }

    void everythingSurvives()
    {
        json document = small_problem();
        document["micro_batch_samples"] = 2;
        document["recompute"] = "full";
        document["objective"] = "cost";
        document["fixed_step_s"] = 0.25;
        document["optimizer_s"] = {{1, 2}, {3, 4}, {5, 6}};
        document["backward_input_s"] = {{1.5, 3}, {1, 2}, {1, 2}};
        document["backward_weight_s"] = {{0.5, 1}, {1, 2}, {2, 4}};
        document.erase("backward_s");
        document["devices"][0]["type"] = "T4";
        document["devices"][0]["node"] = "n";
        document["devices"][0]["price_dollars_per_h"] = 0.5;
        for (auto& layer : document["layers"]) {
            layer["gradient_bytes"] = 5;
            layer["transient_bytes"] = 6;
            layer["buffer_bytes"] = 7;
        }
        const Problem p = read_problem(write_problem(read_problem(document.dump(), "a")), "b");
        json again = json::parse(write_problem(p));
        again["best_known"].erase("schedule");
        again["best_known"].erase("feasible");
        for (auto& stage : again["best_known"]["stages"])
            stage.erase("recompute");
        QCOMPARE(QString::fromStdString(again.dump()), QString::fromStdString(document.dump()));
        QVERIFY(p.best_known->stages.front().recompute == Recompute::full);
        QVERIFY(std::isnan(p.device_price_per_h[1]));
    }

    void largeFileIsQuick()
    {
        // 128 layers, 64 devices; generous for a loaded machine and far from what a quadratic reader would take.
        const std::string path = TEST_DATA "/problems/L128-D64-S48-0.problem.json";
        const std::string text = read_text(path);
        QElapsedTimer timer;
        timer.start();
        read_problem(text, path);
        const qint64 ms = timer.elapsed();
        qInfo("read in %lld ms", static_cast<long long>(ms));
        QVERIFY(ms < 3000);
    }
};

QTEST_APPLESS_MAIN(TestProblemFile)
#include "test_problem_file.moc"
