// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/document/edits.h"

#include "core/study/calibrate.h"
#include "widgets/document/commands.h"
#include "widgets/document/container_edits.h"
#include "widgets/document/containers.h"

#include <QCoreApplication>

#include <algorithm>
#include <set>

namespace nnpiper::edits {

namespace {

struct Edits {
    Q_DECLARE_TR_FUNCTIONS(nnpiper::Edits)
};

void pushElements(ProjectDocument& document, const QString& text, std::vector<ElementChange> changes,
                  const QString& merge_key = {})
{
    document.push(std::make_unique<ElementsCommand>(document, text, std::move(changes), merge_key));
}

ElementChange added(const Element& element, std::optional<Placement> placement = std::nullopt)
{
    return {idOf(element), std::nullopt, ElementRecord{element, -1, placement}};
}

Placement at(QPointF position)
{
    return {position.x(), position.y(), 0, 0};
}

}  // namespace

QString addDevice(ProjectDocument& document, const DeviceSpec& spec, const QString& node, QPointF position)
{
    Device device;
    device.node = node.toStdString();
    device.spec = spec;
    device.id = freshId(document.project(), device.node.empty() ? "gpu0" : device.node + "/gpu0");
    const std::size_t slash = device.id.rfind('/');
    device.name = device.id.substr(slash == std::string::npos ? 0 : slash + 1);
    pushElements(document, Edits::tr("Add %1").arg(QString::fromStdString(spec.type)),
                 {added(device, device.node.empty() ? std::optional(at(position)) : std::nullopt)});
    return QString::fromStdString(device.id);
}

QString addNode(ProjectDocument& document, Node node, const std::vector<DeviceSpec>& devices, QPointF position)
{
    node.id = freshId(document.project(), node.id.empty() ? "node-a" : node.id);
    if (node.name.empty())
        node.name = node.id;
    std::vector<ElementChange> changes{added(node, at(position))};
    for (std::size_t i = 0; i < devices.size(); ++i) {
        Device device;
        device.name = "gpu" + std::to_string(i);
        device.id = node.id + "/" + device.name;
        device.node = node.id;
        device.spec = devices[i];
        changes.push_back(added(device));
    }
    pushElements(document, Edits::tr("Add node"), std::move(changes));
    return QString::fromStdString(node.id);
}

QString addSwitch(ProjectDocument& document, Switch network_switch, QPointF position)
{
    network_switch.id = freshId(document.project(), network_switch.id.empty() ? "switch" : network_switch.id);
    if (network_switch.name.empty())
        network_switch.name = network_switch.id;
    pushElements(document, Edits::tr("Add switch"), {added(network_switch, at(position))});
    return QString::fromStdString(network_switch.id);
}

bool canLink(const Cluster& cluster, const std::string& from, const std::string& to)
{
    if (from == to || find_link(cluster, from) || find_link(cluster, to) || !contains(cluster, from)
        || !contains(cluster, to))
        return false;
    const Device* a = find_device(cluster, from);
    const Device* b = find_device(cluster, to);
    if ((a && a->node == to) || (b && b->node == from))
        return false;
    return std::none_of(cluster.links.begin(), cluster.links.end(), [&](const Link& link) {
        return (link.from == from && link.to == to) || (link.from == to && link.to == from);
    });
}

QString addLink(ProjectDocument& document, Link link, const QString& from, const QString& to)
{
    const Cluster& cluster = document.project().cluster;
    link.from = from.toStdString();
    link.to = to.toStdString();
    if (!canLink(cluster, link.from, link.to))
        return {};
    link.id = freshId(document.project(), link.from + "--" + link.to);
    pushElements(document, Edits::tr("Connect"), {added(link)});
    return QString::fromStdString(link.id);
}

void remove(ProjectDocument& document, const QStringList& ids)
{
    const Project& project = document.project();
    std::set<std::string> doomed;
    for (const QString& name : withContents(project, ids)) {
        const std::string id = name.toStdString();
        if (!contains(project, id))
            continue;
        doomed.insert(id);
        for (const std::string& device : devicesOf(project.cluster, id))
            doomed.insert(device);
    }
    if (doomed.empty())
        return;
    for (const std::string& link : linksOf(project.cluster, {doomed.begin(), doomed.end()}))
        doomed.insert(link);

    // Links first and nodes last, so that no step leaves something hanging; within a list from the back, so that the
    // positions recorded now are those at which undo puts the elements back.
    std::vector<ElementChange> changes;
    const auto collect = [&](const auto& list) {
        for (auto item = list.rbegin(); item != list.rend(); ++item)
            if (doomed.count(item->id))
                changes.push_back({item->id, recordOf(project, item->id), std::nullopt});
    };
    collect(project.cluster.links);
    collect(project.cluster.devices);
    collect(project.cluster.switches);
    collect(project.cluster.nodes);
    collect(project.containers);
    takeOutOfContainers(project, doomed, changes);

    Job job = project.job;
    std::erase_if(job.locks, [&](const Lock& lock) {
        return std::any_of(lock.devices.begin(), lock.devices.end(),
                           [&](const std::string& device) { return doomed.count(device) > 0; });
    });
    const QString text = Edits::tr("Delete");
    if (job == project.job) {
        pushElements(document, text, std::move(changes));
        return;
    }
    document.undoStack().beginMacro(text);
    setJob(document, job, text);
    pushElements(document, text, std::move(changes));
    document.undoStack().endMacro();
}

void moveDevices(ProjectDocument& document, const QStringList& ids, const QString& node, QPointF position)
{
    std::vector<ElementChange> changes;
    std::set<std::string> moved;
    const std::string into = node.toStdString();
    double shift = 0;
    for (const QString& name : ids) {
        const auto before = recordOf(document.project(), name.toStdString());
        if (!before || kindOf(before->value) != ElementKind::device)
            continue;
        ElementRecord after = *before;
        auto& device = std::get<Device>(after.value);
        if (device.node == into)
            continue;
        device.node = into;
        after.placement = into.empty() ? std::optional(at(position + QPointF(shift, shift))) : std::nullopt;
        shift += 24;
        changes.push_back({device.id, before, after});
        moved.insert(device.id);
    }
    takeOutOfContainers(document.project(), moved, changes);
    pushElements(document, into.empty() ? Edits::tr("Take out of node") : Edits::tr("Put into node"),
                 std::move(changes));
}

void rename(ProjectDocument& document, const QString& id, const QString& name)
{
    const auto before = recordOf(document.project(), id.toStdString());
    const std::string wanted = name.trimmed().toStdString();
    if (!before || wanted.empty())
        return;
    ElementRecord after = *before;
    std::visit([&](auto& item) { item.name = wanted; }, after.value);
    pushElements(document, Edits::tr("Rename"), {{id.toStdString(), before, after}});
}

void place(ProjectDocument& document, const std::map<std::string, Placement>& places, const QString& text,
           const QString& merge_key)
{
    std::vector<ElementChange> changes;
    for (const auto& [id, placement] : places) {
        const auto before = recordOf(document.project(), id);
        if (!before)
            continue;
        ElementRecord after = *before;
        after.placement = placement;
        changes.push_back({id, before, after});
    }
    pushElements(document, text, std::move(changes), merge_key);
}

template <class T>
void change(ProjectDocument& document, const QStringList& ids, const QString& text,
            const std::function<void(T&)>& change_one, const QString& merge_key)
{
    std::vector<ElementChange> changes;
    for (const QString& name : ids) {
        const auto before = recordOf(document.project(), name.toStdString());
        if (!before || !std::holds_alternative<T>(before->value))
            continue;
        ElementRecord after = *before;
        change_one(std::get<T>(after.value));
        changes.push_back({idOf(before->value), before, after});
    }
    pushElements(document, text, std::move(changes), merge_key);
}

template void change(ProjectDocument&, const QStringList&, const QString&, const std::function<void(Node&)>&,
                     const QString&);
template void change(ProjectDocument&, const QStringList&, const QString&, const std::function<void(Device&)>&,
                     const QString&);
template void change(ProjectDocument&, const QStringList&, const QString&, const std::function<void(Switch&)>&,
                     const QString&);
template void change(ProjectDocument&, const QStringList&, const QString&, const std::function<void(Link&)>&,
                     const QString&);
template void change(ProjectDocument&, const QStringList&, const QString&, const std::function<void(Container&)>&,
                     const QString&);

void setJob(ProjectDocument& document, const Job& job, const QString& text, const QString& merge_key)
{
    document.push(std::make_unique<ValueCommand<Job>>(document, text, &ProjectDocument::setJob, document.project().job,
                                                      job, merge_key));
}

void setModel(ProjectDocument& document, const Model& model, const QString& merge_key)
{
    document.push(std::make_unique<ValueCommand<Model>>(document, Edits::tr("Change model"), &ProjectDocument::setModel,
                                                        document.project().model, model, merge_key));
}

void setName(ProjectDocument& document, const QString& name, const QString& merge_key)
{
    document.push(std::make_unique<ValueCommand<std::string>>(document, Edits::tr("Rename project"),
                                                              &ProjectDocument::setName, document.project().name,
                                                              name.toStdString(), merge_key));
}

void setDescription(ProjectDocument& document, const QString& description, const QString& merge_key)
{
    document.push(std::make_unique<ValueCommand<std::string>>(
        document, Edits::tr("Change description"), &ProjectDocument::setDescription, document.project().description,
        description.toStdString(), merge_key));
}

QStringList applyCalibration(ProjectDocument& document, const Calibration& calibration)
{
    Project calibrated = document.project();
    QStringList types;
    for (const std::string& type : apply(calibration, calibrated))
        types.append(QString::fromStdString(type));
    document.push(std::make_unique<ConstantsCommand>(document, Edits::tr("Calibrate"), document.project(), calibrated));
    return types;
}

void keepPlan(ProjectDocument& document, const Plan& plan, const QString& text, const QString& merge_key)
{
    std::vector<Plan> plans = document.project().plans;
    const auto same =
        std::find_if(plans.begin(), plans.end(), [&](const Plan& kept) { return kept.planner == plan.planner; });
    if (same == plans.end())
        plans.push_back(plan);
    else
        *same = plan;
    document.push(std::make_unique<ValueCommand<std::vector<Plan>>>(
        document, text, &ProjectDocument::setKeptPlans, document.project().plans, std::move(plans), merge_key));
}

void dropKeptPlan(ProjectDocument& document, const QString& planner)
{
    std::vector<Plan> plans = document.project().plans;
    std::erase_if(plans, [&](const Plan& kept) { return kept.planner == planner.toStdString(); });
    document.push(std::make_unique<ValueCommand<std::vector<Plan>>>(document, Edits::tr("Drop kept plan"),
                                                                    &ProjectDocument::setKeptPlans,
                                                                    document.project().plans, std::move(plans)));
}

}  // namespace nnpiper::edits
