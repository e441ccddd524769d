// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/schedule/schedule.h"

#include <algorithm>
#include <cstddef>

namespace nnpiper {

namespace {

std::size_t at(int index)
{
    return static_cast<std::size_t>(index);
}

/// An op with a place in a sentence: "F3 of stage 1".
std::string phrase(const Op& op)
{
    static constexpr const char* names[] = {"F", "BW", "B", "W"};
    return std::string(names[static_cast<int>(op.kind)]) + std::to_string(op.micro_batch) + " of stage "
           + std::to_string(op.stage);
}

class Checker {
public:
    Checker(const OpOrder& order, const StageMap& map, int micro_batches)
        : order_(order), map_(map), micro_batches_(micro_batches)
    {
        const std::size_t cells = at(map.all_stages()) * at(micro_batches);
        forward_.assign(cells, 0);
        input_.assign(cells, 0);
        weight_.assign(cells, 0);
        whole_.assign(cells, 0);
    }

    std::vector<std::string> faults()
    {
        if (static_cast<int>(order_.size()) != map_.devices) {
            faults_.push_back("there are " + std::to_string(order_.size()) + " op lists for "
                              + std::to_string(map_.devices) + " devices");
            return faults_;
        }
        count();
        if (faults_.empty())
            complete();
        if (faults_.empty())
            run();
        return faults_;
    }

private:
    std::size_t cell(const Op& op) const { return cell(op.stage, op.micro_batch); }
    std::size_t cell(int stage, int micro_batch) const { return at(stage) * at(micro_batches_) + at(micro_batch); }

    bool belongs(const Op& op, int device) const
    {
        if (op.stage < 0 || op.stage >= map_.all_stages() || map_.device(op.stage) != device)
            return false;
        const auto [first, end] = micro_batches_of_chain(map_, op.stage / map_.stages, micro_batches_);
        return op.micro_batch >= first && op.micro_batch < end;
    }

    void count()
    {
        for (int d = 0; d < map_.devices; ++d) {
            const auto& ops = order_[at(d)];
            for (std::size_t i = 0; i < ops.size(); ++i) {
                const Op& op = ops[i];
                if (!belongs(op, d)) {
                    faults_.push_back(phrase(op) + " stands in the list of device " + std::to_string(d) + ", which has stage"
                                      + stages_of(d) + " and micro-batches 0 to " + std::to_string(micro_batches_ - 1));
                    continue;
                }
                forward_[cell(op)] += op.kind == OpKind::forward;
                input_[cell(op)] += op.kind == OpKind::backward || op.kind == OpKind::backward_input;
                weight_[cell(op)] += op.kind == OpKind::backward || op.kind == OpKind::backward_weight;
                backward_seen_ = backward_seen_ || op.kind != OpKind::forward;
                whole_[cell(op)] |= op.kind == OpKind::backward;
                if (op.paired && (i + 1 == ops.size() || ops[i + 1].paired))
                    faults_.push_back(phrase(op) + " is to overlap with the op behind it, and there is no single one");
            }
        }
    }

    /// The op by its name in this order, where the backward of a cell may be whole.
    std::string phrase_in_order(Op op) const
    {
        const bool whole = op.kind == OpKind::backward_input && whole_[cell(op)];
        return phrase({whole ? OpKind::backward : op.kind, op.stage, op.micro_batch, false});
    }

    std::string stages_of(int device) const
    {
        std::string text;
        for (int s = 0; s < map_.all_stages(); ++s) {
            if (map_.device(s) == device)
                text += (text.empty() ? " " : ", ") + std::to_string(s);
        }
        return text;
    }

    void complete()
    {
        for (int s = 0; s < map_.all_stages(); ++s) {
            const auto [first, end] = micro_batches_of_chain(map_, s / map_.stages, micro_batches_);
            for (int m = first; m < end; ++m) {
                const auto tell = [&](int number, OpKind kind) {
                    if (number != 1)
                        faults_.push_back(phrase({kind, s, m})
                                          + (number == 0 ? " is missing" : " stands there more than once"));
                };
                tell(forward_[cell(s, m)], OpKind::forward);
                if (!backward_seen_)
                    continue;
                tell(input_[cell(s, m)], weight_[cell(s, m)] == 0 ? OpKind::backward : OpKind::backward_input);
                if (input_[cell(s, m)] == 1)
                    tell(weight_[cell(s, m)], OpKind::backward_weight);
            }
        }
    }

    /// What an op waits for; nullptr-like {-1} stage when nothing.
    Op waits_for(const Op& op) const
    {
        const Op nothing{OpKind::forward, -1, 0};
        if (op.kind == OpKind::forward)
            return map_.first(op.stage) ? nothing : Op{OpKind::forward, op.stage - 1, op.micro_batch};
        if (op.kind == OpKind::backward_weight)
            return {OpKind::backward_input, op.stage, op.micro_batch};
        if (!forward_done_[cell(op)])
            return {OpKind::forward, op.stage, op.micro_batch};
        return map_.last(op.stage) ? nothing : Op{OpKind::backward_input, op.stage + 1, op.micro_batch};
    }

    bool is_done(const Op& op) const
    {
        return op.kind == OpKind::forward ? forward_done_[cell(op)] != 0 : backward_done_[cell(op)] != 0;
    }

    bool ready(const Op& op) const
    {
        const Op needed = waits_for(op);
        return needed.stage < 0 || is_done(needed);
    }

    /// Runs without times: whatever cannot start when nothing moves any more is a deadlock. A pair starts as one.
    void run()
    {
        forward_done_.assign(forward_.size(), 0);
        backward_done_.assign(forward_.size(), 0);
        next_.assign(at(map_.devices), 0);
        for (bool moved = true; moved;) {
            moved = false;
            for (int d = 0; d < map_.devices; ++d) {
                const auto& ops = order_[at(d)];
                auto& i = next_[at(d)];
                while (i < ops.size() && ready(ops[i]) && (!ops[i].paired || ready(ops[i + 1]))) {
                    const std::size_t end = i + (ops[i].paired ? 2 : 1);
                    for (; i < end; ++i) {
                        if (ops[i].kind == OpKind::forward)
                            forward_done_[cell(ops[i])] = 1;
                        else if (ops[i].kind != OpKind::backward_weight)
                            backward_done_[cell(ops[i])] = 1;
                    }
                    moved = true;
                }
            }
        }
        for (int d = 0; d < map_.devices; ++d) {
            if (next_[at(d)] < order_[at(d)].size()) {
                name_cycle(d);
                return;
            }
        }
    }

    const Op& stuck(int device) const
    {
        const auto& ops = order_[at(device)];
        const Op& op = ops[next_[at(device)]];
        return op.paired && ready(op) ? ops[next_[at(device)] + 1] : op;
    }

    /// Every stuck device waits for an op that stands behind another stuck device's: following that must come round.
    void name_cycle(int device)
    {
        std::vector<int> path;
        while (std::find(path.begin(), path.end(), device) == path.end()) {
            path.push_back(device);
            device = map_.device(waits_for(stuck(device)).stage);
        }
        path.erase(path.begin(), std::find(path.begin(), path.end(), device));
        std::string sentence = "deadlock: ";
        for (std::size_t i = 0; i < path.size(); ++i) {
            const Op& held = stuck(path[i]);
            const Op& needed = waits_for(held);
            sentence += (i > 0 ? "; " : "") + std::string("device ") + std::to_string(path[i]) + " waits at " + phrase(held)
                        + " for " + phrase_in_order(needed);
            const int owner = map_.device(needed.stage);
            sentence += ", which stands behind " + phrase(stuck(owner)) + " on device " + std::to_string(owner);
        }
        faults_.push_back(sentence);
    }

    const OpOrder& order_;
    const StageMap& map_;
    const int micro_batches_;
    std::vector<int> forward_, input_, weight_;  ///< how often, by [stage][micro-batch]
    std::vector<char> whole_;                    ///< the backward is not split
    bool backward_seen_ = false;
    std::vector<char> forward_done_, backward_done_;
    std::vector<std::size_t> next_;
    std::vector<std::string> faults_;
};

}  // namespace

std::vector<std::string> check(const OpOrder& order, const StageMap& map, int micro_batches)
{
    return Checker(order, map, micro_batches).faults();
}

std::vector<std::string> check(const OpOrder& order, int micro_batches)
{
    return check(order, straight_map(static_cast<int>(order.size())), micro_batches);
}

}  // namespace nnpiper
