// SPDX-License-Identifier: GPL-3.0-or-later
#include "lab_plan.h"

#include "widgets/results/figures.h"
#include "widgets/results/plan_strip.h"
#include "widgets/theme/theme.h"

#include <QApplication>
#include <QDragEnterEvent>
#include <QMimeData>
#include <QSignalSpy>
#include <QtTest>

using namespace nnpiper;

class TestPlanStrip : public QObject {
    Q_OBJECT

private slots:
    void locksAndMenusAreOfTheStageUnderThePointer()
    {
        PlanStrip strip;
        strip.resize(900, 110);
        const auto plan = labSolved();
        strip.setPlan(plan);
        Lock held;
        held.devices = {plan->plan.stages[2].devices.front()};
        held.stage = 2;
        Lock idle;
        idle.devices = {plan->plan.stages[3].devices.front()};
        idle.idle = true;
        const QImage before = strip.grab().toImage();
        strip.setLocks({held, idle});
        for (int stage = 0; stage < 6; ++stage)
            QCOMPARE(strip.isLocked(stage), stage == 2);
        QVERIFY(!strip.isLocked(-1) && !strip.isLocked(6));
        // The padlock stands on its own stage and nowhere else.
        const QImage after = strip.grab().toImage();
        const double scale = before.devicePixelRatio();
        for (int stage = 0; stage < 6; ++stage) {
            const QRect area = strip.stripLayout().stageRect(stage).adjusted(4, 0, -4, 0).toRect();
            const QRect pixels(area.topLeft() * scale, area.size() * scale);
            QCOMPARE(before.copy(pixels) != after.copy(pixels), stage == 2);
        }

        QSignalSpy menu(&strip, &PlanStrip::menuRequested);
        const QPoint place = strip.stripLayout().stageRect(4).center().toPoint();
        QContextMenuEvent byMouse(QContextMenuEvent::Mouse, place, strip.mapToGlobal(place));
        QCoreApplication::sendEvent(&strip, &byMouse);
        QCOMPARE(menu.count(), 1);
        QCOMPARE(menu.front().front().toInt(), 4);
        QTest::keyClick(&strip, Qt::Key_Right);
        QTest::keyClick(&strip, Qt::Key_Right, Qt::ControlModifier);
        QContextMenuEvent byKey(QContextMenuEvent::Keyboard, QPoint(1, 1), strip.mapToGlobal(QPoint(1, 1)));
        QCoreApplication::sendEvent(&strip, &byKey);
        QCOMPARE(menu.count(), 2);
        QCOMPARE(menu.back().front().toInt(), 1);
    }

    void theLossAgainstTheSolverIsTold()
    {
        PlanStrip strip;
        QVERIFY(strip.prediction().isEmpty());
        const auto solver = labSolved();
        strip.setPlan(solver);
        const QString alone = strip.prediction();
        QVERIFY(!alone.isEmpty() && !alone.contains(QLatin1Char('%')));
        Plan worse = solver->plan;
        worse.stages[0].end_layer += 5;
        worse.stages[1].first_layer += 5;
        predict(*solver->problem, worse);
        strip.setPlan(solved(solver->problem, worse), solver);
        const double share = worse.throughput_samples_per_s / solver->plan.throughput_samples_per_s - 1;
        QVERIFY(share < -0.01);
        QVERIFY(strip.prediction().contains(formatDifference(share, strip.locale())));
        strip.setPlan(solver, solver);
        QVERIFY(strip.prediction().contains(formatDifference(0, strip.locale())));
    }

    void initTestCase() { applyTheme(*qApp, ThemeMode::light); }
    void init();
    void cleanup() { strip_.reset(); }
    void layoutMapsLayersAndPixels();
    void dragPreviewsAndAsksOnRelease();
    void dragStopsAtTheNeighbours();
    void releaseAtTheOldPlaceAsksForNothing();
    void planFollowingThePreviewStillAsks();
    void escapeTakesTheDragBack();
    void arrowKeysMoveTheChosenBoundary();
    void droppedDeviceNamesItsStage();
    void captionsFit_data();
    void captionsFit();
    void oneStageAndNoPlan();

private:
    QPoint handle(int boundary) const
    {
        const StripLayout layout = strip_->stripLayout();
        return QPointF(layout.edge(layout.ends[static_cast<std::size_t>(boundary)]), layout.area.center().y())
            .toPoint();
    }
    QPoint atLayerEdge(int layer) const
    {
        const StripLayout layout = strip_->stripLayout();
        return QPointF(layout.edge(layer), layout.area.center().y()).toPoint();
    }
    std::shared_ptr<const SolvedPlan> plan_;
    std::unique_ptr<PlanStrip> strip_;
};

void TestPlanStrip::init()
{
    plan_ = labSolved();
    strip_ = std::make_unique<PlanStrip>();
    strip_->resize(900, strip_->sizeHint().height());
    strip_->setPlan(plan_);
    strip_->show();
    QVERIFY(QTest::qWaitForWindowExposed(strip_.get()));
}

void TestPlanStrip::layoutMapsLayersAndPixels()
{
    const StripLayout layout = strip_->stripLayout();
    QCOMPARE(layout.layers, 34);
    QCOMPARE(layout.ends, (std::vector<int>{8, 16, 22, 28, 31, 34}));
    for (int layer = 0; layer < layout.layers; ++layer)
        QCOMPARE(layout.layerAt(layout.layerRect(layer).center().x()), layer);
    QCOMPARE(layout.stageOf(0), 0);
    QCOMPARE(layout.stageOf(7), 0);
    QCOMPARE(layout.stageOf(8), 1);
    QCOMPARE(layout.stageOf(33), 5);
    QCOMPARE(layout.layerAt(-5), -1);
    QCOMPARE(layout.boundaryAt(layout.edge(22) + 3, 7), 2);
    QCOMPARE(layout.boundaryAt(layout.edge(19), 7), -1);
}

void TestPlanStrip::dragPreviewsAndAsksOnRelease()
{
    QSignalSpy dragged(strip_.get(), &PlanStrip::boundaryDragged);
    QSignalSpy moved(strip_.get(), &PlanStrip::boundaryMoved);
    QTest::mousePress(strip_.get(), Qt::LeftButton, {}, handle(1));
    QTest::mouseMove(strip_.get(), atLayerEdge(17));
    QTest::mouseMove(strip_.get(), atLayerEdge(18));
    QCOMPARE(strip_->stripLayout().ends[1], 18);
    QCOMPARE(moved.count(), 0);
    QTest::mouseRelease(strip_.get(), Qt::LeftButton, {}, atLayerEdge(18));
    QCOMPARE(dragged.count(), 2);
    QCOMPARE(dragged.last(), (QList<QVariant>{1, 18}));
    QCOMPARE(moved.count(), 1);
    QCOMPARE(moved.first(), (QList<QVariant>{1, 18}));
    // The strip itself changes nothing.
    QCOMPARE(strip_->stripLayout().ends[1], 16);
}

void TestPlanStrip::dragStopsAtTheNeighbours()
{
    QSignalSpy moved(strip_.get(), &PlanStrip::boundaryMoved);
    QTest::mousePress(strip_.get(), Qt::LeftButton, {}, handle(1));
    QTest::mouseMove(strip_.get(), QPoint(strip_->width() - 2, 50));
    QTest::mouseRelease(strip_.get(), Qt::LeftButton, {}, QPoint(strip_->width() - 2, 50));
    QCOMPARE(moved.last(), (QList<QVariant>{1, 21}));
    QTest::mousePress(strip_.get(), Qt::LeftButton, {}, handle(1));
    QTest::mouseMove(strip_.get(), QPoint(1, 50));
    QTest::mouseRelease(strip_.get(), Qt::LeftButton, {}, QPoint(1, 50));
    QCOMPARE(moved.last(), (QList<QVariant>{1, 9}));
}

void TestPlanStrip::releaseAtTheOldPlaceAsksForNothing()
{
    QSignalSpy moved(strip_.get(), &PlanStrip::boundaryMoved);
    QTest::mousePress(strip_.get(), Qt::LeftButton, {}, handle(2));
    QTest::mouseMove(strip_.get(), atLayerEdge(24));
    QTest::mouseMove(strip_.get(), atLayerEdge(22));
    QTest::mouseRelease(strip_.get(), Qt::LeftButton, {}, atLayerEdge(22));
    QCOMPARE(moved.count(), 0);
    QCOMPARE(strip_->selectedBoundary(), 2);
}

void TestPlanStrip::planFollowingThePreviewStillAsks()
{
    QSignalSpy moved(strip_.get(), &PlanStrip::boundaryMoved);
    QTest::mousePress(strip_.get(), Qt::LeftButton, {}, handle(0));
    QTest::mouseMove(strip_.get(), atLayerEdge(9));
    const auto problem = labProblem();
    strip_->setPlan(solved(problem, labPlan(*problem, {9, 16, 22, 28, 31, 34}, {0, 1, 2, 3, 5, 6})));
    QTest::mouseRelease(strip_.get(), Qt::LeftButton, {}, atLayerEdge(9));
    QCOMPARE(moved.count(), 1);
    QCOMPARE(moved.first(), (QList<QVariant>{0, 9}));
}

void TestPlanStrip::escapeTakesTheDragBack()
{
    QSignalSpy dragged(strip_.get(), &PlanStrip::boundaryDragged);
    QSignalSpy moved(strip_.get(), &PlanStrip::boundaryMoved);
    QTest::mousePress(strip_.get(), Qt::LeftButton, {}, handle(0));
    QTest::mouseMove(strip_.get(), atLayerEdge(5));
    QTest::keyClick(strip_.get(), Qt::Key_Escape);
    QCOMPARE(dragged.last(), (QList<QVariant>{0, 8}));
    QTest::mouseRelease(strip_.get(), Qt::LeftButton, {}, atLayerEdge(5));
    QCOMPARE(moved.count(), 0);
    QCOMPARE(strip_->stripLayout().ends[0], 8);
}

void TestPlanStrip::arrowKeysMoveTheChosenBoundary()
{
    QSignalSpy moved(strip_.get(), &PlanStrip::boundaryMoved);
    QTest::mouseClick(strip_.get(), Qt::LeftButton, {}, handle(3));
    QCOMPARE(strip_->selectedBoundary(), 3);
    QTest::keyClick(strip_.get(), Qt::Key_Right);
    QCOMPARE(moved.last(), (QList<QVariant>{3, 29}));
    QTest::keyClick(strip_.get(), Qt::Key_Left);
    QCOMPARE(moved.last(), (QList<QVariant>{3, 27}));
    QTest::keyClick(strip_.get(), Qt::Key_Left, Qt::ControlModifier);
    QCOMPARE(strip_->selectedBoundary(), 2);
    QTest::keyClick(strip_.get(), Qt::Key_Left, Qt::ShiftModifier);
    QCOMPARE(moved.last(), (QList<QVariant>{2, 17}));
    QCOMPARE(moved.count(), 3);
}

void TestPlanStrip::droppedDeviceNamesItsStage()
{
    QSignalSpy dropped(strip_.get(), &PlanStrip::deviceDropped);
    const StripLayout layout = strip_->stripLayout();
    QMimeData data;
    data.setData(deviceMimeType, "node-b/gpu2");
    const QPoint at = layout.stageRect(4).center().toPoint();
    QDragEnterEvent enter(at, Qt::LinkAction | Qt::CopyAction, &data, Qt::LeftButton, {});
    QApplication::sendEvent(strip_.get(), &enter);
    QVERIFY(enter.isAccepted());
    QDragMoveEvent move(at, Qt::CopyAction, &data, Qt::LeftButton, {});
    QApplication::sendEvent(strip_.get(), &move);
    QVERIFY(move.isAccepted());
    QDropEvent drop(at, Qt::CopyAction, &data, Qt::LeftButton, {});
    QApplication::sendEvent(strip_.get(), &drop);
    QCOMPARE(dropped.count(), 1);
    QCOMPARE(dropped.first(), (QList<QVariant>{4, QStringLiteral("node-b/gpu2")}));

    QMimeData text;
    text.setText(QStringLiteral("node-b/gpu2"));
    QDragEnterEvent other(at, Qt::CopyAction, &text, Qt::LeftButton, {});
    other.ignore();
    QApplication::sendEvent(strip_.get(), &other);
    QVERIFY(!other.isAccepted());
}

void TestPlanStrip::captionsFit_data()
{
    QTest::addColumn<int>("width");
    for (const int width : {200, 320, 480, 700, 1000, 1700})
        QTest::addRow("%d", width) << width;
}

void TestPlanStrip::captionsFit()
{
    QFETCH(int, width);
    strip_->resize(width, strip_->height());
    const StripLayout layout = strip_->stripLayout();
    bool any = false;
    for (int stage = 0; stage < 6; ++stage) {
        const StripCaption caption = strip_->caption(stage);
        any = any || !caption.first.isEmpty();
        const double room = layout.stageRect(stage).width();
        QVERIFY(strip_->fontMetrics().horizontalAdvance(caption.first) <= room);
        QVERIFY(strip_->fontMetrics().horizontalAdvance(caption.second) <= room);
    }
    QVERIFY(any);
    if (width == 1700) {
        QCOMPARE(strip_->caption(4).first, QStringLiteral("stage 4 · V100"));
        QVERIFY(strip_->caption(4).second.startsWith(QStringLiteral("3 layers · ")));
    }
}

void TestPlanStrip::oneStageAndNoPlan()
{
    QSignalSpy moved(strip_.get(), &PlanStrip::boundaryMoved);
    const auto problem = labProblem();
    strip_->setPlan(solved(problem, labPlan(*problem, {34}, {0})));
    QTest::keyClick(strip_.get(), Qt::Key_Right);
    QTest::mouseClick(strip_.get(), Qt::LeftButton, {}, strip_->rect().center());
    strip_->setPlan(nullptr);
    QTest::keyClick(strip_.get(), Qt::Key_Right);
    QTest::mouseClick(strip_.get(), Qt::LeftButton, {}, strip_->rect().center());
    QVERIFY(!strip_->grab().isNull());
    QCOMPARE(moved.count(), 0);
}

QTEST_MAIN(TestPlanStrip)
#include "test_plan_strip.moc"
