// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/error.h"
#include "core/formats/files.h"
#include "core/formats/frozen_file.h"
#include "core/planners/planner.h"

#include <QTest>

#include <cmath>
#include <map>
#include <set>

using namespace nnpiper;

namespace {

std::vector<FrozenProblem> shipped()
{
    const std::string file = EXAMPLES "/../evaluation/frozen.json";
    return read_frozen(read_text(file), file);
}

}  // namespace

class TestFrozenSet : public QObject {
    Q_OBJECT
private slots:
    /// A change of generator or simulator makes other problems of the same seeds: the set must be frozen anew then.
    void every_shipped_plan_has_its_makespan()
    {
        const auto problems = shipped();
        const auto standard = standard_frozen_problems();
        QCOMPARE(problems.size(), standard.size());
        for (std::size_t i = 0; i < problems.size(); ++i) {
            const FrozenProblem& frozen = problems[i];
            QVERIFY(frozen.size == standard[i].size && frozen.kind == standard[i].kind
                    && frozen.index == standard[i].index);
            const Problem problem = problem_of(frozen);
            if (frozen.best.stages() == 0)
                continue;
            const Plan plan = plan_of(frozen, problem);
            QVERIFY2(plan.feasible, (problem.name + ": " + plan.reason).c_str());
            QVERIFY2(std::abs(plan.makespan_s / frozen.makespan_s - 1) <= 1e-9, problem.name.c_str());
            QVERIFY(still_valid(frozen, problem));
        }
    }

    void standard_set_is_large_and_without_repeats()
    {
        std::set<std::uint64_t> indices;
        std::map<std::string, int> counts;
        for (const auto& frozen : standard_frozen_problems()) {
            QVERIFY(indices.insert(frozen.index).second);
            ++counts[group_name(frozen.size, frozen.kind)];
        }
        for (const char* group : {"16x4x4", "32x8x8", "48x16x12", "64x16x16"})
            QCOMPARE(counts[group], 200);
        for (const char* group : {"96x32x24", "128x64x48"})
            QCOMPARE(counts[group], 50);
        for (const char* group : {"96x32x24, equal devices", "96x32x24, slow WAN", "96x32x24, unlike layers",
                                  "96x32x24x1", "96x64x24", "192x128x96", "200x32x24"})
            QCOMPARE(counts[group], 20);
    }

    void improving_proves_and_keeps()
    {
        FrozenProblem frozen{{10, 4, 3, {}}, VirtualKind::any, 3, {}, 0, {}, 0};
        QVERIFY(improve(frozen, 30, Control{}));  // proved long before
        QCOMPARE(frozen.proof, std::string("exact"));
        const Problem problem = problem_of(frozen);
        const Plan best = run_planner(find_planner("subset-dp"), problem, {}, Control{});
        QVERIFY(best.feasible && frozen.makespan_s <= best.makespan_s * (1 + 1e-12));
        QVERIFY(still_valid(frozen, problem));
        QVERIFY(!improve(frozen, 60, Control{}));

        // Without its proof and with a plan made worse, it finds back.
        FrozenProblem worse = frozen;
        worse.proof.clear();
        worse.searched_s = 0;
        std::swap(worse.best.device.front(), worse.best.device.back());
        Plan plan = plan_of(worse, problem);
        worse.makespan_s = plan.makespan_s;
        QVERIFY(improve(worse, 30, Control{}));
        QVERIFY(std::abs(worse.makespan_s / frozen.makespan_s - 1) < 1e-12);

        // A search never gives away a better plan: one that no search can reach stays.
        FrozenProblem better = frozen;
        better.proof.clear();
        better.searched_s = 0;
        better.makespan_s = 0.5 * frozen.makespan_s;
        improve(better, 0.05, Control{});
        QCOMPARE(better.makespan_s, 0.5 * frozen.makespan_s);
        QVERIFY(!still_valid(better, problem));
    }

    void large_problems_are_searched_for_so_long_and_no_longer()
    {
        FrozenProblem frozen{{40, 20, 12, {}}, VirtualKind::any, 1, {}, 0, {}, 0};
        QVERIFY(improve(frozen, 0.05, Control{}));
        QVERIFY(frozen.best.stages() == 12 && frozen.searched_s > 0);
        const auto once = frozen;
        QVERIFY(!improve(frozen, 0.5 * once.searched_s, Control{}));
        QCOMPARE(frozen.searched_s, once.searched_s);
        improve(frozen, once.searched_s + 0.05, Control{});
        QVERIFY(frozen.makespan_s <= once.makespan_s && frozen.searched_s > once.searched_s);

        std::stop_source stop;
        stop.request_stop();
        FrozenProblem untouched{{40, 20, 12, {}}, VirtualKind::any, 1, {}, 0, {}, 0};
        QVERIFY(!improve(untouched, 1, {stop.get_token(), Deadline::never(), {}}));
        QCOMPARE(untouched.searched_s, 0.0);
    }

    void files_come_back()
    {
        std::vector<FrozenProblem> problems{
            {{10, 4, 3, {}}, VirtualKind::slow_wan, 7, {{2, 0, 3}, {4, 6, 10}}, 0.1 + 0.2, "exact", 1.25},
            {{10, 4, 3, 1}, VirtualKind::any, 8, {}, 0, {}, 0}};
        const std::string text = write_frozen(problems);
        const auto read = read_frozen(text, "test");
        QCOMPARE(read.size(), 2U);
        QVERIFY(read[0].size == problems[0].size && read[0].kind == problems[0].kind && read[0].index == 7);
        QVERIFY(read[0].best == problems[0].best && read[0].makespan_s == problems[0].makespan_s);
        QVERIFY(read[0].proof == "exact" && read[0].searched_s == 1.25);
        QVERIFY(read[1].size == problems[1].size && read[1].best.stages() == 0 && read[1].proof.empty());
        QCOMPARE(write_frozen(read), text);
        QVERIFY(read_frozen(write_frozen({}), "test").empty());
    }

    void damaged_files_data()
    {
        QTest::addColumn<QString>("from");
        QTest::addColumn<QString>("to");
        QTest::newRow("device beyond the last") << "[2,0,3]"
                                                << "[2,0,4]";
        QTest::newRow("too few devices") << "[2,0,3]"
                                         << "[2,0]";
        QTest::newRow("ends fall") << "[4,6,10]"
                                   << "[6,4,10]";
        QTest::newRow("layers left over") << "[4,6,10]"
                                          << "[4,6,9]";
        QTest::newRow("no makespan") << "\"makespan_s\":0.25,"
                                     << "";
        QTest::newRow("negative makespan") << "0.25"
                                           << "-1";
        QTest::newRow("impossible size") << "10x4x3"
                                         << "10x4x5";
        QTest::newRow("unknown kind") << "slow WAN"
                                      << "fast WAN";
        QTest::newRow("unknown proof") << "bound"
                                       << "belief";
        QTest::newRow("another run") << "\"run\": 5"
                                     << "\"run\": 6";
        QTest::newRow("another format") << "nnpiper-frozen"
                                        << "nnpiper-plan";
    }

    void damaged_files()
    {
        QFETCH(QString, from);
        QFETCH(QString, to);
        QString text = QString::fromStdString(
            write_frozen({{{10, 4, 3, {}}, VirtualKind::slow_wan, 7, {{2, 0, 3}, {4, 6, 10}}, 0.25, "bound", 1}}));
        QVERIFY(text.contains(from));
        read_frozen(text.toStdString(), "test");
        text.replace(from, to);
        QVERIFY_EXCEPTION_THROWN(read_frozen(text.toStdString(), "test"), Error);
    }
};

QTEST_APPLESS_MAIN(TestFrozenSet)
#include "test_frozen_set.moc"
