// SPDX-License-Identifier: GPL-3.0-or-later
// Figures over a timeline that has been run: busy and idle time, its causes, memory peaks, totals, critical path.
#include "core/schedule/schedule.h"
#include "core/simulator/idle.h"
#include "core/simulator/recording.h"

#include <algorithm>
#include <cstddef>

namespace nnpiper {

namespace {

std::size_t at(int index)
{
    return static_cast<std::size_t>(index);
}

/// Ops of one device, in order; both halves of a pair are there.
struct Row {
    const TimelineOp* begin;
    const TimelineOp* end;
};

Row row_of(const Timeline& t, int device)
{
    return {t.ops.data() + t.first_op[at(device)], t.ops.data() + t.first_op[at(device) + 1]};
}

/// +1 at a forward, -1 at the end of a backward.
int peak_of(const Row& row)
{
    int held = 0, peak = 0;
    for (const TimelineOp* op = row.begin; op < row.end; ++op) {
        if (op->kind == OpKind::forward)
            peak = std::max(peak, ++held);
        else if (op->kind != OpKind::backward_input)
            --held;
    }
    return peak;
}

double busy_of(const Row& row)
{
    double busy = 0;
    double end = 0;
    for (const TimelineOp* op = row.begin; op < row.end; ++op) {
        if (op > row.begin && op->overlapped && op->start_s < end)
            continue;  // the other half of a pair
        busy += op->end_s - op->start_s;
        end = op->end_s;
    }
    return busy;
}

}  // namespace

void measure(const Pipeline& pipeline, Timeline& t)
{
    double first = 0, last = 0, busy = 0, most_busy = 0;
    bool any = false;
    t.metrics.assign(at(t.rows()), {});
    for (int d = 0; d < t.rows(); ++d) {
        const Row row = row_of(t, d);
        DeviceMetrics& metrics = t.metrics[at(d)];
        metrics.peak_in_flight = static_cast<double>(peak_of(row)) / t.map.chunks();
        metrics.busy_s = busy_of(row);
        if (row.begin < row.end) {
            const double start = row.begin->start_s;
            const double end = row.end[-1].end_s;
            metrics.span_s = end - start;
            first = any ? std::min(first, start) : start;
            last = std::max(last, end);
            any = true;
        }
        busy += metrics.busy_s;
        most_busy = std::max(most_busy, metrics.busy_s);
        t.max_span_s = std::max(t.max_span_s, metrics.span_s);
    }
    t.makespan_s = last - first;
    std::vector<double> step(at(t.rows()), 0.0);
    for (int s = 0; s < pipeline.stages(); ++s) {
        if (at(s) < pipeline.optimizer_s.size())
            step[at(t.map.device(s))] += pipeline.optimizer_s[at(s)] + pipeline.all_reduce_s[at(s)];
    }
    for (int d = 0; d < t.rows(); ++d) {
        const Row row = row_of(t, d);
        DeviceMetrics& metrics = t.metrics[at(d)];
        metrics.idle_s = t.makespan_s - metrics.busy_s;
        Bubble& bubble = metrics.bubble;
        for (const IdlePiece& piece : idle_pieces(t, d))
            part_of(bubble, piece.cause) += piece.end_s - piece.start_s;
        if (row.begin == row.end)
            continue;
        // Waiting that no order could spare this device, since it has less to do than the busiest one.
        bubble.imbalance_s = std::min(bubble.dependency_s, most_busy - metrics.busy_s);
        bubble.dependency_s -= bubble.imbalance_s;
    }
    t.bubble_fraction = t.makespan_s > 0 ? std::max(0.0, 1 - busy / (t.makespan_s * t.rows())) : 0;
    t.bubble_rate = t.makespan_s > 0 ? std::max(0.0, 1 - most_busy / t.makespan_s) : 0;
    t.iteration_s = t.makespan_s + *std::max_element(step.begin(), step.end()) + pipeline.fixed_step_s;
    t.throughput_samples_per_s = t.iteration_s > 0 ? pipeline.samples / t.iteration_s : 0;
}

std::vector<CriticalStep> critical_path(const Timeline& timeline)
{
    int op = -1;
    for (int i = 0; i < static_cast<int>(timeline.ops.size()); ++i) {
        if (op < 0 || timeline.ops[at(i)].end_s > timeline.ops[at(op)].end_s)
            op = i;
    }
    return causes_of(timeline, op);
}

std::vector<CriticalStep> causes_of(const Timeline& timeline, int op)
{
    std::vector<CriticalStep> path;
    while (op >= 0) {
        path.push_back({false, op});
        const TimelineOp& current = timeline.ops[at(op)];
        if (current.waited == TimelineOp::Waited::nothing)
            break;
        if (current.waited == TimelineOp::Waited::device) {
            op = current.waited_for;
            continue;
        }
        // A message held up by its channel waited for the one before it over the same boundary and direction.
        int message = current.waited_for;
        path.push_back({true, message});
        while (timeline.transfers[at(message)].waited_for_channel) {
            message = timeline.transfers[at(message)].before;
            path.push_back({true, message});
        }
        op = timeline.transfers[at(message)].producer;
    }
    std::reverse(path.begin(), path.end());
    return path;
}

}  // namespace nnpiper
