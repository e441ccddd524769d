// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/study/range_statistics.h"

#include "core/simulator/idle.h"

#include <algorithm>
#include <cstddef>

namespace nnpiper {

namespace {

std::size_t at(int index)
{
    return static_cast<std::size_t>(index);
}

struct Range {
    double from_s;
    double to_s;

    double overlap_s(double start_s, double end_s) const
    {
        return std::max(0.0, std::min(end_s, to_s) - std::max(start_s, from_s));
    }
};

double& busy_part(RangeRow& row, OpKind kind)
{
    switch (kind) {
    case OpKind::forward: return row.forward_s;
    case OpKind::backward:
    case OpKind::backward_input: return row.backward_s;
    case OpKind::backward_weight: return row.weight_s;
    }
    return row.backward_s;
}

RangeRow row_of(const Timeline& t, int device, const Range& range)
{
    RangeRow row;
    const auto end = t.ops.begin() + t.first_op[at(device) + 1];
    auto op = std::partition_point(t.ops.begin() + t.first_op[at(device)], end,
                                   [&](const TimelineOp& o) { return o.end_s <= range.from_s; });
    for (; op != end && op->start_s < range.to_s; ++op) {
        const double taken = range.overlap_s(op->start_s, op->end_s) * (op->overlapped ? 0.5 : 1);
        busy_part(row, op->kind) += taken;
        row.busy_s += taken;
    }
    for (const IdlePiece& piece : idle_pieces(t, device))
        part_of(row.bubble, piece.cause) += range.overlap_s(piece.start_s, piece.end_s);
    return row;
}

void add_imbalance(std::vector<RangeRow>& rows)
{
    double most = 0;
    for (const RangeRow& row : rows)
        most = std::max(most, row.busy_s);
    for (RangeRow& row : rows) {
        const double part = std::min(row.bubble.dependency_s, most - row.busy_s);
        row.bubble.imbalance_s += part;
        row.bubble.dependency_s -= part;
    }
}

std::vector<RangeChannel> channels_of(const Timeline& t, const Range& range)
{
    std::vector<RangeChannel> all(at(2 * t.stages()));
    for (const TimelineTransfer& message : t.transfers) {
        RangeChannel& channel = all[at(2 * message.boundary + (message.backward ? 1 : 0))];
        channel.busy_s += range.overlap_s(message.start_s, message.sent_s);
        channel.messages += message.start_s >= range.from_s && message.start_s < range.to_s;
    }
    std::vector<RangeChannel> used;
    for (std::size_t i = 0; i < all.size(); ++i) {
        all[i].boundary = static_cast<int>(i / 2);
        all[i].backward = i % 2 == 1;
        if (all[i].busy_s > 0 || all[i].messages > 0)
            used.push_back(all[i]);
    }
    return used;
}

/// A micro-batch is through when the last of its ops has ended, whichever that is.
int finished_in(const Timeline& t, const Range& range)
{
    std::vector<double> end_s(at(t.micro_batches), 0.0);
    for (const TimelineOp& op : t.ops)
        end_s[at(op.micro_batch)] = std::max(end_s[at(op.micro_batch)], op.end_s);
    return static_cast<int>(std::count_if(end_s.begin(), end_s.end(),
                                          [&](double end) { return end > range.from_s && end <= range.to_s; }));
}

void add_path(RangeStatistics& result, const Timeline& t, std::span<const CriticalStep> path, const Range& range)
{
    double now = 0;
    for (const CriticalStep& step : path) {
        const double end = step.transfer ? t.transfers[at(step.index)].arrive_s : t.ops[at(step.index)].end_s;
        (step.transfer ? result.critical_link_s : result.critical_compute_s) += range.overlap_s(now, end);
        now = std::max(now, end);
    }
}

}  // namespace

RangeStatistics range_statistics(const Timeline& t, std::span<const CriticalStep> path, double from_s, double to_s)
{
    const Range range{std::clamp(std::min(from_s, to_s), 0.0, t.makespan_s),
                      std::clamp(std::max(from_s, to_s), 0.0, t.makespan_s)};
    RangeStatistics result;
    result.from_s = range.from_s;
    result.to_s = range.to_s;
    double busy = 0;
    for (int d = 0; d < t.rows(); ++d) {
        result.rows.push_back(row_of(t, d, range));
        busy += result.rows.back().busy_s;
    }
    add_imbalance(result.rows);
    result.channels = channels_of(t, range);
    const double area = result.length_s() * t.rows();
    result.bubble_fraction = area > 0 ? std::max(0.0, 1 - busy / area) : 0;
    result.finished = finished_in(t, range);
    add_path(result, t, path, range);
    return result;
}

}  // namespace nnpiper
