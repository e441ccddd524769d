// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/project/project.h"

#include <QPainterPath>
#include <QPointF>
#include <QRectF>
#include <QSizeF>

#include <string>

/// Sizes and places on the canvas as pure functions of the project. Scene units are pixels at 100 %.
namespace nnpiper::geometry {

inline constexpr double grid = 20;
inline constexpr QSizeF cardSize{104, 78};
inline constexpr QSizeF switchSize{140, 48};
inline constexpr double nodeHeader = 40;
inline constexpr double nodePadding = 16;
inline constexpr double cardGap = 10;
inline constexpr int cardColumns = 4;
inline constexpr QSizeF collapsedSize{200, 84};       ///< a node or container drawn as one card
inline constexpr QSizeF emptyContainerSize{280, 140};
inline constexpr double containerPadding = 18;
inline constexpr double containerHeader = 34;
/// From the corner of a container to that of the box around its contents.
inline constexpr QPointF containerCorner{containerPadding, containerHeader};

QPointF snapped(QPointF point);

/// As large as its cards need, or as the placement asks if that is more.
QSizeF nodeSize(int devices, const Placement& placement = {});
/// Top left corner of the n-th card relative to its node's.
QPointF cardOffset(int index);

/// Where an element is drawn: its placement, the card's place inside its node, the box of a container around what it
/// holds, or the card of a collapsed node or container that it is in. Empty for links and unknown ids.
QRectF elementRect(const Project& project, const std::string& id);
/// The mark of a node or container, relative to its corner, by which it is collapsed and expanded.
inline constexpr QRectF foldMark{1, 8, 16, 20};
/// Smallest rectangle around all elements; empty for an empty cluster.
QRectF contentRect(const Project& project);

/// A smooth curve between the facing sides of two boxes.
QPainterPath linkPath(const QRectF& from, const QRectF& to);
/// A curve that hangs below two cards, for the way from one stage to the next.
QPainterPath hangingPath(const QRectF& from, const QRectF& to, double clearance);
/// Pen width of a link: grows with the logarithm of its bandwidth, 1.2 at 1 Gb/s and 3.7 at 100 Gb/s.
double linkWidth(double bytes_per_s);

}  // namespace nnpiper::geometry
