// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/simulator/idle.h"

#include <algorithm>
#include <cstddef>

namespace nnpiper {

namespace {

std::size_t at(int index)
{
    return static_cast<std::size_t>(index);
}

void add(std::vector<IdlePiece>& pieces, double start_s, double end_s, IdleCause cause)
{
    if (end_s > start_s)
        pieces.push_back({start_s, end_s, cause});
}

void add_gap(const Timeline& t, const TimelineOp& op, double free_s, std::vector<IdlePiece>& pieces)
{
    if (op.start_s <= free_s || op.waited_for < 0)
        return;
    double produced = free_s;
    if (op.waited == TimelineOp::Waited::transfer) {
        const TimelineTransfer& message = t.transfers[at(op.waited_for)];
        produced = std::clamp(t.ops[at(message.producer)].end_s, free_s, op.start_s);
    }
    add(pieces, free_s, produced, IdleCause::dependency);
    add(pieces, produced, op.start_s, IdleCause::link);
}

double first_start_s(const Timeline& t)
{
    double first = 0;
    bool any = false;
    for (int d = 0; d < t.rows(); ++d) {
        if (t.first_op[at(d)] == t.first_op[at(d) + 1])
            continue;
        const double start = t.ops[at(t.first_op[at(d)])].start_s;
        first = any ? std::min(first, start) : start;
        any = true;
    }
    return first;
}

}  // namespace

double& part_of(Bubble& bubble, IdleCause cause)
{
    switch (cause) {
    case IdleCause::warm_up: return bubble.warm_up_s;
    case IdleCause::drain: return bubble.drain_s;
    case IdleCause::dependency: return bubble.dependency_s;
    case IdleCause::link: return bubble.link_s;
    case IdleCause::unused: return bubble.imbalance_s;
    }
    return bubble.dependency_s;
}

std::vector<IdlePiece> idle_pieces(const Timeline& t, int row)
{
    const double first = first_start_s(t);
    const double last = first + t.makespan_s;
    const TimelineOp* begin = t.ops.data() + t.first_op[at(row)];
    const TimelineOp* end = t.ops.data() + t.first_op[at(row) + 1];
    std::vector<IdlePiece> pieces;
    if (begin == end) {
        add(pieces, first, last, IdleCause::unused);
        return pieces;
    }
    add(pieces, first, begin->start_s, IdleCause::warm_up);
    for (const TimelineOp* op = begin + 1; op < end; ++op)
        add_gap(t, *op, op[-1].end_s, pieces);
    add(pieces, end[-1].end_s, last, IdleCause::drain);
    return pieces;
}

}  // namespace nnpiper
