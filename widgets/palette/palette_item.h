// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/cluster/catalog.h"
#include "core/cluster/cluster.h"

#include <QByteArray>
#include <QPointF>
#include <QSizeF>
#include <QString>

#include <optional>
#include <string>
#include <vector>

namespace nnpiper {

class ProjectDocument;

/// A ready-made server.
struct NodeTemplate {
    const char* key;
    const char* device;  ///< catalogue name; empty: no cards
    int count;
    const char* interconnect;  ///< link catalogue name
};
const std::vector<NodeTemplate>& nodeTemplates();

/// A link as the catalogue describes it. Where the effective rate is known, it becomes the achieved fraction.
Link linkOf(const LinkEntry& entry);
/// Takes a catalogue link as the interconnect of a node.
void setInterconnect(Node& node, const LinkEntry& entry);

/// What can be dragged from the palette onto the canvas.
struct PaletteItem {
    enum class Kind { device, node, network_switch, link, container };
    Kind kind = Kind::device;
    QString name;  ///< name of a type (catalogue or the project's own), template key, "rack" or "site", or free

    static QString mimeType();
    QByteArray toMime() const;
    /// Empty for anything else than what `toMime` wrote.
    static std::optional<PaletteItem> fromMime(const QByteArray& data);

    /// The element that a drop goes to: the node that a device goes into, the link that takes a new type. Empty: free
    /// canvas.
    std::string target(const std::string& node_under, const std::string& element_under, const Cluster& cluster) const;
    /// Size on the canvas; empty for a link type.
    QSizeF size() const;
    /// Does it as one undoable edit, centred on `point`; returns the id of what was added or changed.
    QString addTo(ProjectDocument& document, const QString& node_under, const QString& element_under,
                  QPointF point) const;
};

}  // namespace nnpiper
