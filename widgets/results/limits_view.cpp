// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/results/limits_view.h"

#include "core/base/error.h"
#include "widgets/results/device_label.h"
#include "widgets/results/empty_state.h"
#include "widgets/results/figures.h"
#include "widgets/theme/theme.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLocale>
#include <QStackedLayout>
#include <QTableWidget>
#include <QVBoxLayout>

#include <algorithm>

namespace nnpiper {
namespace {

constexpr int mostLinks = 200;

QTableWidget* makeTable(QWidget* parent)
{
    auto* table = new QTableWidget(parent);
    table->setFrameShape(QFrame::NoFrame);
    table->setAlternatingRowColors(true);
    table->setShowGrid(false);
    table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table->setSelectionBehavior(QAbstractItemView::SelectRows);
    table->verticalHeader()->hide();
    table->verticalHeader()->setDefaultSectionSize(24);
    table->horizontalHeader()->setHighlightSections(false);
    table->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    return table;
}

void put(QTableWidget& table, int row, int column, const QString& text)
{
    auto* item = new QTableWidgetItem(text);
    item->setTextAlignment(Qt::AlignVCenter | (column == 0 ? Qt::AlignLeft : Qt::AlignRight));
    table.setItem(row, column, item);
}

/// The column `stretched` takes what the others leave.
void setHeads(QTableWidget& table, const QStringList& heads, int stretched)
{
    table.setColumnCount(static_cast<int>(heads.size()));
    table.setHorizontalHeaderLabels(heads);
    for (int c = 0; c < heads.size(); ++c)
        table.horizontalHeaderItem(c)->setTextAlignment(Qt::AlignVCenter | (c == 0 ? Qt::AlignLeft : Qt::AlignRight));
    table.horizontalHeader()->setSectionResizeMode(stretched, QHeaderView::Stretch);
}

QString deviceName(const SolvedPlan& plan, const std::string& id)
{
    const int device = plan.problem ? plan.problem->device_index(id) : -1;
    return device < 0 ? QString::fromStdString(id) : deviceLabel(*plan.problem, device);
}

}  // namespace

LimitsView::LimitsView(QWidget* parent)
    : QWidget(parent)
{
    pages_ = new QStackedLayout(this);
    empty_ = new EmptyState(QStringLiteral("warning"), this);
    page_ = new QWidget(this);
    headline_ = new QLabel(page_);
    setTextRole(headline_, TextRole::title);
    headline_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    headline_->setWordWrap(true);
    basis_ = new QLabel(page_);
    setTextRole(basis_, TextRole::muted);
    basis_->setWordWrap(true);
    devices_ = makeTable(page_);
    links_ = makeTable(page_);
    auto* tables = new QHBoxLayout;
    tables->setSpacing(10);
    tables->addWidget(devices_, 3);
    tables->addWidget(links_, 2);
    auto* column = new QVBoxLayout(page_);
    column->setContentsMargins(12, 8, 12, 8);
    column->setSpacing(4);
    column->addWidget(headline_);
    column->addWidget(basis_);
    column->addLayout(tables, 1);
    pages_->addWidget(empty_);
    pages_->addWidget(page_);
    retranslateUi();
}

void LimitsView::setPlan(std::shared_ptr<const SolvedPlan> plan)
{
    plan_ = plan && plan->problem && plan->timeline.rows() > 0 ? std::move(plan) : nullptr;
    limits_.reset();
    try {
        if (plan_)
            limits_ = limits_of(*plan_->problem, plan_->plan, plan_->timeline);
    } catch (const Error&) {
        plan_.reset();  // a plan of an older version of the project
    }
    fill();
}

void LimitsView::fill()
{
    pages_->setCurrentWidget(limits_ ? page_ : static_cast<QWidget*>(empty_));
    if (!limits_)
        return;
    const QLocale l = locale();
    const PlanLimits& limits = *limits_;
    const QString shares = tr("computing is %1 of the critical path, messages %2")
                               .arg(formatPercent(limits.compute_share, l), formatPercent(limits.link_share, l));
    switch (limits.kind) {
    case PlanLimits::Kind::compute:
        headline_->setText(tr("Limited by computing: %1 works %2 of the time; %3")
                               .arg(deviceName(*plan_, limits.busiest_device), formatPercent(limits.busy_share, l), shares));
        break;
    case PlanLimits::Kind::link:
        headline_->setText(tr("Limited by links: %1").arg(shares));
        break;
    case PlanLimits::Kind::memory:
        headline_->setText(tr("Limited by memory: %1 needs %2 of %3")
                               .arg(deviceName(*plan_, limits.fullest_device), formatBytes(limits.needed_bytes, l),
                                    formatBytes(limits.capacity_bytes, l)));
        break;
    }
    switch (limits.basis) {
    case CostBasis::analytic:
        basis_->setText(tr("Prediction: analytic, from device figures and formulas. Calibrate it with measured step times "
                           "of your own."));
        break;
    case CostBasis::calibrated:
        basis_->setText(tr("Prediction: calibrated with measured step times."));
        break;
    case CostBasis::measured:
        basis_->setText(
            tr("Prediction: %1 of the layer times are measured.").arg(formatPercent(limits.measured_share, l)));
        break;
    case CostBasis::given:
        basis_->setText(tr("Prediction: from the times that the problem file gives."));
        break;
    }
    fillDevices();
    fillLinks();
}

void LimitsView::fillDevices()
{
    const QLocale l = locale();
    const Timeline& t = plan_->timeline;
    devices_->setRowCount(t.rows());
    for (int row = 0; row < t.rows(); ++row) {
        const DeviceMetrics& m = t.metrics[static_cast<std::size_t>(row)];
        const auto& ids = t.devices[static_cast<std::size_t>(row)];
        const QString name = ids.empty() ? QString::number(row) : deviceName(*plan_, ids.front());
        put(*devices_, row, 0, ids.size() > 1 ? tr("%1 and %2 more").arg(name).arg(ids.size() - 1) : name);
        const double parts[] = {m.busy_s,          m.bubble.warm_up_s, m.bubble.drain_s,
                                m.bubble.dependency_s, m.bubble.link_s, m.bubble.imbalance_s};
        for (int c = 0; c < 6; ++c)
            put(*devices_, row, c + 1, formatPercent(t.makespan_s > 0 ? parts[c] / t.makespan_s : 0, l));
    }
}

void LimitsView::fillLinks()
{
    const QLocale l = locale();
    const double length = plan_->timeline.makespan_s;
    const int count = std::min(mostLinks, static_cast<int>(limits_->links.size()));
    links_->setRowCount(count);
    for (int row = 0; row < count; ++row) {
        const LinkLoad& load = limits_->links[static_cast<std::size_t>(row)];
        put(*links_, row, 0, QString::fromStdString(load.link));
        links_->item(row, 0)->setToolTip(QString::fromStdString(load.link));
        put(*links_, row, 1, formatBytes(load.bytes, l));
        put(*links_, row, 2, formatPercent(length > 0 ? load.busy_s / length : 0, l));
    }
}

void LimitsView::retranslateUi()
{
    setAccessibleName(tr("Limits"));
    empty_->setText(tr("Nothing to explain yet"),
                    tr("Press Solve: what holds the plan down, where devices wait and what links carry."));
    setHeads(*devices_, {tr("device"), tr("works"), tr("warm-up"), tr("drain"), tr("waits for stages"), tr("waits for links"),
                         tr("imbalance")}, 6);
    setHeads(*links_, {tr("link, one direction"), tr("an iteration"), tr("busy")}, 0);
    fill();
}

void LimitsView::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::LanguageChange)
        retranslateUi();
}

}  // namespace nnpiper
