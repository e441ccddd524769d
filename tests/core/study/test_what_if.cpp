// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/formats/files.h"
#include "core/problem/compile.h"
#include "core/study/what_if_effect.h"
#include "tests/widgets/sample_project.h"

#include <QtTest>

#include <algorithm>

using namespace nnpiper;

namespace {

const WhatIf* find(const std::vector<WhatIf>& changes, WhatIfKind kind, const std::string& subject = {})
{
    const auto found = std::find_if(changes.begin(), changes.end(), [&](const WhatIf& change) {
        return change.kind == kind && (subject.empty() || change.subject == subject);
    });
    return found == changes.end() ? nullptr : &*found;
}

WhatIfEffect effect(std::optional<double> gain, std::optional<double> price)
{
    WhatIfEffect effect;
    effect.gain = gain;
    effect.change.price_change_dollars_per_h = price;
    effect.planned.plan.throughput_samples_per_s = 1;
    if (gain && price && *price > 0)
        effect.gain_per_cost = *gain / *price;
    if (!gain)
        effect.planned.failure = "nothing fits";
    return effect;
}

}  // namespace

class TestWhatIf : public QObject {
    Q_OBJECT

private slots:
    void every_change_of_every_example_is_a_sound_project_data()
    {
        QTest::addColumn<QString>("file");
        for (const char* name : {"bert-a100-v100", "lab-16-gpus", "llama7b-two-machines", "qwen-1gbe"})
            QTest::newRow(name) << QStringLiteral(EXAMPLES "/%1.nnpiper.json").arg(QLatin1String(name));
    }
    void every_change_of_every_example_is_a_sound_project()
    {
        QFETCH(QString, file);
        const Project project = read_project(read_text(file.toStdString()), file.toStdString());
        const std::vector<WhatIf> changes = what_ifs(project);
        std::vector<std::string> types;
        for (const Device& device : project.cluster.devices)
            if (std::find(types.begin(), types.end(), device.spec.type) == types.end())
                types.push_back(device.spec.type);
        const auto count = [&](WhatIfKind kind) {
            return static_cast<std::size_t>(
                std::count_if(changes.begin(), changes.end(), [&](const WhatIf& c) { return c.kind == kind; }));
        };
        QCOMPARE(count(WhatIfKind::remove_device), types.size());
        QCOMPARE(count(WhatIfKind::add_device), types.size());
        for (const WhatIf& change : changes) {
            check(change.after.cluster);
            QVERIFY2(!(change.after == project), text_of(change).c_str());
            const Problem problem = compile(change.after);
            const auto devices = static_cast<int>(project.cluster.devices.size());
            const int expected = change.kind == WhatIfKind::add_device      ? devices + 1
                                 : change.kind == WhatIfKind::remove_device ? devices - 1
                                                                            : devices;
            QCOMPARE(problem.devices(), expected);
            // Nothing but the change: written and read again it is the same, and so is whatever it does not name.
            const Project again = read_project(write_project(change.after), "changed");
            QVERIFY(again.cluster == change.after.cluster && again.job == change.after.job);
        }
    }

    void an_added_device_hangs_where_its_model_hangs()
    {
        Project project = sampleProject();
        Device alone = project.cluster.devices.front();
        alone.id = "lonely7";
        alone.node.clear();
        alone.spec.type = "Other card";
        alone.spec.price_dollars_per_h = 1.5;
        project.cluster.devices.push_back(alone);
        Link link = project.cluster.links.front();
        link.id = "lonely7--switch";
        link.from = "switch";
        link.to = "lonely7";
        link.bandwidth_bytes_per_s = 1e8;
        project.cluster.links.push_back(link);
        const std::vector<WhatIf> changes = what_ifs(project);

        const WhatIf* inside = find(changes, WhatIfKind::add_device, "RTX 3090");
        QVERIFY(inside);
        QCOMPARE(inside->node, std::string("node-a"));
        QVERIFY(inside->after.cluster.links == project.cluster.links);
        const Device* added = find_device(inside->after.cluster, inside->elements.front());
        QVERIFY(added);
        QCOMPARE(added->node, std::string("node-a"));
        QVERIFY(!find_device(project.cluster, added->id));
        // Its routes are those of its neighbour.
        const Problem problem = compile(inside->after);
        const auto row = [&](const std::string& id) { return problem.device_index(id); };
        QCOMPARE(problem.bandwidth_bytes_per_s(row(added->id), row("node-b/gpu0")),
                 problem.bandwidth_bytes_per_s(row("node-a/gpu0"), row("node-b/gpu0")));

        const WhatIf* standing = find(changes, WhatIfKind::add_device, "Other card");
        QVERIFY(standing);
        QCOMPARE(standing->price_change_dollars_per_h, std::optional(1.5));
        QCOMPARE(standing->after.cluster.links.size(), project.cluster.links.size() + 1);
        const Problem other = compile(standing->after);
        QCOMPARE(other.bandwidth_bytes_per_s(other.device_index(standing->elements.front()),
                                             other.device_index("node-a/gpu0")),
                 other.bandwidth_bytes_per_s(other.device_index("lonely7"), other.device_index("node-a/gpu0")));

        const WhatIf* gone = find(changes, WhatIfKind::remove_device, "Other card");
        QVERIFY(gone);
        QCOMPARE(gone->price_change_dollars_per_h, std::optional(-1.5));
        QVERIFY(gone->after.cluster.links == sampleProject().cluster.links);
    }

    void locks_of_a_removed_device_go_and_the_last_device_stays()
    {
        Project project = sampleProject();
        Lock lock;
        lock.devices = {"node-b/gpu1"};
        lock.stage = 0;
        project.job.locks = {lock};
        const auto changes = what_ifs(project);
        QVERIFY(find(changes, WhatIfKind::remove_device)->after.job.locks.empty());
        QCOMPARE(find(changes, WhatIfKind::add_device)->after.job.locks.size(), std::size_t(1));
        project.cluster.devices.resize(1);
        QVERIFY(!find(what_ifs(project), WhatIfKind::remove_device));
    }

    void a_class_of_links_is_doubled_as_a_whole()
    {
        Project project = sampleProject();
        project.cluster.links[0].speed = {{1e3, 1e8}, {1e6, 1e9}};
        Link odd = project.cluster.links.front();
        odd.id = "odd";
        odd.from = "node-a";
        odd.to = "node-b";
        odd.bandwidth_bytes_per_s = 3e9;
        project.cluster.links.push_back(odd);
        const auto changes = what_ifs(project);
        const WhatIf* doubled = find(changes, WhatIfKind::double_link);
        QVERIFY(doubled);
        QCOMPARE(doubled->elements, (std::vector<std::string>{"node-a--switch", "node-b--switch"}));
        QCOMPARE(doubled->after.cluster.links[0].bandwidth_bytes_per_s, 2.5e9);
        QCOMPARE(doubled->after.cluster.links[0].speed[1].bytes_per_s, 2e9);
        QCOMPARE(doubled->after.cluster.links[2].bandwidth_bytes_per_s, 3e9);
        QVERIFY(!doubled->price_change_dollars_per_h);
        QCOMPARE(std::count_if(changes.begin(), changes.end(),
                               [](const WhatIf& c) { return c.kind == WhatIfKind::double_link; }),
                 2);
        QCOMPARE(find(changes, WhatIfKind::double_interconnect)->elements,
                 (std::vector<std::string>{"node-a", "node-b"}));
    }

    void micro_batches_divide_the_batch()
    {
        Project project = sampleProject();
        const auto sizes = [&] {
            std::vector<int> found;
            for (const WhatIf& change : what_ifs(project))
                if (change.kind == WhatIfKind::micro_batch)
                    found.push_back(change.micro_batch.value_or(0));
            return found;
        };
        project.job.global_batch = 24;
        project.job.micro_batch = 4;
        QCOMPARE(sizes(), (std::vector<int>{2, 8, 0}));
        project.job.micro_batch = 8;
        QCOMPARE(sizes(), (std::vector<int>{4, 0}));
        project.job.micro_batch = 1;
        QCOMPARE(sizes(), (std::vector<int>{2, 0}));
        project.job.micro_batch = 24;
        QCOMPARE(sizes(), (std::vector<int>{12, 0}));
        project.job.micro_batch.reset();
        QCOMPARE(sizes(), (std::vector<int>{}));
    }

    void what_pays_comes_first()
    {
        const std::vector<WhatIfEffect> best_first{effect(0.20, 0),
                                                   effect(0.01, -2.0),
                                                   effect(0.10, 1.0),
                                                   effect(0.30, 10.0),
                                                   effect(0.50, std::nullopt),
                                                   effect(0.0001, -3.0),
                                                   effect(-0.0002, -1.0),
                                                   effect(0.0, 2.0),
                                                   effect(-0.01, -1.0),
                                                   effect(-0.3, std::nullopt),
                                                   effect(std::nullopt, 0)};
        for (std::size_t i = 0; i < best_first.size(); ++i)
            for (std::size_t j = 0; j < best_first.size(); ++j)
                QCOMPARE(pays_more(best_first[i], best_first[j]), i < j);
    }

    void a_faster_link_or_another_device_never_makes_it_slower()
    {
        Project project = sampleProject();
        project.cluster.devices.front().spec.price_dollars_per_h = 0.5;
        PlanRequest request;
        request.budget_ms = 20;
        const PlannedProject before = plan_project(project, request, {});
        QVERIFY2(before.failure.empty(), before.failure.c_str());
        QVERIFY(*before.throughput_samples_per_s() > 0);
        for (WhatIf& change : what_ifs(project)) {
            const WhatIfKind kind = change.kind;
            const WhatIfEffect effect = effect_of(std::move(change), before, request, {});
            QVERIFY2(effect.planned.failure.empty(), effect.planned.failure.c_str());
            QCOMPARE(1 + *effect.gain,
                     effect.planned.plan.throughput_samples_per_s / before.plan.throughput_samples_per_s);
            if (kind == WhatIfKind::double_link || kind == WhatIfKind::double_interconnect
                || kind == WhatIfKind::add_device)
                QVERIFY(*effect.gain >= -1e-12);
            if (kind == WhatIfKind::add_device)
                QCOMPARE(effect.gain_per_cost.has_value(), *effect.gain > 5e-4);
        }
    }

    void what_cannot_be_planned_says_so()
    {
        Project project = sampleProject();
        for (Device& device : project.cluster.devices)
            device.spec.memory_bytes = 1e6;
        PlanRequest request;
        request.budget_ms = 10;
        const PlannedProject before = plan_project(project, request, {});
        QVERIFY(!before.failure.empty());
        QVERIFY(!before.throughput_samples_per_s());
        WhatIf change = what_ifs(project).front();
        const WhatIfEffect effect = effect_of(change, before, request, {});
        QVERIFY(!effect.gain && !effect.gain_per_cost && !effect.planned.failure.empty());
        project.job.micro_batch = 5;  // does not divide the batch
        QVERIFY(!plan_project(project, request, {}).failure.empty());
    }
};

QTEST_APPLESS_MAIN(TestWhatIf)
#include "test_what_if.moc"
