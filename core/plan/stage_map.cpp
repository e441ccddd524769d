// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/plan/stage_map.h"

#include "core/base/error.h"

#include <algorithm>
#include <cstddef>

namespace nnpiper {

namespace {

/// Chunks that a schedule can have: `step` divides them, from `least` to `most`.
struct ChunkRule {
    int least, most, step;
};

constexpr int many = 1000000;

ChunkRule chunk_rule(ScheduleKind kind)
{
    switch (kind) {
    case ScheduleKind::interleaved: return {1, many, 1};
    case ScheduleKind::zb_v:
    case ScheduleKind::dualpipe_v: return {2, 2, 2};
    case ScheduleKind::hanayo: return {2, many, 2};
    case ScheduleKind::custom: return {1, many, 1};
    default: return {1, 1, 1};
    }
}

bool is_zigzag(ScheduleKind kind)
{
    return kind == ScheduleKind::zb_v || kind == ScheduleKind::dualpipe_v || kind == ScheduleKind::hanayo;
}

}  // namespace

bool is_bidirectional(ScheduleKind kind)
{
    return kind == ScheduleKind::chimera || kind == ScheduleKind::dualpipe;
}

bool splits_backward(ScheduleKind kind)
{
    switch (kind) {
    case ScheduleKind::zb_h1:
    case ScheduleKind::zb_h2:
    case ScheduleKind::zb_v:
    case ScheduleKind::zb_auto:
    case ScheduleKind::dualpipe:
    case ScheduleKind::dualpipe_v: return true;
    default: return false;
    }
}

bool is_inference(ScheduleKind kind)
{
    return kind == ScheduleKind::prefill || kind == ScheduleKind::decode;
}

int default_chunks(ScheduleKind kind)
{
    switch (kind) {
    case ScheduleKind::interleaved:
    case ScheduleKind::zb_v:
    case ScheduleKind::dualpipe_v: return 2;
    case ScheduleKind::hanayo: return 4;
    default: return 1;
    }
}

StageMap straight_map(int devices)
{
    StageMap map{devices, devices, 1, {}};
    for (int s = 0; s < devices; ++s)
        map.device_of.push_back(s);
    return map;
}

StageMap stage_map(ScheduleKind kind, int devices, int chunks)
{
    const ChunkRule rule = chunk_rule(kind);
    if (chunks < rule.least || chunks > rule.most || chunks % rule.step != 0)
        throw Error("chunks", std::to_string(chunks) + " a device are not possible with " + std::string(name_of(kind)),
                    rule.most == rule.least ? "it has " + std::to_string(rule.least)
                    : rule.step == 2        ? "an even number, two a wave"
                                            : "1 or more");
    StageMap map;
    map.devices = devices;
    map.stages = devices * chunks;
    map.chains = is_bidirectional(kind) ? 2 : 1;
    for (int k = 0; k < map.stages; ++k) {
        const int along = k % devices;
        const bool back = is_zigzag(kind) && k / devices % 2 == 1;
        map.device_of.push_back(back ? devices - 1 - along : along);
    }
    for (int k = 0; map.chains == 2 && k < map.stages; ++k)
        map.device_of.push_back(devices - 1 - map.device_of[static_cast<std::size_t>(k)]);
    return map;
}

StageMap map_of_order(const OpOrder& order, const std::string& place)
{
    StageMap map;
    map.devices = static_cast<int>(order.size());
    for (int d = 0; d < map.devices; ++d) {
        for (const Op& op : order[static_cast<std::size_t>(d)]) {
            if (op.stage >= static_cast<int>(map.device_of.size()))
                map.device_of.resize(static_cast<std::size_t>(op.stage) + 1, -1);
            int& owner = map.device_of[static_cast<std::size_t>(op.stage)];
            if (owner >= 0 && owner != d)
                throw Error(place, "stage " + std::to_string(op.stage) + " stands in the rows of devices "
                                       + std::to_string(owner) + " and " + std::to_string(d),
                            "one device a stage");
            owner = d;
        }
    }
    map.stages = static_cast<int>(map.device_of.size());
    for (int s = 0; s < map.stages; ++s) {
        if (map.device(s) < 0)
            throw Error(place, "stage " + std::to_string(s) + " has no op",
                        "all stages from 0 to the highest, " + std::to_string(map.stages - 1));
    }
    for (int d = 0; d < map.devices; ++d) {
        const auto held = std::count(map.device_of.begin(), map.device_of.end(), d);
        if (held * map.devices != map.stages)
            throw Error(place, "device " + std::to_string(d) + " holds " + std::to_string(held) + " of "
                                   + std::to_string(map.stages) + " stages",
                        "equally many on each of the " + std::to_string(map.devices) + " devices");
    }
    return map;
}

int micro_batches_of(const OpOrder& order)
{
    int highest = -1;
    for (const auto& ops : order) {
        for (const Op& op : ops)
            highest = std::max(highest, op.micro_batch);
    }
    return highest + 1;
}

}  // namespace nnpiper
