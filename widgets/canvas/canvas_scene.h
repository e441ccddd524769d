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
    /// nullptr when the id has no item.
    ElementItem* item(const std::string& id) const;
    bool isInsideNode(const std::string& id) const;

    /// What lies at a point, topmost first; empty for free canvas.
    std::string elementAt(QPointF point) const;
    std::string nodeAt(QPointF point) const;
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
    void placeLabels();
    void placeLabels(const std::vector<std::string>& links);
    void setPlan();
    void rebuildRoutes();
    void updateBounds();

    ProjectDocument& document_;
    PlanBoard& board_;
    PlanOverlay overlay_;
    std::map<std::string, ElementItem*> items_;
    std::map<std::string, LinkLabelItem*> labels_;   ///< by link
    std::vector<QGraphicsPathItem*> routes_;
    std::string hovered_;
    std::string drop_target_;
    std::set<std::string> touched_;   ///< elements moved or changed by the command that runs
    bool rewired_ = false;            ///< it adds or removes elements
    bool dragging_ = false;
    bool shows_ports_ = true;
};

}  // namespace nnpiper
