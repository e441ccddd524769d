// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/error.h"
#include "core/problem/compile.h"
#include "core/problem/profile.h"

#include <QtTest>

#include <algorithm>
#include <cmath>

using namespace nnpiper;

namespace {

ProfileRow row(const char* layer, int micro_batch, double forward_s, double backward_s)
{
    ProfileRow row;
    row.device_type = "A";
    row.layer = layer;
    row.micro_batch = micro_batch;
    row.forward_s = forward_s;
    row.backward_s = backward_s;
    return row;
}

/// Two blocks between embedding and head on two devices of types A and B.
Project small()
{
    Project project;
    Architecture& a = project.model.architecture;
    a.family = Family::gpt2;
    a.hidden = 8;
    a.blocks = 2;
    a.heads = a.key_value_heads = 2;
    a.head_dim = 4;
    a.feed_forward = 16;
    a.vocabulary = 10;
    a.positions = 4;
    project.model.sequence_length = 4;
    for (const char* type : {"A", "B"}) {
        Device device;
        device.id = type;
        device.spec.type = type;
        device.spec.memory_bytes = 1e6;
        device.spec.memory_bandwidth_bytes_per_s = 1e12;
        device.spec.peak_flop_per_s = {{"bf16", 1e6}};
        project.cluster.devices.push_back(device);
    }
    project.cluster.links = {{"l", "", "", "A", "B", 1000, 0.5, 0.25, {}}};
    project.job.global_batch = 8;
    project.job.micro_batch = 2;
    return project;
}

const Variant& only(const Problem& problem)
{
    return problem.variants.at(0);
}

}  // namespace

class TestProfile : public QObject {
    Q_OBJECT

private slots:
    void measured_times_win()
    {
        Project project = small();
        const Problem formula = compile(project);
        project.profile = {row("block", 2, 3, 6), row("block 1", 2, 4, 10)};
        project.profile[1].backward_s.reset();
        project.profile[1].backward_input_s = 7;
        project.profile[1].backward_weight_s = 3;
        project.profile[1].stored_bytes = 123;
        const Problem problem = compile(project);
        const Variant& v = only(problem);
        QCOMPARE(v.forward_s(1, 0), 3.0);
        QCOMPARE(v.forward_s(2, 0), 4.0);
        QCOMPARE(v.backward_input_s(2, 0), 7.0);
        QCOMPARE(v.backward_weight_s(2, 0), 3.0);
        // A whole backward pass is split as the formula splits it.
        const Variant& f = only(formula);
        QCOMPARE(v.backward_input_s(1, 0) + v.backward_weight_s(1, 0), 6.0);
        QCOMPARE(v.backward_input_s(1, 0) / v.backward_weight_s(1, 0),
                 f.backward_input_s(1, 0) / f.backward_weight_s(1, 0));
        // What nobody measured stays as it was: other layers, other types.
        QCOMPARE(v.forward_s(0, 0), f.forward_s(0, 0));
        QCOMPARE(v.forward_s(3, 0), f.forward_s(3, 0));
        for (int l = 0; l < 4; ++l)
            QCOMPARE(v.forward_s(l, 1), f.forward_s(l, 1));
        QCOMPARE(v.stored_bytes[2], 123.0);
        QCOMPARE(v.stored_bytes[1], f.stored_bytes[1]);
        QCOMPARE(problem.measured_cells, 2);
        QVERIFY(problem.basis == CostBasis::analytic);
        QVERIFY(formula.measured_cells == 0);
    }

    /// A name wins over indices, indices over a kind; of two alike the later one.
    void closest_row()
    {
        Project project = small();
        project.profile = {row("block 1", 2, 1, 1), row("1-2", 2, 2, 2), row("block", 2, 3, 3), row("0-3", 2, 4, 4),
                           row("2", 2, 5, 5)};
        const Problem problem = compile(project);
        const Variant& v = only(problem);
        QCOMPARE(v.forward_s(0, 0), 4.0);
        QCOMPARE(v.forward_s(1, 0), 4.0);
        QCOMPARE(v.forward_s(2, 0), 1.0);
        QCOMPARE(v.forward_s(3, 0), 4.0);
        QCOMPARE(problem.measured_cells, 4);
    }

    void basis()
    {
        Project project = small();
        project.cluster.devices[0].spec.calibrated = true;
        QVERIFY(compile(project).basis == CostBasis::analytic);
        project.cluster.devices[1].spec.calibrated = true;
        QVERIFY(compile(project).basis == CostBasis::calibrated);
        project.profile = {row("0-3", 2, 1, 2), row("0-3", 2, 3, 4)};
        project.profile[1].device_type = "B";
        QVERIFY(compile(project).basis == CostBasis::measured);
        QCOMPARE(compile(project).measured_cells, 8);
    }

    void between_sizes_data()
    {
        QTest::addColumn<int>("samples");
        QTest::addColumn<double>("forward");
        QTest::newRow("measured") << 4 << 6.0;
        QTest::newRow("between") << 3 << 5.0;
        QTest::newRow("between others") << 6 << 11.0;
        // The line through 2 and 4 meets 3 at one sample; a proportion alone would say 2.
        QTest::newRow("below") << 1 << 3.0;
        QTest::newRow("above") << 10 << 21.0;
    }
    void between_sizes()
    {
        QFETCH(int, samples);
        QFETCH(double, forward);
        const Profile profile = {row("block", 8, 16, 32), row("block", 2, 4, 8), row("block", 4, 6, 12)};
        const std::vector<Layer> layers = layers_of(small().model, "bf16");
        const MeasuredLayer layer = measured_layer(profile, layers, 1, "A", 1);
        QCOMPARE(layer.at(samples).forward_s, forward);
        QCOMPARE(layer.at(samples).backward_s, 2 * forward);
        QVERIFY(measured_layer(profile, layers, 0, "A", 1).empty());
        QVERIFY(measured_layer(profile, layers, 1, "B", 1).empty());
        QVERIFY(measured_layer(profile, layers, 1, "A", 2).empty());
        // One size alone is taken in proportion.
        QCOMPARE(measured_layer({row("block", 2, 4, 8)}, layers, 1, "A", 1).at(samples).forward_s, 2.0 * samples);
    }

    /// A profile measures without recompute: full recompute adds its own forward pass.
    void recompute_on_top()
    {
        Project project = small();
        project.profile = {row("block", 2, 3, 6), row("head", 2, 5, 8)};
        project.profile[0].stored_bytes = 77;
        project.job.recompute = Recompute::full;
        const Variant v = only(compile(project));
        QCOMPARE(v.backward_input_s(1, 0) + v.backward_weight_s(1, 0), 9.0);
        QCOMPARE(v.backward_input_s(3, 0) + v.backward_weight_s(3, 0), 8.0);
        QCOMPARE(v.stored_bytes[1], 2 * 4 * 8 * 2.0);
    }

    void what_if_speed_scales_measured_times()
    {
        Project project = small();
        project.profile = {row("block", 2, 3, 6)};
        project.cluster.devices[0].speed_factor = 0.5;
        QCOMPARE(only(compile(project)).forward_s(1, 0), 6.0);
    }

    void refuses_data()
    {
        QTest::addColumn<int>("fault");
        QTest::addColumn<QString>("place");
        QTest::newRow("layer") << 0 << "/profile/0/layer";
        QTest::newRow("range") << 1 << "/profile/0/layer";
        QTest::newRow("time") << 2 << "/profile/0/forward_s";
        QTest::newRow("backward") << 3 << "/profile/0/backward_s";
        QTest::newRow("one half") << 4 << "/profile/0/backward_s";
        QTest::newRow("sum") << 5 << "/profile/0/backward_s";
        QTest::newRow("size") << 6 << "/profile/0/micro_batch";
    }
    void refuses()
    {
        QFETCH(int, fault);
        QFETCH(QString, place);
        Project project = small();
        ProfileRow bad = row("block", 2, 3, 6);
        switch (fault) {
        case 0:
            bad.layer = "block 2";
            break;
        case 1:
            bad.layer = "4-7";
            break;
        case 2:
            bad.forward_s = 0;
            break;
        case 3:
            bad.backward_s.reset();
            break;
        case 4:
            bad.backward_s.reset();
            bad.backward_input_s = 1;
            break;
        case 5:
            bad.backward_input_s = 1;
            bad.backward_weight_s = 2;
            break;
        default:
            bad.micro_batch = 0;
        }
        project.profile = {bad};
        try {
            compile(project);
            QFAIL("accepted");
        } catch (const Error& error) {
            QCOMPARE(QString::fromStdString(error.place()), place);
        }
    }
};

QTEST_APPLESS_MAIN(TestProfile)
#include "test_profile.moc"
