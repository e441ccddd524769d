// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/canvas/canvas_scene.h"

#include "widgets/canvas/element_item.h"
#include "widgets/canvas/geometry.h"
#include "widgets/canvas/label_places.h"
#include "widgets/document/selection.h"
#include "widgets/solver/plan_board.h"

#include <QEvent>
#include <QPen>

#include <algorithm>
#include <cmath>

namespace nnpiper {

namespace {

constexpr std::size_t manyLinks = 500;
constexpr double smallScale = 0.4;

}  // namespace

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
        if (rewired_)
            refreshLinks();
        else
            refreshTouchedLinks();
        touched_.clear();
        rewired_ = false;
        rebuildRoutes();
        updateBounds();
    });
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
        rebuildRoutes();
        update();
    }
    return QGraphicsScene::event(event);
}

void CanvasScene::rebuild()
{
    clear();
    items_.clear();
    labels_.clear();
    routes_.clear();
    hovered_.clear();
    drop_target_.clear();
    const Cluster& cluster = document_.project().cluster;
    for (const Node& node : cluster.nodes)
        add(node.id);
    for (const Device& device : cluster.devices)
        add(device.id);
    for (const Switch& item : cluster.switches)
        add(item.id);
    for (const Link& link : cluster.links)
        add(link.id);
    placeLabels();
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
    const auto element = findElement(document_.project().cluster, id);
    if (!element || item(id))
        return;
    rewired_ = true;
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

void CanvasScene::refreshLinks()
{
    for (const Link& link : document_.project().cluster.links)
        refreshElement(link.id);
    for (const Switch& item : document_.project().cluster.switches)
        refreshElement(item.id);
    placeLabels();
}

/// Only what ends at something that was moved or changed: a drag in a large drawing touches few links.
void CanvasScene::refreshTouchedLinks()
{
    std::vector<std::string> links;
    for (const Link& link : document_.project().cluster.links)
        if (touched_.count(link.id) || touched_.count(link.from) || touched_.count(link.to))
            links.push_back(link.id);
    for (const std::string& link : links)
        refreshElement(link);
    placeLabels(links);
}

void CanvasScene::placeLabels()
{
    std::vector<std::string> links;
    for (const Link& link : document_.project().cluster.links)
        links.push_back(link.id);
    placeLabels(links);
}

/// The other labels stay where they are and are kept clear of.
void CanvasScene::placeLabels(const std::vector<std::string>& links)
{
    if (links.empty())
        return;
    const Project& project = document_.project();
    std::vector<QRectF> taken;
    for (const Node& node : project.cluster.nodes)
        taken.push_back(geometry::elementRect(project, node.id));
    for (const Switch& item : project.cluster.switches)
        taken.push_back(geometry::elementRect(project, item.id));
    for (const Device& device : project.cluster.devices)
        if (device.node.empty())
            taken.push_back(geometry::elementRect(project, device.id));
    if (links.size() < labels_.size()) {
        const std::set<std::string> moved(links.begin(), links.end());
        for (const auto& [link, label] : labels_)
            if (!moved.count(link))
                taken.push_back(label->labelRect());
    }
    for (const std::string& link : links)
        if (const auto* drawn = dynamic_cast<LinkItem*>(item(link))) {
            LinkLabelItem* label = labels_.at(link);
            label->refresh();
            label->setLabelCenter(freeLabelCenter(drawn->path(), label->labelSize(), taken));
            taken.push_back(label->labelRect());
        }
}

void CanvasScene::setPlan()
{
    overlay_ = overlayOf(board_.shown(), board_.isOutdated());
    for (const Device& device : document_.project().cluster.devices)
        refreshElement(device.id);
    rebuildRoutes();
    update();
}

void CanvasScene::rebuildRoutes()
{
    for (QGraphicsPathItem* route : routes_)
        delete route;
    routes_.clear();
    const Project& project = document_.project();
    QColor color = roleColor(ColorRole::accent, palette());
    if (overlay_.outdated)
        color = blend(color, roleColor(ColorRole::card, palette()), 0.45);
    for (std::size_t s = 0; s + 1 < overlay_.stages.size(); ++s) {
        for (const std::string& from : overlay_.stages[s])
            for (const std::string& to : overlay_.stages[s + 1]) {
                if (!item(from) || !item(to))
                    continue;
                const QRectF start = geometry::elementRect(project, from);
                const QRectF end = geometry::elementRect(project, to);
                auto* route = new QGraphicsPathItem(geometry::hangingPath(start, end, 36));
                // From one row of nodes to another the way runs across the drawing, so it is paler.
                const bool across = std::abs(start.bottom() - end.bottom()) >= geometry::cardSize.height() * 2;
                QPen pen(across ? blend(color, roleColor(ColorRole::card, palette()), 0.6) : color, 1.5,
                         Qt::CustomDashLine, Qt::FlatCap);
                pen.setDashPattern({3.5, 2.5});
                route->setPen(pen);
                route->setZValue(8);
                route->setAcceptedMouseButtons(Qt::NoButton);
                addItem(route);
                routes_.push_back(route);
            }
    }
}

std::string CanvasScene::elementAt(QPointF point) const
{
    for (QGraphicsItem* under : items(point, Qt::IntersectsItemShape, Qt::DescendingOrder))
        if (const auto* element = dynamic_cast<ElementItem*>(under))
            return element->elementId();
    return {};
}

std::string CanvasScene::nodeAt(QPointF point) const
{
    const Project& project = document_.project();
    for (auto node = project.cluster.nodes.rbegin(); node != project.cluster.nodes.rend(); ++node)
        if (geometry::elementRect(project, node->id).contains(point))
            return node->id;
    return {};
}

std::string CanvasScene::portAt(QPointF point, double reach) const
{
    for (const std::string& id : {hovered_, elementAt(point)}) {
        const ElementItem* element = item(id);
        if (!element)
            continue;
        for (const QPointF& port : element->ports()) {
            const QPointF away = element->mapToScene(port) - point;
            if (std::hypot(away.x(), away.y()) <= reach)
                return id;
        }
    }
    return {};
}

QStringList CanvasScene::elementsIn(const QRectF& area) const
{
    const Project& project = document_.project();
    const Cluster& cluster = project.cluster;
    QStringList ids;
    const auto touches = [&](const std::string& id) { return area.intersects(geometry::elementRect(project, id)); };
    for (const Node& node : cluster.nodes) {
        if (!touches(node.id))
            continue;
        // A band drawn wholly inside a node is meant for its cards.
        const QRectF box = geometry::elementRect(project, node.id);
        if (!box.contains(area))
            ids.append(QString::fromStdString(node.id));
    }
    for (const Device& device : cluster.devices)
        if (touches(device.id) && !ids.contains(QString::fromStdString(device.node)))
            ids.append(QString::fromStdString(device.id));
    for (const Switch& item : cluster.switches)
        if (touches(item.id))
            ids.append(QString::fromStdString(item.id));
    for (const Link& link : cluster.links)
        if (touches(link.from) && touches(link.to))
            ids.append(QString::fromStdString(link.id));
    return ids;
}

QRectF CanvasScene::contentRect() const
{
    QRectF content = geometry::contentRect(document_.project());
    for (const QGraphicsPathItem* route : routes_)
        content |= route->sceneBoundingRect();
    return content;
}

QRectF CanvasScene::selectionRect() const
{
    QRectF all;
    for (const QString& id : document_.selection().ids())
        if (const ElementItem* selected = item(id.toStdString()))
            all |= selected->sceneBoundingRect();
    return all;
}

void CanvasScene::setHovered(const std::string& id)
{
    if (id == hovered_)
        return;
    hovered_ = id;
    update();
}

void CanvasScene::setDragging(bool dragging)
{
    dragging_ = dragging;
    update();
}

bool CanvasScene::paintsCoarsely(double scale) const
{
    return labels_.size() > manyLinks && (dragging_ || scale < smallScale);
}

bool CanvasScene::paintsPlainBoxes(double scale) const
{
    return labels_.size() > manyLinks && scale < smallScale;
}

void CanvasScene::setDropTarget(const std::string& id)
{
    if (id == drop_target_)
        return;
    drop_target_ = id;
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
