// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/error.h"
#include "core/formats/files.h"
#include "core/problem/compile.h"

#include <nlohmann/json.hpp>

#include <QDir>
#include <QTest>

#include <functional>

using namespace nnpiper;
using nlohmann::json;

namespace {

json small_project()
{
    return json::parse(R"({
        "format": "nnpiper-project", "version": 1, "name": "small",
        "model": {"family": "llama", "hidden": 64, "blocks": 4, "heads": 4, "feed_forward": 128, "vocabulary": 1000,
                  "sequence_length": 32},
        "cluster": {
            "nodes": [{"id": "n"}],
            "devices": [{"id": "n/0", "node": "n", "memory_bytes": 1e9, "memory_bandwidth_bytes_per_s": 1e11,
                         "peak_flop_per_s": {"fp16": 1e12, "bf16": null}},
                        {"id": "alone", "memory_bytes": 2e9, "memory_bandwidth_bytes_per_s": 1e11,
                         "peak_flop_per_s": {"fp16": 2e12}, "price_dollars_per_h": 0.5}],
            "switches": [{"id": "s"}],
            "links": [{"id": "l0", "from": "n", "to": "s", "bandwidth_bytes_per_s": 1.25e8},
                      {"id": "l1", "from": "s", "to": "alone", "bandwidth_bytes_per_s": 1.25e8, "latency_s": 1e-4}]},
        "job": {"global_batch": 8, "precision": "fp16", "locks": [{"devices": ["alone"], "stage": 0}]},
        "layout": {"n": {"x": 0, "y": 0}, "s": {"x": 100, "y": 200.5}}})");
}

std::string error_of(const json& document)
{
    try {
        read_project(document.dump(), "p.json");
        return "no error";
    } catch (const Error& error) {
        return error.what();
    }
}

}  // namespace

using Edit = std::function<void(json&)>;
Q_DECLARE_METATYPE(Edit)

class TestProjectFile : public QObject {
    Q_OBJECT

private slots:
    void valuesAndDefaults()
    {
        const Project p = read_project(small_project().dump(), "p.json");
        QCOMPARE(p.model.architecture.key_value_heads, 4);
        QCOMPARE(p.model.architecture.head_dim, 16);
        QCOMPARE(p.cluster.devices[0].spec.peak_flop_per_s.count("bf16"), std::size_t(0));
        QVERIFY(!p.cluster.devices[0].spec.price_dollars_per_h);
        QCOMPARE(p.cluster.devices[1].spec.price_dollars_per_h.value(), 0.5);
        QCOMPARE(p.cluster.links[1].latency_s, 1e-4);
        QVERIFY(!p.job.micro_batch);
        QVERIFY(p.job.schedule == ScheduleKind::one_f_one_b);
        QCOMPARE(p.job.locks.front().stage.value(), 0);
        QCOMPARE(p.layout.at("s").y, 200.5);
    }

    /// Every family keeps all its parts.
    void wholeCatalogueComesBack()
    {
        for (const ModelEntry& entry : model_catalog()) {
            Project project;
            project.model.architecture = entry.architecture;
            project.model.sequence_length = std::min(entry.architecture.positions, 512);
            project.model.target_length = entry.architecture.family == Family::t5 ? 128 : 0;
            std::vector<std::string> warnings;
            const Project again = read_project(write_project(project), "p.json", &warnings);
            QVERIFY2(again.model == project.model, entry.name.c_str());
            QVERIFY2(warnings.empty(), warnings.empty() ? "" : warnings.front().c_str());
        }
    }

    /// What few projects use stands in the file only where it is used.
    void rareParts()
    {
        const Project plain = read_project(small_project().dump(), "p.json");
        QCOMPARE(plain.job.tensor_parallel.value(), 1);
        const std::string text = write_project(plain);
        for (const char* key : {"tensor_parallel", "sequence_parallel", "expert_parallel", "zero_stage", "profile",
                                "speed\"", "interconnect_speed", "achieved_by_operation", "calibrated", "layer_edits",
                                "device_types", "containers", "collapsed"})
            QVERIFY2(text.find(key) == std::string::npos, key);

        json document = small_project();
        document["job"]["tensor_parallel"] = nullptr;
        document["job"]["sequence_parallel"] = true;
        document["job"]["expert_parallel"] = true;
        document["job"]["zero_stage"] = 1;
        document["cluster"]["links"][0]["speed"] = {{{"bytes", 1e6}, {"bytes_per_s", 1e7}},
                                                    {{"bytes", 1e8}, {"bytes_per_s", 1e8}}};
        document["cluster"]["nodes"][0]["interconnect_speed"] = {{{"bytes", 1e6}, {"bytes_per_s", 1e9}}};
        document["cluster"]["devices"][0]["achieved_by_operation"] = {{"attention", 0.25}, {"head", 0.6}};
        document["cluster"]["devices"][0]["calibrated"] = true;
        document["profile"] = {{{"device_type", "A"}, {"layer", 3}, {"forward_s", 0.1}, {"backward_s", 0.2}}};
        document["model"]["layer_edits"] = {{{"layer", 5}, {"stored_bytes", 0.5}},
                                            {{"layer", 2}, {"parameters", 7}, {"forward_flops", nullptr}}};
        std::vector<std::string> warnings;
        const Project p = read_project(document.dump(), "p.json", &warnings);
        QVERIFY2(warnings.empty(), warnings.empty() ? "" : warnings.front().c_str());
        QCOMPARE(p.model.layer_edits.size(), std::size_t{2});
        QVERIFY(p.model.layer_edits[0] == (LayerEdit{2, 7.0, {}, {}, {}}));
        QVERIFY(p.model.layer_edits[1] == (LayerEdit{5, {}, {}, 0.5, {}}));
        QVERIFY(!p.job.tensor_parallel && p.job.sequence_parallel && p.job.expert_parallel && p.job.zero_stage == 1);
        QCOMPARE(p.cluster.links[0].speed.size(), std::size_t{2});
        QCOMPARE(p.cluster.nodes[0].interconnect_speed[0].bytes_per_s, 1e9);
        QCOMPARE(p.cluster.devices[0].spec.achieved_by_operation.at(Operation::attention), 0.25);
        QVERIFY(p.cluster.devices[0].spec.calibrated && !p.cluster.devices[1].spec.calibrated);
        QCOMPARE(p.profile.at(0).layer, std::string("3"));
        QVERIFY(read_project(write_project(p), "p.json") == p);
    }

    void deviceTypesAndContainers()
    {
        json document = small_project();
        document["device_types"] = {{{"type", "Lab card"},
                                     {"memory_bytes", 48e9},
                                     {"memory_bandwidth_bytes_per_s", 1e12},
                                     {"peak_flop_per_s", {{"bf16", 3e14}}},
                                     {"price_dollars_per_h", 0.75}}};
        document["containers"] = {{{"id", "rack-1"}, {"kind", "rack"}, {"members", {"n", "s"}}},
                                  {{"id", "site-1"},
                                   {"name", "Berlin"},
                                   {"kind", "site"},
                                   {"members", {"rack-1", "alone"}},
                                   {"device_type", "Lab card"},
                                   {"link_type", "100 GbE RoCE"},
                                   {"link_bandwidth_bytes_per_s", 1.25e10},
                                   {"link_latency_s", 5e-6}}};
        document["layout"]["rack-1"] = {{"x", 10}, {"y", 20}, {"collapsed", true}};
        std::vector<std::string> warnings;
        const Project p = read_project(document.dump(), "p.json", &warnings);
        QVERIFY2(warnings.empty(), warnings.empty() ? "" : warnings.front().c_str());
        QCOMPARE(p.device_types.at(0).type, std::string("Lab card"));
        QCOMPARE(p.device_types.at(0).price_dollars_per_h.value(), 0.75);
        QCOMPARE(p.containers.at(0).members, (std::vector<std::string>{"n", "s"}));
        QVERIFY(p.containers.at(1).kind == ContainerKind::site);
        QCOMPARE(p.containers.at(1).link_latency_s.value(), 5e-6);
        QVERIFY(p.layout.at("rack-1").collapsed && !p.layout.at("n").collapsed);
        QVERIFY(read_project(write_project(p), "p.json") == p);
        // What is drawn together changes nothing of what is planned.
        const Project plain = read_project(small_project().dump(), "p.json");
        QVERIFY(p.cluster == plain.cluster && p.job == plain.job);
    }

    void choicesLeftToThePlanner()
    {
        json document = small_project();
        for (const char* key : {"schedule", "recompute", "micro_batch", "stages"})
            document["job"][key] = nullptr;
        const Project p = read_project(document.dump(), "p.json");
        QVERIFY(!p.job.schedule && !p.job.recompute && !p.job.micro_batch && !p.job.stages);
        const json again = json::parse(write_project(p));
        QVERIFY(again.at("job").at("schedule").is_null() && again.at("job").at("recompute").is_null());
    }

    void faults_data()
    {
        QTest::addColumn<Edit>("edit");
        QTest::addColumn<QString>("beginning");
        QTest::addColumn<QString>("names");
        const auto row = [](const char* name, Edit edit, const char* beginning, const char* names) {
            QTest::newRow(name) << edit << QString::fromUtf8(beginning) << QString::fromUtf8(names);
        };
        row(
            "missing model", [](json& d) { d.erase("model"); }, "p.json: /model: missing", "an object is needed");
        row(
            "missing field", [](json& d) { d["cluster"]["devices"][1].erase("memory_bytes"); },
            "p.json: /cluster/devices/1/memory_bytes: missing", "a number above 0 is needed");
        row(
            "wrong type", [](json& d) { d["model"]["hidden"] = "64"; }, "p.json: /model/hidden: is \"64\"",
            "a whole number of at least 1 is allowed");
        row(
            "negative bandwidth", [](json& d) { d["cluster"]["links"][1]["bandwidth_bytes_per_s"] = -1; },
            "p.json: /cluster/links/1/bandwidth_bytes_per_s: is -1", "a number of at least 0 is allowed");
        row(
            "link to nothing", [](json& d) { d["cluster"]["links"][1]["to"] = "gone"; },
            "p.json: /cluster/links/1/to: ", "gone");
        row(
            "double id", [](json& d) { d["cluster"]["devices"][1]["id"] = "n/0"; },
            "p.json: /cluster/devices/1/id: ", "n/0");
        row(
            "id of a switch", [](json& d) { d["cluster"]["switches"][0]["id"] = "alone"; },
            "p.json: /cluster/switches/0/id: ", "alone");
        row(
            "no such node", [](json& d) { d["cluster"]["devices"][0]["node"] = "m"; },
            "p.json: /cluster/devices/0/node: ", "m");
        row(
            "no such family", [](json& d) { d["model"]["family"] = "rnn"; }, "p.json: /model/family: ", "llama");
        row(
            "no such precision", [](json& d) { d["job"]["precision"] = "int3"; }, "p.json: /job/precision: is \"int3\"",
            "one of \"fp32\", \"tf32\", \"fp16\", \"bf16\", \"fp8\" is allowed");
        row(
            "fraction above one", [](json& d) { d["cluster"]["devices"][0]["achieved_fraction"] = 1.5; },
            "p.json: /cluster/devices/0/achieved_fraction: is 1.5", "at most 1 is allowed");
        row(
            "zero fraction", [](json& d) { d["cluster"]["devices"][0]["achieved_fraction"] = 0; },
            "p.json: /cluster/devices/0/achieved_fraction: is 0", "a number above 0 and of at most 1 is allowed");
        row(
            "lock", [](json& d) { d["job"]["locks"][0]["devices"][0] = "x"; },
            "p.json: /job/locks/0/devices/0: ", "\"x\"");
        row(
            "layout", [](json& d) { d["layout"]["n"].erase("y"); }, "p.json: /layout/n/y: missing",
            "a number is needed");
        row(
            "type twice",
            [](json& d) {
                const json type{{"type", "T"}, {"memory_bytes", 1e9}, {"memory_bandwidth_bytes_per_s", 1e9},
                                {"peak_flop_per_s", json::object()}};
                d["device_types"] = {type, type};
            },
            "p.json: /device_types/0/type: \"T\" is there twice", "differ");
        row(
            "member nowhere",
            [](json& d) {
                d["containers"] = {{{"id", "r"}, {"kind", "rack"}, {"members", {"n", "gone"}}}};
            },
            "p.json: /containers/0/members/1: ", "gone");
        row(
            "container with the id of a node",
            [](json& d) {
                d["containers"] = {{{"id", "n"}, {"kind", "rack"}}};
            },
            "p.json: /containers/0/id: ", "\"n\"");
        row(
            "kept plan",
            [](json& d) {
                d["plans"] = {{{"format", "nnpiper-plan"}, {"version", 1}, {"micro_batches", 1}}};
            },
            "p.json: /plans/0/stages: missing", "a list is needed");
        row(
            "operation",
            [](json& d) {
                d["cluster"]["devices"][0]["achieved_by_operation"] = {{"softmax", 0.5}};
            },
            "p.json: /cluster/devices/0/achieved_by_operation/softmax: is not known",
            "known are attention, expert, head, matrix");
        row(
            "curve",
            [](json& d) {
                d["cluster"]["links"][0]["speed"] = {{{"bytes", 8}, {"bytes_per_s", 1}},
                                                     {{"bytes", 8}, {"bytes_per_s", 2}}};
            },
            "p.json: /cluster/links/0/speed/1/bytes: 8 follows 8", "ascend");
        row(
            "profile",
            [](json& d) {
                d["profile"] = {{{"device_type", "A"}, {"layer", "block"}, {"forward_s", 1}}};
            },
            "p.json: /profile/0/backward_s: missing", "backward_input_s");
        row(
            "zero stage", [](json& d) { d["job"]["zero_stage"] = 2; }, "p.json: /job/zero_stage", "");
        row(
            "unlearned position",
            [](json& d) {
                d["model"]["family"] = "gpt2";
                d["model"]["positions"] = 16;
            },
            "p.json: /model/sequence_length: 32 tokens", "at most 16 for gpt2");
        row(
            "edit of no layer",
            [](json& d) {
                d["model"]["layer_edits"] = {{{"layer", 1}, {"parameters", 3}}, {{"layer", 6}, {"parameters", 3}}};
            },
            "p.json: /model/layer_edits/1/layer: there is no layer 6", "0 to 5 are expected");
        row(
            "negative edit", [](json& d) { d["model"]["layer_edits"] = {{{"layer", 1}, {"parameters", -3}}}; },
            "p.json: /model/layer_edits/0/parameters: is -3", "a number of at least 0 or null is allowed");
        row(
            "unknown figure", [](json& d) { d["model"]["layer_edits"] = {{{"layer", 1}, {"flops", 3}}}; },
            "p.json: /model/layer_edits/0/flops: is not known",
            "known are forward_flops, layer, output_bytes, parameters, stored_bytes");
        row(
            "layer edited twice",
            [](json& d) {
                d["model"]["layer_edits"] = {{{"layer", 1}, {"parameters", 3}}, {{"layer", 1}, {"output_bytes", 3}}};
            },
            "p.json: /model/layer_edits/1/layer: layer 1 is edited twice", "");
        row(
            "head size", [](json& d) { d["model"]["heads"] = 5; }, "p.json: /model/head_dim: missing",
            "hidden 64 is no multiple of heads 5");
    }
    void faults()
    {
        QFETCH(Edit, edit);
        QFETCH(QString, beginning);
        QFETCH(QString, names);
        json document = small_project();
        edit(document);
        const QString sentence = QString::fromStdString(error_of(document));
        QVERIFY2(sentence.startsWith(beginning) && sentence.contains(names), qPrintable(sentence));
    }

    void unknownFieldsAreNamed()
    {
        json document = small_project();
        document["job"]["colour"] = 1;
        document["layout"]["s"]["z"] = 1;
        std::vector<std::string> warnings;
        read_project(document.dump(), "p.json", &warnings);
        std::sort(warnings.begin(), warnings.end());
        QCOMPARE(warnings, (std::vector<std::string>{"/job/colour is not known and is kept out",
                                                     "/layout/s/z is not known and is kept out"}));
    }

    void roundTrip()
    {
        Project p = read_project(small_project().dump(), "p.json");
        p.description = "Über";
        p.assumptions = {"one", "two"};
        p.job.recompute = Recompute::selective;
        p.job.fixed_step_s = 0.1;
        p.cluster.devices[0].speed_factor = 1.0 / 3;
        p.cluster.devices[0].spec.peak_flop_per_s["fp8"] = 5e12;
        p.layout["n"] = {1, 2, 300, 400};
        Plan plan;
        plan.planner = "by hand";
        plan.micro_batches = 8;
        plan.stages = {{{"n/0"}, 0, 3, 1, {}, Recompute::none}, {{"alone"}, 3, 6, 1, {}, Recompute::none}};
        p.plans.push_back(plan);
        const std::string once = write_project(p);
        std::vector<std::string> warnings;
        const Project again = read_project(once, "once", &warnings);
        QCOMPARE(warnings.size(), std::size_t(0));
        QVERIFY(again == p);
        QVERIFY(again.plans.front().stages == plan.stages);
        QCOMPARE(write_project(again), once);
    }

    void examples_data()
    {
        QTest::addColumn<QString>("path");
        const QDir folder(QStringLiteral(EXAMPLES));
        const QStringList names = folder.entryList({"*.nnpiper.json"});
        QCOMPARE(names.size(), 4);
        for (const QString& name : names)
            QTest::newRow(qPrintable(name)) << folder.filePath(name);
    }
    void examples()
    {
        QFETCH(QString, path);
        const std::string text = read_text(path.toStdString());
        std::vector<std::string> warnings;
        const Project project = read_project(text, path.toStdString(), &warnings);
        QCOMPARE(warnings.size(), std::size_t(0));
        QVERIFY(project.assumptions.size() >= 4);
        QCOMPARE(write_project(project), text);  // saving an example changes nothing
        for (const Node& node : project.cluster.nodes)
            QVERIFY(project.layout.count(node.id) == 1);
        for (const Switch& item : project.cluster.switches)
            QVERIFY(project.layout.count(item.id) == 1);

        const Problem compiled = compile(project);
        const Problem exported = read_problem(write_problem(compiled), "exported");
        QCOMPARE(exported.layers(), compiled.layers());
        const Variant& a = compiled.variants[static_cast<std::size_t>(compiled.default_variant)];
        const Variant& b = exported.variants.front();
        QCOMPARE(a.micro_batch_samples, b.micro_batch_samples);
        for (int l = 0; l < compiled.layers(); ++l)
            for (int d = 0; d < compiled.devices(); ++d)
                QCOMPARE(b.forward_s(l, d), a.forward_s(l, d));
    }
};

QTEST_APPLESS_MAIN(TestProjectFile)
#include "test_project_file.moc"
