// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/document/copies.h"

#include "widgets/document/commands.h"
#include "widgets/document/containers.h"
#include "widgets/document/element.h"

#include <QCoreApplication>

#include <regex>
#include <set>

namespace nnpiper {

Project partOf(const Project& project, const QStringList& ids)
{
    std::set<std::string> chosen;
    for (const QString& id : withContents(project, ids)) {
        chosen.insert(id.toStdString());
        for (const std::string& device : devicesOf(project.cluster, id.toStdString()))
            chosen.insert(device);
    }
    Project part;
    const auto take = [&](const auto& from, auto& to) {
        for (const auto& item : from)
            if (chosen.count(item.id))
                to.push_back(item);
    };
    take(project.cluster.nodes, part.cluster.nodes);
    take(project.cluster.devices, part.cluster.devices);
    take(project.cluster.switches, part.cluster.switches);
    take(project.containers, part.containers);
    for (const Link& link : project.cluster.links)
        if (chosen.count(link.from) && chosen.count(link.to))
            part.cluster.links.push_back(link);
    for (const auto& [id, placement] : project.layout)
        if (contains(part, id))
            part.layout.emplace(id, placement);
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
    Copier(const Project& present, const Project& part, bool own)
        : present_(present)
        , part_(part)
        , own_(own)
    {
        for (const Node& node : present.cluster.nodes)
            names_.insert(node.name);
        for (const Switch& item : present.cluster.switches)
            names_.insert(item.name);
        for (const Container& container : present.containers)
            names_.insert(container.name);
        for (const Device& device : present.cluster.devices)
            if (device.node.empty())
                names_.insert(device.name);
    }

    /// `outer`: links of the originals to elements outside the part.
    void add(QPointF offset, const std::vector<Link>& outer = {});
    /// The containers that take up copies of what stands in them. Called once, after the last copy.
    void fillContainers();

    std::vector<ElementChange> changes;
    QStringList selected;

private:
    std::string rename(const std::string& id, const std::string& stem);
    std::string named(const std::string& name, const std::string& old_id, const std::string& new_id);
    Placement placed(const std::string& id, QPointF offset) const;
    void put(const Element& element, std::optional<Placement> placement, bool select);
    void putDevice(Device device, QPointF offset);
    void putContainer(Container container, QPointF offset);
    void joinContainer(const std::string& old_id, const std::string& new_id);

    const Project& present_;
    const Project& part_;
    bool own_;
    std::map<std::string, std::vector<std::string>> joined_;  ///< by container
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
    const auto found = part_.layout.find(id);
    Placement placement = found == part_.layout.end() ? Placement{} : found->second;
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
    const Device* original = inside || !own_ ? nullptr : find_device(present_.cluster, old);
    const bool beside = original && !original->node.empty();
    device.id = rename(old, inside ? owner->second + "/" + tail : old);
    device.node = inside ? owner->second : beside ? original->node : std::string();
    if (beside)
        device.name = device.id.substr(device.id.rfind('/') + 1);
    else if (!inside)
        device.name = named(device.name, tail, device.id);
    put(device, device.node.empty() ? std::optional(placed(old, offset)) : std::nullopt, !inside);
    if (device.node.empty())
        joinContainer(old, device.id);
}

/// A copy stands where its original does, unless the container was copied too.
void Copier::joinContainer(const std::string& old_id, const std::string& new_id)
{
    const Container* around = own_ ? containerOf(present_, old_id) : nullptr;
    if (around && !find_container(part_.containers, around->id) && containerOf(part_, old_id) == nullptr)
        joined_[around->id].push_back(new_id);
}

void Copier::putContainer(Container container, QPointF offset)
{
    const std::string old = container.id;
    container.id = rename(old, old);
    container.name = named(container.name, old, container.id);
    std::vector<std::string> members;
    for (const std::string& member : container.members)
        if (const auto copied = fresh_.find(member); copied != fresh_.end())
            members.push_back(copied->second);
    container.members = std::move(members);
    put(container, placed(old, offset), true);
    joinContainer(old, container.id);
}

void Copier::fillContainers()
{
    for (const auto& [id, members] : joined_) {
        const auto before = recordOf(present_, id);
        ElementRecord after = *before;
        auto& container = std::get<Container>(after.value);
        container.members.insert(container.members.end(), members.begin(), members.end());
        changes.push_back({id, before, after});
    }
}

void Copier::add(QPointF offset, const std::vector<Link>& outer)
{
    fresh_.clear();
    for (Node node : part_.cluster.nodes) {
        const std::string old = node.id;
        node.id = rename(old, old);
        node.name = named(node.name, old, node.id);
        put(node, placed(old, offset), true);
        joinContainer(old, node.id);
    }
    for (const Device& device : part_.cluster.devices)
        putDevice(device, offset);
    for (Switch item : part_.cluster.switches) {
        const std::string old = item.id;
        item.id = rename(old, old);
        item.name = named(item.name, old, item.id);
        put(item, placed(old, offset), true);
        joinContainer(old, item.id);
    }
    // Racks before the sites that hold them.
    for (const ContainerKind kind : {ContainerKind::rack, ContainerKind::site})
        for (const Container& container : part_.containers)
            if (container.kind == kind)
                putContainer(container, offset);
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
    for (const Link& link : part_.cluster.links)
        put_link(link, false);
    for (const Link& link : outer)
        put_link(link, true);
}

}  // namespace

QStringList addCopies(ProjectDocument& document, const Project& part, QPointF offset, const QString& text, bool own)
{
    Copier copier(document.project(), part, own);
    copier.add(offset);
    copier.fillContainers();
    document.push(std::make_unique<ElementsCommand>(document, text, std::move(copier.changes)));
    return copier.selected;
}

QStringList multiply(ProjectDocument& document, const QStringList& ids, const std::vector<QPointF>& offsets)
{
    const Project part = partOf(document.project(), ids);
    std::vector<Link> outer;
    for (const Link& link : document.project().cluster.links)
        if (contains(part.cluster, link.from) != contains(part.cluster, link.to))
            outer.push_back(link);
    Copier copier(document.project(), part, true);
    for (const QPointF& offset : offsets)
        copier.add(offset, outer);
    copier.fillContainers();
    document.push(std::make_unique<ElementsCommand>(document, Edits::tr("Make %1 of these").arg(offsets.size() + 1),
                                                    std::move(copier.changes)));
    return copier.selected;
}

}  // namespace nnpiper::edits
