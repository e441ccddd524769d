// SPDX-License-Identifier: GPL-3.0-or-later
// What a drawing of very many links does while something is dragged: only that and its links are painted anew, above a
// picture of the rest; labels are placed when it is let go.
#include "widgets/canvas/canvas_scene.h"
#include "widgets/canvas/element_item.h"
#include "widgets/document/containers.h"

#include <QGraphicsPathItem>
#include <QPainter>
#include <QStyleOptionGraphicsItem>

#include <algorithm>

namespace nnpiper {

namespace {

constexpr std::size_t manyLinks = 500;
constexpr double smallScale = 0.4;

void paintItem(QGraphicsItem& item, QPainter& painter, const QTransform& view)
{
    if (!item.isVisible())
        return;
    painter.setTransform(item.sceneTransform() * view);
    QStyleOptionGraphicsItem option;
    option.exposedRect = item.boundingRect();
    item.paint(&painter, &option, nullptr);
    for (QGraphicsItem* child : item.childItems())
        paintItem(*child, painter, view);
}

}  // namespace

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

void CanvasScene::startLive(const QStringList& moved)
{
    endLive();
    if (labels_.size() <= manyLinks)
        return;
    is_live_ = true;
    const Project& project = document_.project();
    std::set<std::string> ends;
    for (const QString& id : withContents(project, moved)) {
        ends.insert(id.toStdString());
        for (const std::string& device : devicesOf(project.cluster, id.toStdString()))
            ends.insert(device);
    }
    std::set<QGraphicsItem*> items;
    for (const std::string& id : ends)
        if (ElementItem* drawn = item(id); drawn && !drawn->parentItem())
            items.insert(drawn);
    for (const Link& link : project.cluster.links)
        if (ends.count(link.from) || ends.count(link.to)) {
            items.insert(item(link.id));
            items.insert(labels_.at(link.id));
            live_links_.push_back(link.id);
        }
    live_.assign(items.begin(), items.end());
    std::stable_sort(live_.begin(), live_.end(),
                     [](const QGraphicsItem* a, const QGraphicsItem* b) { return a->zValue() < b->zValue(); });
    ++still_revision_;
}

void CanvasScene::endLive()
{
    if (!is_live_)
        return;
    is_live_ = false;
    live_.clear();
    const std::vector<std::string> links = std::exchange(live_links_, {});
    ++still_revision_;
    std::vector<std::string> there;
    std::copy_if(links.begin(), links.end(), std::back_inserter(there),
                 [this](const std::string& id) { return labels_.count(id) > 0; });
    placeLabels(there);
    update();
}

void CanvasScene::showLive(bool shows)
{
    for (QGraphicsItem* drawn : live_) {
        const auto* element = dynamic_cast<const ElementItem*>(drawn);
        const bool hidden = element && (isHidden(element->elementId()) || bundleOf(element->elementId()).empty());
        drawn->setVisible(shows && !hidden);
    }
    for (QGraphicsPathItem* route : routes_)
        route->setVisible(shows);
}

void CanvasScene::paintLive(QPainter& painter) const
{
    const QTransform view = painter.transform();
    for (QGraphicsItem* drawn : live_)
        paintItem(*drawn, painter, view);
    for (QGraphicsPathItem* route : routes_)
        paintItem(*route, painter, view);
    painter.setTransform(view);
}

}  // namespace nnpiper
