// SPDX-License-Identifier: GPL-3.0-or-later
#include "../brute_force.h"
#include "core/formats/files.h"
#include "core/planners/bounds/lower_bound.h"
#include "../random_problem.h"

#include <QtTest>

#include <filesystem>

using namespace nnpiper;

namespace {

/// As a project compiles: sizes of micro-batch, recompute policies, tensor-parallel degrees, replicas.
Problem priced_problem(Random& random, int layers, int devices, bool groups)
{
    Problem p = random_problem(random, layers, devices, 4);
    p.raw = false;
    p.samples_known = true;
    p.micro_batch_free = p.recompute_free = p.tensor_parallel_free = true;
    for (int l = 0; l < layers; ++l)
        p.gradient_bytes.push_back(random.uniform(0.01, 0.2));
    p.optimizer_s = Matrix(layers, devices, random.uniform(0, 0.1));
    p.fixed_step_s = random.uniform(0, 0.5);
    const Variant base = p.variants[0];
    p.variants.clear();
    const auto scale = [](Variant& v, double factor) {
        for (Matrix* matrix : {&v.forward_s, &v.backward_input_s, &v.backward_weight_s}) {
            for (int l = 0; l < matrix->rows(); ++l) {
                for (int d = 0; d < matrix->columns(); ++d)
                    (*matrix)(l, d) *= factor;
            }
        }
    };
    for (const int degree : groups ? std::vector<int>{1, 2} : std::vector<int>{1}) {
        double factor = degree == 1 ? 1 : random.uniform(0.5, 0.9);
        for (const int samples : {1, 2}) {
            for (const Recompute policy : {Recompute::none, Recompute::full}) {
                Variant v = base;
                v.micro_batch_samples = samples;
                v.micro_batches = 4 / samples;
                v.tensor_parallel = degree;
                v.recompute = policy;
                scale(v, factor);
                for (int l = 0; l < layers; ++l) {
                    v.stored_bytes[static_cast<std::size_t>(l)] *= (policy == Recompute::none ? samples : 0.2 * samples) / degree;
                    v.output_bytes[static_cast<std::size_t>(l)] *= samples;
                    for (int d = 0; d < devices && policy == Recompute::full; ++d)
                        v.backward_input_s(l, d) += v.forward_s(l, d);
                }
                if (degree > 1) {
                    v.forward_traffic.assign(static_cast<std::size_t>(layers), {0.1 * samples, 4, 0, 0});
                    v.backward_traffic = v.forward_traffic;
                }
                p.variants.push_back(std::move(v));
            }
            factor *= random.uniform(1.2, 2);
        }
    }
    return p;
}

}  // namespace

class TestLowerBound : public QObject {
    Q_OBJECT

private slots:
    void no_chain_is_below_it_data()
    {
        QTest::addColumn<int>("schedule");
        for (const auto& entry : schedule_catalog()) {
            if (entry.kind != ScheduleKind::custom && !is_inference(entry.kind)
                && entry.kind != ScheduleKind::pipedream_2bw)
                QTest::newRow(entry.name.c_str()) << static_cast<int>(entry.kind);
        }
    }

    /// Single-device stages, by the simulator over all orders and cuts.
    void no_chain_is_below_it()
    {
        QFETCH(int, schedule);
        const auto kind = static_cast<ScheduleKind>(schedule);
        const bool quick = kind == ScheduleKind::one_f_one_b || kind == ScheduleKind::gpipe || kind == ScheduleKind::eager;
        Random random(qHash(QByteArray(QTest::currentDataTag())));
        int compared = 0;
        for (int round = 0; round < (quick ? 60 : 12); ++round) {
            const int chunks = default_chunks(kind);
            Problem p = random_problem(random, chunks > 2 ? 8 : 4 + random.below(3), 2 + random.below(2),
                                       quick ? 1 + random.below(9) : 4);
            p.schedule = kind;
            p.fixed_step_s = random.uniform(0, 1);
            if (round % 2 == 0)
                p.stages = 2;
            if (round % 5 == 1)
                make_equal(p);
            p.objective = static_cast<Objective>(round % 3);
            const auto bound = objective_bound(p);
            QVERIFY(bound.has_value());
            const double best = best_single_device_objective(p, kind);
            compared += std::isfinite(best);
            QVERIFY2(bound->objective <= best * (1 + 1e-9), qPrintable(QString::number(bound->objective / best)));
            QVERIFY(bound->objective > 0);
        }
        QVERIFY(compared > 0);
    }

    void no_group_is_below_it_data()
    {
        QTest::addColumn<int>("objective");
        QTest::addColumn<bool>("groups");
        for (const bool groups : {false, true}) {
            for (const Objective objective : {Objective::throughput, Objective::cost, Objective::latency})
                QTest::addRow("%s%s", name_of(objective).data(), groups ? ", tensor-parallel groups too" : "")
                    << static_cast<int>(objective) << groups;
        }
    }

    /// Replicas with any shares, degrees, sizes and policies.
    void no_group_is_below_it()
    {
        QFETCH(int, objective);
        QFETCH(bool, groups);
        Random random(qHash(QByteArray(QTest::currentDataTag())));
        for (int round = 0; round < 8; ++round) {
            Problem p = priced_problem(random, 3, 3, groups);
            p.objective = static_cast<Objective>(objective);
            p.schedule = round % 2 == 0 ? ScheduleKind::one_f_one_b : ScheduleKind::gpipe;
            if (round % 3 == 0)
                p.stages = 2;
            const auto bound = objective_bound(p);
            QVERIFY(bound.has_value());
            const double best = best_objective(p, *p.schedule);
            QVERIFY2(bound->objective <= best * (1 + 1e-9), qPrintable(QString::number(bound->objective / best)));
            QVERIFY(bound->objective > 0);
        }
    }

    /// (M + S - 1) T on equal stages without delay (Huang et al. 2019): the bound leaves no gap.
    void gpipe_on_equal_stages_is_proved_optimal_data()
    {
        QTest::addColumn<int>("stages");
        QTest::addColumn<int>("micro_batches");
        for (const int stages : {1, 2, 4, 16, 64}) {
            for (const int micro_batches : {1, 3, 16, 200})
                QTest::addRow("%d stages, %d micro-batches", stages, micro_batches) << stages << micro_batches;
        }
    }

    void gpipe_on_equal_stages_is_proved_optimal()
    {
        QFETCH(int, stages);
        QFETCH(int, micro_batches);
        Random random(1);
        Problem p = random_problem(random, 2 * stages, stages, micro_batches);
        p.schedule = ScheduleKind::gpipe;
        p.stages = stages;
        for (int d = 0; d < stages; ++d) {
            p.device_memory_bytes[static_cast<std::size_t>(d)] = 1e9;
            for (int other = 0; other < stages; ++other) {
                p.bandwidth_bytes_per_s(d, other) = 1e15;
                p.latency_s(d, other) = 0;
            }
            for (int l = 0; l < p.layers(); ++l) {
                p.variants[0].forward_s(l, d) = 1;
                p.variants[0].backward_input_s(l, d) = p.variants[0].backward_weight_s(l, d) = 1;
            }
        }
        const auto bound = objective_bound(p);
        QVERIFY(bound.has_value());
        const double closed = 6.0 * (micro_batches + stages - 1);
        QVERIFY2(std::abs(bound->makespan_s / closed - 1) < 1e-6, qPrintable(QString::number(bound->makespan_s / closed)));
    }

    /// The best plans known of the virtual problems, found by long annealing, are within a third of the bound on average.
    void the_best_plans_known_are_near()
    {
        double sum = 0;
        int count = 0;
        for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(TEST_DATA) / "problems")) {
            if (!entry.path().string().ends_with(".problem.json"))
                continue;
            const Problem problem = load_problem(entry.path());
            const auto bound = objective_bound(problem);
            QVERIFY(bound.has_value());
            Plan plan = problem.best_known.value();
            predict(problem, plan);
            if (!plan.feasible)
                continue;
            const auto gap = proved_gap(problem, plan, *bound);
            QVERIFY2(gap.has_value(), entry.path().c_str());
            QVERIFY2(objective_value(problem, plan) >= bound->objective, entry.path().c_str());
            sum += *gap;
            ++count;
        }
        QVERIFY(count > 40);
        QVERIFY2(sum / count < 0.2, qPrintable(QString::number(sum / count)));
    }

    void nothing_is_claimed_of_what_it_does_not_cover()
    {
        Random random(3);
        Problem p = random_problem(random, 6, 3, 4);
        for (auto& memory : p.device_memory_bytes)
            memory = 1e9;
        p.schedule = ScheduleKind::pipedream_2bw;
        QVERIFY(!objective_bound(p));
        p.schedule.reset();
        p.objective = Objective::cost;
        p.device_price_per_h[1] = std::numeric_limits<double>::quiet_NaN();
        QVERIFY(!objective_bound(p));
        p.objective = Objective::throughput;
        const auto bound = objective_bound(p);
        Plan plan = best_chain(p, 2);
        QVERIFY(proved_gap(p, plan, *bound).has_value());
        plan.schedule = ScheduleKind::zb_h1;
        predict(p, plan);
        QVERIFY(plan.feasible);
        QVERIFY(!proved_gap(p, plan, *bound));   // the bound is over 1F1B and GPipe
        plan.schedule = ScheduleKind::one_f_one_b;
        plan.feasible = false;
        QVERIFY(!proved_gap(p, plan, *bound));
    }

    void a_model_that_fits_nowhere_has_no_plan()
    {
        Random random(4);
        Problem p = random_problem(random, 6, 3, 4);
        p.schedule = ScheduleKind::one_f_one_b;
        p.state_bytes[2] = 100;
        QVERIFY(std::isinf(objective_bound(p)->objective));
    }
};

QTEST_APPLESS_MAIN(TestLowerBound)
#include "test_lower_bound.moc"
