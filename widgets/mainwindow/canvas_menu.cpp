// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/mainwindow/canvas_menu.h"

#include "core/cluster/catalog.h"
#include "core/cluster/device_types.h"
#include "widgets/canvas/canvas_view.h"
#include "widgets/canvas/geometry.h"
#include "widgets/canvas/type_names.h"
#include "widgets/document/container_edits.h"
#include "widgets/document/containers.h"
#include "widgets/document/edits.h"
#include "widgets/document/selection.h"
#include "widgets/mainwindow/action_registry.h"
#include "widgets/palette/device_types.h"
#include "widgets/palette/palette_item.h"
#include "widgets/solver/plan_board.h"

#include <QCoreApplication>

#include <algorithm>
#include <set>

namespace nnpiper {

namespace {

/// Between the devices of one node, against between nodes.
bool isInsideNode(const LinkEntry& entry)
{
    static const std::set<std::string> groups{"NVLink", "XGMI", "PCIe", "CPU", "Thunderbolt"};
    return groups.count(entry.group) > 0;
}

QStringList qualified(const std::vector<std::string>& ids)
{
    QStringList list;
    for (const std::string& id : ids)
        list.append(QString::fromStdString(id));
    return list;
}

QString nameOf(const Cluster& cluster, const std::string& id)
{
    const auto element = findElement(cluster, id);
    return element ? displayName(*element) : QString::fromStdString(id);
}

}  // namespace

CanvasMenu::CanvasMenu(ProjectDocument& document, const PlanBoard& board, CanvasView& canvas,
                       const ActionRegistry& actions, QMenu* align, std::string element, QPointF point, QWidget* parent)
    : QMenu(parent)
    , document_(document)
    , board_(board)
    , canvas_(canvas)
    , actions_(actions)
    , align_(align)
    , element_(std::move(element))
    , point_(point)
{
    setObjectName(QStringLiteral("canvasMenu"));
    const auto found = findElement(document.project(), element_);
    if (!found) {
        fillForCanvas();
        return;
    }
    switch (kindOf(*found)) {
    case ElementKind::device:
        fillForDevice();
        break;
    case ElementKind::node:
        fillForNode();
        break;
    case ElementKind::network_switch:
        fillForSwitch();
        break;
    case ElementKind::container:
        fillForContainer();
        break;
    case ElementKind::link:
        fillForLink();
        return;
    }
    fillCommon();
}

QStringList CanvasMenu::chosen() const
{
    const Project& project = document_.project();
    const auto kind = kindOf(*findElement(project, element_));
    QStringList ids;
    for (const QString& id : document_.selection().ids())
        if (const auto other = findElement(project, id.toStdString()); other && kindOf(*other) == kind)
            ids.append(id);
    return ids.isEmpty() ? QStringList{QString::fromStdString(element_)} : ids;
}

void CanvasMenu::addRegistered(std::initializer_list<const char*> ids)
{
    for (const char* id : ids) {
        if (*id)
            addAction(actions_.action(QString::fromLatin1(id)));
        else
            addSeparator();
    }
}

void CanvasMenu::addSelect(const QString& text, const QStringList& ids)
{
    addAction(text, this, [this, ids] { document_.selection().set(ids); })->setEnabled(!ids.isEmpty());
}

QMenu* CanvasMenu::addTypes(const QString& title, const UseType& use)
{
    QMenu* menu = addMenu(title);
    const auto add = [&](QMenu* where, const DeviceSpec& spec) {
        where->addAction(QString::fromStdString(spec.type), this, [use, spec] { use(spec); });
    };
    for (const DeviceSpec& own : document_.project().device_types)
        add(menu, own);
    menu->addSeparator();
    const std::vector<std::string>& common = commonDeviceTypes();
    for (const std::string& name : common)
        if (const DeviceEntry* entry = find_device_entry(name))
            add(menu, entry->spec);
    menu->addSeparator();
    QMenu* more = menu->addMenu(tr("More types"));
    for (const DeviceEntry& entry : device_catalog())
        if (std::find(common.begin(), common.end(), entry.name) == common.end())
            add(more, entry.spec);
    return menu;
}

QMenu* CanvasMenu::addLinks(const QString& title, bool inside_node, const std::string& current, const UseLink& use)
{
    QMenu* menu = addMenu(title);
    const auto add = [&](QMenu* where, const QString& text, const std::string& entry) {
        QAction* action = where->addAction(text, this, [use, entry] { use(entry); });
        action->setCheckable(true);
        action->setChecked(entry == current);
    };
    std::set<std::string> shown;
    if (!inside_node)
        for (const CommonLink& link : commonLinks()) {
            add(menu, QCoreApplication::translate("nnpiper::PaletteModel", link.title), link.entry);
            shown.insert(link.entry);
        }
    QMenu* where = menu;
    if (!inside_node) {
        menu->addSeparator();
        where = menu->addMenu(tr("More types"));
    }
    for (const LinkEntry& entry : link_catalog())
        if (isInsideNode(entry) == inside_node && !shown.count(entry.name))
            add(where, QString::fromStdString(entry.name), entry.name);
    return menu;
}

/// Wishes that planners keep, for the devices given.
void CanvasMenu::addLockActions(const QStringList& devices)
{
    const PlanBoard::Shared plan = board_.shown();
    std::map<std::string, int> stages;
    if (plan)
        for (std::size_t s = 0; s < plan->plan.stages.size(); ++s)
            for (const std::string& id : plan->plan.stages[s].devices)
                if (devices.contains(QString::fromStdString(id)))
                    stages[id] = static_cast<int>(s);
    addSeparator();
    if (devices.size() == 1 && stages.size() == 1) {
        const int stage = stages.begin()->second;
        addAction(tr("&Keep on stage %1").arg(stage), this,
                  [this, id = devices.front(), stage] { edits::lockDevice(document_, id, stage); });
    } else {
        addAction(tr("&Keep on their stages"), this, [this, stages] { edits::lockDevices(document_, stages); })
            ->setEnabled(!stages.empty());
    }
    if (devices.size() == 1 && plan && plan->plan.stages.size() > 1) {
        QMenu* other = addMenu(tr("Keep on another s&tage"));
        for (std::size_t s = 0; s < plan->plan.stages.size(); ++s)
            other->addAction(tr("Stage %1").arg(s), this, [this, id = devices.front(), s] {
                edits::lockDevice(document_, id, static_cast<int>(s));
            });
    }
    const std::vector<Lock>& locks = document_.project().job.locks;
    const bool locked = std::any_of(locks.begin(), locks.end(), [&](const Lock& lock) {
        return std::any_of(lock.devices.begin(), lock.devices.end(),
                           [&](const std::string& id) { return devices.contains(QString::fromStdString(id)); });
    });
    addAction(tr("Leave &idle"), this, [this, devices] { edits::lockIdle(document_, devices); })
        ->setEnabled(!devices.isEmpty());
    addAction(tr("&Release"), this, [this, devices] { edits::unlock(document_, devices); })->setEnabled(locked);
}

void CanvasMenu::fillForDevice()
{
    const Cluster& cluster = document_.project().cluster;
    const Device& device = *find_device(cluster, element_);
    const QStringList ids = chosen();
    addTypes(tr("&Type"), [this, ids](const DeviceSpec& spec) {
        edits::change<Device>(document_, ids, tr("Change type"), [&](Device& d) { d.spec = spec; });
    });
    QMenu* into = addMenu(tr("Put into &node"));
    for (const Node& node : cluster.nodes) {
        QAction* action = into->addAction(displayName(node), this, [this, ids, id = node.id] {
            edits::moveDevices(document_, ids, QString::fromStdString(id), {});
        });
        action->setCheckable(true);
        action->setChecked(node.id == device.node);
    }
    into->setEnabled(!cluster.nodes.empty());
    if (!device.node.empty())
        addAction(tr("Take &out of the node"), this, [this, ids] {
            const Project& project = document_.project();
            const QRectF node = geometry::elementRect(project, find_device(project.cluster, element_)->node);
            edits::moveDevices(document_, ids, {}, geometry::snapped(node.bottomLeft() + QPointF(0, 2 * geometry::grid)));
        });
    addLockActions(ids);
    addSeparator();
    std::vector<std::string> same;
    for (const Device& other : cluster.devices)
        if (other.spec.type == device.spec.type)
            same.push_back(other.id);
    addSelect(tr("Select all %1").arg(QString::fromStdString(device.spec.type)), qualified(same));
    if (!device.node.empty())
        addSelect(tr("Select all of %1").arg(nameOf(cluster, device.node)), qualified(devicesOf(cluster, device.node)));
}

void CanvasMenu::fillForNode()
{
    const Cluster& cluster = document_.project().cluster;
    const Node& node = *find_node(cluster, element_);
    const QStringList ids = chosen();
    std::vector<std::string> inside;
    for (const QString& id : ids)
        for (const std::string& device : devicesOf(cluster, id.toStdString()))
            inside.push_back(device);
    const QStringList devices = qualified(inside);
    const bool collapsed = isCollapsed(document_.project(), element_);
    addAction(collapsed ? tr("&Expand") : tr("&Collapse"), this,
              [this, ids, collapsed] { edits::setCollapsed(document_, ids, !collapsed); });
    const auto add_device = [this, ids](const DeviceSpec& spec) {
        document_.undoStack().beginMacro(tr("Add %1").arg(QString::fromStdString(spec.type)));
        for (const QString& id : ids)
            edits::addDevice(document_, spec, id, {});
        document_.undoStack().endMacro();
    };
    const Container* around = containerOf(document_.project(), element_);
    if (around)
        if (const DeviceSpec* usual = find_device_type(document_.project().device_types, around->device_type))
            addAction(tr("Add a %1").arg(QString::fromStdString(usual->type)), this,
                      [add_device, spec = *usual] { add_device(spec); });
    addTypes(tr("Add &device"), add_device);
    QMenu* types = addTypes(tr("T&ype of its devices"), [this, devices](const DeviceSpec& spec) {
        edits::change<Device>(document_, devices, tr("Change type"), [&](Device& d) { d.spec = spec; });
    });
    types->setEnabled(!devices.isEmpty());
    addLinks(tr("&Interconnect"), true, node.interconnect, [this, ids](const std::string& entry) {
        edits::change<Node>(document_, ids, tr("Change interconnect"),
                            [&](Node& n) { setInterconnect(n, *find_link_entry(entry)); });
    });
    addLockActions(devices);
    addSeparator();
    addSelect(tr("Select its de&vices"), devices);
    addSelect(tr("Select its &links"), qualified(linksOf(cluster, {element_})));
}

void CanvasMenu::fillForContainer()
{
    const Project& project = document_.project();
    const Container& container = *find_container(project.containers, element_);
    std::vector<std::string> inside;
    for (const QString& id : chosen())
        for (const std::string& device : devicesIn(project, id.toStdString()))
            inside.push_back(device);
    const QStringList devices = qualified(inside);
    const bool collapsed = isCollapsed(project, element_);
    addAction(collapsed ? tr("&Expand") : tr("&Collapse"), this,
              [this, ids = chosen(), collapsed] { edits::setCollapsed(document_, ids, !collapsed); });
    addRegistered({"cluster.ungroup"});
    addSeparator();
    const auto add_device = [this](const DeviceSpec& spec) {
        const Project& now = document_.project();
        const QRectF box = geometry::elementRect(now, element_);
        document_.undoStack().beginMacro(tr("Add %1").arg(QString::fromStdString(spec.type)));
        const QString made = edits::addDevice(
            document_, spec, {}, geometry::snapped(QPointF(box.right(), box.top() + geometry::containerHeader)));
        edits::moveInto(document_, {made}, QString::fromStdString(element_));
        document_.undoStack().endMacro();
        document_.selection().set({made});
    };
    if (const DeviceSpec* usual = find_device_type(project.device_types, container.device_type))
        addAction(tr("Add a %1").arg(QString::fromStdString(usual->type)), this,
                  [add_device, spec = *usual] { add_device(spec); });
    addTypes(tr("Add &device"), add_device);
    QMenu* types = addTypes(tr("T&ype of its devices"), [this, devices](const DeviceSpec& spec) {
        edits::change<Device>(document_, devices, tr("Change type"), [&](Device& d) { d.spec = spec; });
    });
    types->setEnabled(!devices.isEmpty());
    addLockActions(devices);
    addSeparator();
    addSelect(tr("Select its de&vices"), devices);
    addSelect(tr("Select its c&ontents"), qualified(contentsOf(project, element_)));
}

void CanvasMenu::fillForSwitch()
{
    const Cluster& cluster = document_.project().cluster;
    const QString id = QString::fromStdString(element_);
    QStringList others = document_.selection().ids();
    others.removeAll(id);
    const auto linkable = [&](const QStringList& ids) {
        QStringList some;
        for (const QString& end : ids)
            if (edits::canLink(cluster, end.toStdString(), element_))
                some.append(end);
        return some;
    };
    const QStringList selected = linkable(others);
    QStringList nodes;
    for (const Node& node : cluster.nodes)
        nodes.append(QString::fromStdString(node.id));
    for (const Device& device : cluster.devices)
        if (device.node.empty())
            nodes.append(QString::fromStdString(device.id));
    nodes = linkable(nodes);
    const auto connect_all = [this, id](const QStringList& ends) {
        return [this, id, ends] { document_.selection().set(edits::addLinks(document_, canvas_.newLink(), ends, id)); };
    };
    const QString type = shortLinkName(canvas_.newLink().type);
    if (!selected.isEmpty())
        addAction(tr("&Connect the selected elements to it by %1").arg(type), this, connect_all(selected));
    addAction(tr("Connect every &node to it by %1").arg(type), this, connect_all(nodes))->setEnabled(!nodes.isEmpty());
    addSeparator();
    addSelect(tr("Select its &links"), qualified(linksOf(cluster, {element_})));
    QStringList reached;
    for (const Link& link : cluster.links)
        if (link.from == element_ || link.to == element_)
            reached.append(QString::fromStdString(link.from == element_ ? link.to : link.from));
    addSelect(tr("Select what it &joins"), reached);
}

void CanvasMenu::fillForLink()
{
    const Cluster& cluster = document_.project().cluster;
    const Link& link = *find_link(cluster, element_);
    const QStringList ids = chosen();
    addLinks(tr("&Type"), false, link.type, [this, ids](const std::string& entry) {
        const Link like = linkOf(*find_link_entry(entry));
        edits::change<Link>(document_, ids, tr("Change link type"), [&](Link& l) {
            l.type = like.type;
            l.bandwidth_bytes_per_s = like.bandwidth_bytes_per_s;
            l.achieved_fraction = like.achieved_fraction;
            l.latency_s = like.latency_s;
        });
    });
    addAction(tr("New links like &this one"), this, [this] {
        Link like = *find_link(document_.project().cluster, element_);
        like.name.clear();
        canvas_.setNewLink(like);
    });
    addAction(tr("Put a &switch into it"), this, [this] {
        const QPointF corner = point_ - QPointF(geometry::switchSize.width(), geometry::switchSize.height()) / 2;
        document_.selection().set(
            {edits::splitLink(document_, QString::fromStdString(element_), geometry::snapped(corner))});
    });
    addSeparator();
    addSelect(tr("Select both &ends"), {QString::fromStdString(link.from), QString::fromStdString(link.to)});
    std::vector<std::string> same;
    for (const Link& other : cluster.links)
        if (other.type == link.type)
            same.push_back(other.id);
    addSelect(tr("Select all %1").arg(shortLinkName(link.type)), qualified(same));
    addRegistered({"", "edit.delete", "", "view.fit"});
}

void CanvasMenu::fillForCanvas()
{
    addTypes(tr("Add &device here"), [this](const DeviceSpec& spec) {
        canvas_.addFromPalette(
            PaletteItem{PaletteItem::Kind::device, QString::fromStdString(spec.type)}.toMime(), point_);
    });
    QMenu* nodes = addMenu(tr("Add &node here"));
    for (const NodeTemplate& entry : nodeTemplates()) {
        const PaletteItem item{PaletteItem::Kind::node, QString::fromLatin1(entry.key)};
        const QString text = entry.count == 0 ? QCoreApplication::translate("nnpiper::PaletteModel", "Empty node")
                                              : QStringLiteral("%1×%2").arg(entry.count).arg(shortTypeName(entry.device));
        nodes->addAction(text, this, [this, item] { canvas_.addFromPalette(item.toMime(), point_); });
    }
    addAction(tr("Add &switch here"), this, [this] {
        canvas_.addFromPalette(PaletteItem{PaletteItem::Kind::network_switch, {}}.toMime(), point_);
    });
    addSeparator();
    addAction(actions_.action(QStringLiteral("edit.paste"))->icon(), tr("&Paste here"), this,
              [this] { emit pasteRequested(point_); });
    addRegistered({"edit.selectAll", "edit.find", "", "cluster.arrange", "view.fit", "view.zoomReset", "",
                   "plan.unlock"});
}

void CanvasMenu::fillCommon()
{
    addRegistered({"", "cluster.groupRack", "cluster.groupSite"});
    addRegistered({"", "edit.rename", "edit.cut", "edit.copy", "edit.duplicate", "edit.multiply", "edit.delete"});
    if (align_ && document_.selection().ids().size() > 1) {
        addSeparator();
        addMenu(align_);
    }
    addRegistered({"", "view.fit"});
}

}  // namespace nnpiper
