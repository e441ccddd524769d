// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/error.h"
#include "core/problem/virtual_problem.h"
#include "core/simulator/simulate.h"
#include "core/study/quality_figures.h"
#include "core/study/quality_sets.h"

#include <QTest>

#include <cmath>

using namespace nnpiper;

namespace {

QualityTrial trial(const char* problem, std::size_t method, double makespan_s, double best_s = 100)
{
    QualityTrial result;
    result.problem = problem;
    result.group = "g";
    result.method = method;
    result.status = makespan_s > 0 ? "ok" : "infeasible";
    result.feasible = makespan_s > 0;
    result.makespan_s = makespan_s;
    result.best_s = best_s;
    result.known = true;
    result.planning_ms = 10 * static_cast<double>(method + 1);
    return result;
}

bool near(double a, double b)
{
    return std::abs(a - b) < 1e-9;
}

QualityInstance instance_of(std::size_t i)
{
    QualityInstance instance;
    instance.problem = virtual_problem(evaluation_seed(2, i), {12, 4, 4, {}});
    instance.name = instance.problem.name;
    instance.group = "12x4x4";
    return instance;
}

}  // namespace

class TestQuality : public QObject {
    Q_OBJECT
private slots:
    void figures_by_hand()
    {
        std::vector<QualityMethod> methods{{"a", "exact", {}, 1}, {"b", "uniform", {}, -1}};
        std::vector<QualityTrial> trials{trial("p", 0, 101), trial("p", 1, 103), trial("q", 0, 98), trial("q", 1, 102),
                                         trial("r", 0, 350), trial("r", 1, 0),   trial("s", 0, 0),  trial("s", 1, 110)};
        trials.push_back(trial("t", 0, 0, 0));  // nobody knows a plan
        trials.push_back(trial("t", 1, 0, 0));
        trials.push_back(trial("u", 0, 100));
        trials.push_back(trial("u", 1, 0));
        trials.back().status = "skipped";
        const auto figures = quality_figures(trials, methods);
        QCOMPARE(figures.size(), 2U);  // one group needs no sum
        const auto& a = figures[0];
        QCOMPARE(a.problems, 6);
        QCOMPARE(a.unsolved, 1);
        QCOMPARE(a.infeasible, 1);
        QVERIFY(near(a.infeasible_rate(), 0.2));
        QCOMPARE(a.improved, 1);
        QVERIFY(near(a.mean_gap, (0.01 - 0.02 + 2.5 + 0) / 4));
        QVERIFY(near(a.median_gap, 0.005));
        QVERIFY(near(a.p95_gap, 0.01 + 0.85 * 2.49));  // rank 1 + 0.95 * 3
        QVERIFY(near(a.capped_mean_gap, (0.01 - 0.02 + 1 + 1 + 0) / 5));
        QVERIFY(near(a.mean_ms, 10));
        // Against b: -0.02, -0.04, 1 - 1 (both at the limit), 1 - 0.1; the skipped one has no pair.
        QCOMPARE(a.pairs, 4);
        QVERIFY(near(a.difference.mean, (-0.02 - 0.04 + 0 + 0.9) / 4));
        QCOMPARE(verdict(a.difference), std::string("no clear difference"));
        const auto& b = figures[1];
        QCOMPARE(b.problems, 5);
        QCOMPARE(b.skipped, 1);
        QCOMPARE(b.infeasible, 1);
        QVERIFY(near(b.mean_gap, (0.03 + 0.02 + 0.1) / 3));
        QCOMPARE(b.pairs, 0);
        QCOMPARE(verdict(b.difference), std::string());
    }

    void verdicts_and_sums_of_groups()
    {
        const std::vector<QualityMethod> methods{{"a", "exact", {}, 1}, {"b", "uniform", {}, 0}};
        std::vector<QualityTrial> trials;
        for (const char* problem : {"p", "q", "r"}) {
            for (const char* group : {"small", "large"}) {
                const double slower = *problem == 'p' ? 3 : 4;
                for (auto t : {trial(problem, 0, 101), trial(problem, 1, 101 + slower)}) {
                    t.group = group;
                    trials.push_back(t);
                }
            }
        }
        const auto figures = quality_figures(trials, methods);
        QCOMPARE(figures.size(), 6U);
        QCOMPARE(figures[4].group, std::string("all"));
        QCOMPARE(figures[4].problems, 6);
        QCOMPARE(figures[4].pairs, 6);  // problems of the same name in two groups do not meet
        QCOMPARE(verdict(figures[0].difference), std::string("better"));
        QCOMPARE(verdict(figures[1].difference), std::string("worse"));
    }

    void methods_and_what_they_are_compared_with()
    {
        PlanRequest request;
        request.budget_ms = 30;
        const auto methods = quality_methods({"full-10", "full-30"}, {"uniform", "exact"}, request);
        QCOMPARE(methods.size(), 6U);
        QCOMPARE(methods[0].planner, std::string("nn-piper"));
        QCOMPARE(methods[0].request.budget_ms, 10.0);
        QCOMPARE(methods[0].against, 1);
        QCOMPARE(methods[1].planner, std::string("nn-piper-no-network"));
        QCOMPARE(methods[1].against, -1);
        QCOMPARE(methods[2].against, 3);
        QCOMPARE(methods[4].against, 2);  // NN-Piper in the same 30 ms
        QCOMPARE(methods[5].against, 2);
        const auto steps = quality_methods({"raw", "greedy", "best-of", "full-1000"}, {}, request);
        QCOMPARE(steps.size(), 7U);
        QCOMPARE(steps[0].planner, std::string("nn-piper-raw"));
        QCOMPARE(steps[0].against, 2);  // there is no raw answer without a network
        QCOMPARE(steps[1].against, 2);
        QCOMPARE(steps[3].against, 4);
        QCOMPARE(steps[5].against, 6);  // the same time does not make another step the same question
        QVERIFY(steps[1].request.network_steps == NetworkSteps::greedy);
        QVERIFY(steps[3].request.network_steps == NetworkSteps::best_of);
        const auto planners = quality_methods({}, {"local-search", "uniform"}, request);
        QCOMPARE(planners[0].against, -1);
        QCOMPARE(planners[1].against, 0);
        QCOMPARE(quality_methods({"full-30"}, {"nn-piper", "uniform", "uniform"}, request).size(), 3U);  // none twice
        for (const char* word : {"fast", "full-", "full-0", "full-x", "full-10x"})
            QVERIFY_EXCEPTION_THROWN(quality_methods({word}, {}, request), Error);
        QVERIFY_EXCEPTION_THROWN(quality_methods({}, {"nobody"}, request), Error);
        QVERIFY(!quality_methods(standard_procedures(), {}, request).empty());
    }

    void measures_planners_on_fresh_problems()
    {
        PlanRequest request;
        request.budget_ms = 5;
        const auto methods = quality_methods({}, {"local-search", "greedy-speed"}, request);
        const auto trials = measure_quality(3, instance_of, methods, 20, Control{});
        QCOMPARE(trials.size(), 6U);
        for (const auto& t : trials) {
            QVERIFY(!t.known && !t.improved());
            QVERIFY(!t.feasible || (t.best_s > 0 && t.gap() >= 0));
        }
    }

    void measures_against_the_best_known()
    {
        // The optimum of a tiny problem, and one that is twice as long: a search meets the first and beats the second.
        auto instance = instance_of(1);
        const Plan best = run_planner(find_planner("exact"), instance.problem, {}, Control{});
        QVERIFY(best.feasible);
        PlanRequest request;
        request.budget_ms = 20000;  // proved long before
        const auto methods = quality_methods({}, {"exact"}, request);
        instance.best_known_s = best.makespan_s;
        auto trials = measure_quality(instance, methods, 0, Control{});
        QCOMPARE(trials.size(), 1U);
        QVERIFY(near(trials[0].gap(), 0) && !trials[0].improved());
        instance.best_known_s = 2 * best.makespan_s;
        trials = measure_quality(instance, methods, 0, Control{});
        QVERIFY(near(trials[0].gap(), -0.5) && trials[0].improved());
    }

    void stops_when_told()
    {
        std::stop_source source;
        source.request_stop();
        const auto methods = quality_methods({}, {"local-search"}, {});
        QVERIFY(measure_quality(3, instance_of, methods, 20, {source.get_token(), Deadline::never(), {}}).empty());
        // After the first problem: that one is kept.
        std::stop_source second;
        const auto stopping = [&](std::size_t i) {
            if (i == 1)
                second.request_stop();
            return instance_of(i);
        };
        PlanRequest quick;
        quick.budget_ms = 2;
        const auto one = measure_quality(3, stopping, quality_methods({}, {"greedy-speed"}, quick), 0,
                                         {second.get_token(), Deadline::never(), {}});
        QCOMPARE(one.size(), 1U);
    }

    void names_of_sizes_and_kinds()
    {
        QCOMPARE(text_of(VirtualSize{64, 16, 12, {}}), std::string("64x16x12"));
        QCOMPARE(virtual_size_from_text("96x32x24x1", "here"), (VirtualSize{96, 32, 24, 1}));
        for (const QualitySet& set : standard_quality_sets()) {
            QCOMPARE(virtual_size_from_text(text_of(set.size), "here"), set.size);
            QCOMPARE(virtual_kind_from_name(name_of(set.kind), "here"), set.kind);
        }
        QCOMPARE(virtual_kind_from_name("slow-wan", "here"), VirtualKind::slow_wan);
        QCOMPARE(group_name({96, 32, 24, {}}, VirtualKind::slow_wan), std::string("96x32x24, slow WAN"));
        for (const char* text : {"", "5", "5x5", "x5x5", "5x5x5x", "5x5x6", "6x5x6", "5x5x-5", "5x5x5x5x5", "5 x5x5"})
            QVERIFY_EXCEPTION_THROWN(virtual_size_from_text(text, "here"), Error);
        QVERIFY_EXCEPTION_THROWN(virtual_kind_from_name("strange", "here"), Error);
    }
};

QTEST_APPLESS_MAIN(TestQuality)
#include "test_quality.moc"
