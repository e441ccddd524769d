// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/canvas/geometry.h"

#include "widgets/document/containers.h"
#include "widgets/document/element.h"

#include <algorithm>
#include <cmath>

namespace nnpiper::geometry {

QPointF snapped(QPointF point)
{
    return {std::round(point.x() / grid) * grid, std::round(point.y() / grid) * grid};
}

QSizeF nodeSize(int devices, const Placement& placement)
{
    const int columns = std::clamp(devices, 1, cardColumns);
    const int rows = std::max(1, (devices + cardColumns - 1) / cardColumns);
    const double width = 2 * nodePadding + columns * cardSize.width() + (columns - 1) * cardGap;
    const double height = nodeHeader + rows * cardSize.height() + (rows - 1) * cardGap + nodePadding;
    return {std::max({width, placement.width, 190.0}), std::max(height, placement.height)};
}

QPointF cardOffset(int index)
{
    return {nodePadding + (index % cardColumns) * (cardSize.width() + cardGap),
            nodeHeader + (index / cardColumns) * (cardSize.height() + cardGap)};
}

namespace {

/// Whatever is collapsed around it.
QRectF ownRect(const Project& project, const std::string& id)
{
    const auto found = project.layout.find(id);
    const Placement placement = found == project.layout.end() ? Placement{} : found->second;
    const QPointF corner(placement.x, placement.y);
    if (const Device* device = find_device(project.cluster, id)) {
        if (device->node.empty() || !find_node(project.cluster, device->node))
            return {corner, cardSize};
        const auto siblings = devicesOf(project.cluster, device->node);
        const auto index = std::find(siblings.begin(), siblings.end(), id) - siblings.begin();
        return {ownRect(project, device->node).topLeft() + cardOffset(static_cast<int>(index)), cardSize};
    }
    if (find_node(project.cluster, id))
        return {corner, placement.collapsed
                            ? collapsedSize
                            : nodeSize(static_cast<int>(devicesOf(project.cluster, id).size()), placement)};
    if (find_switch(project.cluster, id))
        return {corner, switchSize};
    const Container* container = find_container(project.containers, id);
    if (!container)
        return {};
    QRectF around;
    for (const std::string& member : container->members)
        around |= ownRect(project, member);
    if (around.isEmpty())
        return {corner, placement.collapsed ? collapsedSize : emptyContainerSize};
    around.adjust(-containerCorner.x(), -containerCorner.y(), containerPadding, containerPadding);
    if (placement.collapsed)
        around.setSize(collapsedSize);
    else if (around.width() < collapsedSize.width())
        around.setWidth(collapsedSize.width());
    return around;
}

}  // namespace

QRectF elementRect(const Project& project, const std::string& id)
{
    return ownRect(project, shownAs(project, id));
}

QRectF contentRect(const Project& project)
{
    QRectF all;
    for (const Container& container : project.containers)
        all |= elementRect(project, container.id);
    for (const Node& node : project.cluster.nodes)
        all |= elementRect(project, node.id);
    for (const Switch& item : project.cluster.switches)
        all |= elementRect(project, item.id);
    for (const Device& device : project.cluster.devices)
        if (device.node.empty())
            all |= elementRect(project, device.id);
    return all;
}

QPainterPath linkPath(const QRectF& from, const QRectF& to)
{
    const double gap_x = std::max(to.left() - from.right(), from.left() - to.right());
    const double gap_y = std::max(to.top() - from.bottom(), from.top() - to.bottom());
    QPointF start;
    QPointF end;
    QPointF pull;
    if (gap_y >= 12 || gap_y >= gap_x) {
        const bool down = to.center().y() >= from.center().y();
        start = {from.center().x(), down ? from.bottom() : from.top()};
        end = {to.center().x(), down ? to.top() : to.bottom()};
        pull = {0, (down ? 1 : -1) * std::max(28.0, std::abs(end.y() - start.y()) * 0.55)};
    } else {
        const bool right = to.center().x() >= from.center().x();
        start = {right ? from.right() : from.left(), from.center().y()};
        end = {right ? to.left() : to.right(), to.center().y()};
        pull = {(right ? 1 : -1) * std::max(28.0, std::abs(end.x() - start.x()) * 0.5), 0};
    }
    QPainterPath path(start);
    path.cubicTo(start + pull, end - pull, end);
    return path;
}

QPainterPath hangingPath(const QRectF& from, const QRectF& to, double clearance)
{
    const QPointF start(from.center().x(), from.bottom());
    const QPointF end(to.center().x(), to.bottom());
    const double low = std::max(start.y(), end.y());
    const double depth = clearance + std::min(40.0, std::abs(end.x() - start.x()) * 0.06);
    QPainterPath path(start);
    if (std::abs(start.y() - end.y()) < cardSize.height()) {
        path.cubicTo({start.x(), low + depth}, {end.x(), low + depth}, end);
    } else {
        const QRectF& upper = start.y() < end.y() ? from : to;
        const QRectF& lower = start.y() < end.y() ? to : from;
        const QPointF a(upper.center().x(), upper.bottom());
        const QPointF b(lower.center().x(), lower.top());
        const double pull = std::max(24.0, (b.y() - a.y()) * 0.5);
        path = QPainterPath(a);
        path.cubicTo(a + QPointF(0, pull), b - QPointF(0, pull), b);
    }
    return path;
}

double linkWidth(double bytes_per_s)
{
    if (!(bytes_per_s > 0))
        return 1;
    return std::clamp(1.2 + 1.25 * std::log10(bytes_per_s / 1.25e8), 1.0, 6.0);
}

}  // namespace nnpiper::geometry
