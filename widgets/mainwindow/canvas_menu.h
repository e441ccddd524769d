// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/cluster/cluster.h"

#include <QMenu>
#include <QPointF>

#include <functional>
#include <initializer_list>
#include <string>

namespace nnpiper {

class ActionRegistry;
class CanvasView;
class PlanBoard;
class ProjectDocument;

/// The menu of the canvas: what can be done with the element under the pointer and all selected ones of its kind, or,
/// on free canvas, with the drawing. It reads document and plan once, when it is made.
class CanvasMenu : public QMenu {
    Q_OBJECT
public:
    /// `element`: id of what the menu is for, one of the selected; empty for free canvas. `point`: scene coordinates,
    /// where things are added. `align` is put in where several are selected.
    CanvasMenu(ProjectDocument& document, const PlanBoard& board, CanvasView& canvas, const ActionRegistry& actions,
               QMenu* align, std::string element, QPointF point, QWidget* parent = nullptr);

signals:
    /// Paste with the middle of what is pasted at a point of the scene.
    void pasteRequested(QPointF point);

private:
    using UseType = std::function<void(const DeviceSpec&)>;
    using UseLink = std::function<void(const std::string& entry)>;

    void fillForDevice();
    void fillForNode();
    void fillForSwitch();
    void fillForContainer();
    void fillForLink();
    void fillForCanvas();
    void fillCommon();
    void addLockActions(const QStringList& devices);
    void addSelect(const QString& text, const QStringList& ids);
    QMenu* addTypes(const QString& title, const UseType& use);
    QMenu* addLinks(const QString& title, bool inside_node, const std::string& current, const UseLink& use);
    void addRegistered(std::initializer_list<const char*> ids);
    /// All selected elements of the kind of `element_`.
    QStringList chosen() const;

    ProjectDocument& document_;
    const PlanBoard& board_;
    CanvasView& canvas_;
    const ActionRegistry& actions_;
    QMenu* align_;
    std::string element_;
    QPointF point_;
};

}  // namespace nnpiper
