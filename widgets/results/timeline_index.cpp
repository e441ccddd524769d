// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/results/timeline_index.h"

#include <algorithm>

namespace nnpiper {
namespace {

std::size_t at(int i)
{
    return static_cast<std::size_t>(i);
}

}  // namespace

TimelineIndex::TimelineIndex(const Timeline& timeline)
    : timeline_(&timeline)
{
    const std::size_t cells = at(timeline.stages()) * at(timeline.micro_batches);
    for (auto& kind : ops_)
        kind.assign(cells, -1);
    activations_.assign(cells, -1);
    gradients_.assign(cells, -1);
    sent_.resize(at(timeline.rows()));
    for (std::size_t i = 0; i < timeline.ops.size(); ++i) {
        const TimelineOp& op = timeline.ops[i];
        ops_[static_cast<std::size_t>(op.kind)][cell(op.stage, op.micro_batch)] = static_cast<int>(i);
    }
    for (std::size_t i = 0; i < timeline.transfers.size(); ++i) {
        const TimelineTransfer& t = timeline.transfers[i];
        (t.backward ? gradients_ : activations_)[cell(t.boundary, t.micro_batch)] = static_cast<int>(i);
        sent_[at(senderRow(t))].push_back(static_cast<int>(i));
    }
    for (auto& row : sent_)
        std::sort(row.begin(), row.end(),
                  [&](int a, int b) { return timeline.transfers[at(a)].start_s < timeline.transfers[at(b)].start_s; });
}

int TimelineIndex::senderRow(const TimelineTransfer& t) const
{
    return timeline_->map.device(t.backward ? t.boundary + 1 : t.boundary);
}

int TimelineIndex::receiverRow(const TimelineTransfer& t) const
{
    return timeline_->map.device(t.backward ? t.boundary : stageBehind(t.boundary));
}

int TimelineIndex::op(OpKind kind, int stage, int microBatch) const
{
    if (stage < 0 || stage >= timeline_->stages() || microBatch < 0 || microBatch >= timeline_->micro_batches)
        return -1;
    return ops_[static_cast<std::size_t>(kind)][cell(stage, microBatch)];
}

int TimelineIndex::transferInto(int index) const
{
    const TimelineOp& op = timeline_->ops[at(index)];
    if (op.kind == OpKind::forward)
        return op.stage > 0 ? activations_[cell(op.stage - 1, op.micro_batch)] : -1;
    if (op.kind == OpKind::backward || op.kind == OpKind::backward_input)
        return op.stage + 1 < timeline_->stages() ? gradients_[cell(op.stage, op.micro_batch)] : -1;
    return -1;
}

int TimelineIndex::transferOutOf(int index) const
{
    const TimelineOp& op = timeline_->ops[at(index)];
    if (op.kind == OpKind::forward)
        return op.stage + 1 < timeline_->stages() ? activations_[cell(op.stage, op.micro_batch)] : -1;
    if (op.kind == OpKind::backward || op.kind == OpKind::backward_input)
        return op.stage > 0 ? gradients_[cell(op.stage - 1, op.micro_batch)] : -1;
    return -1;
}

int TimelineIndex::consumerOf(int transfer) const
{
    const TimelineTransfer& t = timeline_->transfers[at(transfer)];
    if (!t.backward)
        return op(OpKind::forward, stageBehind(t.boundary), t.micro_batch);
    const int whole = op(OpKind::backward, t.boundary, t.micro_batch);
    return whole >= 0 ? whole : op(OpKind::backward_input, t.boundary, t.micro_batch);
}

int TimelineIndex::opAt(int row, double timeS, double toleranceS) const
{
    if (row < 0 || row >= rows())
        return -1;
    const auto begin = timeline_->ops.begin() + timeline_->first_op[at(row)];
    const auto end = timeline_->ops.begin() + timeline_->first_op[at(row) + 1];
    const auto after =
        std::upper_bound(begin, end, timeS, [](double time, const TimelineOp& op) { return time < op.start_s; });
    int best = -1;
    double bestDistance = toleranceS;
    for (auto it = after == begin ? begin : after - 1; it != end && it <= after; ++it) {
        const double distance = std::max({0.0, it->start_s - timeS, timeS - it->end_s});
        if (distance <= bestDistance && (best < 0 || distance < bestDistance)) {
            best = static_cast<int>(it - timeline_->ops.begin());
            bestDistance = distance;
        }
    }
    return best;
}

int TimelineIndex::transferAt(int row, double timeS, double toleranceS) const
{
    if (row < 0 || row >= rows())
        return -1;
    const auto& sent = sentBy(row);
    const auto after = std::upper_bound(sent.begin(), sent.end(), timeS,
                                        [&](double time, int t) { return time < timeline_->transfers[at(t)].start_s; });
    // Both directions share a row, so a few earlier messages may still be under way.
    int best = -1;
    double bestDistance = toleranceS;
    const auto from = after - std::min<std::ptrdiff_t>(4, after - sent.begin());
    for (auto it = from; it != sent.end() && it <= after; ++it) {
        const TimelineTransfer& t = timeline_->transfers[at(*it)];
        const double distance = std::max({0.0, t.start_s - timeS, timeS - t.sent_s});
        if (distance <= bestDistance && (best < 0 || distance < bestDistance)) {
            best = *it;
            bestDistance = distance;
        }
    }
    return best;
}

}  // namespace nnpiper
