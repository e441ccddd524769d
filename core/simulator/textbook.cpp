// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/simulator/textbook.h"

#include "core/base/error.h"
#include "core/base/quantity.h"
#include "core/schedule/schedule.h"
#include "core/simulator/auto_order.h"
#include "core/simulator/simulate.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

namespace nnpiper {

namespace {

/// The parts of a device share that its chunks take, or whole stages.
bool shares_are_cut(ScheduleKind kind)
{
    return kind != ScheduleKind::dualpipe_v;
}

StageMap map_of(const TextbookPipeline& textbook)
{
    if (textbook.kind == ScheduleKind::custom) {
        StageMap map = map_of_order(textbook.order, "order");
        if (map.devices != textbook.devices)
            throw Error("order", "it has " + std::to_string(map.devices) + " rows",
                        "one a device, " + std::to_string(textbook.devices));
        return map;
    }
    return stage_map(textbook.kind, textbook.devices, textbook.chunks.value_or(default_chunks(textbook.kind)));
}

void check_times(const std::vector<double>& values, const char* what)
{
    for (const double value : values) {
        if (!(value >= 0) || std::isinf(value))
            throw Error(what, "a time of " + format_quantity(value, Unit::count) + " is given", "a time of at least 0 is allowed");
    }
}

/// One entry for every stage of both chains.
std::vector<double> per_stage(const std::vector<double>& given, const StageMap& map, bool cut, const char* what)
{
    check_times(given, what);
    const auto stages = static_cast<std::size_t>(map.stages);
    const auto devices = static_cast<std::size_t>(map.devices);
    if (given.size() != 1 && given.size() != devices && given.size() != stages)
        throw Error(what, "has " + std::to_string(given.size()) + " numbers",
                    stages == devices ? std::to_string(devices) + " are expected, one a stage"
                                      : std::to_string(devices) + " (one a device) or " + std::to_string(stages)
                                            + " (one a chunk) are expected");
    const bool own = given.size() == stages && given.size() != devices;
    std::vector<double> times;
    for (int s = 0; s < map.all_stages(); ++s) {
        const int stage = s % map.stages;
        const double share = given.size() == 1 ? given[0]
                             : own             ? given[static_cast<std::size_t>(stage)]
                                               : given[static_cast<std::size_t>(map.device(stage))];
        times.push_back(own || !cut ? share : share / map.chunks());
    }
    return times;
}

/// One entry for every boundary; `extra` allows one more, which is returned.
std::vector<double> per_boundary(const std::vector<double>& given, const StageMap& map, const char* what, bool extra,
                                 double& last)
{
    check_times(given, what);
    const auto boundaries = static_cast<std::size_t>(map.stages - 1);
    const bool one = given.size() == 1 || given.empty();
    if (!one && given.size() != boundaries && !(extra && given.size() == boundaries + 1))
        throw Error(what, "has " + std::to_string(given.size()) + " numbers",
                    "one, or one for each of the " + std::to_string(boundaries) + " boundaries"
                        + (extra ? " and one for the way back" : "") + ", is expected");
    last = one ? (given.empty() ? 0 : given[0]) : given.size() > boundaries ? given.back() : 0;
    std::vector<double> values(static_cast<std::size_t>(map.all_stages() - 1), 0.0);
    for (int b = 0; b + 1 < map.all_stages(); ++b) {
        if (map.crosses(b))
            values[static_cast<std::size_t>(b)] = one ? last : given[static_cast<std::size_t>(b % map.stages)];
    }
    return values;
}

double mean(const std::vector<double>& values)
{
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

ScheduleShape shape_of(const TextbookPipeline& textbook, const StageMap& map)
{
    ScheduleShape shape;
    shape.kind = textbook.kind;
    shape.devices = map.devices;
    shape.micro_batches = textbook.micro_batches;
    shape.chunks = map.chunks();
    shape.launch_counts = textbook.launch_counts;
    shape.rounds = textbook.rounds;
    return shape;
}

}  // namespace

Pipeline lay_out(const TextbookPipeline& textbook)
{
    Pipeline pipeline;
    pipeline.map = map_of(textbook);
    const StageMap& map = pipeline.map;
    const bool cut = shares_are_cut(textbook.kind);
    pipeline.micro_batches = textbook.micro_batches * textbook.rounds;
    pipeline.forward_s = per_stage(textbook.forward_s, map, cut, "forward");
    if (is_inference(textbook.kind)) {
        pipeline.backward_input_s.assign(pipeline.forward_s.size(), 0.0);
        pipeline.backward_weight_s = pipeline.backward_input_s;
    } else {
        pipeline.backward_input_s = per_stage(textbook.backward_input_s, map, cut, "backward-input");
        pipeline.backward_weight_s = per_stage(textbook.backward_weight_s, map, cut, "backward-weight");
    }
    const bool decode = textbook.kind == ScheduleKind::decode;
    double ignored = 0;
    pipeline.forward_latency_s = per_boundary(textbook.delay_s, map, "delay", decode, pipeline.return_latency_s);
    pipeline.backward_latency_s = pipeline.forward_latency_s;
    pipeline.forward_occupancy_s = per_boundary(textbook.occupancy_s, map, "occupancy", false, ignored);
    pipeline.backward_occupancy_s = pipeline.forward_occupancy_s;
    pipeline.all_reduce_s.assign(pipeline.forward_s.size(), 0.0);
    pipeline.optimizer_s = pipeline.all_reduce_s;
    pipeline.blocking = textbook.blocking;
    pipeline.decode_groups = decode ? textbook.micro_batches : 0;
    pipeline.samples = pipeline.micro_batches;
    if (textbook.pair_s) {
        check_times({*textbook.pair_s}, "pair");
        const double apart = mean(textbook.forward_s) + mean(textbook.backward_input_s) + mean(textbook.backward_weight_s);
        pipeline.pair_scale = apart > 0 ? *textbook.pair_s / apart : 1;
    }
    return pipeline;
}

Timeline draw(const TextbookPipeline& textbook)
{
    const StageMap map = map_of(textbook);
    if (textbook.kind != ScheduleKind::custom)
        check(shape_of(textbook, map));
    const Pipeline pipeline = lay_out(textbook);
    OpOrder order;
    if (textbook.kind == ScheduleKind::custom)
        order = textbook.order;
    else if (textbook.kind == ScheduleKind::zb_auto)
        order = zero_bubble_order(pipeline, std::vector<int>(static_cast<std::size_t>(map.devices),
                                                             textbook.held.value_or(map.devices)));
    else
        order = op_order(shape_of(textbook, map));
    Timeline timeline = run(pipeline, order);
    if (!shares_are_cut(textbook.kind)) {
        for (DeviceMetrics& metrics : timeline.metrics)
            metrics.peak_in_flight *= map.chunks();
    }
    if (textbook.kind == ScheduleKind::pipedream_2bw || textbook.kind == ScheduleKind::decode) {
        Pipeline one = pipeline;
        one.micro_batches = textbook.micro_batches;
        timeline.period_s = steady_period_s(one, textbook.kind);
    }
    return timeline;
}

}  // namespace nnpiper
