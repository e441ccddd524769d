// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/schedule/schedule.h"

#include <algorithm>
#include <cstddef>

namespace nnpiper {

namespace {

std::vector<Op> gpipe_stage(int stage, int micro_batches)
{
    std::vector<Op> ops;
    for (int m = 0; m < micro_batches; ++m)
        ops.push_back({OpKind::forward, stage, m});
    for (int m = micro_batches - 1; m >= 0; --m)
        ops.push_back({OpKind::backward, stage, m});
    return ops;
}

std::vector<Op> one_f_one_b_stage(int stage, int stages, int micro_batches)
{
    std::vector<Op> ops;
    const int warm_up = std::min(micro_batches, stages - stage - 1);
    int next_forward = 0;
    for (; next_forward < warm_up; ++next_forward)
        ops.push_back({OpKind::forward, stage, next_forward});
    for (int m = 0; m < micro_batches; ++m) {
        if (next_forward < micro_batches)
            ops.push_back({OpKind::forward, stage, next_forward++});
        ops.push_back({OpKind::backward, stage, m});
    }
    return ops;
}

std::string text(const Op& op)
{
    static constexpr const char* names[] = {"F", "BW", "B", "W"};
    return std::string(names[static_cast<int>(op.kind)]) + std::to_string(op.micro_batch) + " of stage "
           + std::to_string(op.stage);
}

}  // namespace

OpOrder op_order(ScheduleKind kind, int stages, int micro_batches)
{
    OpOrder order;
    order.reserve(static_cast<std::size_t>(stages));
    for (int s = 0; s < stages; ++s) {
        order.push_back(kind == ScheduleKind::gpipe ? gpipe_stage(s, micro_batches)
                                                    : one_f_one_b_stage(s, stages, micro_batches));
    }
    return order;
}

std::vector<int> peak_in_flight(const OpOrder& order)
{
    std::vector<int> peaks;
    for (const auto& ops : order) {
        const bool split = std::any_of(ops.begin(), ops.end(), [](const Op& op) { return op.kind == OpKind::backward_weight; });
        int held = 0;
        int peak = 0;
        for (const Op& op : ops) {
            if (op.kind == OpKind::forward)
                peak = std::max(peak, ++held);
            else if (op.kind != OpKind::backward_input || !split)
                --held;
        }
        peaks.push_back(peak);
    }
    return peaks;
}

int peak_in_flight(ScheduleKind kind, int stages, int micro_batches, int stage)
{
    return kind == ScheduleKind::gpipe ? micro_batches : std::min(micro_batches, stages - stage);
}

std::vector<std::string> check(const OpOrder& order, int micro_batches)
{
    std::vector<std::string> faults;
    const int stages = static_cast<int>(order.size());
    const auto cell = [&](int stage, int micro_batch) {
        return static_cast<std::size_t>(stage) * static_cast<std::size_t>(micro_batches)
               + static_cast<std::size_t>(micro_batch);
    };
    // Counts and split of the backward, per stage and micro-batch.
    const auto cells = static_cast<std::size_t>(stages) * static_cast<std::size_t>(micro_batches);
    std::vector<int> forwards(cells), inputs(cells), weights(cells);
    for (int s = 0; s < stages; ++s) {
        for (const Op& op : order[static_cast<std::size_t>(s)]) {
            if (op.stage != s || op.micro_batch < 0 || op.micro_batch >= micro_batches) {
                faults.push_back(text(op) + " stands in the list of stage " + std::to_string(s) + " with "
                                 + std::to_string(micro_batches) + " micro-batches");
                continue;
            }
            const std::size_t at = cell(s, op.micro_batch);
            forwards[at] += op.kind == OpKind::forward;
            inputs[at] += op.kind == OpKind::backward || op.kind == OpKind::backward_input;
            weights[at] += op.kind == OpKind::backward || op.kind == OpKind::backward_weight;
        }
    }
    for (int s = 0; s < stages; ++s) {
        for (int m = 0; m < micro_batches; ++m) {
            const auto tell = [&](int count, OpKind kind) {
                if (count != 1)
                    faults.push_back(text({kind, s, m}) + (count == 0 ? " is missing" : " stands there more than once"));
            };
            tell(forwards[cell(s, m)], OpKind::forward);
            tell(inputs[cell(s, m)], OpKind::backward_input);
            if (inputs[cell(s, m)] == 1)
                tell(weights[cell(s, m)], OpKind::backward_weight);
        }
    }
    if (!faults.empty())
        return faults;

    // Run without times: whatever cannot start when nothing moves any more is a deadlock.
    std::vector<std::size_t> next(static_cast<std::size_t>(stages), 0);
    std::vector<char> forward_done(cells, 0), backward_done(cells, 0);
    for (bool moved = true; moved;) {
        moved = false;
        for (int s = 0; s < stages; ++s) {
            const auto& ops = order[static_cast<std::size_t>(s)];
            auto& at = next[static_cast<std::size_t>(s)];
            for (; at < ops.size(); ++at, moved = true) {
                const Op& op = ops[at];
                const bool ready = op.kind == OpKind::forward ? s == 0 || forward_done[cell(s - 1, op.micro_batch)]
                                   : op.kind == OpKind::backward_weight
                                       ? backward_done[cell(s, op.micro_batch)] != 0
                                       : forward_done[cell(s, op.micro_batch)]
                                             && (s == stages - 1 || backward_done[cell(s + 1, op.micro_batch)]);
                if (!ready)
                    break;
                if (op.kind == OpKind::forward)
                    forward_done[cell(s, op.micro_batch)] = 1;
                else if (op.kind != OpKind::backward_weight)
                    backward_done[cell(s, op.micro_batch)] = 1;
            }
        }
    }
    for (int s = 0; s < stages; ++s) {
        const auto& ops = order[static_cast<std::size_t>(s)];
        if (next[static_cast<std::size_t>(s)] < ops.size())
            faults.push_back("deadlock: stage " + std::to_string(s) + " waits at "
                             + text(ops[next[static_cast<std::size_t>(s)]]));
    }
    return faults;
}

const std::vector<ScheduleEntry>& schedule_catalog()
{
    static const std::vector<ScheduleEntry> entries{
        {ScheduleKind::gpipe, "gpipe", "Huang et al., GPipe, NeurIPS 2019",
         "All forwards, then all backwards in reverse order; every stage keeps all micro-batches."},
        {ScheduleKind::one_f_one_b, "1f1b", "Narayanan et al., PipeDream-Flush (Megatron-LM), SC 2021",
         "Warm-up forwards, then one forward and one backward in turn; stage s keeps at most S - s micro-batches."},
    };
    return entries;
}

}  // namespace nnpiper
