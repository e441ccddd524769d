// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/canvas/canvas_scene.h"

#include "widgets/canvas/element_item.h"
#include "widgets/canvas/geometry.h"
#include "widgets/document/selection.h"
#include "widgets/solver/plan_board.h"

#include <QEvent>

#include <algorithm>

namespace nnpiper {

CanvasScene::CanvasScene(ProjectDocument& document, PlanBoard& board, QObject* parent)
    : QGraphicsScene(parent)
    , document_(document)
    , board_(board)
{
    setItemIndexMethod(NoIndex);
    connect(&document, &ProjectDocument::reset, this, &CanvasScene::rebuild);
    connect(&document, &ProjectDocument::elementAdded, this, [this](const QString& id) { add(id.toStdString()); });
    connect(&document, &ProjectDocument::elementRemoved, this, [this](const QString& id) { remove(id.toStdString()); });
    const auto refresh = [this](const QString& id) { refreshAround(id.toStdString()); };
    connect(&document, &ProjectDocument::elementChanged, this, refresh);
    connect(&document, &ProjectDocument::elementMoved, this, refresh);
    connect(&document, &ProjectDocument::edited, this, [this] {
        refreshHidden();
        refreshContainers();
        if (rewired_)
            refreshLinks();
        else
            refreshTouchedLinks();
        touched_.clear();
        rewired_ = false;
        rebuildRoutes();
        updateBounds();
    });
    connect(&document, &ProjectDocument::jobChanged, this, &CanvasScene::setLocks);
    connect(&document.selection(), &Selection::changed, this, [this] { update(); });
    connect(&board, &PlanBoard::shownChanged, this, &CanvasScene::setPlan);
    connect(&board, &PlanBoard::outdatedChanged, this, &CanvasScene::setPlan);
    rebuild();
}

CanvasScene::~CanvasScene()
{
    clear();
}

bool CanvasScene::event(QEvent* event)
{
    if (event->type() == QEvent::PaletteChange) {
        ++still_revision_;
        rebuildRoutes();
        update();
    }
    return QGraphicsScene::event(event);
}

void CanvasScene::rebuild()
{
    is_live_ = false;
    live_.clear();
    live_links_.clear();
    ++still_revision_;
    clear();
    items_.clear();
    labels_.clear();
    routes_.clear();
    hovered_.clear();
    drop_target_.clear();
    hidden_.clear();
    bundles_.clear();
    held_.clear();
    locks_ = locksByDevice(document_.project().job.locks);
    for (const Container& container : document_.project().containers)
        add(container.id);
    const Cluster& cluster = document_.project().cluster;
    for (const Node& node : cluster.nodes)
        add(node.id);
    for (const Device& device : cluster.devices)
        add(device.id);
    for (const Switch& item : cluster.switches)
        add(item.id);
    for (const Link& link : cluster.links)
        add(link.id);
    refreshHidden();
    refreshLinks();
    setPlan();
    updateBounds();
}

ElementItem* CanvasScene::item(const std::string& id) const
{
    const auto found = items_.find(id);
    return found == items_.end() ? nullptr : found->second;
}

bool CanvasScene::isInsideNode(const std::string& id) const
{
    const Device* device = find_device(document_.project().cluster, id);
    return device && !device->node.empty();
}

void CanvasScene::add(const std::string& id)
{
    const auto element = findElement(document_.project(), id);
    if (!element || item(id))
        return;
    rewired_ = true;
    endLive();
    ElementItem* made = nullptr;
    switch (kindOf(*element)) {
    case ElementKind::node:
        made = new NodeItem(*this, id);
        break;
    case ElementKind::device:
        made = new DeviceItem(*this, id);
        break;
    case ElementKind::network_switch:
        made = new SwitchItem(*this, id);
        break;
    case ElementKind::container:
        made = new ContainerItem(*this, id);
        break;
    case ElementKind::link:
        made = new LinkItem(*this, id);
        labels_[id] = new LinkLabelItem(*this, id);
        addItem(labels_[id]);
        break;
    }
    addItem(made);
    items_[id] = made;
    refreshAround(id);
}

void CanvasScene::remove(const std::string& id)
{
    const auto found = items_.find(id);
    if (found == items_.end())
        return;
    rewired_ = true;
    endLive();
    ElementItem* gone = found->second;
    items_.erase(found);
    if (hovered_ == id)
        hovered_.clear();
    if (const auto label = labels_.find(id); label != labels_.end()) {
        delete label->second;
        labels_.erase(label);
    }
    const auto* node = dynamic_cast<NodeItem*>(gone->parentItem());
    const std::string owner = node ? node->elementId() : std::string();
    // Cards of a node outlive it only for the rest of the command that removes or moves them.
    for (QGraphicsItem* child : gone->childItems())
        child->setParentItem(nullptr);
    removeItem(gone);
    delete gone;
    if (!owner.empty())
        refreshNode(owner);
}

void CanvasScene::refreshElement(const std::string& id)
{
    if (ElementItem* there = item(id))
        there->refresh();
}

void CanvasScene::refreshNode(const std::string& id)
{
    refreshElement(id);
    touched_.insert(id);
    for (const std::string& device : devicesOf(document_.project().cluster, id)) {
        refreshElement(device);
        touched_.insert(device);
    }
}

/// An element and what depends on its size or place: a card's node (old and new) with all its cards.
void CanvasScene::refreshAround(const std::string& id)
{
    const Cluster& cluster = document_.project().cluster;
    const Device* device = find_device(cluster, id);
    touched_.insert(id);
    if (!device) {
        if (find_node(cluster, id))
            refreshNode(id);
        else
            refreshElement(id);
        return;
    }
    const ElementItem* drawn = item(id);
    const auto* old_node = drawn ? dynamic_cast<NodeItem*>(drawn->parentItem()) : nullptr;
    const std::string old_owner = old_node ? old_node->elementId() : std::string();
    refreshElement(id);
    if (!device->node.empty())
        refreshNode(device->node);
    if (!old_owner.empty() && old_owner != device->node)
        refreshNode(old_owner);
}

void CanvasScene::setPlan()
{
    ++still_revision_;
    overlay_ = overlayOf(board_.shown(), board_.isOutdated());
    for (const Device& device : document_.project().cluster.devices)
        refreshElement(device.id);
    rebuildRoutes();
    update();
}

void CanvasScene::setLocks()
{
    std::map<std::string, Lock> locks = locksByDevice(document_.project().job.locks);
    if (locks == locks_)
        return;
    locks.swap(locks_);
    ++still_revision_;
    for (const std::map<std::string, Lock>* touched : {&locks, &locks_})
        for (const auto& [device, lock] : *touched)
            refreshElement(device);
}

const Lock* CanvasScene::lockOf(const std::string& device) const
{
    const auto found = locks_.find(device);
    return found == locks_.end() ? nullptr : &found->second;
}

void CanvasScene::setHovered(const std::string& id)
{
    if (id == hovered_)
        return;
    hovered_ = id;
    update();
}

void CanvasScene::setDropTarget(const std::string& id)
{
    if (id == drop_target_)
        return;
    drop_target_ = id;
    ++still_revision_;
    update();
}

/// Room to scroll on every side; it never shrinks while one works, so that the view does not jump.
void CanvasScene::updateBounds()
{
    QRectF bounds = contentRect();
    if (bounds.isEmpty())
        bounds = QRectF(-400, -300, 800, 600);
    bounds.adjust(-1200, -900, 1200, 900);
    setSceneRect(sceneRect().isEmpty() || items_.empty() ? bounds : sceneRect() | bounds);
}

}  // namespace nnpiper
