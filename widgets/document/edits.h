// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/document/project_document.h"

#include <QPointF>
#include <QStringList>

#include <functional>
#include <map>

namespace nnpiper {
struct Calibration;
}

/// Every way to edit the open project: each function pushes one undoable command, or none where nothing would change.
namespace nnpiper::edits {

/// Adds a device to a node (empty: standing alone at `position`, scene units of its top left corner). Returns its id.
QString addDevice(ProjectDocument& document, const DeviceSpec& spec, const QString& node, QPointF position);
/// Adds a node with its devices. Ids are made fresh from those given.
QString addNode(ProjectDocument& document, Node node, const std::vector<DeviceSpec>& devices, QPointF position);
QString addSwitch(ProjectDocument& document, Switch network_switch, QPointF position);
/// Joins two elements; `link` gives type, bandwidth and latency. Empty when the two cannot be joined: the same element,
/// a node with its own device, or the two already joined.
QString addLink(ProjectDocument& document, Link link, const QString& from, const QString& to);
bool canLink(const Cluster& cluster, const std::string& from, const std::string& to);
/// Joins each of `from` that can be joined to `to`, as one command; what a container around both says of its links wins
/// over `usual`. Returns the new links.
QStringList addLinks(ProjectDocument& document, const Link& usual, const QStringList& from, const QString& to);
/// Replaces a link by a switch at `position` and a link of the same kind to each end; each takes half of the latency.
/// Returns the switch; empty where there is no such link.
QString splitLink(ProjectDocument& document, const QString& id, QPointF position);

/// Removes elements with the devices of a node, every link that ends at them and the locks that name them.
void remove(ProjectDocument& document, const QStringList& ids);

/// Puts devices into a node, or takes them out (empty node) to the positions given. Links inside stay.
void moveDevices(ProjectDocument& document, const QStringList& ids, const QString& node, QPointF position);
/// Gives an element another name; an empty name changes nothing.
void rename(ProjectDocument& document, const QString& id, const QString& name);
/// New places by element id.
void place(ProjectDocument& document, const std::map<std::string, Placement>& places, const QString& text,
           const QString& merge_key = {});

/// Changes all elements of type T among `ids` by one function.
template <class T>
void change(ProjectDocument& document, const QStringList& ids, const QString& text,
            const std::function<void(T&)>& change_one, const QString& merge_key = {});

void setJob(ProjectDocument& document, const Job& job, const QString& text, const QString& merge_key = {});
void setModel(ProjectDocument& document, const Model& model, const QString& merge_key = {});
void setName(ProjectDocument& document, const QString& name, const QString& merge_key = {});
void setDescription(ProjectDocument& document, const QString& description, const QString& merge_key = {});
/// Takes over the achieved fractions and the fixed cost of a step that were fitted to measured runs. Returns the device
/// types of the project that they hold for.
QStringList applyCalibration(ProjectDocument& document, const Calibration& calibration);
/// Takes over cluster, places and job of a changed copy of the project; elements without a place get one.
void applyProject(ProjectDocument& document, Project after, const QString& text);
/// Keeps a plan in the project in place of the one of the same planner.
void keepPlan(ProjectDocument& document, const Plan& plan, const QString& text, const QString& merge_key = {});
void dropKeptPlan(ProjectDocument& document, const QString& planner);

/// Ids of the devices of a type.
QStringList devicesOfType(const Cluster& cluster, const std::string& type);
/// A device type of the project's own; a name that is there already changes nothing.
void addDeviceType(ProjectDocument& document, const DeviceSpec& type);
/// Gives a type of the project's own other values, and its devices with it.
void changeDeviceType(ProjectDocument& document, const QString& name, const DeviceSpec& type);
/// Returns whether it could: not while a device is of that type.
bool removeDeviceType(ProjectDocument& document, const QString& name);

/// Locks: what every planner must keep. A device is in one lock at most, the newest wish counts.
/// The stage's devices keep its layers, whatever the number of stages.
void lockStage(ProjectDocument& document, const Stage& stage);
/// The device works in that stage.
void lockDevice(ProjectDocument& document, const QString& id, int stage);
/// The devices among `ids` are not used.
void lockIdle(ProjectDocument& document, const QStringList& ids);
/// Each device works in the stage given with it.
void lockDevices(ProjectDocument& document, const std::map<std::string, int>& stages);
void unlock(ProjectDocument& document, const QStringList& ids);
void unlockAll(ProjectDocument& document);

}  // namespace nnpiper::edits
