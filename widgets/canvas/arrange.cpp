// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/canvas/arrange.h"

#include "widgets/canvas/geometry.h"

#include <algorithm>
#include <vector>

namespace nnpiper {

namespace {

constexpr double gapX = 60;
constexpr double gapY = 100;
constexpr double rowLimit = 1500;
constexpr std::size_t oneRow = 5;

struct Box {
    std::string id;
    QSizeF size;
    int group = 0;  ///< index of the switch it hangs on; large: none
};

using Places = std::map<std::string, Placement>;
using Row = std::vector<Box>;

/// Boxes (nodes, single cards) ordered by the switch they hang on, so that links cross little.
std::vector<Box> boxesOf(const Project& project)
{
    const Cluster& cluster = project.cluster;
    std::vector<Box> boxes;
    for (const Node& node : cluster.nodes)
        boxes.push_back({node.id, geometry::elementRect(project, node.id).size()});
    for (const Device& device : cluster.devices)
        if (device.node.empty())
            boxes.push_back({device.id, geometry::cardSize});
    const auto owner = [&](const std::string& end) {
        const Device* device = find_device(cluster, end);
        return device && !device->node.empty() ? device->node : end;
    };
    for (Box& box : boxes) {
        box.group = static_cast<int>(cluster.switches.size());
        for (const Link& link : cluster.links)
            for (std::size_t s = 0; s < cluster.switches.size(); ++s) {
                const std::string& id = cluster.switches[s].id;
                if ((link.from == id && owner(link.to) == box.id) || (link.to == id && owner(link.from) == box.id))
                    box.group = std::min(box.group, static_cast<int>(s));
            }
    }
    std::stable_sort(boxes.begin(), boxes.end(), [](const Box& a, const Box& b) { return a.group < b.group; });
    return boxes;
}

double widthOf(const Row& row)
{
    double width = -gapX;
    for (const Box& box : row)
        width += box.size.width() + gapX;
    return width;
}

std::vector<Row> wrapped(const std::vector<Box>& boxes)
{
    std::vector<Row> rows;
    for (const Box& box : boxes) {
        if (rows.empty() || widthOf(rows.back()) + gapX + box.size.width() > rowLimit)
            rows.emplace_back();
        rows.back().push_back(box);
    }
    return rows;
}

/// Lays rows centred on x = 0 from `y` downwards; returns the y below the last.
double layRows(const std::vector<Row>& rows, double y, Places& places)
{
    for (const Row& row : rows) {
        double x = -widthOf(row) / 2;
        double height = 0;
        for (const Box& box : row) {
            const QPointF corner = geometry::snapped({x, y});
            places[box.id] = {corner.x(), corner.y(), 0, 0};
            x += box.size.width() + gapX;
            height = std::max(height, box.size.height());
        }
        y += height + gapY * 0.6;
    }
    return rows.empty() ? y : y + gapY * 0.4;
}

/// Middle of what is already placed among an element's neighbours.
double middleOfNeighbours(const Project& project, const std::string& id, const Places& places)
{
    double sum = 0;
    int count = 0;
    for (const Link& link : project.cluster.links) {
        if (link.from != id && link.to != id)
            continue;
        std::string other = link.from == id ? link.to : link.from;
        if (const Device* device = find_device(project.cluster, other); device && !device->node.empty())
            other = device->node;
        const auto placed = places.find(other);
        if (placed == places.end())
            continue;
        sum += placed->second.x + geometry::elementRect(project, other).width() / 2;
        ++count;
    }
    return count ? sum / count : 0;
}

double laySwitches(const Project& project, const std::vector<std::string>& ids, double y, Places& places)
{
    if (ids.empty())
        return y;
    std::vector<std::pair<double, std::string>> wanted;
    for (const std::string& id : ids)
        wanted.emplace_back(middleOfNeighbours(project, id, places) - geometry::switchSize.width() / 2, id);
    std::stable_sort(wanted.begin(), wanted.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    for (std::size_t i = 1; i < wanted.size(); ++i)
        wanted[i].first = std::max(wanted[i].first, wanted[i - 1].first + geometry::switchSize.width() + gapX);
    for (const auto& [x, id] : wanted) {
        const QPointF corner = geometry::snapped({x, y});
        places[id] = {x, corner.y(), 0, 0};
    }
    return y + geometry::switchSize.height() + gapY;
}

}  // namespace

std::map<std::string, Placement> arrange(const Project& project)
{
    Places places;
    const std::vector<Box> boxes = boxesOf(project);
    std::vector<std::string> edge;  // switches that join boxes
    std::vector<std::string> core;  // switches that join switches only
    for (std::size_t s = 0; s < project.cluster.switches.size(); ++s) {
        const bool used =
            std::any_of(boxes.begin(), boxes.end(), [&](const Box& box) { return box.group == static_cast<int>(s); });
        (used || project.cluster.switches.size() == 1 ? edge : core).push_back(project.cluster.switches[s].id);
    }

    std::vector<Box> above = boxes;
    std::vector<Box> below;
    if (boxes.size() > oneRow && !project.cluster.switches.empty()) {
        // Half of every switch's boxes go to the other side of it.
        above.clear();
        for (std::size_t from = 0; from < boxes.size();) {
            std::size_t to = from;
            while (to < boxes.size() && boxes[to].group == boxes[from].group)
                ++to;
            const std::size_t middle = from + (to - from + 1) / 2;
            above.insert(above.end(), boxes.begin() + static_cast<std::ptrdiff_t>(from),
                         boxes.begin() + static_cast<std::ptrdiff_t>(middle));
            below.insert(below.end(), boxes.begin() + static_cast<std::ptrdiff_t>(middle),
                         boxes.begin() + static_cast<std::ptrdiff_t>(to));
            from = to;
        }
    }
    double y = layRows(wrapped(above), 0, places);
    Places shape = places;
    layRows(wrapped(below), 0, shape);  // the switches stand in the middle of both sides
    const auto place = [&](const std::vector<std::string>& ids) {
        y = laySwitches(project, ids, y, shape);
        for (const std::string& id : ids)
            places[id] = shape[id];
    };
    place(edge);
    place(core);
    layRows(wrapped(below), y, places);
    return places;
}

QPointF freePlace(const Project& project, QSizeF size, QPointF wished)
{
    std::vector<QRectF> taken;
    for (const auto& [id, placement] : project.layout)
        taken.push_back(geometry::elementRect(project, id).adjusted(-24, -24, 24, 24));
    const QPointF start = geometry::snapped(wished);
    const auto is_free = [&](QPointF corner) {
        const QRectF box(corner, size);
        return std::none_of(taken.begin(), taken.end(), [&](const QRectF& other) { return other.intersects(box); });
    };
    // Rings of grid points around the wish, the right and lower side first.
    for (int ring = 0; ring < 400; ++ring)
        for (int along = -ring; along <= ring; ++along) {
            const double r = ring * geometry::grid;
            const double a = along * geometry::grid;
            for (const QPointF step : {QPointF(r, a), QPointF(a, r), QPointF(-r, a), QPointF(a, -r)})
                if (is_free(start + step))
                    return start + step;
        }
    return start;
}

bool placeMissing(Project& project)
{
    std::vector<std::string> missing;
    bool any_placed = false;
    const auto look = [&](const std::string& id) {
        if (project.layout.count(id))
            any_placed = true;
        else
            missing.push_back(id);
    };
    for (const Node& node : project.cluster.nodes)
        look(node.id);
    for (const Switch& item : project.cluster.switches)
        look(item.id);
    for (const Device& device : project.cluster.devices)
        if (device.node.empty())
            look(device.id);
    // Containers stand around what they hold.
    for (const Container& container : project.containers)
        project.layout.try_emplace(container.id);
    if (missing.empty())
        return false;
    if (!any_placed) {
        for (const auto& [id, placement] : arrange(project))
            project.layout[id] = placement;
        return true;
    }
    // Rectangles of elements without a place lie at the origin, so they are left out of what is there.
    QRectF there;
    for (const auto& [id, placement] : project.layout)
        there |= geometry::elementRect(project, id);
    double x = there.left();
    for (const std::string& id : missing) {
        const QPointF corner = geometry::snapped({x, there.bottom() + gapY});
        project.layout[id] = {corner.x(), corner.y(), 0, 0};
        x += geometry::elementRect(project, id).width() + gapX;
    }
    return true;
}

}  // namespace nnpiper
