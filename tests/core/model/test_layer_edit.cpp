// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/error.h"
#include "core/model/model.h"
#include "core/problem/compile.h"
#include "core/problem/cost_model.h"

#include <QtTest>

#include <algorithm>
#include <functional>
#include <limits>

using namespace nnpiper;

namespace {

constexpr int embedding = 0, block = 2, head = 4;

/// Three blocks on two devices of 0.5 MFLOP/s, whose memory bandwidth bounds nothing.
Project small()
{
    Project project;
    Architecture& a = project.model.architecture;
    a.family = Family::llama;
    a.hidden = 8;
    a.blocks = 3;
    a.heads = a.key_value_heads = 2;
    a.head_dim = 4;
    a.feed_forward = 16;
    a.vocabulary = 10;
    a.positions = 4;
    project.model.sequence_length = 4;
    for (const char* id : {"x", "y"}) {
        Device device;
        device.id = id;
        device.spec.type = "slow";
        device.spec.memory_bytes = 1e6;
        device.spec.memory_bandwidth_bytes_per_s = 0;
        device.spec.peak_flop_per_s = {{"bf16", 1e6}};
        device.spec.achieved_fraction = 0.5;
        project.cluster.devices.push_back(device);
    }
    project.cluster.links = {{"l", "", "", "x", "y", 1000, 0.5, 0.25, {}}};
    project.job.global_batch = 8;
    project.job.micro_batch = 2;
    return project;
}

LayerEdit edit_of(int layer, std::optional<double> LayerEdit::*field, double figure)
{
    LayerEdit edit;
    edit.layer = layer;
    edit.*field = figure;
    return edit;
}

std::string error_of(const std::vector<LayerEdit>& edits)
{
    try {
        Project project = small();
        project.model.layer_edits = edits;
        compile(project);
        return "no error";
    } catch (const Error& error) {
        return error.what();
    }
}

}  // namespace

using Field = std::optional<double> LayerEdit::*;
Q_DECLARE_METATYPE(Field)

class TestLayerEdit : public QObject {
    Q_OBJECT

private slots:
    /// A layer with twice the FLOPs takes twice the time in every pass; its neighbours are untouched.
    void flops_set_the_time()
    {
        Project project = small();
        const Problem before = compile(project);
        const double flops = layers_of(project.model, "bf16")[block].forward_flops;
        project.model.layer_edits = {edit_of(block, &LayerEdit::forward_flops, 2 * flops)};
        const Problem after = compile(project);
        const Variant& a = before.variants.front();
        const Variant& b = after.variants.front();
        for (int l = 0; l < before.layers(); ++l) {
            const double factor = l == block ? 2 : 1;
            QCOMPARE(b.forward_s(l, 1), factor * a.forward_s(l, 1));
            QCOMPARE(b.backward_input_s(l, 1), factor * a.backward_input_s(l, 1));
            QCOMPARE(b.backward_weight_s(l, 1), factor * a.backward_weight_s(l, 1));
        }
        QCOMPARE(after.state_bytes, before.state_bytes);
        QCOMPARE(b.stored_bytes, a.stored_bytes);
    }

    /// An embedding has no FLOPs; given some, each pass takes them: 2 samples x 250000 / 0.5 MFLOP/s = 1 s.
    void flops_where_there_were_none()
    {
        Project project = small();
        QCOMPARE(layers_of(project.model, "bf16")[embedding].forward_flops, 0.0);
        project.model.layer_edits = {edit_of(embedding, &LayerEdit::forward_flops, 250000)};
        const Variant variant = compile(project).variants.front();
        QCOMPARE(variant.forward_s(embedding, 0), 1.0);
        QCOMPARE(variant.backward_input_s(embedding, 0), 1.0);
        QCOMPARE(variant.backward_weight_s(embedding, 0), 1.0);
    }

    /// Mixed-precision Adam keeps 16 bytes a parameter, 2 of which replicas all-reduce.
    void parameters_set_the_state()
    {
        Project project = small();
        project.model.layer_edits = {edit_of(block, &LayerEdit::parameters, 1000)};
        const Problem problem = compile(project);
        QCOMPARE(problem.state_bytes[block], 16000.0);
        QCOMPARE(problem.gradient_bytes[block], 2000.0);
        QCOMPARE(problem.optimizer_s(block, 0), 0.0);
        // The part that a tensor-parallel group does not split keeps its proportion.
        QCOMPARE(problem.whole_fraction[block], problem.whole_fraction[block - 1]);
    }

    /// The copy of the embedding in a tied head stays beside the head's own parameters.
    void tied_head()
    {
        Project project = small();
        project.model.architecture.tied_embeddings = true;
        project.model.layer_edits = {edit_of(head, &LayerEdit::parameters, 20)};
        QCOMPARE(compile(project).state_bytes[head], 16.0 * (20 + 80));
    }

    void stored_bytes_data()
    {
        QTest::addColumn<bool>("flash");
        QTest::newRow("flash attention") << true;
        QTest::newRow("plain attention") << false;
    }
    void stored_bytes()
    {
        QFETCH(bool, flash);
        Project project = small();
        project.job.flash_attention = flash;
        project.job.recompute.reset();
        const Problem before = compile(project);
        project.model.layer_edits = {edit_of(block, &LayerEdit::stored_bytes, 5000),
                                     edit_of(head, &LayerEdit::stored_bytes, 7)};
        const Problem after = compile(project);
        for (std::size_t i = 0; i < after.variants.size(); ++i) {
            const Variant& was = before.variants[i];
            const Variant& is = after.variants[i];
            // Full recompute keeps the block's input: 4 tokens x 8 x 2 bytes of each of 2 samples.
            const bool full = is.recompute == Recompute::full;
            QCOMPARE(is.stored_bytes[block], full ? 2.0 * 64 : 2 * 5000.0);
            QCOMPARE(is.stored_bytes[head], 2 * 7.0);
            QCOMPARE(is.stored_bytes[block - 1], was.stored_bytes[block - 1]);
            // The recomputed rest stands in working memory while the block is at work.
            if (full)
                QCOMPARE(is.transient_bytes[block] - is.transient_bytes[block - 1],
                         2 * 5000.0 - before.variants.front().stored_bytes[block - 1]);
        }
    }

    void full_recompute_keeps_no_more_than_is_given()
    {
        Project project = small();
        project.job.recompute = Recompute::full;
        project.model.layer_edits = {edit_of(block, &LayerEdit::stored_bytes, 10)};
        QCOMPARE(compile(project).variants.front().stored_bytes[block], 20.0);
    }

    void output_bytes_set_the_message()
    {
        Project project = small();
        project.model.layer_edits = {edit_of(block, &LayerEdit::output_bytes, 300)};
        const Variant variant = compile(project).variants.front();
        QCOMPARE(variant.output_bytes[block], 600.0);
        QCOMPARE(variant.buffer_bytes[block], 1200.0);
        QCOMPARE(variant.output_bytes[block - 1], 2 * 4 * 8 * 2.0);
    }

    /// Behind a T5 encoder every boundary hands on the encoder's output: 6 of 6 + 3 tokens' worth. No more of it can
    /// be carried than is handed on.
    void carried_part_stays_within()
    {
        Layer layer;
        layer.output_bytes = 9;
        layer.carried_bytes = 6;
        apply(edit_of(0, &LayerEdit::output_bytes, 8), layer);
        QCOMPARE(layer.carried_bytes, 6.0);
        apply(edit_of(0, &LayerEdit::output_bytes, 4), layer);
        QCOMPARE(layer.output_bytes, 4.0);
        QCOMPARE(layer.carried_bytes, 4.0);
    }

    /// Measured times win over an edit, which still sets the bytes.
    void profile_wins()
    {
        Project project = small();
        ProfileRow row;
        row.device_type = "slow";
        row.layer = std::to_string(block);
        row.micro_batch = 2;
        row.forward_s = 3;
        row.backward_s = 5;
        project.profile = {row};
        project.model.layer_edits = {edit_of(block, &LayerEdit::forward_flops, 1e9)};
        project.model.layer_edits.front().parameters = 50;
        const Problem problem = compile(project);
        QCOMPARE(problem.variants.front().forward_s(block, 0), 3.0);
        QCOMPARE(problem.variants.front().backward_input_s(block, 0)
                     + problem.variants.front().backward_weight_s(block, 0),
                 5.0);
        QCOMPARE(problem.state_bytes[block], 800.0);
    }

    void told_in_the_notes()
    {
        Project project = small();
        const auto told = [&] {
            const auto notes = compile_notes(project);
            return std::count_if(notes.begin(), notes.end(), [](const std::string& note) {
                return note == "1 layer has figures of its own in place of the architecture's.";
            });
        };
        QCOMPARE(told(), 0);
        project.model.layer_edits = {edit_of(block, &LayerEdit::parameters, 1)};
        QCOMPARE(told(), 1);
    }

    void nothing_given_changes_nothing()
    {
        Project project = small();
        const Problem before = compile(project);
        LayerEdit edit;
        edit.layer = block;
        QVERIFY(edit.empty());
        project.model.layer_edits = {edit};
        const Problem after = compile(project);
        QCOMPARE(after.state_bytes, before.state_bytes);
        QCOMPARE(after.variants.front().stored_bytes, before.variants.front().stored_bytes);
        QCOMPARE(after.variants.front().forward_s(block, 0), before.variants.front().forward_s(block, 0));
    }

    void faults_data()
    {
        QTest::addColumn<int>("layer");
        QTest::addColumn<Field>("field");
        QTest::addColumn<double>("figure");
        QTest::addColumn<QString>("sentence");
        const double infinite = std::numeric_limits<double>::infinity();
        QTest::newRow("beyond") << 5 << &LayerEdit::parameters << 1.0
                                << "/model/layer_edits/0/layer: there is no layer 5; 0 to 4 are expected";
        QTest::newRow("before") << -1 << &LayerEdit::parameters << 1.0
                                << "/model/layer_edits/0/layer: there is no layer -1; 0 to 4 are expected";
        QTest::newRow("negative") << 1 << &LayerEdit::stored_bytes << -1.0
                                  << "/model/layer_edits/0/stored_bytes: a negative or infinite figure is not "
                                     "possible; 0 or more is expected";
        QTest::newRow("infinite") << 1 << &LayerEdit::forward_flops << infinite
                                  << "/model/layer_edits/0/forward_flops: a negative or infinite figure is not "
                                     "possible; 0 or more is expected";
    }
    void faults()
    {
        QFETCH(int, layer);
        QFETCH(Field, field);
        QFETCH(double, figure);
        QFETCH(QString, sentence);
        QCOMPARE(QString::fromStdString(error_of({edit_of(layer, field, figure)})), sentence);
    }

    void twice()
    {
        QCOMPARE(error_of({edit_of(1, &LayerEdit::parameters, 1), edit_of(1, &LayerEdit::parameters, 1)}),
                 std::string("/model/layer_edits/1/layer: layer 1 is edited twice"));
    }
};

QTEST_APPLESS_MAIN(TestLayerEdit)
#include "test_layer_edit.moc"
