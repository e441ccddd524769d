// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/widgets/sample_project.h"
#include "widgets/document/edits.h"
#include "widgets/document/selection.h"
#include "widgets/problems/finding_model.h"
#include "widgets/problems/problems_view.h"
#include "widgets/solver/plan_board.h"

#include <QAbstractItemModelTester>
#include <QListView>
#include <QSignalSpy>
#include <QtTest>

using namespace nnpiper;

class TestProblems : public QObject {
    Q_OBJECT

private slots:
    void init()
    {
        document_ = std::make_unique<ProjectDocument>();
        board_ = std::make_unique<PlanBoard>(*document_);
        document_->replace(sampleProject());
        view_ = std::make_unique<ProblemsView>(*document_, *board_);
        tester_ = std::make_unique<QAbstractItemModelTester>(const_cast<FindingModel*>(&view_->model()),
                                                             QAbstractItemModelTester::FailureReportingMode::QtTest);
    }

    void cleanup()
    {
        tester_.reset();
        view_.reset();
        board_.reset();
        document_.reset();
    }

    void followsTheEdits()
    {
        QCOMPARE(view_->model().rowCount(), 0);
        QSignalSpy counts(view_.get(), &ProblemsView::countChanged);
        edits::change<Link>(*document_, {"node-b--switch"}, "Zero", [](Link& l) { l.bandwidth_bytes_per_s = 0; });
        QVERIFY(counts.wait());
        QCOMPARE(counts.last(), (QVariantList{2, 2}));
        document_->undoStack().undo();
        QVERIFY(counts.wait());
        QCOMPARE(counts.last(), (QVariantList{0, 0}));
    }

    void errorsComeFirstAndNameTheCulprit()
    {
        edits::change<Node>(*document_, {"node-b"}, "Name", [](Node& n) { n.name = "node-a"; });
        edits::change<Device>(*document_, {"node-a/gpu1"}, "Speed", [](Device& d) { d.spec.peak_flop_per_s.clear(); });
        view_->look();
        const FindingModel& model = view_->model();
        QCOMPARE(model.rowCount(), 2);
        QCOMPARE(model.errorCount(), 1);
        QVERIFY(model.index(0).data(FindingModel::errorRole).toBool());
        QCOMPARE(model.index(0).data().toString(), QString("node-a/gpu1 has no known speed in fp16."));
        QCOMPARE(model.index(1).data().toString(), QString("2 elements have the name node-a."));
    }

    void aClickSelectsTheCulprit()
    {
        edits::remove(*document_, {"node-b--switch"});
        view_->look();
        QCOMPARE(view_->model().rowCount(), 1);
        QSignalSpy selected(view_.get(), &ProblemsView::culpritsSelected);
        emit view_->view().clicked(view_->model().index(0));
        QCOMPARE(document_->selection().ids(), (QStringList{"node-b", "node-a/gpu0"}));
        QCOMPARE(selected.count(), 1);
        // The row may be older than the cluster by a moment: what is gone is not selected.
        edits::remove(*document_, {"node-b", "node-a"});
        emit view_->view().clicked(view_->model().index(0));
        QVERIFY(document_->selection().isEmpty());
        QCOMPARE(selected.count(), 1);
    }

    void memoryOfTheShownPlanUntilItIsOld()
    {
        auto plan = std::make_shared<SolvedPlan>();
        plan->plan.planner = "uniform";
        plan->plan.stages.resize(1);
        plan->timeline.memory = {{"node-a/gpu0", 0, 30e9, 0, 0, 0, 0, 24e9}};
        plan->timeline.ops.resize(1);
        board_->beginRun(false);
        board_->add(plan);
        board_->endRun();
        QVERIFY(board_->shown());
        view_->look();
        QCOMPARE(view_->model().rowCount(), 1);
        QVERIFY(view_->model().index(0).data().toString().contains("node-a/gpu0"));
        edits::change<Device>(*document_, {"node-a/gpu0"}, "Memory", [](Device& d) { d.spec.memory_bytes = 40e9; });
        QVERIFY(board_->isOutdated());
        view_->look();
        QCOMPARE(view_->model().rowCount(), 0);
    }

private:
    std::unique_ptr<ProjectDocument> document_;
    std::unique_ptr<PlanBoard> board_;
    std::unique_ptr<ProblemsView> view_;
    std::unique_ptr<QAbstractItemModelTester> tester_;
};

QTEST_MAIN(TestProblems)
#include "test_problems.moc"
