// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/error.h"
#include "core/planners/planner.h"
#include "core/problem/compile.h"
#include "tests/widgets/sample_project.h"
#include "widgets/document/edits.h"
#include "widgets/solver/solve_controller.h"

#include <QSignalSpy>
#include <QtTest>

using namespace nnpiper;

class TestSolver : public QObject {
    Q_OBJECT

private slots:
    void init()
    {
        document_ = std::make_unique<ProjectDocument>();
        board_ = std::make_unique<PlanBoard>(*document_);
        controller_ = std::make_unique<SolveController>(*document_, *board_);
        document_->replace(sampleProject());
    }

    void cleanup()
    {
        controller_.reset();
        board_.reset();
        document_.reset();
    }

    void solvesToTheEnd()
    {
        QSignalSpy message(controller_.get(), &SolveController::message);
        controller_->solve({"uniform", "greedy-speed", "pipedream"});
        QVERIFY(controller_->isRunning());
        QTRY_VERIFY_WITH_TIMEOUT(!controller_->isRunning(), 120000);
        QCOMPARE(board_->plans().size(), std::size_t(3));
        QCOMPARE(board_->plans().front()->plan.planner, std::string("uniform"));
        QVERIFY(board_->shown());
        QVERIFY(board_->shown()->plan.throughput_samples_per_s > 0);
        QVERIFY(!board_->shown()->timeline.ops.empty());
        QVERIFY(!board_->isOutdated());
        QCOMPARE(message.count(), 1);
        QCOMPARE(message.front().at(1).toBool(), false);
        QCOMPARE(document_->undoStack().count(), 0);
    }

    void cancelReturnsAtOnceAndNothingComesAfter()
    {
        Solver solver;
        QSignalSpy ready(&solver, &Solver::planReady);
        QSignalSpy finished(&solver, &Solver::finished);
        solver.start(document_->project(), {{"local-search", "local-search"}, 60000});
        QTest::qWait(50);
        QElapsedTimer timer;
        timer.start();
        solver.cancel();
        QVERIFY(!solver.isRunning());
        QCOMPARE(finished.count(), 1);
        QCOMPARE(finished.front().at(1).toBool(), true);
        QVERIFY2(timer.elapsed() < 200, qPrintable(QString::number(timer.elapsed())));
        const auto before = ready.count();
        QTest::qWait(300);
        QCOMPARE(ready.count(), before);
        QCOMPARE(finished.count(), 1);
    }

    void aNewRunDropsTheOld()
    {
        Solver solver;
        QSignalSpy ready(&solver, &Solver::planReady);
        const int first = solver.start(document_->project(), {{"uniform"}, 1000});
        const int second = solver.start(document_->project(), {{"uniform"}, 1000});
        QVERIFY(second != first);
        QTRY_VERIFY_WITH_TIMEOUT(!solver.isRunning(), 120000);
        QCOMPARE(ready.count(), 1);
        QCOMPARE(ready.front().front().toInt(), second);
    }

    void anEditDropsTheRunAndMarksThePlan()
    {
        controller_->solve({"uniform"});
        QTRY_VERIFY_WITH_TIMEOUT(!controller_->isRunning(), 120000);
        const auto shown = board_->shown();
        edits::place(*document_, {{"node-a", {9, 9, 0, 0}}}, "Move");
        QVERIFY(!board_->isOutdated());
        controller_->solve({"greedy-speed"});
        edits::change<Link>(*document_, {"node-a--switch"}, "x", [](Link& l) { l.bandwidth_bytes_per_s = 1e6; });
        QVERIFY(!controller_->isRunning());
        QTest::qWait(200);
        QVERIFY(board_->shown() == shown);
        QVERIFY(board_->isOutdated());
        controller_->solve({"uniform"});
        QTRY_VERIFY_WITH_TIMEOUT(!controller_->isRunning(), 120000);
        QVERIFY(!board_->isOutdated());
        QVERIFY(board_->shown()->plan.throughput_samples_per_s < shown->plan.throughput_samples_per_s);
    }

    void aProjectThatCannotBePlannedIsOneSentence()
    {
        edits::remove(*document_, {"node-a", "node-b"});
        QSignalSpy message(controller_.get(), &SolveController::message);
        controller_->solve({"uniform"});
        QTRY_VERIFY_WITH_TIMEOUT(!controller_->isRunning(), 120000);
        QCOMPARE(message.count(), 1);
        QCOMPARE(message.front().at(1).toBool(), true);
        QVERIFY(!message.front().front().toString().isEmpty());
        QVERIFY(!board_->shown());
    }

    void anUnknownPlannerDoesNotEscapeTheWorker()
    {
        QSignalSpy message(controller_.get(), &SolveController::message);
        controller_->solve({"fortune-teller"});
        QTRY_VERIFY_WITH_TIMEOUT(!controller_->isRunning(), 120000);
        QCOMPARE(message.count(), 1);
        QVERIFY(message.front().front().toString().contains("fortune-teller"));
    }

    void handEditsArePredictedAtOnceAndUndone()
    {
        controller_->solve({"uniform"});
        QTRY_VERIFY_WITH_TIMEOUT(!controller_->isRunning(), 120000);
        const auto original = board_->shown();
        QVERIFY(original->plan.stages.size() >= 2);
        const int end = original->plan.stages[0].end_layer;
        board_->moveBoundary(0, end - 1, "drag");
        board_->moveBoundary(0, end - 2, "drag");
        QCOMPARE(document_->undoStack().count(), 1);
        const auto edited = board_->shown();
        QCOMPARE(edited->plan.planner, PlanBoard::handPlanner().toStdString());
        QCOMPARE(edited->plan.stages[0].end_layer, end - 2);
        QCOMPARE(edited->plan.stages[1].first_layer, end - 2);
        QVERIFY(edited->plan.throughput_samples_per_s > 0);
        QVERIFY(edited->plan.throughput_samples_per_s != original->plan.throughput_samples_per_s);
        QCOMPARE(board_->plans().size(), std::size_t(2));
        QVERIFY(!board_->isOutdated());

        const std::string first = edited->plan.stages[0].devices.front();
        const std::string second = edited->plan.stages[1].devices.front();
        board_->putDevice(0, QString::fromStdString(second));
        QCOMPARE(board_->shown()->plan.stages[0].devices.front(), second);
        QCOMPARE(board_->shown()->plan.stages[1].devices.front(), first);

        document_->undoStack().undo();
        document_->undoStack().undo();
        QVERIFY(document_->project().plans.empty());
        QCOMPARE(board_->shown()->plan.planner, std::string("uniform"));
    }

    void handEditsOfAPlanThatNoLongerFitsTheProjectAreRefused()
    {
        controller_->solve({"uniform"});
        QTRY_VERIFY_WITH_TIMEOUT(!controller_->isRunning(), 120000);
        edits::remove(*document_, {QString::fromStdString(board_->shown()->plan.stages[0].devices.front())});
        QVERIFY_EXCEPTION_THROWN(board_->moveBoundary(0, 2, "drag"), Error);
        QVERIFY(document_->project().plans.empty());
        QCOMPARE(document_->undoStack().count(), 1);
    }

    void liveFollowsEdits()
    {
        controller_->setLive(true);
        edits::change<Device>(*document_, {"node-a/gpu0"}, "x", [](Device& d) { d.speed_factor = 0.5; });
        QTRY_VERIFY_WITH_TIMEOUT(board_->shown() && !board_->isOutdated() && !controller_->isRunning(), 120000);
        const auto slow = board_->shown();
        edits::change<Device>(*document_, {"node-a/gpu0", "node-b/gpu0"}, "x", [](Device& d) { d.speed_factor = 4; });
        QVERIFY(board_->isOutdated());
        QTRY_VERIFY_WITH_TIMEOUT(!board_->isOutdated() && !controller_->isRunning(), 120000);
        QVERIFY(board_->shown()->plan.throughput_samples_per_s > slow->plan.throughput_samples_per_s);
    }

    void theFullRunFollowsTheQuickOneWhenTheHandRests()
    {
        controller_->setLive(true);
        QSignalSpy changed(board_.get(), &PlanBoard::shownChanged);
        QTRY_VERIFY_WITH_TIMEOUT(board_->shown(), 120000);
        QCOMPARE(board_->plans().size(), std::size_t(1));
        QTRY_COMPARE_WITH_TIMEOUT(board_->plans().size(), planner_registry().size(), 120000);
        QTRY_VERIFY_WITH_TIMEOUT(!controller_->isRunning(), 120000);
        QVERIFY(!board_->isOutdated());
        QCOMPARE(changed.count(), 2);
        // An edit stops the full run; the quick one is alone again.
        edits::change<Device>(*document_, {"node-a/gpu0"}, "x", [](Device& d) { d.speed_factor = 0.5; });
        QVERIFY(board_->isOutdated());
        QTRY_VERIFY_WITH_TIMEOUT(!board_->isOutdated(), 120000);
        QTRY_COMPARE_WITH_TIMEOUT(board_->plans().size(), std::size_t(1), 120000);
    }

    void thePlanFollowsAnUnbrokenStreamOfEdits()
    {
        controller_->setLive(true);
        QTRY_VERIFY_WITH_TIMEOUT(board_->shown() && !board_->isOutdated(), 120000);
        int shown_meanwhile = 0;
        QObject::connect(board_.get(), &PlanBoard::shownChanged, this, [&] { ++shown_meanwhile; });
        double factor = 1;
        for (int i = 0; i < 2000 && shown_meanwhile < 5; ++i) {
            factor = factor > 0.3 ? factor * 0.999 : 1;
            edits::change<Device>(*document_, {"node-a/gpu0"}, "x", [&](Device& d) { d.speed_factor = factor; }, "drag");
            QVERIFY(board_->isOutdated());
            QTest::qWait(2);
        }
        QVERIFY2(shown_meanwhile >= 5, qPrintable(QString::number(shown_meanwhile)));
        QCOMPARE(document_->undoStack().count(), 1);
        QTRY_VERIFY_WITH_TIMEOUT(!board_->isOutdated(), 120000);
        // What is shown in the end was planned for the last edit.
        const Problem last = compile(document_->project());
        const int device = last.device_index("node-a/gpu0");
        QCOMPARE(board_->shown()->problem->variants.front().forward_s(1, device),
                 last.variants.front().forward_s(1, device));
    }

    void locksAreKeptByEveryPlannerAndUndone()
    {
        controller_->solve({"uniform"});
        QTRY_VERIFY_WITH_TIMEOUT(!controller_->isRunning(), 120000);
        board_->moveBoundary(0, 3, {});
        const Stage held = board_->shown()->plan.stages[0];
        QCOMPARE(held.end_layer, 3);
        edits::lockStage(*document_, held);
        edits::lockStage(*document_, held);
        edits::lockIdle(*document_, {"node-b/gpu1"});
        QCOMPARE(document_->undoStack().count(), 3);
        QCOMPARE(document_->project().job.locks.size(), std::size_t(2));
        controller_->solve();
        QTRY_VERIFY_WITH_TIMEOUT(!controller_->isRunning(), 240000);
        int kept = 0;
        for (const auto& plan : board_->plans()) {
            if (!plan->plan.feasible || plan->plan.planner == PlanBoard::handPlanner().toStdString())
                continue;
            const auto& stages = plan->plan.stages;
            QVERIFY2(std::any_of(stages.begin(), stages.end(),
                                 [&](const Stage& stage) {
                                     return stage.devices == held.devices && stage.first_layer == 0
                                            && stage.end_layer == 3;
                                 }),
                     plan->plan.planner.c_str());
            for (const Stage& stage : stages)
                QVERIFY2(std::find(stage.devices.begin(), stage.devices.end(), "node-b/gpu1") == stage.devices.end(),
                         plan->plan.planner.c_str());
            ++kept;
        }
        QVERIFY(kept >= 3);

        // A device is in one lock at most: the newest wish counts.
        edits::lockDevice(*document_, QString::fromStdString(held.devices.front()), 1);
        QCOMPARE(document_->project().job.locks.size(), std::size_t(2));
        QCOMPARE(document_->project().job.locks.back().stage, std::optional(1));
        edits::unlock(*document_, {"node-b/gpu1"});
        QCOMPARE(document_->project().job.locks.size(), std::size_t(1));
        edits::unlockAll(*document_);
        edits::unlockAll(*document_);
        QVERIFY(document_->project().job.locks.empty());
        QCOMPARE(document_->undoStack().count(), 6);
        document_->undoStack().setIndex(2);
        QCOMPARE(document_->project().job.locks.size(), std::size_t(1));
    }

    void aHandEditIsComparedWithTheSolversPlan()
    {
        controller_->solve({"uniform", "local-search"});
        QTRY_VERIFY_WITH_TIMEOUT(!controller_->isRunning(), 120000);
        QVERIFY(!board_->solverPlan());
        const int end = board_->shown()->plan.stages[0].end_layer;
        board_->moveBoundary(0, end - 1, {});
        QVERIFY(board_->solverPlan());
        QCOMPARE(board_->solverPlan()->plan.planner, std::string("local-search"));
        edits::change<Link>(*document_, {"node-a--switch"}, "x", [](Link& l) { l.latency_s *= 3; });
        board_->moveBoundary(0, end - 2, {});
        QVERIFY(!board_->solverPlan());  // the planners' plans are of another problem
    }

    void noPlanNamesADeviceThatIsGone()
    {
        controller_->setLive(true);
        QTRY_VERIFY_WITH_TIMEOUT(board_->shown() && !board_->isOutdated(), 120000);
        bool named = false;
        for (int i = 0; i < 20; ++i) {
            edits::change<Device>(*document_, {"node-a/gpu0"}, "x", [&](Device& d) { d.speed_factor = 1 + 0.01 * i; });
            QTest::qWait(i % 7);
            edits::remove(*document_, {"node-b/gpu1"});
            const auto connection = QObject::connect(board_.get(), &PlanBoard::shownChanged, this, [&] {
                named = named || board_->shown()->problem->device_index("node-b/gpu1") >= 0;
            });
            QTRY_VERIFY_WITH_TIMEOUT(!board_->isOutdated(), 120000);
            QObject::disconnect(connection);
            QVERIFY(!named);
            document_->undoStack().undo();
            QTRY_VERIFY_WITH_TIMEOUT(!board_->isOutdated(), 120000);
        }
    }

private:
    std::unique_ptr<ProjectDocument> document_;
    std::unique_ptr<PlanBoard> board_;
    std::unique_ptr<SolveController> controller_;
};

QTEST_MAIN(TestSolver)
#include "test_solver.moc"
