// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/start/cluster_thumbnail.h"

#include "widgets/theme/colors.h"

#include <QPainter>
#include <QPainterPath>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

namespace nnpiper {
namespace {

constexpr double card = 12;
constexpr double cardGap = 4;
constexpr double padding = 6;
constexpr int cardColumns = 4;
constexpr double boxGap = 16;

struct Box {
    std::string id;
    std::vector<const Device*> cards;  ///< one without a node for a device that stands alone
    bool isSwitch = false;
    QRectF rect;
};

QSizeF sizeOf(const Box& box)
{
    if (box.isSwitch)
        return {46, 14};
    const int count = std::max<int>(1, static_cast<int>(box.cards.size()));
    const int columns = std::min(count, cardColumns);
    const int rows = (count + cardColumns - 1) / cardColumns;
    return {2 * padding + columns * card + (columns - 1) * cardGap, 2 * padding + rows * card + (rows - 1) * cardGap};
}

/// Boxes side by side from (0, top) with their common middle at x = 0; returns the bottom.
double layRow(std::vector<Box>& boxes, std::size_t begin, std::size_t end, double top)
{
    double width = -boxGap;
    double height = 0;
    for (std::size_t i = begin; i < end; ++i) {
        width += sizeOf(boxes[i]).width() + boxGap;
        height = std::max(height, sizeOf(boxes[i]).height());
    }
    double x = -width / 2;
    for (std::size_t i = begin; i < end; ++i) {
        const QSizeF size = sizeOf(boxes[i]);
        boxes[i].rect = QRectF(QPointF(x, top + (height - size.height()) / 2), size);
        x += size.width() + boxGap;
    }
    return top + height;
}

std::vector<Box> layOut(const Cluster& cluster)
{
    std::vector<Box> machines;
    for (const Node& node : cluster.nodes) {
        Box box;
        box.id = node.id;
        for (const Device& device : cluster.devices)
            if (device.node == node.id)
                box.cards.push_back(&device);
        machines.push_back(std::move(box));
    }
    for (const Device& device : cluster.devices)
        if (device.node.empty())
            machines.push_back({device.id, {&device}, false, {}});
    std::vector<Box> switches;
    for (const Switch& item : cluster.switches)
        switches.push_back({item.id, {}, true, {}});

    // More than four machines stand above and below the switches.
    const std::size_t above = machines.size() > 4 ? (machines.size() + 1) / 2 : machines.size();
    double bottom = layRow(machines, 0, above, 0);
    if (!switches.empty())
        bottom = layRow(switches, 0, switches.size(), bottom + 22);
    if (above < machines.size())
        layRow(machines, above, machines.size(), bottom + 22);
    machines.insert(machines.end(), switches.begin(), switches.end());
    return machines;
}

}  // namespace

void paintClusterThumbnail(QPainter& painter, const QRectF& area, const Cluster& cluster, const QPalette& palette)
{
    const std::vector<Box> boxes = layOut(cluster);
    QRectF all;
    std::map<std::string, QRectF> places;
    std::vector<std::string> types;
    for (const Box& box : boxes) {
        all |= box.rect;
        places[box.id] = box.rect;
        for (const Device* device : box.cards) {
            places.emplace(device->id, box.rect);
            if (std::find(types.begin(), types.end(), device->spec.type) == types.end())
                types.push_back(device->spec.type);
        }
    }
    if (all.isEmpty())
        return;
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    const double scale = std::min({2.0, area.width() / all.width(), area.height() / all.height()});
    painter.translate(area.center());
    painter.scale(scale, scale);
    painter.translate(-all.center());

    for (const Link& link : cluster.links) {
        const auto from = places.find(link.from);
        const auto to = places.find(link.to);
        if (from == places.end() || to == places.end() || from->second == to->second)
            continue;
        const QPointF a = from->second.center();
        const QPointF b = to->second.center();
        const double width =
            std::clamp(0.8 + 0.6 * std::log10(std::max(1.0, link.bandwidth_bytes_per_s / 1.25e8)), 0.8, 2.6);
        painter.setPen(QPen(roleColor(ColorRole::link, palette), width));
        painter.setBrush(Qt::NoBrush);
        QPainterPath path(a);
        const QPointF pull(0, (b.y() - a.y()) * 0.6);
        path.cubicTo(a + pull, b - pull, b);
        painter.drawPath(path);
    }
    for (const Box& box : boxes) {
        painter.setPen(QPen(roleColor(ColorRole::nodeBorder, palette), 1));
        painter.setBrush(roleColor(box.isSwitch ? ColorRole::track : ColorRole::nodeFill, palette));
        painter.drawRoundedRect(box.rect, 3, 3);
        painter.setPen(Qt::NoPen);
        if (box.isSwitch) {
            painter.setBrush(roleColor(ColorRole::link, palette));
            for (int port = 0; port < 4; ++port)
                painter.drawRoundedRect(QRectF(box.rect.left() + 8 + port * 8.5, box.rect.center().y() - 2, 5, 4), 1,
                                        1);
        }
        for (std::size_t i = 0; i < box.cards.size(); ++i) {
            const auto type = std::find(types.begin(), types.end(), box.cards[i]->spec.type) - types.begin();
            painter.setBrush(stageColor(static_cast<int>(type), palette));
            const double x = box.rect.left() + padding + static_cast<double>(i % cardColumns) * (card + cardGap);
            const double y = box.rect.top() + padding + static_cast<double>(i / cardColumns) * (card + cardGap);
            painter.drawRoundedRect(QRectF(x, y, card, card), 2, 2);
        }
    }
    painter.restore();
}

}  // namespace nnpiper
