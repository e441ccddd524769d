// SPDX-License-Identifier: GPL-3.0-or-later
// What joins the boxes on the canvas: links, their labels, and the way of the plan from stage to stage.
#include "widgets/canvas/canvas_scene.h"
#include "widgets/canvas/element_item.h"
#include "widgets/canvas/geometry.h"
#include "widgets/canvas/label_places.h"
#include "widgets/document/containers.h"

#include <QGraphicsPathItem>
#include <QPen>

#include <algorithm>
#include <cmath>
#include <utility>

namespace nnpiper {

std::vector<std::string> CanvasScene::bundleOf(const std::string& link) const
{
    const auto found = bundles_.find(link);
    return found == bundles_.end() ? std::vector<std::string>{link} : found->second;
}

/// What is collapsed has changed: items inside vanish, and links between the same two cards become one line.
void CanvasScene::refreshHidden()
{
    const Project& project = document_.project();
    std::map<std::string, std::string> hidden = hiddenElements(project);
    if (hidden.empty() && hidden_.empty())
        return;
    // Links that come or go change bundles too.
    if (hidden == hidden_ && !rewired_)
        return;
    folded_ = true;
    ++still_revision_;
    hidden_ = std::move(hidden);
    bundles_.clear();
    std::map<std::pair<std::string, std::string>, std::string> first;
    for (const Link& link : project.cluster.links) {
        const std::string from = shownAs(project, link.from);
        const std::string to = shownAs(project, link.to);
        if (!isCollapsed(project, from) && !isCollapsed(project, to))
            continue;
        if (from == to) {
            bundles_[link.id] = {};
            continue;
        }
        const auto [at, is_first] = first.emplace(std::minmax(from, to), link.id);
        if (is_first)
            bundles_[link.id] = {link.id};
        else {
            bundles_[link.id] = {};
            bundles_[at->second].push_back(link.id);
        }
    }
    for (const auto& [id, drawn] : items_)
        if (!dynamic_cast<LinkItem*>(drawn))
            drawn->setVisible(!isHidden(id));
    for (const auto& [id, placement] : project.layout)
        refreshAround(id);
}

void CanvasScene::refreshContainers()
{
    for (const Container& container : document_.project().containers)
        refreshElement(container.id);
}

void CanvasScene::refreshLinks()
{
    for (const Link& link : document_.project().cluster.links)
        refreshElement(link.id);
    for (const Switch& item : document_.project().cluster.switches)
        refreshElement(item.id);
    placeLabels();
}

/// Only what ends at something that was added, moved or changed, and labels that this now covers.
void CanvasScene::refreshTouchedLinks()
{
    std::vector<std::string> links;
    const auto moved = [&](const std::string& end) {
        const auto card = hidden_.find(end);
        return touched_.count(end) > 0 || (card != hidden_.end() && touched_.count(card->second) > 0);
    };
    for (const Link& link : document_.project().cluster.links)
        if (touched_.count(link.id) || moved(link.from) || moved(link.to))
            links.push_back(link.id);
    for (const std::string& link : links)
        refreshElement(link);
    if (!is_live_) {
        addCoveredLabels(links);
        placeLabels(links);
    }
}

void CanvasScene::addCoveredLabels(std::vector<std::string>& links) const
{
    const Project& project = document_.project();
    std::vector<QRectF> boxes;
    for (const std::string& id : touched_)
        if (project.layout.count(id) && !find_container(project.containers, id))
            boxes.push_back(geometry::elementRect(project, id));
    if (boxes.empty())
        return;
    const std::set<std::string> there(links.begin(), links.end());
    for (const auto& [link, label] : labels_) {
        const QRectF rect = label->labelRect();
        if (!there.count(link) && std::any_of(boxes.begin(), boxes.end(), [&](const QRectF& box) { return box.intersects(rect); }))
            links.push_back(link);
    }
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
            if (!moved.count(link) && label->isVisible())
                taken.push_back(label->labelRect());
    }
    for (const std::string& link : links)
        if (const auto* drawn = dynamic_cast<LinkItem*>(item(link))) {
            LinkLabelItem* label = labels_.at(link);
            label->setVisible(drawn->isVisible());
            if (!drawn->isVisible())
                continue;
            label->refresh();
            label->setLabelCenter(freeLabelCenter(drawn->path(), label->labelSize(), taken));
            taken.push_back(label->labelRect());
        }
}

bool CanvasScene::routesTouched() const
{
    return std::any_of(overlay_.stages.begin(), overlay_.stages.end(), [this](const auto& stage) {
        return std::any_of(stage.begin(), stage.end(),
                           [this](const std::string& device) { return touched_.count(device) > 0; });
    });
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
    std::set<std::pair<std::string, std::string>> drawn;
    for (std::size_t s = 0; s + 1 < overlay_.stages.size(); ++s) {
        for (const std::string& from : overlay_.stages[s])
            for (const std::string& to : overlay_.stages[s + 1]) {
                if (!item(from) || !item(to))
                    continue;
                const std::pair ends(shownAs(project, from), shownAs(project, to));
                if (ends.first == ends.second || !drawn.insert(ends).second)
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

}  // namespace nnpiper
