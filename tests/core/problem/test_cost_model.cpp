// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/error.h"
#include "core/problem/compile.h"
#include "core/problem/cost_model.h"

#include <QtTest>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <fstream>

using namespace nnpiper;
using nlohmann::json;

namespace {

const json& figures()
{
    static const json document = json::parse(std::ifstream(TEST_DATA "/models.json"));
    return document;
}

const Architecture& architecture(const std::string& name)
{
    const auto& all = model_catalog();
    return std::find_if(all.begin(), all.end(), [&](const ModelEntry& e) { return e.name == name; })->architecture;
}

/// A node of eight equal devices.
Project eight(const char* model, int sequence_length)
{
    Project project;
    project.model = {architecture(model), sequence_length, 0};
    Node node;
    node.id = "n";
    project.cluster.nodes.push_back(node);
    for (int i = 0; i < 8; ++i) {
        Device device;
        device.id = "n/" + std::to_string(i);
        device.node = "n";
        device.spec.type = "A";
        device.spec.memory_bytes = 1e12;
        device.spec.memory_bandwidth_bytes_per_s = 0;
        device.spec.peak_flop_per_s = {{"fp16", 1e14}};
        device.spec.achieved_fraction = 0.5;
        project.cluster.devices.push_back(device);
    }
    project.job.precision = "fp16";
    project.job.micro_batch = 1;
    return project;
}

const Variant& chosen(const Problem& problem)
{
    return problem.variants[static_cast<std::size_t>(problem.default_variant)];
}

constexpr std::size_t block = 1;
constexpr int block_row = 1;

}  // namespace

class TestCostModel : public QObject {
    Q_OBJECT

private slots:
    void tensor_parallel_activations_data()
    {
        QTest::addColumn<int>("index");
        const json& items = figures().at("tensor_parallel_activations");
        for (std::size_t i = 0; i < items.size(); ++i)
            QTest::addRow("%s", items[i].at("name").get<std::string>().c_str()) << static_cast<int>(i);
    }
    /// Korthikanti et al. 2022, with t = 8: plain, and with split sequences and selective recompute.
    void tensor_parallel_activations()
    {
        QFETCH(int, index);
        const json& item = figures().at("tensor_parallel_activations").at(static_cast<std::size_t>(index));
        Project project = eight(item.at("name").get<std::string>().c_str(), item.at("sequence_length"));
        project.job.micro_batch = item.at("micro_batch").get<int>();
        project.job.tensor_parallel = item.at("degree").get<int>();
        project.job.flash_attention = false;
        const double gib = 1024.0 * 1024 * 1024;
        const double layers = item.at("layers_in_flight");

        const Problem plain = compile(project);
        QCOMPARE(chosen(plain).tensor_parallel, 8);
        QCOMPARE(chosen(plain).stored_bytes[block], item.at("block_bytes").get<double>());
        QCOMPARE(layers * chosen(plain).stored_bytes[block] / gib, item.at("first_stage_gib").get<double>());

        project.job.sequence_parallel = true;
        project.job.recompute = Recompute::selective;
        const Problem split = compile(project);
        QCOMPARE(chosen(split).stored_bytes[block], item.at("block_bytes_sequence_selective").get<double>());
        QCOMPARE(layers * chosen(split).stored_bytes[block] / gib,
                 item.at("first_stage_gib_sequence_selective").get<double>());

        const Architecture& a = project.model.architecture;
        const double whole = 2.0 * *project.job.micro_batch * project.model.sequence_length * a.hidden;
        project.job.recompute = Recompute::full;
        QCOMPARE(chosen(compile(project)).stored_bytes[block], whole / 8);
        project.job.sequence_parallel = false;
        QCOMPARE(chosen(compile(project)).stored_bytes[block], whole);
    }

    /// t devices share the products; two all-reduces of 2 s b h bytes forward and two backward, two more where the
    /// block is computed again.
    void tensor_parallel_divides_work()
    {
        Project project = eight("GPT-3 6.7B", 2048);
        const Problem one = compile(project);
        project.job.tensor_parallel = 4;
        const Problem four = compile(project);
        const Variant& v = chosen(four);
        for (int l = 0; l < four.layers(); ++l) {
            QCOMPARE(v.forward_s(l, 0), chosen(one).forward_s(l, 0) / 4);
            QCOMPARE(v.backward_input_s(l, 0), chosen(one).backward_input_s(l, 0) / 4);
            QCOMPARE(v.backward_weight_s(l, 0), chosen(one).backward_weight_s(l, 0) / 4);
            QCOMPARE(v.output_bytes[static_cast<std::size_t>(l)],
                     chosen(one).output_bytes[static_cast<std::size_t>(l)]);
        }
        QVERIFY(chosen(one).forward_traffic.empty());
        const GroupTraffic expected{2.0 * 2048 * 4096, 4, 0, 0};
        QVERIFY(v.forward_traffic[block] == expected);
        QVERIFY(v.backward_traffic[block] == expected);
        QCOMPARE(v.forward_traffic.front().ring_passes, 2);
        QCOMPARE(v.backward_traffic.front().ring_passes, 0);
        QCOMPARE(v.forward_traffic.back().ring_passes, 0);
        QCOMPARE(v.backward_traffic.back().ring_passes, 2);
        // Norms and the biases behind the split products stay whole: 6 h of 12 h^2 + 13 h.
        const double h = 4096;
        const double parameters = 12 * h * h + 13 * h;
        QCOMPARE(four.held_share(block_row, 4) * parameters, 6 * h + (parameters - 6 * h) / 4);
        QCOMPARE(four.held_share(block_row, 1), 1.0);

        project.job.recompute = Recompute::full;
        const Problem again = compile(project);
        QCOMPARE(chosen(again).backward_traffic[block].ring_passes, 8);
        QCOMPARE(chosen(again).backward_input_s(block_row, 0),
                 v.backward_input_s(block_row, 0) + v.forward_s(block_row, 0));
    }

    void degrees_that_a_planner_may_choose()
    {
        Project project = eight("LLaMA-2 70B", 512);
        project.job.tensor_parallel.reset();
        project.job.global_batch = 16;
        project.job.micro_batch.reset();
        const Problem problem = compile(project);
        QVERIFY(problem.tensor_parallel_free);
        QCOMPARE(problem.variants.size(), std::size_t{4 * 5});
        std::size_t i = 0;
        for (const int t : {1, 2, 4, 8}) {
            for (const int size : {1, 2, 4, 8, 16}) {
                QCOMPARE(problem.variants[i].tensor_parallel, t);
                QCOMPARE(problem.variants[i++].micro_batch_samples, size);
            }
        }
        QCOMPARE(chosen(problem).tensor_parallel, 1);
        // Four key and value heads go to four devices at most.
        project.model = {architecture("Qwen2.5 7B"), 512, 0};
        QCOMPARE(compile(project).variants.back().tensor_parallel, 4);
    }

    void refuses_degrees_data()
    {
        QTest::addColumn<QString>("model");
        QTest::addColumn<int>("degree");
        QTest::addColumn<QString>("mentions");
        QTest::newRow("heads") << "GPT-2 XL" << 2 << "25 heads";
        QTest::newRow("key and value heads") << "Qwen2.5 7B" << 7 << "4 key and value heads";
        QTest::newRow("devices") << "GPT-3 175B" << 16 << "1 to 8";
        QTest::newRow("none") << "GPT-3 175B" << 0 << "1 to 8";
        QTest::newRow("image tower") << "CLIP ViT-B/32" << 8 << "12 heads of the image tower";
    }
    void refuses_degrees()
    {
        QFETCH(QString, model);
        QFETCH(int, degree);
        QFETCH(QString, mentions);
        Project project = eight(model.toUtf8().constData(), 64);
        project.job.tensor_parallel = degree;
        try {
            compile(project);
            QFAIL("accepted");
        } catch (const Error& error) {
            QCOMPARE(error.place(), std::string("/job/tensor_parallel"));
            QVERIFY2(QString::fromUtf8(error.what()).contains(mentions), error.what());
        }
    }

    /// Slicing every expert needs the all-reduce of any feed-forward part; spreading whole experts sends two copies of
    /// each token out and back and gathers the results, unless the sequence is split.
    void experts_sliced_or_spread()
    {
        Project project = eight("Mixtral 8x7B", 1024);
        project.job.tensor_parallel = 8;
        const Problem sliced = compile(project);
        project.job.expert_parallel = true;
        const Problem spread = compile(project);
        project.job.sequence_parallel = true;
        const Problem split = compile(project);
        const double tokens = 2.0 * 1024 * 4096;
        QVERIFY((chosen(sliced).forward_traffic[block] == GroupTraffic{tokens, 4, 0, 0}));
        QVERIFY((chosen(spread).forward_traffic[block] == GroupTraffic{tokens, 3, 2 * tokens / 8, 2}));
        QVERIFY((chosen(split).backward_traffic[block] == GroupTraffic{tokens, 2, 2 * tokens / 8, 2}));
        QCOMPARE(chosen(spread).forward_s(block_row, 0), chosen(sliced).forward_s(block_row, 0));
        project.model.architecture.experts = 12;
        try {
            compile(project);
            QFAIL("accepted");
        } catch (const Error& error) {
            QVERIFY2(error.allowed().find("12 experts") != std::string::npos, error.what());
        }
    }

    /// A layer's time is the sum of its kinds of work, each at its own rate.
    void achieved_by_operation()
    {
        Project project = eight("Mixtral 8x7B", 1024);
        const Layer layer = layers_of(project.model, "fp16")[block];
        DeviceSpec& spec = project.cluster.devices[0].spec;
        spec.achieved_by_operation = {{Operation::attention, 0.25}, {Operation::expert, 0.4}, {Operation::head, 0.8}};
        const Problem problem = compile(project);
        const Variant& v = chosen(problem);
        const double scores = layer.attention_flops - layer.masked_flops;
        const double rest = layer.forward_flops - layer.attention_flops - layer.expert_flops;
        QCOMPARE(v.forward_s(block_row, 0), rest / 5e13 + layer.expert_flops / 4e13 + scores / 2.5e13);
        QCOMPARE(v.backward_weight_s(block_row, 0), rest / 5e13 + layer.expert_flops / 4e13);
        const int head = problem.layers() - 1;
        QCOMPARE(v.forward_s(head, 0), v.forward_s(head, 1) * 0.5 / 0.8);
        QCOMPARE(v.forward_s(block_row, 1), (rest + layer.expert_flops + scores) / 5e13);
    }

    /// 4 + 12/d bytes a parameter, with fp32 gradients 6 + 12/d (Rajbhandari et al. 2020).
    void distributed_optimizer()
    {
        Project project = eight("GPT-3 6.7B", 512);
        QVERIFY(compile(project).sharded_bytes.empty());
        project.job.zero_stage = 1;
        for (const auto& [optimizer, kept] : {std::pair{"adam", 4.0}, std::pair{"adam-fp32-grads", 6.0}}) {
            project.job.optimizer = optimizer;
            const Problem problem = compile(project);
            const double parameters = problem.gradient_bytes[block] / (kept - 2);
            QCOMPARE(problem.sharded_bytes[block], 12 * parameters);
            QCOMPARE(problem.state_bytes[block] - problem.sharded_bytes[block], kept * parameters);
            QCOMPARE(problem.weight_bytes[block], 2 * parameters);
        }
        project.job.zero_stage = 3;
        QVERIFY_EXCEPTION_THROWN(compile(project), Error);
    }

    /// What later layers need is kept once by a stage, not by every block.
    void encoder_output_is_carried()
    {
        Project project = eight("T5 base", 512);
        project.model.target_length = 128;
        const Problem problem = compile(project);
        const Variant& v = chosen(problem);
        const double encoded = 2.0 * 512 * 768;
        QCOMPARE(v.carried_bytes[5], 0.0);
        QCOMPARE(v.carried_bytes[15], encoded);
        QCOMPARE(v.output_bytes[15], encoded + 2.0 * 128 * 768);
        // The last decoder block hands on its own tokens only.
        QCOMPARE(v.carried_bytes[v.carried_bytes.size() - 2], 0.0);
    }
};

QTEST_APPLESS_MAIN(TestCostModel)
#include "test_cost_model.moc"
