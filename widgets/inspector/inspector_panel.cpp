// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/inspector/inspector_panel.h"

#include "widgets/document/containers.h"
#include "widgets/document/selection.h"
#include "widgets/inspector/element_pages.h"
#include "widgets/inspector/job_page.h"
#include "widgets/inspector/prediction_card.h"
#include "widgets/solver/plan_board.h"
#include "widgets/theme/theme.h"

#include <QEvent>
#include <QLabel>
#include <QScrollArea>
#include <QStackedWidget>
#include <QVBoxLayout>

namespace nnpiper {

namespace {

/// A page as high as its fields, so that the scroll bar appears only when they do not fit.
QWidget* topAligned(QWidget* page)
{
    auto* holder = new QWidget;
    holder->setProperty("plain", true);
    auto* layout = new QVBoxLayout(holder);
    layout->setContentsMargins(0, 0, 8, 0);
    layout->addWidget(page);
    layout->addStretch(1);
    auto* scroll = new QScrollArea;
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidgetResizable(true);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setWidget(holder);
    return scroll;
}

QString counted(std::size_t count, const QString& one, const QString& many)
{
    return count == 1 ? one : many.arg(count);
}

}  // namespace

InspectorPanel::InspectorPanel(ProjectDocument& document, PlanBoard& board, QWidget* parent)
    : QFrame(parent)
    , document_(document)
    , title_(new QLabel)
    , heading_(new QLabel)
    , place_(new QLabel)
    , pages_(new QStackedWidget)
    , device_page_(new DevicePage(document))
    , node_page_(new NodePage(document))
    , switch_page_(new SwitchPage(document))
    , link_page_(new LinkPage(document))
    , container_page_(new ContainerPage(document))
    , job_page_(new JobPage(document))
    , prediction_(new PredictionCard(board))
{
    setCard(this);
    setObjectName(QStringLiteral("inspector"));
    setTextRole(title_, TextRole::title);
    setTextRole(heading_, TextRole::title);
    setTextRole(place_, TextRole::muted);
    heading_->setWordWrap(true);
    place_->setWordWrap(true);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(12, 10, 6, 10);
    layout->setSpacing(8);
    layout->addWidget(title_);
    layout->addWidget(heading_);
    layout->addWidget(place_);
    layout->addWidget(pages_, 1);
    auto* bottom = new QHBoxLayout;
    bottom->setContentsMargins(0, 0, 6, 0);
    bottom->addWidget(prediction_);
    layout->addLayout(bottom);
    for (QWidget* page : std::initializer_list<QWidget*>{job_page_, device_page_, node_page_, switch_page_, link_page_,
                                                         container_page_})
        pages_->addWidget(topAligned(page));

    connect(job_page_, &JobPage::changeModelRequested, this, &InspectorPanel::changeModelRequested);
    connect(&document.selection(), &Selection::changed, this, [this] {
        showSelection();
        prediction_->setBaseline();
    });
    connect(&document, &ProjectDocument::edited, this, &InspectorPanel::refresh);
    connect(&document, &ProjectDocument::reset, this, &InspectorPanel::showSelection);
    // The baseline is the plan that stood when the selection was made, or the first after it.
    connect(&board, &PlanBoard::shownChanged, this, [this, &board, had = false]() mutable {
        const bool has = board.shown() != nullptr;
        if (has && !had)
            prediction_->setBaseline();
        had = has;
    });
    retranslateUi();
}

QWidget* InspectorPanel::currentPage() const
{
    switch (pages_->currentIndex()) {
    case 1:
        return device_page_;
    case 2:
        return node_page_;
    case 3:
        return switch_page_;
    case 4:
        return link_page_;
    case 5:
        return container_page_;
    default:
        return job_page_;
    }
}

void InspectorPanel::showSelection()
{
    QStringList by_kind[5];
    for (const QString& id : document_.selection().ids())
        if (const auto element = findElement(document_.project(), id.toStdString()))
            by_kind[static_cast<int>(kindOf(*element))].append(id);
    const auto of = [&](ElementKind kind) -> const QStringList& { return by_kind[static_cast<int>(kind)]; };
    int page = 0;
    if (const QStringList& ids = of(ElementKind::device); !ids.isEmpty()) {
        page = 1;
        device_page_->setIds(ids);
    } else if (const QStringList& nodes = of(ElementKind::node); !nodes.isEmpty()) {
        page = 2;
        node_page_->setIds(nodes);
    } else if (const QStringList& switches = of(ElementKind::network_switch); !switches.isEmpty()) {
        page = 3;
        switch_page_->setIds(switches);
    } else if (const QStringList& links = of(ElementKind::link); !links.isEmpty()) {
        page = 4;
        link_page_->setIds(links);
    } else if (const QStringList& containers = of(ElementKind::container); !containers.isEmpty()) {
        page = 5;
        container_page_->setIds(containers);
    }
    pages_->setCurrentIndex(page);
    prediction_->setWanted(page > 0);
    refresh();
}

void InspectorPanel::refresh()
{
    const Cluster& cluster = document_.project().cluster;
    const auto nameOf = [&](const std::string& id) {
        const auto element = findElement(cluster, id);
        return element ? displayName(*element) : QString::fromStdString(id);
    };
    QString heading;
    QString place;
    const auto single = [](const QStringList& ids) {
        return ids.size() == 1 ? ids.front().toStdString() : std::string();
    };
    switch (pages_->currentIndex()) {
    case 1:
        if (const Device* device = find_device(cluster, single(device_page_->ids()))) {
            heading = QString::fromStdString(device->spec.type);
            place = device->node.empty() ? tr("%1, standing alone").arg(displayName(*device))
                                         : tr("%1 in %2").arg(displayName(*device), nameOf(device->node));
        } else {
            heading = tr("%1 devices").arg(device_page_->ids().size());
        }
        device_page_->refresh();
        break;
    case 2:
        if (const Node* node = find_node(cluster, single(node_page_->ids()))) {
            heading = displayName(*node);
            place = counted(devicesOf(cluster, node->id).size(), tr("Node with 1 device"), tr("Node with %1 devices"));
        } else {
            heading = tr("%1 nodes").arg(node_page_->ids().size());
        }
        node_page_->refresh();
        break;
    case 3:
        if (const Switch* item = find_switch(cluster, single(switch_page_->ids()))) {
            heading = displayName(*item);
            place = counted(linksOf(cluster, {item->id}).size(), tr("Switch with 1 link"), tr("Switch with %1 links"));
        } else {
            heading = tr("%1 switches").arg(switch_page_->ids().size());
        }
        switch_page_->refresh();
        break;
    case 4:
        if (const Link* link = find_link(cluster, single(link_page_->ids()))) {
            heading = tr("Link");
            place = tr("%1 to %2").arg(nameOf(link->from), nameOf(link->to));
        } else {
            heading = tr("%1 links").arg(link_page_->ids().size());
        }
        link_page_->refresh();
        break;
    case 5:
        if (const Container* container =
                find_container(document_.project().containers, single(container_page_->ids()))) {
            heading = displayName(*container);
            const QString held = summaryOfDevices(document_.project(), container->id);
            const QString kind = container->kind == ContainerKind::rack ? tr("Rack") : tr("Site");
            place = held.isEmpty() ? kind : tr("%1 with %2").arg(kind, held);
        } else {
            heading = tr("%1 racks and sites").arg(container_page_->ids().size());
        }
        container_page_->refresh();
        break;
    default:
        break;
    }
    heading_->setVisible(!heading.isEmpty());
    heading_->setText(heading);
    place_->setVisible(!place.isEmpty());
    place_->setText(place);
}

void InspectorPanel::retranslateUi()
{
    title_->setText(tr("Inspector"));
    showSelection();
}

void InspectorPanel::changeEvent(QEvent* event)
{
    QFrame::changeEvent(event);
    if (event->type() == QEvent::LanguageChange)
        retranslateUi();
}

}  // namespace nnpiper
