// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/schedule/schedule.h"

#include "core/base/error.h"
#include "core/schedule/orders.h"

#include <algorithm>
#include <cstddef>

namespace nnpiper {

namespace {

void need_micro_batches(const ScheduleShape& shape, bool possible, const std::string& allowed)
{
    if (!possible)
        throw Error("micro-batches",
                    std::to_string(shape.micro_batches) + " on " + std::to_string(shape.devices)
                        + " devices are not possible with " + std::string(name_of(shape.kind)),
                    allowed);
}

void check_launch_counts(const ScheduleShape& shape)
{
    if (shape.launch_counts.empty())
        return;
    if (shape.kind != ScheduleKind::one_f_one_b && shape.kind != ScheduleKind::eager)
        throw Error("launch counts", std::string(name_of(shape.kind)) + " has none",
                    "1f1b and eager-1f1b take them");
    if (static_cast<int>(shape.launch_counts.size()) != shape.devices)
        throw Error("launch counts", "there are " + std::to_string(shape.launch_counts.size()),
                    "one a stage, " + std::to_string(shape.devices));
    for (std::size_t s = 0; s < shape.launch_counts.size(); ++s) {
        if (shape.launch_counts[s] < 1)
            throw Error("launch counts", "stage " + std::to_string(s) + " has " + std::to_string(shape.launch_counts[s]),
                        "at least 1");
        if (s > 0 && shape.launch_counts[s] > shape.launch_counts[s - 1])
            throw Error("launch counts",
                        "stage " + std::to_string(s) + " waits for " + std::to_string(shape.launch_counts[s])
                            + " forwards and stage " + std::to_string(s - 1) + " starts only "
                            + std::to_string(shape.launch_counts[s - 1]) + " before its first backward",
                        "no stage may launch more than the one before it, or both wait for ever");
    }
}

}  // namespace

void check(const ScheduleShape& shape)
{
    if (shape.devices < 1)
        throw Error("stages", std::to_string(shape.devices) + " are not possible", "at least 1");
    if (shape.micro_batches < 1)
        throw Error("micro-batches", std::to_string(shape.micro_batches) + " are not possible", "at least 1");
    stage_map(shape.kind, shape.devices, shape.chunks);
    check_launch_counts(shape);
    if (shape.rounds < 1
        || (shape.rounds > 1 && shape.kind != ScheduleKind::pipedream_2bw && shape.kind != ScheduleKind::decode))
        throw Error("rounds", std::to_string(shape.rounds) + " are not possible with " + std::string(name_of(shape.kind)),
                    "1, or more batches of pipedream-2bw and tokens of decode");
    const int p = shape.devices;
    const int m = shape.micro_batches;
    switch (shape.kind) {
    case ScheduleKind::interleaved:
        need_micro_batches(shape, shape.chunks == 1 || m % p == 0, "a multiple of the devices");
        break;
    case ScheduleKind::pipedream_2bw:
        need_micro_batches(shape, m >= p, "at least one a stage, so that two weight versions are enough");
        break;
    case ScheduleKind::chimera:
    case ScheduleKind::dualpipe:
        if (p % 2 != 0)
            throw Error("stages", std::to_string(p) + " are not possible with " + std::string(name_of(shape.kind)),
                        "an even number, since the two directions share the devices");
        need_micro_batches(shape, m % 2 == 0, "an even number, half in each direction");
        if (shape.kind == ScheduleKind::dualpipe)
            need_micro_batches(shape, m >= 2 * p, "at least " + std::to_string(2 * p) + ", two a device");
        break;
    case ScheduleKind::dualpipe_v:
        need_micro_batches(shape, m >= 2 * p, "at least " + std::to_string(2 * p) + ", two a device");
        break;
    default: break;
    }
}

OpOrder op_order(const ScheduleShape& shape)
{
    check(shape);
    const int p = shape.devices;
    const int m = shape.all_micro_batches();
    const StageMap map = stage_map(shape.kind, p, shape.chunks);
    switch (shape.kind) {
    case ScheduleKind::gpipe: return gpipe_order(p, m);
    case ScheduleKind::one_f_one_b:
    case ScheduleKind::eager:
        return launch_order(shape.launch_counts.empty() ? default_launch_counts(shape.kind, p) : shape.launch_counts, m);
    case ScheduleKind::pipedream_2bw: return launch_order(default_launch_counts(ScheduleKind::one_f_one_b, p), m);
    case ScheduleKind::interleaved: return interleaved_order(map, m);
    case ScheduleKind::zb_h1: return zb_h1_order(p, m);
    case ScheduleKind::zb_h2: return zb_h2_order(p, m);
    case ScheduleKind::zb_v: return zb_v_order(map, m);
    case ScheduleKind::chimera: return chimera_order(map, m);
    case ScheduleKind::dualpipe: return dualpipe_order(map, m);
    case ScheduleKind::dualpipe_v: return dualpipe_v_order(map, m);
    case ScheduleKind::hanayo: return hanayo_order(map, m);
    case ScheduleKind::prefill:
    case ScheduleKind::decode: return forward_order(p, m);
    case ScheduleKind::zb_auto:
    case ScheduleKind::custom: break;
    }
    throw Error("schedule", std::string(name_of(shape.kind)) + " has no static order");
}

OpOrder op_order(ScheduleKind kind, int stages, int micro_batches)
{
    ScheduleShape shape;
    shape.kind = kind;
    shape.devices = stages;
    shape.micro_batches = micro_batches;
    return op_order(shape);
}

MicroBatchRange micro_batches_of_chain(const StageMap& map, int chain, int micro_batches)
{
    if (map.chains == 1)
        return {0, micro_batches};
    const int half = micro_batches / 2;
    return chain == 0 ? MicroBatchRange{0, half} : MicroBatchRange{half, micro_batches};
}

std::vector<int> peak_in_flight(const OpOrder& order)
{
    std::vector<int> peaks;
    for (const auto& ops : order) {
        int held = 0;
        int peak = 0;
        for (const Op& op : ops) {
            if (op.kind == OpKind::forward)
                peak = std::max(peak, ++held);
            else if (op.kind != OpKind::backward_input)
                --held;
        }
        peaks.push_back(peak);
    }
    return peaks;
}

int peak_in_flight(ScheduleKind kind, int stages, int micro_batches, int stage)
{
    switch (kind) {
    case ScheduleKind::gpipe: return micro_batches;
    case ScheduleKind::eager: return std::min(micro_batches, 2 * (stages - stage) - 1);
    case ScheduleKind::zb_h1: return std::min(micro_batches, stages);
    case ScheduleKind::zb_h2: return std::min(micro_batches, 2 * stages - 1);
    default: return std::min(micro_batches, stages - stage);
    }
}

const std::vector<ScheduleEntry>& schedule_catalog()
{
    using Kind = ScheduleKind;
    static const std::vector<ScheduleEntry> entries{
        {Kind::gpipe, "gpipe", "GPipe", "Huang et al., GPipe, NeurIPS 2019",
         "All forwards, then all backwards in reverse order; every stage keeps all micro-batches."},
        {Kind::one_f_one_b, "1f1b", "1F1B", "Narayanan et al., PipeDream-Flush (Megatron-LM), SC 2021",
         "Warm-up forwards, then one forward and one backward in turn; stage s keeps at most p - s micro-batches."},
        {Kind::eager, "eager-1f1b", "Eager 1F1B", "Zhuang et al., On Optimizing the Communication of Model Parallelism, MLSys 2023",
         "1F1B with 2 (p - s) - 2 warm-up forwards, which hides link delay for more memory; launch counts can be chosen."},
        {Kind::interleaved, "interleaved-1f1b", "Interleaved 1F1B", "Narayanan et al., SC 2021",
         "Every device holds several chunks of the model, round and round; the bubble shrinks by their number."},
        {Kind::zb_h1, "zb-h1", "ZB-H1", "Qi et al., Zero Bubble Pipeline Parallelism, ICLR 2024",
         "Backward split in two; weight gradients fill the drain at the memory of 1F1B."},
        {Kind::zb_h2, "zb-h2", "ZB-H2", "Qi et al., ICLR 2024",
         "More warm-up forwards and split backwards leave no bubble inside a device's span, for twice the memory."},
        {Kind::zb_v, "zb-v", "ZB-V", "Qi et al., Pipeline Parallelism with Controllable Memory, 2024",
         "Two chunks a device, down and up again: no bubble at the memory of 1F1B when the three parts are equal."},
        {Kind::zb_auto, "zb-auto", "ZB auto", "after Qi et al., ICLR 2024; the search is ours",
         "Split backwards in the best order found for the given times and memory; never worse than 1F1B, ZB-H1, ZB-H2."},
        {Kind::chimera, "chimera", "Chimera", "Li and Hoefler, Chimera, SC 2021",
         "Two pipelines in opposite directions over the same devices; weights are held twice."},
        {Kind::dualpipe, "dualpipe", "DualPipe", "DeepSeek-AI, DeepSeek-V3 Technical Report, 2024",
         "Bidirectional with forward and backward of the two directions overlapped; weights are held twice."},
        {Kind::dualpipe_v, "dualpipe-v", "DualPipeV", "DeepSeek-AI, DualPipe repository, 2025",
         "DualPipe folded into a V: two chunks a device, weights held once."},
        {Kind::hanayo, "hanayo", "Hanayo", "Liu et al., Hanayo, SC 2023; the order is ours (greedy)",
         "Chunks in waves over the devices; backward first, then the deepest chunk that is ready."},
        {Kind::pipedream_2bw, "pipedream-2bw", "PipeDream-2BW", "Narayanan et al., Memory-Efficient Pipeline-Parallel DNN Training, ICML 2021",
         "1F1B without a flush between batches: no bubble in the long run, two weight versions."},
        {Kind::prefill, "prefill", "Prefill", "forward passes of inference",
         "Forward only: the prompt goes through the stages in micro-batches."},
        {Kind::decode, "decode", "Decode", "token by token inference",
         "Forward only: every group of sequences returns to the first stage for its next token."},
        {Kind::custom, "custom", "Custom order", "yours",
         "Your own op lists from a CSV file, checked for missing ops and deadlock."},
    };
    return entries;
}

}  // namespace nnpiper
