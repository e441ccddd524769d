// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/theme/theme.h"

#include <QFont>
#include <QGraphicsItem>
#include <QPainter>
#include <QString>

#include <string>
#include <vector>

namespace nnpiper {

class CanvasScene;

/// Base of what stands for an element. An item holds the element's id and asks the document when it paints, so it can
/// never show an old value.
class ElementItem : public QGraphicsItem {
public:
    ElementItem(CanvasScene& canvas, std::string id, QGraphicsItem* parent = nullptr);

    const std::string& elementId() const { return id_; }
    QString name() const { return QString::fromStdString(id_); }
    /// Takes size, place and tool tip from the document.
    virtual void refresh() = 0;
    /// Where a link can be drawn from, in this item's coordinates; empty for links.
    virtual std::vector<QPointF> ports() const { return {}; }

    bool isSelected() const;
    bool isHovered() const;

protected:
    QColor color(ColorRole role) const;
    QFont font(int pixels, bool bold = false) const;
    /// A rounded box with a halo while selected; its border shows selection and hover too unless that colour means
    /// something else (`keep_border`).
    void paintBox(QPainter& painter, const QRectF& box, double radius, const QColor& fill, const QColor& border,
                  double border_width, bool keep_border = false) const;
    void paintPorts(QPainter& painter) const;
    /// The mark that collapses and expands it, as an arrow to the right or down.
    void paintFoldMark(QPainter& painter, bool collapsed) const;
    /// A card in place of a node or container: name, what it holds, and its devices as small squares in the colours of
    /// their stages.
    void paintCollapsed(QPainter& painter, const QString& title) const;

    CanvasScene& canvas_;

private:
    std::string id_;
};

/// A server: a box with its title, its interconnect and its cards.
class NodeItem : public ElementItem {
public:
    using ElementItem::ElementItem;
    QRectF boundingRect() const override { return QRectF(QPointF(), size_).adjusted(-8, -8, 8, 8); }
    QPainterPath shape() const override;
    void paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget* widget) override;
    void refresh() override;
    std::vector<QPointF> ports() const override;

private:
    QSizeF size_;
};

/// A rack or a site: a frame with a title around what it holds; only frame and title can be touched. Collapsed, one card.
class ContainerItem : public ElementItem {
public:
    using ElementItem::ElementItem;
    QRectF boundingRect() const override { return QRectF(QPointF(), size_).adjusted(-8, -8, 8, 8); }
    QPainterPath shape() const override;
    void paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget* widget) override;
    void refresh() override;

private:
    QSizeF size_;
    bool collapsed_ = false;
};

/// An accelerator card: type, stage and memory. A child of its node's item where it has one.
class DeviceItem : public ElementItem {
public:
    using ElementItem::ElementItem;
    QRectF boundingRect() const override;
    QPainterPath shape() const override;
    void paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget* widget) override;
    void refresh() override;
    std::vector<QPointF> ports() const override;

private:
    void paintBadge(QPainter& painter, const QString& icon) const;
};

class SwitchItem : public ElementItem {
public:
    using ElementItem::ElementItem;
    QRectF boundingRect() const override;
    void paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget* widget) override;
    void refresh() override;
    std::vector<QPointF> ports() const override;
};

/// A link: a curve as wide as its bandwidth, with a label that stays with it.
class LinkItem : public ElementItem {
public:
    using ElementItem::ElementItem;
    QRectF boundingRect() const override;
    QPainterPath shape() const override;
    void paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget* widget) override;
    void refresh() override;

    const QPainterPath& path() const { return path_; }

private:
    QPainterPath path_;
    double width_ = 1;
};

/// The bandwidth written on a link. An item of its own, so that nothing runs across it.
class LinkLabelItem : public ElementItem {
public:
    using ElementItem::ElementItem;
    QRectF boundingRect() const override { return labelRect().adjusted(-1, -1, 1, 1); }
    void paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget* widget) override;
    void refresh() override;

    QSizeF labelSize() const;
    void setLabelCenter(QPointF center);
    QRectF labelRect() const;

private:
    QString label_;
    QPointF center_;
};

/// Box of equal sides, in order top, right, bottom, left: the middles.
std::vector<QPointF> sideMiddles(const QRectF& box);

}  // namespace nnpiper
