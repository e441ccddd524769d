// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/canvas/plan_overlay.h"
#include "widgets/document/project_document.h"

#include <QFont>
#include <QGraphicsScene>
#include <QPalette>

#include <map>
#include <set>
#include <string>
#include <vector>

namespace nnpiper {

class ElementItem;
class LinkLabelItem;
class PlanBoard;

/// The drawing of the open project: one item per element, kept in step by the document's signals, coloured by the plan
/// that is shown. It changes nothing of the document.
class CanvasScene : public QGraphicsScene {
    Q_OBJECT
public:
    CanvasScene(ProjectDocument& document, PlanBoard& board, QObject* parent = nullptr);
    ~CanvasScene() override;

    ProjectDocument& document() const { return document_; }
    const PlanOverlay& overlay() const { return overlay_; }
    /// What holds a device in its place; nullptr for nothing.
    const Lock* lockOf(const std::string& device) const;
    /// nullptr when the id has no item.
    ElementItem* item(const std::string& id) const;
    bool isInsideNode(const std::string& id) const;
    /// Inside a collapsed node or container.
    bool isHidden(const std::string& id) const { return hidden_.count(id) > 0; }
    /// The links that one line stands for where ends are collapsed; empty for a link that another one stands for, or
    /// that runs inside one card.
    std::vector<std::string> bundleOf(const std::string& link) const;
    /// Box of a container; while elements are dragged, that of the others stays as it was.
    QRectF containerRect(const std::string& id) const;
    /// Keeps the boxes of all containers but those among `moved`, until it is called with nothing.
    void holdContainers(const QStringList& moved);

    /// What lies at a point, topmost first; empty for free canvas.
    std::string elementAt(QPointF point) const;
    /// The same without links: quick where there are thousands.
    std::string boxAt(QPointF point) const;
    std::string nodeAt(QPointF point) const;
    /// The innermost expanded container but those among `moved` (with what they hold).
    std::string containerAt(QPointF point, const QStringList& moved = {}) const;
    /// The node or container whose mark for collapsing lies there.
    std::string foldMarkAt(QPointF point) const;
    /// The element whose port lies within `reach` of a point; empty for none. Only ports of what is hovered or of
    /// `elementAt` count.
    std::string portAt(QPointF point, double reach) const;
    /// Ids of all elements that touch a rectangle; links only where both ends do.
    QStringList elementsIn(const QRectF& area) const;
    QRectF contentRect() const;
    QRectF selectionRect() const;

    const std::string& hovered() const { return hovered_; }
    void setHovered(const std::string& id);
    /// Off while something else than connecting is being dragged.
    bool showsPorts() const { return shows_ports_; }
    void setShowsPorts(bool shows) { shows_ports_ = shows; }
    /// While something is dragged, a drawing of very many links leaves out what costs most to paint.
    void setDragging(bool dragging);
    /// In such a drawing what is dragged, with its links, is painted apart from all that stays as it is; nothing is
    /// dragged while a link is drawn.
    void startLive(const QStringList& moved);
    void endLive();
    bool hasLive() const { return is_live_; }
    void showLive(bool shows);
    void paintLive(QPainter& painter) const;
    /// Counts what changes in the picture of the rest.
    int stillRevision() const { return still_revision_; }
    /// Thin links without smooth edges; `scale` is pixels a scene unit.
    bool paintsCoarsely(double scale) const;
    /// Plain boxes: writing could not be read at this scale.
    bool paintsPlainBoxes(double scale) const;
    const std::string& dropTarget() const { return drop_target_; }
    void setDropTarget(const std::string& id);

protected:
    bool event(QEvent* event) override;

private:
    void rebuild();
    void add(const std::string& id);
    void remove(const std::string& id);
    void refreshElement(const std::string& id);
    void refreshNode(const std::string& id);
    void refreshAround(const std::string& id);
    void refreshLinks();
    void refreshTouchedLinks();
    void addCoveredLabels(std::vector<std::string>& links) const;
    void refreshHidden();
    void refreshContainers();
    void placeLabels();
    void placeLabels(const std::vector<std::string>& links);
    void setPlan();
    void setLocks();
    void rebuildRoutes();
    bool routesTouched() const;
    void updateBounds();

    ProjectDocument& document_;
    PlanBoard& board_;
    PlanOverlay overlay_;
    std::map<std::string, Lock> locks_;   ///< by device
    std::map<std::string, ElementItem*> items_;
    std::map<std::string, LinkLabelItem*> labels_;   ///< by link
    std::vector<QGraphicsPathItem*> routes_;
    std::map<std::string, std::string> hidden_;                 ///< element to the card that stands for it
    std::map<std::string, std::vector<std::string>> bundles_;   ///< by link; links to themselves are left out
    std::map<std::string, QRectF> held_;                        ///< by container
    std::string hovered_;
    std::string drop_target_;
    std::set<std::string> touched_;   ///< elements moved or changed by the command that runs
    bool rewired_ = false;            ///< it adds or removes elements
    bool folded_ = false;             ///< it collapses or expands something
    bool dragging_ = false;
    bool shows_ports_ = true;
    std::vector<QGraphicsItem*> live_;         ///< from the lowest to the highest
    std::vector<std::string> live_links_;
    bool is_live_ = false;
    int still_revision_ = 0;
};

}  // namespace nnpiper
