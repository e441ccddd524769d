// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/document/copies.h"

#include "widgets/document/commands.h"
#include "widgets/document/element.h"

#include <QCoreApplication>

#include <regex>
#include <set>

namespace nnpiper {

Cluster partOf(const Cluster& cluster, const QStringList& ids)
{
    std::set<std::string> chosen;
    for (const QString& id : ids) {
        chosen.insert(id.toStdString());
        for (const std::string& device : devicesOf(cluster, id.toStdString()))
            chosen.insert(device);
    }
    Cluster part;
    const auto take = [&](const auto& from, auto& to) {
        for (const auto& item : from)
            if (chosen.count(item.id))
                to.push_back(item);
    };
    take(cluster.nodes, part.nodes);
    take(cluster.devices, part.devices);
    take(cluster.switches, part.switches);
    for (const Link& link : cluster.links)
        if (chosen.count(link.from) && chosen.count(link.to))
            part.links.push_back(link);
    return part;
}

}  // namespace nnpiper

namespace nnpiper::edits {

namespace {

struct Edits {
    Q_DECLARE_TR_FUNCTIONS(nnpiper::Edits)
};

/// Gathers the changes of one command that adds copies of `part`, once or many times.
class Copier {
public:
    Copier(const Cluster& present, const Cluster& part, const std::map<std::string, Placement>& places)
        : present_(present)
        , part_(part)
        , places_(places)
    {
        for (const Node& node : present.nodes)
            names_.insert(node.name);
        for (const Switch& item : present.switches)
            names_.insert(item.name);
        for (const Device& device : present.devices)
            if (device.node.empty())
                names_.insert(device.name);
    }

    /// `outer`: links of the originals to elements outside the part.
    void add(QPointF offset, const std::vector<Link>& outer = {});

    std::vector<ElementChange> changes;
    QStringList selected;

private:
    std::string rename(const std::string& id, const std::string& stem);
    std::string named(const std::string& name, const std::string& old_id, const std::string& new_id);
    Placement placed(const std::string& id, QPointF offset) const;
    void put(const Element& element, std::optional<Placement> placement, bool select);
    void putDevice(Device device, QPointF offset);

    const Cluster& present_;
    const Cluster& part_;
    const std::map<std::string, Placement>& places_;
    std::map<std::string, std::string> fresh_;
    std::vector<std::string> taken_;
    std::set<std::string> names_;
};

std::string Copier::rename(const std::string& id, const std::string& stem)
{
    const std::string made = freshId(present_, stem, taken_);
    taken_.push_back(made);
    fresh_[id] = made;
    return made;
}

/// A name that was the id follows it; any other stays unless something has it already: "T4 server" becomes
/// "T4 server 2" and that "T4 server 3".
std::string Copier::named(const std::string& name, const std::string& old_id, const std::string& new_id)
{
    if (name.empty())
        return name;
    std::string made = name == old_id ? new_id : name;
    if (names_.count(made) && name != old_id) {
        static const std::regex counted("^(.*) ([0-9]{1,6})$");
        std::smatch parts;
        const bool has_number = std::regex_match(name, parts, counted);
        const std::string stem = has_number ? parts[1].str() : name;
        int next = has_number ? std::stoi(parts[2].str()) + 1 : 2;
        do
            made = stem + " " + std::to_string(next++);
        while (names_.count(made));
    }
    names_.insert(made);
    return made;
}

Placement Copier::placed(const std::string& id, QPointF offset) const
{
    const auto found = places_.find(id);
    Placement placement = found == places_.end() ? Placement{} : found->second;
    placement.x += offset.x();
    placement.y += offset.y();
    return placement;
}

void Copier::put(const Element& element, std::optional<Placement> placement, bool select)
{
    if (select)
        selected.append(QString::fromStdString(idOf(element)));
    changes.push_back({idOf(element), std::nullopt, ElementRecord{element, -1, placement}});
}

void Copier::putDevice(Device device, QPointF offset)
{
    const std::string old = device.id;
    const auto owner = fresh_.find(device.node);
    const bool inside = owner != fresh_.end();
    const std::size_t slash = old.rfind('/');
    const std::string tail = slash == std::string::npos ? old : old.substr(slash + 1);
    // A card copied out of a node goes beside its original, where that is still there.
    const Device* original = inside ? nullptr : find_device(present_, old);
    const bool beside = original && !original->node.empty();
    device.id = rename(old, inside ? owner->second + "/" + tail : old);
    device.node = inside ? owner->second : beside ? original->node : std::string();
    if (beside)
        device.name = device.id.substr(device.id.rfind('/') + 1);
    else if (!inside)
        device.name = named(device.name, tail, device.id);
    put(device, device.node.empty() ? std::optional(placed(old, offset)) : std::nullopt, !inside);
}

void Copier::add(QPointF offset, const std::vector<Link>& outer)
{
    fresh_.clear();
    for (Node node : part_.nodes) {
        const std::string old = node.id;
        node.id = rename(old, old);
        node.name = named(node.name, old, node.id);
        put(node, placed(old, offset), true);
    }
    for (const Device& device : part_.devices)
        putDevice(device, offset);
    for (Switch item : part_.switches) {
        const std::string old = item.id;
        item.id = rename(old, old);
        item.name = named(item.name, old, item.id);
        put(item, placed(old, offset), true);
    }
    const auto put_link = [&](Link link, bool is_outer) {
        const auto from = fresh_.find(link.from);
        const auto to = fresh_.find(link.to);
        if (!is_outer && (from == fresh_.end() || to == fresh_.end()))
            return;
        if (from != fresh_.end())
            link.from = from->second;
        if (to != fresh_.end())
            link.to = to->second;
        link.id = freshId(present_, link.from + "--" + link.to, taken_);
        taken_.push_back(link.id);
        put(link, std::nullopt, !is_outer);
    };
    for (const Link& link : part_.links)
        put_link(link, false);
    for (const Link& link : outer)
        put_link(link, true);
}

}  // namespace

QStringList addCopies(ProjectDocument& document, const Cluster& cluster, const std::map<std::string, Placement>& places,
                      QPointF offset, const QString& text)
{
    Copier copier(document.project().cluster, cluster, places);
    copier.add(offset);
    document.push(std::make_unique<ElementsCommand>(document, text, std::move(copier.changes)));
    return copier.selected;
}

QStringList multiply(ProjectDocument& document, const QStringList& ids, const std::vector<QPointF>& offsets)
{
    const Cluster& present = document.project().cluster;
    const Cluster part = partOf(present, ids);
    std::vector<Link> outer;
    for (const Link& link : present.links)
        if (contains(part, link.from) != contains(part, link.to))
            outer.push_back(link);
    Copier copier(present, part, document.project().layout);
    for (const QPointF& offset : offsets)
        copier.add(offset, outer);
    document.push(std::make_unique<ElementsCommand>(document, Edits::tr("Make %1 of these").arg(offsets.size() + 1),
                                                    std::move(copier.changes)));
    return copier.selected;
}

}  // namespace nnpiper::edits
