// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/document/find.h"

#include <algorithm>
#include <array>
#include <initializer_list>

namespace nnpiper {

namespace {

/// Collects matches in three classes of closeness.
class Finder {
public:
    explicit Finder(const QString& text)
        : text_(text.simplified())
        , words_(text_.split(u' ', Qt::SkipEmptyParts))
    {
    }

    void look(const std::string& id, const std::string& name, std::initializer_list<std::string> more = {})
    {
        const QString own = QString::fromStdString(name);
        const QString key = QString::fromStdString(id);
        QString all = own + u'\n' + key;
        for (const std::string& part : more)
            all += u'\n' + QString::fromStdString(part);
        if (words_.isEmpty() || !std::all_of(words_.begin(), words_.end(), [&](const QString& word) {
                return all.contains(word, Qt::CaseInsensitive);
            }))
            return;
        const bool same =
            own.compare(text_, Qt::CaseInsensitive) == 0 || key.compare(text_, Qt::CaseInsensitive) == 0;
        const bool starts = own.startsWith(text_, Qt::CaseInsensitive);
        classes_[same ? 0 : starts ? 1 : 2].append(key);
    }

    QStringList found() const { return classes_[0] + classes_[1] + classes_[2]; }

private:
    QString text_;
    QStringList words_;
    std::array<QStringList, 3> classes_;
};

}  // namespace

QStringList findElements(const Project& project, const QString& text)
{
    const Cluster& cluster = project.cluster;
    Finder finder(text);
    for (const Node& node : cluster.nodes)
        finder.look(node.id, node.name, {node.interconnect});
    for (const Device& device : cluster.devices) {
        const Node* node = find_node(cluster, device.node);
        finder.look(device.id, device.name, {device.spec.type, node ? node->name : std::string()});
    }
    for (const Switch& item : cluster.switches)
        finder.look(item.id, item.name);
    for (const Link& link : cluster.links)
        finder.look(link.id, link.name, {link.type});
    for (const Container& container : project.containers)
        finder.look(container.id, container.name);
    return finder.found();
}

}  // namespace nnpiper
