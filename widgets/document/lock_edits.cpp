// SPDX-License-Identifier: GPL-3.0-or-later
// Wishes that every planner keeps: what stays where it is, and what is not used.
#include "widgets/document/edits.h"

#include <QCoreApplication>

#include <algorithm>

namespace nnpiper::edits {

namespace {

struct LockEdits {
    Q_DECLARE_TR_FUNCTIONS(nnpiper::LockEdits)
};

/// A device is in one lock at most: the newest wish counts.
void release(std::vector<Lock>& locks, const std::vector<std::string>& devices)
{
    for (Lock& lock : locks)
        std::erase_if(lock.devices, [&](const std::string& id) {
            return std::find(devices.begin(), devices.end(), id) != devices.end();
        });
    std::erase_if(locks, [](const Lock& lock) { return lock.devices.empty(); });
}

void add(ProjectDocument& document, Lock lock, const QString& text)
{
    Job job = document.project().job;
    // The same wish again is no edit, whatever its place in the list.
    if (std::find(job.locks.begin(), job.locks.end(), lock) != job.locks.end())
        return;
    release(job.locks, lock.devices);
    job.locks.push_back(std::move(lock));
    setJob(document, job, text);
}

}  // namespace

void lockStage(ProjectDocument& document, const Stage& stage)
{
    Lock lock;
    lock.devices = stage.devices;
    lock.first_layer = stage.first_layer;
    lock.end_layer = stage.end_layer;
    add(document, std::move(lock), LockEdits::tr("Lock stage"));
}

void lockDevice(ProjectDocument& document, const QString& id, int stage)
{
    Lock lock;
    lock.devices = {id.toStdString()};
    lock.stage = stage;
    add(document, std::move(lock), LockEdits::tr("Lock %1 to stage %2").arg(id).arg(stage));
}

void lockDevices(ProjectDocument& document, const std::map<std::string, int>& stages)
{
    Job job = document.project().job;
    for (const auto& [id, stage] : stages) {
        Lock lock;
        lock.devices = {id};
        lock.stage = stage;
        if (std::find(job.locks.begin(), job.locks.end(), lock) != job.locks.end())
            continue;
        release(job.locks, lock.devices);
        job.locks.push_back(std::move(lock));
    }
    setJob(document, job, LockEdits::tr("Lock devices to their stages"));
}

void lockIdle(ProjectDocument& document, const QStringList& ids)
{
    Lock lock;
    lock.idle = true;
    for (const QString& id : ids)
        if (find_device(document.project().cluster, id.toStdString()))
            lock.devices.push_back(id.toStdString());
    if (!lock.devices.empty())
        add(document, std::move(lock), LockEdits::tr("Leave devices idle"));
}

void unlock(ProjectDocument& document, const QStringList& ids)
{
    Job job = document.project().job;
    std::vector<std::string> devices;
    for (const QString& id : ids)
        devices.push_back(id.toStdString());
    release(job.locks, devices);
    setJob(document, job, LockEdits::tr("Release"));
}

void unlockAll(ProjectDocument& document)
{
    Job job = document.project().job;
    job.locks.clear();
    setJob(document, job, LockEdits::tr("Release all locks"));
}

}  // namespace nnpiper::edits
