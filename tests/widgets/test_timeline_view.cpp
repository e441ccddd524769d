// SPDX-License-Identifier: GPL-3.0-or-later
#include "lab_plan.h"

#include "widgets/results/timeline_bars.h"
#include "widgets/results/timeline_overlay.h"
#include "widgets/results/timeline_plot.h"
#include "widgets/results/timeline_view.h"
#include "widgets/theme/theme.h"

#include <QApplication>
#include <QImage>
#include <QMouseEvent>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QWheelEvent>
#include <QtTest>

using namespace nnpiper;

namespace {

void wheel(QWidget* widget, const QPointF& at, int delta, Qt::KeyboardModifiers modifiers = Qt::NoModifier)
{
    QWheelEvent event(at, widget->mapToGlobal(at), {}, {0, delta}, Qt::NoButton, modifiers, Qt::NoScrollPhase, false);
    QApplication::sendEvent(widget, &event);
}

/// A pointer without buttons; sent directly, because the off-screen platform follows with a leave event of its own.
void pointAt(QWidget* widget, const QPointF& at)
{
    QMouseEvent event(QEvent::MouseMove, at, widget->mapToGlobal(at), Qt::NoButton, Qt::NoButton, Qt::NoModifier);
    QApplication::sendEvent(widget, &event);
}

TimelineElement opElement(const SolvedPlan& plan, OpKind kind, int stage, int microBatch)
{
    return {false, TimelineIndex(plan.timeline).op(kind, stage, microBatch)};
}

}  // namespace

class TestTimelineView : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { applyTheme(*qApp, ThemeMode::light); }
    void init();
    void cleanup() { view_.reset(); }
    void indexFindsNeighbours();
    void wheelZoomsAtThePointer();
    void shiftWheelAndDragPan();
    void doubleClickAndKeysFit();
    void keysZoomAndPan();
    void hoverShowsATooltipInsideTheChart();
    void tooltipNamesWhatWasWaitedFor();
    void clickSelectsWithItsOwnArrowsOnly();
    void criticalPathToggles();
    void livePlanKeepsTheView();
    void manyRowsScroll();
    void hundredThousandBarsAreMerged();
    void exportHasTheAskedSize();
    void nullPlanShowsTheEmptyState();

private:
    TimelinePlot& plot() { return *view_->plot(); }
    std::shared_ptr<const SolvedPlan> plan_;
    std::unique_ptr<TimelineView> view_;
};

void TestTimelineView::init()
{
    plan_ = labSolved();
    view_ = std::make_unique<TimelineView>();
    view_->resize(1000, 420);
    view_->setPlan(plan_);
    view_->show();
    QVERIFY(QTest::qWaitForWindowExposed(view_.get()));
    plot().replot();
}

void TestTimelineView::indexFindsNeighbours()
{
    const TimelineIndex index(plan_->timeline);
    const int forward = index.op(OpKind::forward, 2, 4);
    const int into = index.transferInto(forward);
    const int out = index.transferOutOf(forward);
    QCOMPARE(plan_->timeline.transfers[static_cast<std::size_t>(into)].boundary, 1);
    QCOMPARE(plan_->timeline.transfers[static_cast<std::size_t>(out)].boundary, 2);
    QCOMPARE(plan_->timeline.transfers[static_cast<std::size_t>(out)].producer, forward);
    QCOMPARE(index.consumerOf(out), index.op(OpKind::forward, 3, 4));
    QCOMPARE(index.transferInto(index.op(OpKind::forward, 0, 0)), -1);
    QCOMPARE(index.transferOutOf(index.op(OpKind::backward, 0, 0)), -1);
    const int gradient = index.transferOutOf(index.op(OpKind::backward, 3, 1));
    QVERIFY(plan_->timeline.transfers[static_cast<std::size_t>(gradient)].backward);
    QCOMPARE(index.consumerOf(gradient), index.op(OpKind::backward, 2, 1));
    const TimelineOp& op = plan_->timeline.ops[static_cast<std::size_t>(forward)];
    QCOMPARE(index.opAt(2, (op.start_s + op.end_s) / 2, 0), forward);
    QCOMPARE(index.opAt(2, -1, 0.1), -1);
    for (int s = 0; s < 6; ++s)
        for (const int t : index.sentBy(s)) {
            const TimelineTransfer& transfer = plan_->timeline.transfers[static_cast<std::size_t>(t)];
            QCOMPARE(transfer.backward ? transfer.boundary + 1 : transfer.boundary, s);
        }
}

void TestTimelineView::wheelZoomsAtThePointer()
{
    const TimeScale before = plot().scale();
    const QPointF at(before.left + before.width * 0.3, 100);
    wheel(&plot(), at, 120);
    wheel(&plot(), at, 120);
    const TimeScale after = plot().scale();
    QVERIFY(after.spanS < before.spanS * 0.7);
    QVERIFY(qAbs(after.toTime(at.x()) - before.toTime(at.x())) < before.spanS * 1e-9);
    wheel(&plot(), at, -240);
    QVERIFY(qAbs(plot().scale().spanS - before.spanS) < before.spanS * 0.01);
    // Never further out than the iteration.
    for (int i = 0; i < 40; ++i)
        wheel(&plot(), at, -120);
    QVERIFY(plot().scale().spanS <= plan_->timeline.makespan_s * 1.11);
}

void TestTimelineView::shiftWheelAndDragPan()
{
    const QPointF at(500, 100);
    for (int i = 0; i < 5; ++i)
        wheel(&plot(), at, 120);
    const TimeScale before = plot().scale();
    wheel(&plot(), at, -120, Qt::ShiftModifier);
    QVERIFY(plot().scale().startS > before.startS);
    QCOMPARE(plot().scale().spanS, before.spanS);

    const TimeScale held = plot().scale();
    QTest::mousePress(&plot(), Qt::LeftButton, {}, QPoint(500, 100));
    QTest::mouseMove(&plot(), QPoint(520, 100));
    QTest::mouseMove(&plot(), QPoint(560, 101));
    QTest::mouseRelease(&plot(), Qt::LeftButton, {}, QPoint(560, 101));
    QVERIFY(qAbs(plot().scale().toPixel(held.toTime(500)) - 560) < 1.5);
    QVERIFY(!plot().selected().valid());
}

void TestTimelineView::doubleClickAndKeysFit()
{
    const TimeScale all = plot().scale();
    wheel(&plot(), {500, 100}, 600);
    QVERIFY(plot().scale().spanS < all.spanS / 2);
    QTest::mouseDClick(&plot(), Qt::LeftButton, {}, QPoint(500, 100));
    QVERIFY(qAbs(plot().scale().spanS - all.spanS) < all.spanS * 1e-9);

    // F shows the selection first and everything after that.
    plot().select(opElement(*plan_, OpKind::backward, 3, 4));
    QTest::keyClick(&plot(), Qt::Key_F);
    const TimeScale focused = plot().scale();
    QVERIFY(focused.spanS < all.spanS / 2);
    const QRectF rect = plot().rectOf(plot().selected());
    QVERIFY(rect.left() > focused.left && rect.right() < focused.left + focused.width);
    QTest::keyClick(&plot(), Qt::Key_F);
    QVERIFY(qAbs(plot().scale().spanS - all.spanS) < all.spanS * 1e-9);
}

void TestTimelineView::keysZoomAndPan()
{
    const TimeScale all = plot().scale();
    QTest::keyClick(&plot(), Qt::Key_W);
    QTest::keyClick(&plot(), Qt::Key_W);
    const TimeScale in = plot().scale();
    QVERIFY(in.spanS < all.spanS);
    QTest::keyClick(&plot(), Qt::Key_D);
    QVERIFY(plot().scale().startS > in.startS);
    QTest::keyClick(&plot(), Qt::Key_A);
    QVERIFY(qAbs(plot().scale().startS - in.startS) < all.spanS * 1e-9);
    QTest::keyClick(&plot(), Qt::Key_S);
    QVERIFY(plot().scale().spanS > in.spanS);

    plot().select(opElement(*plan_, OpKind::forward, 1, 2));
    QTest::keyClick(&plot(), Qt::Key_Period);
    QCOMPARE(plot().selected().index, opElement(*plan_, OpKind::forward, 1, 2).index + 1);
    QTest::keyClick(&plot(), Qt::Key_Comma);
    QCOMPARE(plot().selected().index, opElement(*plan_, OpKind::forward, 1, 2).index);
    QTest::keyClick(&plot(), Qt::Key_Escape);
    QVERIFY(!plot().selected().valid());
}

void TestTimelineView::hoverShowsATooltipInsideTheChart()
{
    for (const int stage : {0, 5})
        for (const int microBatch : {0, 8}) {
            const TimelineElement element = opElement(*plan_, OpKind::backward, stage, microBatch);
            const QPoint center = plot().rectOf(element).center().toPoint();
            pointAt(&plot(), center);
            QCOMPARE(plot().hovered().index, element.index);
            const QRectF tooltip = plot().overlay().tooltipRect();
            QVERIFY(!tooltip.isEmpty());
            QVERIFY(QRectF(plot().rect()).contains(tooltip));
            QVERIFY(!tooltip.contains(QPointF(center)));
        }
    QEvent leave(QEvent::Leave);
    QApplication::sendEvent(&plot(), &leave);
    QVERIFY(!plot().hovered().valid());
    QVERIFY(plot().overlay().tooltipRect().isEmpty());
}

void TestTimelineView::tooltipNamesWhatWasWaitedFor()
{
    const TimelineIndex index(plan_->timeline);
    bool gradient = false;
    bool device = false;
    for (std::size_t i = 0; i < plan_->timeline.ops.size(); ++i) {
        const TimelineOp& op = plan_->timeline.ops[i];
        const QPoint center = plot().rectOf({false, static_cast<int>(i)}).center().toPoint();
        pointAt(&plot(), center);
        if (plot().hovered().index != static_cast<int>(i))
            continue;
        const QStringList lines = plot().overlay().tooltip();
        QVERIFY(lines.size() >= 3);
        QVERIFY(lines[0].contains(QStringLiteral("micro-batch %1").arg(op.micro_batch)));
        QVERIFY(lines[0].contains(QStringLiteral("stage %1").arg(op.stage)));
        if (op.kind == OpKind::backward && op.waited == TimelineOp::Waited::transfer) {
            QCOMPARE(lines[2], QStringLiteral("waits for gradient from stage %1").arg(op.stage + 1));
            gradient = true;
        }
        if (op.waited == TimelineOp::Waited::device) {
            QVERIFY(lines[2].startsWith(QStringLiteral("starts as soon as the device is free")));
            device = true;
        }
    }
    QVERIFY(gradient && device);
}

void TestTimelineView::clickSelectsWithItsOwnArrowsOnly()
{
    QSignalSpy spy(&plot(), &TimelinePlot::selectionChanged);
    const TimelineElement middle = opElement(*plan_, OpKind::forward, 2, 3);
    QTest::mouseClick(&plot(), Qt::LeftButton, {}, plot().rectOf(middle).center().toPoint());
    QCOMPARE(plot().selected().index, middle.index);
    QVERIFY(spy.count() >= 1);
    // In, out and its own backward.
    QCOMPARE(plot().overlay().drawnArrows(), 3);
    const TimelineElement first = opElement(*plan_, OpKind::forward, 0, 0);
    QTest::mouseClick(&plot(), Qt::LeftButton, {}, plot().rectOf(first).center().toPoint());
    QCOMPARE(plot().overlay().drawnArrows(), 2);
    plot().select({true, 0});
    QCOMPARE(plot().overlay().drawnArrows(), 1);
    QTest::mouseClick(&plot(), Qt::LeftButton, {}, QPoint(plot().width() - 20, 5));
    QVERIFY(!plot().selected().valid());
    QCOMPARE(plot().overlay().drawnArrows(), 0);
}

void TestTimelineView::criticalPathToggles()
{
    const auto red = [this] {
        plot().replot();
        const QImage image = plot().grab().toImage();
        const QRgb color = roleColor(ColorRole::criticalPath, plot().palette()).rgb();
        int count = 0;
        for (int y = 0; y < image.height(); ++y)
            for (int x = 0; x < image.width(); ++x)
                count += (image.pixel(x, y) & 0xffffff) == (color & 0xffffff);
        return count;
    };
    QCOMPARE(red(), 0);
    QTest::keyClick(&plot(), Qt::Key_C);
    QVERIFY(plot().criticalPathShown());
    QVERIFY(red() > 100);
    // The path ends where the iteration ends.
    const CriticalStep last = plot().bars().criticalPath().back();
    QVERIFY(!last.transfer);
    QCOMPARE(plan_->timeline.ops[static_cast<std::size_t>(last.index)].end_s, plan_->timeline.makespan_s);
    QTest::keyClick(&plot(), Qt::Key_C);
    QCOMPARE(red(), 0);
}

void TestTimelineView::livePlanKeepsTheView()
{
    wheel(&plot(), {500, 100}, 480);
    plot().select(opElement(*plan_, OpKind::forward, 1, 1));
    const TimeScale before = plot().scale();
    view_->setPlan(labSolved());
    QVERIFY(qAbs(plot().scale().startS - before.startS) < 1e-9);
    QVERIFY(qAbs(plot().scale().spanS - before.spanS) < 1e-9);
    QCOMPARE(plot().selected().index, opElement(*plan_, OpKind::forward, 1, 1).index);
    // Another shape starts afresh.
    view_->setPlan(labSolved(12));
    QVERIFY(!plot().selected().valid());
    QVERIFY(plot().scale().startS <= 0);
    QVERIFY(plot().scale().endS() >= view_->plan()->timeline.makespan_s);
}

void TestTimelineView::manyRowsScroll()
{
    QCOMPARE(plot().hiddenRows(), 0.0);
    view_->resize(700, 180);
    plot().replot();
    QVERIFY(plot().hiddenRows() > 0);
    const QRectF before = plot().rectOf(opElement(*plan_, OpKind::forward, 0, 0));
    wheel(&plot(), {400, 80}, -120, Qt::ControlModifier);
    const QRectF after = plot().rectOf(opElement(*plan_, OpKind::forward, 0, 0));
    QVERIFY(after.top() < before.top());
}

void TestTimelineView::hundredThousandBarsAreMerged()
{
    const auto large = labSolved(8400);
    QVERIFY(large->timeline.ops.size() >= 100000);
    view_->setPlan(large);
    plot().replot();
    const int fitted = plot().bars().drawnBars();
    QVERIFY2(fitted >= 6 && fitted < 6 * 2 * 2 * plot().width(), qPrintable(QString::number(fitted)));
    plot().setCriticalPathShown(true);
    plot().replot();
    QVERIFY(plot().bars().drawnBars() < 6 * 3 * 2 * plot().width());
    plot().select(opElement(*large, OpKind::backward, 2, 4000));
    plot().fitSelection();
    plot().replot();
    QVERIFY(plot().bars().drawnBars() < 400);
    // Every pixel of the chart still answers.
    pointAt(&plot(), plot().rectOf(plot().selected()).center());
    QCOMPARE(plot().hovered().index, plot().selected().index);
}

void TestTimelineView::exportHasTheAskedSize()
{
    QTemporaryDir folder;
    for (const double scale : {1.0, 1.5, 3.0}) {
        const QString path = folder.filePath(QStringLiteral("timeline-%1.png").arg(scale));
        QVERIFY(view_->exportPng(path, scale));
        const QImage image(path);
        QCOMPARE(image.size(), (QSizeF(1000, 420) * scale).toSize());
        const QRgb forward = roleColor(ColorRole::forward, view_->palette()).rgb();
        int bars = 0;
        for (int y = 0; y < image.height(); y += 2)
            for (int x = 0; x < image.width(); x += 2)
                bars += image.pixel(x, y) == forward;
        QVERIFY(bars > 500 * scale);
    }
    QVERIFY(!view_->exportPng(folder.filePath(QStringLiteral("no/such/folder.png")), 1));
}

void TestTimelineView::nullPlanShowsTheEmptyState()
{
    view_->setPlan(nullptr);
    QVERIFY(!plot().isVisible());
    QTemporaryDir folder;
    QVERIFY(!view_->exportPng(folder.filePath(QStringLiteral("empty.png")), 1));
    view_->setPlan(plan_);
    QVERIFY(plot().isVisible());
}

QTEST_MAIN(TestTimelineView)
#include "test_timeline_view.moc"
