// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/error.h"
#include "core/formats/files.h"
#include "core/problem/pipeline.h"
#include "core/simulator/simulate.h"

#include <nlohmann/json.hpp>

#include <QTest>

#include <functional>

using namespace nnpiper;
using nlohmann::json;

namespace {

Problem tiny()
{
    const std::string path = EXAMPLES "/tiny.problem.json";
    return read_problem(read_text(path), path);
}

json small_plan()
{
    return json::parse(
        R"({"format": "nnpiper-plan", "version": 1, "planner": "by hand", "feasible": true, "status": "ok",
        "schedule": "gpipe", "micro_batches": 8,
        "stages": [{"devices": ["fast"], "first_layer": 0, "end_layer": 4},
                   {"devices": ["middle"], "first_layer": 4, "end_layer": 6}]})");
}

std::string error_of(const json& document, const Problem* problem)
{
    try {
        read_plan(document.dump(), "p.json", problem);
        return "no error";
    } catch (const Error& error) {
        return error.what();
    }
}

}  // namespace

using Edit = std::function<void(json&)>;
Q_DECLARE_METATYPE(Edit)

class TestPlanFile : public QObject {
    Q_OBJECT

private slots:
    void values()
    {
        json document = small_plan();
        document["stages"][1]["devices"] = {"middle", "slow"};
        document["stages"][1]["shares"] = {3, 1};
        document["bound"] = 0.25;
        const Plan plan = read_plan(document.dump(), "p.json");
        QCOMPARE(plan.planner, std::string("by hand"));
        QVERIFY(plan.schedule == ScheduleKind::gpipe);
        QCOMPARE(plan.micro_batches, 8);
        QCOMPARE(plan.stages[1].devices, (std::vector<std::string>{"middle", "slow"}));
        QCOMPARE(plan.stages[1].shares, (std::vector<int>{3, 1}));
        QCOMPARE(plan.bound_s.value(), 0.25);
    }

    void indicesNeedTheProblem()
    {
        const Problem problem = tiny();
        json document = small_plan();
        document["stages"][0]["devices"][0] = 1;
        document["stages"][1]["devices"][0] = 0;
        const Plan plan = read_plan(document.dump(), "p.json", &problem);
        QCOMPARE(plan.stages[0].devices.front(), std::string("fast"));
        QCOMPARE(plan.stages[1].devices.front(), std::string("middle"));
        QCOMPARE(error_of(document, nullptr),
                 std::string("p.json: /stages/0/devices/0: is the index 1 and there is no problem to "
                             "look it up in; a device id is allowed"));
        document["stages"][0]["devices"][0] = 3;
        QCOMPARE(error_of(document, &problem),
                 std::string("p.json: /stages/0/devices/0: is the index 3; 0 to 2 or a device id is allowed"));
    }

    void theProblemFillsIn()
    {
        Problem problem = tiny();
        problem.variants.front().recompute = Recompute::full;
        json document = small_plan();
        document.erase("schedule");
        document.erase("micro_batches");
        const Plan plan = read_plan(document.dump(), "p.json", &problem);
        QVERIFY(plan.schedule == ScheduleKind::one_f_one_b);
        QCOMPARE(plan.micro_batches, 8);
        QVERIFY(plan.stages[0].recompute == Recompute::full);
        QCOMPARE(error_of(document, nullptr),
                 std::string("p.json: /micro_batches: missing; a whole number of at least 1 is needed"));
    }

    void faults_data()
    {
        QTest::addColumn<Edit>("edit");
        QTest::addColumn<QString>("sentence");
        const auto row = [](const char* name, Edit edit, const char* sentence) {
            QTest::newRow(name) << edit << QString::fromUtf8(sentence);
        };
        row(
            "no stages", [](json& d) { d.erase("stages"); }, "p.json: /stages: missing; a list is needed");
        row(
            "empty stages", [](json& d) { d["stages"] = json::array(); },
            "p.json: /stages: is an empty list; a list of at least 1 is allowed unless \"status\" is \"skipped\"");
        row(
            "no device", [](json& d) { d["stages"][0]["devices"] = json::array(); },
            "p.json: /stages/0/devices: is an empty list; a list of at least 1 is allowed");
        row(
            "device type", [](json& d) { d["stages"][0]["devices"][0] = 1.5; },
            "p.json: /stages/0/devices/0: is 1.5; a text or a whole number of at least 0 is allowed");
        row(
            "unknown device", [](json& d) { d["stages"][0]["devices"][0] = "quick"; },
            "p.json: /stages/0/devices/0: there is no device \"quick\"; an id of the problem's devices is allowed");
        row(
            "device twice", [](json& d) { d["stages"][1]["devices"][0] = "fast"; },
            "p.json: /stages/1/devices/0: the device \"fast\" already stands at /stages/0/devices/0; a device runs one "
            "stage");
        row(
            "gap", [](json& d) { d["stages"][1]["first_layer"] = 5; },
            "p.json: /stages/1/first_layer: is 5; 4 is expected, where the stage before ends");
        row(
            "empty stage", [](json& d) { d["stages"][1]["end_layer"] = 4; },
            "p.json: /stages/1/end_layer: is 4; a layer behind first_layer 4 is allowed");
        row(
            "beyond", [](json& d) { d["stages"][1]["end_layer"] = 9; },
            "p.json: /stages/1/end_layer: is 9; at most 6 is allowed, the number of layers");
        row(
            "short", [](json& d) { d["stages"][1]["end_layer"] = 5; },
            "p.json: /stages/1/end_layer: is 5; 6 is expected: the last stage ends with the last layer");
        row(
            "negative", [](json& d) { d["stages"][0]["first_layer"] = -1; },
            "p.json: /stages/0/first_layer: is -1; a whole number of at least 0 is allowed");
        row(
            "shares",
            [](json& d) {
                d["stages"][0]["shares"] = {1, 2};
            },
            "p.json: /stages/0/shares: has 2 entries; one for each of the 1 devices is allowed");
        row(
            "status", [](json& d) { d["status"] = "fine"; },
            "p.json: /status: is \"fine\"; one of \"ok\", \"infeasible\", \"skipped\", \"stopped\" is allowed");
        row(
            "recompute", [](json& d) { d["stages"][0]["recompute"] = "some"; },
            "p.json: /stages/0/recompute: is \"some\"; one of \"none\", \"selective\", \"full\" is allowed");
        row(
            "chunks", [](json& d) { d["chunks_per_device"] = 2; },
            "p.json: /chunks_per_device: 2 a device are not possible with gpipe; it has 1");
        row(
            "order", [](json& d) { d["order"] = json::array(); },
            "p.json: /order: is given; leave it out: gpipe has an order of its own");
    }
    void faults()
    {
        QFETCH(Edit, edit);
        QFETCH(QString, sentence);
        const Problem problem = tiny();
        json document = small_plan();
        edit(document);
        QCOMPARE(QString::fromStdString(error_of(document, &problem)), sentence);
    }

    void unknownFieldsAreNamed()
    {
        json document = small_plan();
        document["mood"] = "good";
        document["boundary_precision"] = "int8";
        std::vector<std::string> warnings;
        read_plan(document.dump(), "p.json", nullptr, &warnings);
        std::sort(warnings.begin(), warnings.end());
        QCOMPARE(warnings.size(), std::size_t(2));
        QVERIFY(warnings[0].starts_with("/boundary_precision is not used"));
        QCOMPARE(warnings[1], std::string("/mood is not known and is kept out"));
    }

    void writtenReadsBack()
    {
        const Problem problem = tiny();
        Plan plan = read_plan(small_plan().dump(), "p.json", &problem);
        plan.schedule = ScheduleKind::one_f_one_b;  // gpipe keeps more than the fast card holds
        predict(problem, plan);
        QVERIFY(plan.feasible);
        plan.planning_time_ms = 1.0 / 3;
        plan.bound_s = 0.1;
        plan.detail = "zwölf \"Wege\"";
        plan.reason = "because";
        const std::string once = write_plan(plan);
        const Plan again = read_plan(once, "once", &problem);
        QCOMPARE(write_plan(again), once);
        QCOMPARE(again.makespan_s, plan.makespan_s);
        QCOMPARE(again.iteration_s, plan.iteration_s);
        QCOMPARE(again.throughput_samples_per_s, plan.throughput_samples_per_s);
        QCOMPARE(again.bubble_fraction, plan.bubble_fraction);
        QCOMPARE(again.planning_time_ms, plan.planning_time_ms);
        QCOMPARE(again.detail, plan.detail);
        QCOMPARE(again.reason, plan.reason);
        QVERIFY(again.stages == plan.stages);
    }

    void skippedPlan()
    {
        Plan plan;
        plan.planner = "exact";
        plan.status = "skipped";
        plan.reason = "too many devices";
        const std::string text = write_plan(plan);
        const json document = json::parse(text);
        QVERIFY(document.at("makespan_s").is_null());  // unknown is null, never zero
        QVERIFY(document.at("stages").empty());
        QCOMPARE(read_plan(text, "p").reason, plan.reason);
    }

    void keysOfTheContract()
    {
        const json document = json::parse(write_plan(read_plan(small_plan().dump(), "p")));
        for (const char* key : {"format", "version", "planner", "feasible", "status", "makespan_s", "iteration_s",
                                "planning_time_ms", "throughput_samples_per_s", "schedule", "micro_batches", "stages"})
            QVERIFY2(document.contains(key), key);
        QCOMPARE(json::parse(write_plans({Plan{}, Plan{}})).at("plans").size(), std::size_t(2));
    }
};

QTEST_APPLESS_MAIN(TestPlanFile)
#include "test_plan_file.moc"
