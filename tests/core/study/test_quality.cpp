// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/error.h"
#include "core/study/quality.h"

#include <QTest>

#include <cmath>

using namespace nnpiper;

class TestQuality : public QObject {
    Q_OBJECT
private slots:
    void means_and_paired_differences()
    {
        std::vector<QualityOutcome> outcomes;
        const auto add = [&](const char* problem, const char* planner, bool feasible, double gap) {
            QualityOutcome outcome;
            outcome.problem = problem;
            outcome.group = "g";
            outcome.planner = planner;
            outcome.feasible = feasible;
            outcome.gap = gap;
            outcomes.push_back(outcome);
        };
        add("p", "a", true, 0.01), add("p", "b", true, 0.03);
        add("q", "a", true, 0.02), add("q", "b", true, 0.06);
        add("r", "a", true, 0.00), add("r", "b", false, 0);
        const auto means = quality_means(outcomes);
        QCOMPARE(means.size(), 4U);  // two planners, the group and all
        QCOMPARE(means[0].planner, std::string("a"));
        QVERIFY(std::abs(means[0].gap - 0.01) < 1e-12);
        QCOMPARE(means[1].infeasible, 1);
        QVERIFY(std::abs(means[1].gap - 0.045) < 1e-12);
        QVERIFY(std::abs(means[1].difference - 0.03) < 1e-12);
        // Differences 0.02 and 0.04: standard error 0.01, t(1) = 12.706.
        QVERIFY(std::abs(means[1].half_width - 0.12706) < 1e-9);
        QCOMPARE(means[2].group, std::string("all"));
    }

    void measures_planners_on_fresh_problems()
    {
        QualityQuestion question;
        question.planners = {"local-search", "greedy-speed"};
        question.sizes = {{12, 4, 4, {}}};
        question.problems = 4;
        question.reference_ms = 20;
        question.request.budget_ms = 10;
        const auto outcomes = measure_quality(question, Control{});
        QVERIFY(!outcomes.empty() && outcomes.size() % 2 == 0);
        for (const auto& outcome : outcomes) {
            QVERIFY(outcome.gap >= -1e-12);
            QVERIFY(!outcome.feasible || std::abs(outcome.makespan_s / outcome.best_s - 1 - outcome.gap) < 1e-12);
        }
        question.planners = {"nobody"};
        QVERIFY_EXCEPTION_THROWN(measure_quality(question, Control{}), Error);
    }

    void stops_when_told()
    {
        QualityQuestion question;
        question.planners = {"local-search"};
        std::stop_source source;
        source.request_stop();
        QVERIFY(measure_quality(question, {source.get_token(), Deadline::never(), {}}).empty());
    }
};

QTEST_APPLESS_MAIN(TestQuality)
#include "test_quality.moc"
