// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/cluster/cluster.h"

#include <QRectF>

class QPainter;
class QPalette;

namespace nnpiper {

/// Draws a cluster in miniature: machines with their cards, coloured by card type, switches below, links between.
void paintClusterThumbnail(QPainter& painter, const QRectF& area, const Cluster& cluster, const QPalette& palette);

}  // namespace nnpiper
