// SPDX-License-Identifier: GPL-3.0-or-later
#include "lab_plan.h"

#include "core/study/explain.h"
#include "widgets/results/comparison_model.h"
#include "widgets/results/comparison_panel.h"
#include "widgets/results/explanation_text.h"
#include "widgets/results/memory_bars.h"
#include "widgets/results/memory_view.h"
#include "widgets/theme/theme.h"

#include <QAbstractItemModelTester>
#include <QApplication>
#include <QLabel>
#include <QListView>
#include <QProgressBar>
#include <QPushButton>
#include <QSignalSpy>
#include <QtTest>

using namespace nnpiper;

namespace {

Plan plan(const char* planner, double throughput, bool feasible = true, const char* status = "ok")
{
    Plan result;
    result.planner = planner;
    result.throughput_samples_per_s = throughput;
    result.makespan_s = throughput > 0 ? 100 / throughput : 0;
    result.feasible = feasible;
    result.status = status;
    result.planning_time_ms = 12;
    if (result.status != "skipped")
        result.stages.push_back({{"a"}, 0, 1, 1, {}, Recompute::none});
    return result;
}

std::vector<Plan> mixed()
{
    std::vector<Plan> plans = {plan("uniform", 71.5),
                               plan("nn-piper", 139.3),
                               plan("exact", 0, false, "skipped"),
                               plan("pipedream", 104.2),
                               plan("greedy-speed", 200, false, "infeasible"),
                               plan("local-search", 139.3)};
    plans[2].reason = "16 devices are more than 10";
    plans[4].reason = "stage 1 needs 30 GB on a, which has 24 GB";
    return plans;
}

QList<int> order(const ComparisonModel& model)
{
    QList<int> result;
    for (int row = 0; row < model.rowCount(); ++row)
        result << model.index(row).data(ComparisonModel::PlanIndexRole).toInt();
    return result;
}

bool has(const std::vector<Reason>& reasons, Reason::Kind kind)
{
    return std::any_of(reasons.begin(), reasons.end(), [&](const Reason& r) { return r.kind == kind; });
}

}  // namespace

class TestComparison : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { applyTheme(*qApp, ThemeMode::light); }
    void sortsByThroughputThenByFitness();
    void differencesAreAgainstTheBest();
    void tellsWhatIsProved();
    void rawProblemsCompareMakespans();
    void activationGivesTheIndexInTheGivenOrder();
    void progressShowsAndHides();
    void exportNeedsAPlan();
    void explanationIsShownAsText();
    void explainsTheLab();
    void explainsNothingWithoutAPlan();
    void memoryPartsAddUp();
};

void TestComparison::sortsByThroughputThenByFitness()
{
    ComparisonModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
    model.setPlans(mixed());
    QCOMPARE(order(model), (QList<int>{1, 5, 3, 0, 4, 2}));
    QCOMPARE(model.best(), 1);
    model.setCurrent(3);
    QVERIFY(model.index(2).data(ComparisonModel::CurrentRole).toBool());
    QVERIFY(!model.index(0).data(ComparisonModel::CurrentRole).toBool());
    model.setPlans({});
    QCOMPARE(model.best(), -1);
    QCOMPARE(model.current(), -1);
}

void TestComparison::differencesAreAgainstTheBest()
{
    ComparisonModel model;
    model.setPlans(mixed());
    const auto local = [](QString text) { return text.replace(QLatin1Char('.'), QLocale().decimalPoint()); };
    const auto word = [&](int row) {
        return model.index(row)
            .data(ComparisonModel::DifferenceRole)
            .toString()
            .replace(QChar(0x00a0), QLatin1Char(' '));
    };
    QCOMPARE(word(0), QStringLiteral("best"));
    QCOMPARE(word(1), local(QStringLiteral("0.0 %")));
    QCOMPARE(word(2), local(QStringLiteral("−25.2 %")));
    QCOMPARE(word(3), local(QStringLiteral("−48.7 %")));
    QCOMPARE(word(4), QStringLiteral("infeasible"));
    QCOMPARE(word(5), QStringLiteral("skipped"));
    QVERIFY(model.index(4).data(Qt::ToolTipRole).toString().contains(QStringLiteral("30 GB")));
    QVERIFY(model.index(5).data(Qt::ToolTipRole).toString().contains(QStringLiteral("16 devices")));
    QVERIFY(qAbs(model.index(2).data(ComparisonModel::ShareRole).toDouble() - 104.2 / 139.3) < 1e-9);
    QCOMPARE(model.index(4).data(ComparisonModel::ShareRole).toDouble(), 0.0);
    QVERIFY(model.index(4).data(ComparisonModel::FigureRole).toString().isEmpty());
}

void TestComparison::tellsWhatIsProved()
{
    std::vector<Plan> plans = mixed();
    plans[0].proved_gap = 0.953;
    plans[1].proved_gap = 0.0025;
    plans[4].proved_gap = 0.5;
    ComparisonModel model;
    model.setPlans(plans);
    for (int row = 0; row < model.rowCount(); ++row) {
        const QModelIndex index = model.index(row);
        const Plan& shown = plans[static_cast<std::size_t>(index.data(ComparisonModel::PlanIndexRole).toInt())];
        const QString gap = index.data(ComparisonModel::GapRole).toString();
        QCOMPARE(gap.isEmpty(), !shown.feasible || !shown.proved_gap);
        if (shown.planner == "uniform") {
            QVERIFY2(gap.contains(QStringLiteral("95")), qPrintable(gap));
            QVERIFY(index.data(Qt::ToolTipRole).toString().contains(QStringLiteral("of the best possible plan")));
        }
    }
}

void TestComparison::rawProblemsCompareMakespans()
{
    std::vector<Plan> plans = {plan("uniform", 10), plan("nn-piper", 20)};
    for (Plan& p : plans)
        p.throughput_samples_per_s = 0;
    ComparisonModel model;
    model.setPlans(plans);
    QVERIFY(!model.showsThroughput());
    QCOMPARE(order(model), (QList<int>{1, 0}));
    QCOMPARE(model.index(1).data(ComparisonModel::FigureRole).toString().replace(QChar(0x00a0), QLatin1Char(' ')),
             QStringLiteral("10 s"));
}

void TestComparison::activationGivesTheIndexInTheGivenOrder()
{
    ComparisonPanel panel;
    panel.resize(420, 420);
    panel.setPlans(mixed());
    panel.show();
    QVERIFY(QTest::qWaitForWindowExposed(&panel));
    QSignalSpy spy(&panel, &ComparisonPanel::planActivated);
    const auto click = [&](int row) {
        QTest::mouseClick(panel.list()->viewport(), Qt::LeftButton, {},
                          panel.list()->visualRect(panel.model()->index(row)).center());
    };
    click(2);
    QCOMPARE(spy.count(), 1);
    QCOMPARE(spy.last().first().toInt(), 3);
    click(4);
    QCOMPARE(spy.last().first().toInt(), 4);
    // A skipped planner has nothing to show.
    click(5);
    QCOMPARE(spy.count(), 2);
    panel.list()->setCurrentIndex(panel.model()->index(0));
    panel.list()->setFocus();
    QTest::keyClick(panel.list(), Qt::Key_Return);
    QCOMPARE(spy.last().first().toInt(), 1);
}

void TestComparison::progressShowsAndHides()
{
    ComparisonPanel panel;
    panel.show();
    auto* bar = panel.findChild<QProgressBar*>();
    QVERIFY(!bar->isVisible());
    panel.setRunning(QStringLiteral("uniform"), 0.25);
    QVERIFY(bar->isVisible());
    QCOMPARE(bar->value() * 4, bar->maximum());
    panel.setRunning(QStringLiteral("uniform"), -1);
    QCOMPARE(bar->maximum(), 0);
    panel.setIdle();
    QVERIFY(!bar->isVisible());
}

void TestComparison::exportNeedsAPlan()
{
    ComparisonPanel panel;
    QSignalSpy plans(&panel, &ComparisonPanel::exportPlanRequested);
    QSignalSpy traces(&panel, &ComparisonPanel::exportTraceRequested);
    const QList<QPushButton*> buttons = panel.findChildren<QPushButton*>();
    QCOMPARE(buttons.size(), 2);
    for (QPushButton* button : buttons)
        QVERIFY(!button->isEnabled());
    panel.setPlans(mixed());
    panel.setCurrent(1);
    for (QPushButton* button : buttons)
        button->click();
    QCOMPARE(plans.count(), 1);
    QCOMPARE(traces.count(), 1);
}

void TestComparison::explanationIsShownAsText()
{
    ComparisonPanel panel;
    panel.resize(420, 500);
    panel.setPlans(mixed());
    panel.setExplanation({QStringLiteral("a < b")});
    panel.show();
    bool shown = false;
    bool title = false;
    for (const QLabel* label : panel.findChildren<QLabel*>()) {
        shown = shown || (label->isVisible() && label->text().contains(QStringLiteral("a &lt; b")));
        title = title || (label->isVisible() && label->text() == QStringLiteral("Why NN-Piper wins here"));
    }
    QVERIFY(shown && title);
}

void TestComparison::explainsTheLab()
{
    const auto problem = labProblem();
    std::vector<Plan> plans;
    plans.push_back(labPlan(*problem, {8, 16, 22, 28, 31, 34}, {0, 1, 2, 3, 5, 6}));
    plans.push_back(labPlan(*problem, {6, 11, 16, 21, 26, 34}, {0, 2, 5, 1, 3, 6}));
    plans.back().planner = "greedy-speed";
    plans.push_back(labPlan(*problem, {34}, {2}));
    plans.back().planner = "uniform";
    QVERIFY(plans[0].feasible && plans[1].feasible && !plans[2].feasible);
    QVERIFY(plans[0].throughput_samples_per_s > plans[1].throughput_samples_per_s);
    const Timeline timeline = simulate(*problem, plans[0]);
    const std::vector<Reason> all = explain(*problem, plans, 0, timeline, 100);
    for (const Reason& r : all) {
        switch (r.kind) {
        case Reason::Kind::slow_links:
            // node-a to node-b and node-b to node-c; the other plan changes machines at every step but one.
            QCOMPARE(r.count, 2);
            QCOMPARE(r.total, 5);
            QCOMPARE(r.other_count, 5);
            QCOMPARE(r.planner, std::string("greedy-speed"));
            QCOMPARE(r.value_bytes_per_s, 1.1e9);
            break;
        case Reason::Kind::balance: {
            double slowest = 0;
            double sum = 0;
            for (const DeviceMetrics& m : timeline.metrics) {
                slowest = std::max(slowest, m.busy_s / timeline.micro_batches);
                sum += m.busy_s / timeline.micro_batches;
            }
            QVERIFY(qAbs(r.value_s - slowest) < 1e-12);
            QVERIFY(qAbs(r.fraction - sum / 6 / slowest) < 1e-12);
            break;
        }
        case Reason::Kind::idle_devices:
            QCOMPARE(r.count, 1);
            QCOMPARE(r.device, std::string("node-b/gpu2"));
            break;
        case Reason::Kind::memory_saved:
            QCOMPARE(r.count, 1);
            QCOMPARE(r.planner, std::string("uniform"));
            break;
        case Reason::Kind::margin:
            QVERIFY(qAbs(r.fraction - (plans[0].throughput_samples_per_s / plans[1].throughput_samples_per_s - 1))
                    < 1e-12);
            break;
        default:
            break;
        }
    }
    QVERIFY(has(all, Reason::Kind::slow_links));
    QVERIFY(has(all, Reason::Kind::balance));
    QVERIFY(has(all, Reason::Kind::idle_devices));
    QVERIFY(has(all, Reason::Kind::memory_saved));
    QVERIFY(has(all, Reason::Kind::margin));
    const std::vector<Reason> few = explain(*problem, plans, 0, timeline);
    QCOMPARE(few.size(), std::size_t{3});
    const QStringList sentences = explanationText(*problem, few, QLocale::c());
    QCOMPARE(sentences.size(), 3);
    for (const QString& sentence : sentences)
        QVERIFY2(sentence.size() > 20 && !sentence.contains(QLatin1Char('%') + QString::number(1)),
                 qPrintable(sentence));
}

void TestComparison::explainsNothingWithoutAPlan()
{
    const auto problem = labProblem();
    QVERIFY(explain(*problem, {}, 0, {}).empty());
    QVERIFY(explain(*problem, {plan("exact", 0, false, "skipped")}, 0, {}).empty());
    QVERIFY(explain(*problem, {plan("exact", 0)}, -1, {}).empty());
}

void TestComparison::memoryPartsAddUp()
{
    const auto solvedPlan = labSolved();
    MemoryView view;
    view.resize(800, 260);
    view.setPlan(solvedPlan);
    view.show();
    QVERIFY(QTest::qWaitForWindowExposed(&view));
    const MemoryBars& bars = *view.bars();
    QCOMPARE(bars.rows(), 6);
    for (int i = 0; i < bars.rows(); ++i) {
        const DeviceMemory& memory = solvedPlan->timeline.memory[static_cast<std::size_t>(i)];
        const MemoryBars::Row row = bars.row(i);
        double width = 0;
        for (const QRectF& part : row.parts)
            width += part.width();
        QVERIFY(qAbs(width / row.bar.width() - memory.needed_bytes() / memory.capacity_bytes) < 1e-9);
        QVERIFY(row.capacityX < bars.width());
        QCOMPARE(row.fits, memory.fits());
    }
    view.setPlan(nullptr);
    QVERIFY(!view.bars()->isVisible());
}

QTEST_MAIN(TestComparison)
#include "test_comparison.moc"
