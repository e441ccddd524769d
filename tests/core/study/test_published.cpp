// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/error.h"
#include "core/cluster/catalog.h"
#include "core/formats/environment_file.h"
#include "core/planners/planner.h"
#include "core/problem/compile.h"
#include "core/study/published.h"

#include <QTest>

#include <cmath>
#include <set>

using namespace nnpiper;

namespace {

PublishedTrial trial(const char* environment, const char* planner, CostView view, double samples_per_s)
{
    PublishedTrial made;
    made.environment = environment;
    made.planner = planner;
    made.view = view;
    made.feasible = samples_per_s > 0;
    made.samples_per_s = samples_per_s;
    return made;
}

const PublishedGain& gain_over(const std::vector<PublishedGain>& gains, const std::string& planner, CostView view)
{
    return *std::find_if(gains.begin(), gains.end(),
                         [&](const PublishedGain& gain) { return gain.planner == planner && gain.view == view; });
}

const char* const small_file = R"({
  "format": "nnpiper-environments", "version": 1,
  "environments": [{
    "id": "pair", "source": "made up",
    "nodes": [
      {"id": "a", "devices": [{"type": "RTX 3090", "count": 2}, {"type": "RTX 4090", "count": 1}],
       "interconnect": "PCIe 4.0 x16", "host": "PCIe 4.0 x8", "network": "1 GbE TCP"},
      {"id": "b", "count": 2, "devices": [{"type": "T4", "count": 1}],
       "interconnect": "PCIe 4.0 x16", "host": "PCIe 4.0 x16", "network": "1 GbE TCP"}],
    "jobs": [{"model": "GPT-2 small", "sequence_length": 512, "global_batch": 16, "precision": "fp16", "recompute": "none"},
             {"model": "BERT base", "global_batch": 8, "micro_batch": 2, "stages": 3, "tensor_parallel": null}]}]
})";

std::string replaced(std::string text, const std::string& what, const std::string& by)
{
    return text.replace(text.find(what), what.size(), by);
}

}  // namespace

class TestPublished : public QObject {
    Q_OBJECT
private slots:
    void mean_gain_is_geometric()
    {
        // Twice as fast and half as fast cancel out; 2, 1/2 and 8 have the geometric mean 2.
        std::vector<PublishedTrial> trials;
        const double other[] = {2, 8, 1, 0};
        const double best[] = {2, 8, 1, 4};
        for (int i = 0; i < 4; ++i) {
            const std::string name = "case " + std::to_string(i);
            trials.push_back(trial(name.c_str(), "own", CostView::true_costs, i < 2 ? 4 : 8));
            trials.push_back(trial(name.c_str(), "second", CostView::true_costs, 8));
            trials.push_back(trial(name.c_str(), "a", CostView::as_published, other[i]));
            trials.push_back(trial(name.c_str(), "b", CostView::as_published, best[i] / 2));
            trials.push_back(trial(name.c_str(), "a", CostView::true_costs, best[i]));
            trials.push_back(trial(name.c_str(), "b", CostView::true_costs, 0));
        }
        trials.back().left_out = true;
        PublishedQuestion question;
        question.own = {"own", "second"};
        question.published = {"a", "b"};
        const auto gains = published_gains(trials, question);
        QCOMPARE(gains.size(), 7U);
        const auto& over_a = gain_over(gains, "a", CostView::as_published);
        QCOMPARE(over_a.cases, 3);
        QCOMPARE(over_a.infeasible, 1);
        QCOMPARE(over_a.left_out, 0);
        QVERIFY(std::abs(over_a.mean - 1) < 1e-12);
        QVERIFY(std::abs(over_a.least + 0.5) < 1e-12 && std::abs(over_a.largest - 7) < 1e-12);
        // Ratios 2, 1/2, 8 and 8 / 2: the best is a, in the last case b.
        const auto& over_best = gain_over(gains, "best", CostView::as_published);
        QCOMPARE(over_best.cases, 4);
        QVERIFY(std::abs(over_best.mean - (std::pow(2 * 0.5 * 8 * 4, 0.25) - 1)) < 1e-12);
        // b was left out of the last case, so nobody knows the best there.
        QCOMPARE(gain_over(gains, "b", CostView::true_costs).left_out, 1);
        QCOMPARE(gain_over(gains, "b", CostView::true_costs).infeasible, 3);
        QVERIFY(std::isnan(gain_over(gains, "b", CostView::true_costs).mean));
        QCOMPARE(gain_over(gains, "best", CostView::true_costs).cases, 3);
        const auto& over_second = gain_over(gains, "second", CostView::true_costs);
        QVERIFY(std::abs(over_second.mean - (std::pow(0.5 * 0.5, 0.25) - 1)) < 1e-12);
    }

    void reads_environments()
    {
        const auto cases = read_environments(small_file, "file");
        QCOMPARE(cases.size(), 2U);
        QCOMPARE(cases[0].id, std::string("pair, GPT-2 small"));
        const Cluster& cluster = cases[0].project.cluster;
        QCOMPARE(cluster.nodes.size(), 3U);
        QCOMPARE(cluster.devices.size(), 5U);
        QCOMPARE(cluster.devices[2].id, std::string("a/gpu2"));
        QCOMPARE(cluster.devices[2].spec.type, std::string("RTX 4090"));
        QCOMPARE(cluster.devices[4].node, std::string("b1"));
        QCOMPARE(*cases[0].project.job.recompute, Recompute::none);
        QVERIFY(!cases[0].project.job.micro_batch && cases[0].project.job.tensor_parallel == 1);
        QVERIFY(!cases[1].project.job.recompute && !cases[1].project.job.tensor_parallel);
        QCOMPARE(cases[1].project.job.micro_batch.value(), 2);
        QCOMPARE(cases[1].project.job.stages.value(), 3);
        QCOMPARE(cases[1].project.model.sequence_length, 512);  // all that BERT has positions for
        // What one node sends another has the speed and the latency of the catalogue's link.
        const Problem problem = compile(cases[0].project);
        const LinkEntry* link = find_link_entry("1 GbE TCP");
        QVERIFY(std::abs(problem.bandwidth_bytes_per_s(0, 3) / *link->effective_bytes_per_s - 1) < 1e-12);
        QVERIFY(std::abs(problem.latency_s(0, 3) / *link->latency_s - 1) < 1e-12);
    }

    void refuses_what_it_does_not_know_data()
    {
        QTest::addColumn<QString>("what");
        QTest::addColumn<QString>("by");
        QTest::addColumn<QString>("place");
        QTest::newRow("device") << "RTX 4090"
                                << "RTX 4091"
                                << "/environments/0/nodes/0/devices/1/type";
        QTest::newRow("interconnect") << "PCIe 4.0 x16"
                                      << "PCIe 9.0"
                                      << "/environments/0/nodes/0/interconnect";
        QTest::newRow("link of no known speed") << "1 GbE TCP"
                                                << "XGMI MI250X (GPU total)"
                                                << "/environments/0/nodes/0/network";
        QTest::newRow("model") << "GPT-2 small"
                               << "GPT-2 tiny"
                               << "/environments/0/jobs/0/model";
        QTest::newRow("too long a sequence") << "512"
                                             << "5120"
                                             << "/environments/0/jobs/0/sequence_length";
        QTest::newRow("the same case twice") << "BERT base"
                                             << "GPT-2 small"
                                             << "/environments/0/jobs/1";
        QTest::newRow("no job") << R"("jobs")"
                                << R"("work")"
                                << "/environments/0";
        QTest::newRow("batch") << R"("global_batch": 16)"
                               << R"("global_batch": 0)"
                               << "/environments/0/jobs/0/global_batch";
        QTest::newRow("format") << "nnpiper-environments"
                                << "nnpiper-project"
                                << "/format";
    }

    void refuses_what_it_does_not_know()
    {
        QFETCH(QString, what);
        QFETCH(QString, by);
        QFETCH(QString, place);
        const std::string text = replaced(small_file, what.toStdString(), by.toStdString());
        try {
            read_environments(text, "file");
            QFAIL("read");
        } catch (const Error& error) {
            const QString said = QString::fromStdString(error.place());
            QVERIFY2(said.startsWith("file") && said.contains(place), qPrintable(said));
        }
    }

    void every_shipped_case_can_be_planned()
    {
        const auto cases = shipped_environments();
        QVERIFY(cases.size() >= 15);
        std::set<std::string> ids;
        PlanRequest request;
        request.true_costs = true;
        request.budget_ms = 20000;
        for (const EvaluationCase& item : cases) {
            QVERIFY(!item.source.empty());
            QVERIFY2(ids.insert(item.id).second, item.id.c_str());
            const Problem problem = compile(item.project);
            QVERIFY2(problem.devices() >= 2, item.id.c_str());
            bool feasible = false;
            for (const char* name : {"pipedream", "local-search"})
                feasible = feasible || run_planner(find_planner(name), problem, request, {}).feasible;
            QVERIFY2(feasible, item.id.c_str());
        }
    }

    void compares_on_a_small_set()
    {
        auto cases = read_environments(small_file, "file");
        cases[1].project.job.tensor_parallel = 1;
        PublishedQuestion question;
        question.own = {"local-search", "greedy-speed"};
        question.published = {"pipedream", "alpa"};
        question.request.budget_ms = 20;
        question.largest = {{"alpa", 4}};
        int seen = 0;
        const auto trials =
            compare_published(cases, question, Control{}, [&](const auto& own) { seen += own.size() == 6; });
        QCOMPARE(seen, 2);
        QCOMPARE(trials.size(), 12U);
        for (std::size_t i = 0; i < trials.size(); ++i) {
            const PublishedTrial& t = trials[i];
            QCOMPARE(t.left_out, t.planner == "alpa");
            QCOMPARE(t.environment, cases[i / 6].id);
            QVERIFY(t.feasible == (t.samples_per_s > 0));
            QVERIFY(t.feasible || !t.reason.empty());
            QCOMPARE(t.view == CostView::as_published, i % 6 == 2 || i % 6 == 3);
            if (t.planner != "pipedream" || !t.feasible)
                continue;
            // The same as the planner says alone.
            PlanRequest request;
            request.true_costs = t.view == CostView::true_costs;
            const Plan plan = run_planner(find_planner("pipedream"), compile(cases[i / 6].project), request, Control{});
            QVERIFY(std::abs(plan.throughput_samples_per_s / t.samples_per_s - 1) < 1e-12);
        }
        const auto gains = published_gains(trials, question);
        QCOMPARE(gain_over(gains, "alpa", CostView::as_published).left_out, 2);
        question.published = {"nobody"};
        QVERIFY_EXCEPTION_THROWN(compare_published(cases, question, Control{}), Error);
    }

    void stops_when_told()
    {
        std::stop_source stop;
        stop.request_stop();
        PublishedQuestion question;
        question.own = {"greedy-speed"};
        question.published = {"pipedream"};
        QVERIFY(compare_published(shipped_environments(), question, {stop.get_token(), Deadline::never(), {}}).empty());
    }
};

QTEST_APPLESS_MAIN(TestPublished)
#include "test_published.moc"
