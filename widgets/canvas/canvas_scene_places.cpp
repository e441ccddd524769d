// SPDX-License-Identifier: GPL-3.0-or-later
// What lies where on the canvas.
#include "widgets/canvas/canvas_scene.h"
#include "widgets/canvas/element_item.h"
#include "widgets/canvas/geometry.h"
#include "widgets/document/containers.h"
#include "widgets/document/selection.h"

#include <QGraphicsPathItem>

#include <algorithm>
#include <cmath>

namespace nnpiper {

std::string CanvasScene::elementAt(QPointF point) const
{
    for (QGraphicsItem* under : items(point, Qt::IntersectsItemShape, Qt::DescendingOrder))
        if (const auto* element = dynamic_cast<ElementItem*>(under))
            return element->elementId();
    return {};
}

std::string CanvasScene::boxAt(QPointF point) const
{
    const ElementItem* top = nullptr;
    const auto height = [](const ElementItem& drawn) { return drawn.zValue() + (drawn.parentItem() ? 1 : 0); };
    for (const auto& [id, drawn] : items_) {
        if (labels_.count(id) || !drawn->isVisible() || !drawn->sceneBoundingRect().contains(point)
            || (top && height(*top) >= height(*drawn)))
            continue;
        if (drawn->shape().contains(drawn->mapFromScene(point)))
            top = drawn;
    }
    return top ? top->elementId() : std::string();
}

std::string CanvasScene::nodeAt(QPointF point) const
{
    const Project& project = document_.project();
    for (auto node = project.cluster.nodes.rbegin(); node != project.cluster.nodes.rend(); ++node)
        if (!isHidden(node->id) && geometry::elementRect(project, node->id).contains(point))
            return node->id;
    return {};
}

std::string CanvasScene::containerAt(QPointF point, const QStringList& moved) const
{
    const Project& project = document_.project();
    const QStringList out = withContents(project, moved);
    std::string found;
    for (const ContainerKind kind : {ContainerKind::site, ContainerKind::rack})
        for (const Container& container : project.containers)
            if (container.kind == kind && !isHidden(container.id) && !isCollapsed(project, container.id)
                && !out.contains(QString::fromStdString(container.id)) && containerRect(container.id).contains(point))
                found = container.id;
    return found;
}

std::string CanvasScene::foldMarkAt(QPointF point) const
{
    const std::string id = elementAt(point);
    const Project& project = document_.project();
    if (!find_node(project.cluster, id) && !find_container(project.containers, id))
        return {};
    const QPointF inside = item(id)->mapFromScene(point);
    return geometry::foldMark.contains(inside) ? id : std::string();
}

QRectF CanvasScene::containerRect(const std::string& id) const
{
    const auto held = held_.find(id);
    return held == held_.end() ? geometry::elementRect(document_.project(), id) : held->second;
}

void CanvasScene::holdContainers(const QStringList& moved)
{
    held_.clear();
    const Project& project = document_.project();
    const QStringList out = withContents(project, moved);
    if (!moved.isEmpty())
        for (const Container& container : project.containers)
            if (!out.contains(QString::fromStdString(container.id)))
                held_[container.id] = geometry::elementRect(project, container.id);
    refreshContainers();
}

std::string CanvasScene::portAt(QPointF point, double reach) const
{
    for (const std::string& id : {hovered_, elementAt(point)}) {
        const ElementItem* element = item(id);
        if (!element)
            continue;
        // In a small picture the middle of a box still moves it.
        const QSizeF size = geometry::elementRect(document_.project(), id).size();
        const double near = std::min(reach, 0.2 * std::min(size.width(), size.height()));
        for (const QPointF& port : element->ports()) {
            const QPointF away = element->mapToScene(port) - point;
            if (std::hypot(away.x(), away.y()) <= near)
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
    const auto touches = [&](const std::string& id) {
        return !isHidden(id) && area.intersects(geometry::elementRect(project, id));
    };
    // A container counts where the band takes it in as a whole, and then with all that it holds.
    for (const Container& container : project.containers)
        if (!isHidden(container.id)
            && (isCollapsed(project, container.id) ? touches(container.id) : area.contains(containerRect(container.id))))
            ids.append(QString::fromStdString(container.id));
    const QStringList held = withContents(project, ids);
    for (const Node& node : cluster.nodes) {
        if (!touches(node.id) || held.contains(QString::fromStdString(node.id)))
            continue;
        // A band drawn wholly inside a node is meant for its cards.
        const QRectF box = geometry::elementRect(project, node.id);
        if (!box.contains(area))
            ids.append(QString::fromStdString(node.id));
    }
    for (const Device& device : cluster.devices)
        if (touches(device.id) && !ids.contains(QString::fromStdString(device.node))
            && !held.contains(QString::fromStdString(device.node)) && !held.contains(QString::fromStdString(device.id)))
            ids.append(QString::fromStdString(device.id));
    for (const Switch& item : cluster.switches)
        if (touches(item.id) && !held.contains(QString::fromStdString(item.id)))
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

}  // namespace nnpiper
