// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/canvas/align.h"

#include "widgets/canvas/geometry.h"
#include "widgets/document/containers.h"

#include <algorithm>
#include <cmath>

namespace nnpiper {

namespace {

struct Box {
    std::string id;
    Placement placement;
    QRectF rect;
};

std::vector<Box> boxesOf(const Project& project, const QStringList& ids)
{
    std::vector<Box> boxes;
    QStringList held;
    for (const QString& id : ids)
        for (const std::string& inner : contentsOf(project, id.toStdString()))
            held.append(QString::fromStdString(inner));
    for (const QString& name : placedOf(project, ids)) {
        const std::string id = name.toStdString();
        if (held.contains(name))
            continue;
        Box box{id, project.layout.at(id), geometry::elementRect(project, id)};
        box.placement.x = box.rect.left();
        box.placement.y = box.rect.top();
        boxes.push_back(std::move(box));
    }
    return boxes;
}

/// What containers hold moves with them.
void addContents(const Project& project, const std::vector<Box>& boxes, std::map<std::string, Placement>& places)
{
    for (const Box& box : boxes)
        for (const std::string& inner : contentsOf(project, box.id)) {
            Placement placement = project.layout.at(inner);
            placement.x += places.at(box.id).x - box.rect.left();
            placement.y += places.at(box.id).y - box.rect.top();
            places[inner] = placement;
        }
}

QRectF around(const std::vector<Box>& boxes)
{
    QRectF all;
    for (const Box& box : boxes)
        all |= box.rect;
    return all;
}

}  // namespace

QStringList placedOf(const Project& project, const QStringList& ids)
{
    QStringList placed;
    for (const QString& id : ids)
        if (project.layout.count(id.toStdString()) && !geometry::elementRect(project, id.toStdString()).isEmpty())
            placed.append(id);
    return placed;
}

std::map<std::string, Placement> aligned(const Project& project, const QStringList& ids, Alignment alignment)
{
    const std::vector<Box> boxes = boxesOf(project, ids);
    std::map<std::string, Placement> places;
    if (boxes.size() < 2)
        return places;
    const QRectF all = around(boxes);
    for (const Box& box : boxes) {
        Placement placement = box.placement;
        switch (alignment) {
        case Alignment::left:
            placement.x = all.left();
            break;
        case Alignment::center:
            placement.x = all.center().x() - box.rect.width() / 2;
            break;
        case Alignment::right:
            placement.x = all.right() - box.rect.width();
            break;
        case Alignment::top:
            placement.y = all.top();
            break;
        case Alignment::middle:
            placement.y = all.center().y() - box.rect.height() / 2;
            break;
        case Alignment::bottom:
            placement.y = all.bottom() - box.rect.height();
            break;
        }
        places[box.id] = placement;
    }
    addContents(project, boxes, places);
    return places;
}

std::map<std::string, Placement> distributed(const Project& project, const QStringList& ids, Qt::Orientation direction)
{
    std::vector<Box> boxes = boxesOf(project, ids);
    std::map<std::string, Placement> places;
    if (boxes.size() < 3)
        return places;
    const bool across = direction == Qt::Horizontal;
    const auto start = [&](const Box& box) { return across ? box.rect.left() : box.rect.top(); };
    const auto length = [&](const Box& box) { return across ? box.rect.width() : box.rect.height(); };
    const auto middle = [&](const Box& box) { return start(box) + length(box) / 2; };
    std::stable_sort(boxes.begin(), boxes.end(), [&](const Box& a, const Box& b) { return middle(a) < middle(b); });
    double gap = start(boxes.back()) - start(boxes.front()) - length(boxes.front());
    for (std::size_t i = 1; i + 1 < boxes.size(); ++i)
        gap -= length(boxes[i]);
    gap /= static_cast<double>(boxes.size() - 1);
    double at = start(boxes.front());
    for (std::size_t i = 0; i < boxes.size(); ++i) {
        Placement placement = boxes[i].placement;
        if (i + 1 < boxes.size())
            (across ? placement.x : placement.y) = at;
        places[boxes[i].id] = placement;
        at += length(boxes[i]) + gap;
    }
    addContents(project, boxes, places);
    return places;
}

std::vector<QPointF> copyShifts(const Project& project, const QStringList& ids, int copies)
{
    const std::vector<Box> boxes = boxesOf(project, ids);
    std::vector<QPointF> shifts(static_cast<std::size_t>(std::max(0, copies)));
    if (boxes.empty())
        return shifts;
    std::vector<QRectF> taken;
    for (const auto& [id, placement] : project.layout)
        taken.push_back(geometry::elementRect(project, id));
    const QRectF all = around(boxes);
    const auto pitch = [](double length) {
        return std::ceil((length + 2 * geometry::grid) / geometry::grid) * geometry::grid;
    };
    const double across = pitch(all.width());
    const double down = pitch(all.height());
    const int columns = static_cast<int>(std::ceil(std::sqrt((copies + 1) * down / across)));
    int cell = 0;
    for (QPointF& shift : shifts) {
        const auto is_taken = [&] {
            return std::any_of(taken.begin(), taken.end(), [&](const QRectF& other) {
                return std::any_of(boxes.begin(), boxes.end(), [&](const Box& box) {
                    return box.rect.translated(shift).adjusted(-1, -1, 1, 1).intersects(other);
                });
            });
        };
        do {
            ++cell;
            shift = {cell % columns * across, cell / columns * down};
        } while (is_taken());
    }
    return shifts;
}

}  // namespace nnpiper
