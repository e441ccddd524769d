// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/planners/planner.h"

#include "core/base/error.h"
#include "core/planners/baselines.h"
#include "core/planners/nn_piper.h"

namespace nnpiper {

const std::vector<PlannerEntry>& planner_registry()
{
    static const std::vector<PlannerEntry> entries{
        {"nn-piper", "NN-Piper", "A network names the device orders; split, polish and search use the rest of the time.",
         "Reconstruction of NN-Piper (only its abstract is public)",
         "", "", plan_nn_piper, true, true},
        {"nn-piper-raw", "NN-Piper, raw answer", "The network's greedy answer alone: devices and layers, no search.",
         "Reconstruction of NN-Piper (only its abstract is public)",
         "", "replicas", plan_nn_piper_raw},
        {"nn-piper-no-network", "Same procedure, no network",
         "The ablation: heuristic and random device orders in place of the network's.", "Ours",
         "", "", plan_nn_piper_no_network, true, true},
        {"local-search", "Local search", "Restart local search and cool annealing over the throttle-aware split.", "Ours",
         "", "", plan_local_search, true, true},
        {"annealing", "Simulated annealing", "One walk from the best heuristic plan that cools down over the whole time.",
         "Kirkpatrick et al., Science 1983",
         "", "", plan_annealing, true, true},
        {"exact", "Exact", "Branch and bound, optimal for the simulated makespan; proves small problems.", "Ours",
         "", "replicas",
         plan_exact},
        {"subset-dp", "Subset DP", "Dynamic programme over device subsets, optimal for the closed form.",
         "Ours, after Held and Karp 1962",
         "", "replicas", plan_subset_dp},
        {"pipeedge", "PipeEdge", "Dynamic programme over how many devices of each kind are used; least bottleneck.",
         "Hu et al., PipeEdge, DSD 2022, for training instead of inference",
         "one link between any two kinds of device", "replicas, locks", plan_pipeedge},
        {"pipedream", "PipeDream", "Split and replication for equal devices.", "Narayanan et al., PipeDream, SOSP 2019",
         "equal devices, one bandwidth, enough memory", "locks",
         plan_pipedream},
        {"dapple", "DAPPLE", "Split, replication and placement on fresh, open or scattered nodes; shortest iteration.",
         "Fan et al., DAPPLE, PPoPP 2021", "equal devices, one bandwidth inside nodes and one between, enough memory", "locks", plan_dapple},
        {"piper", "Piper", "Least largest load over splits, replicas, tensor parallelism and recompute, within memory.",
         "Tarnawski et al., Piper, NeurIPS 2021", "equal devices, one bandwidth", "locks", plan_piper, true},
        {"alpa", "Alpa", "Shortest pipeline over submeshes of power-of-two size or whole nodes, within memory.",
         "Zheng et al., Alpa, OSDI 2022 (inter-operator)", "equal devices, one bandwidth, free messages between stages", "locks", plan_alpa, true},
        {"spp", "SPP-like", "Devices in a row by minimum cuts, stages as runs of it, their number by list scheduling.",
         "After Luo et al., SPP, INFOCOM 2022",
         "equal devices, enough memory", "locks", plan_spp},
        {"amp", "AMP", "Every product of stages, replicas and tensor parallelism; layers cut for the sum and (M-1) maxima.",
         "Li et al., AMP, NeurIPS 2022",
         "equal devices, equal shares, enough memory", "stages of unequal width, locks", plan_amp, true},
        {"metis", "Metis", "Orders of types, groups of powers of two, replicas or tensor parallelism by memory.",
         "Um et al., Metis, ATC 2024",
         "", "idle devices, groups that are not powers of two, mixed orders of types, locks", plan_metis, true},
        {"memory-proportional", "Proportional to memory", "Layers in proportion to device memory, devices in the given order.",
         "Common practice",
         "speeds and links do not matter", "replicas, locks", plan_memory_proportional},
        {"greedy-speed", "Greedy by speed", "Layers in proportion to device speed, devices in the given order.",
         "Common practice",
         "links and memory do not matter", "replicas, locks", plan_greedy_speed},
        {"uniform", "Uniform (GPipe)", "Equal layer counts, devices in the given order.",
         "Huang et al., GPipe, NeurIPS 2019",
         "equal devices, equal layers, enough memory", "replicas, locks", plan_uniform},
        {"fewer-devices", "Fewer devices", "The fastest devices alone, as many as pay; the others stay idle.", "Ours",
         "", "replicas, locks", plan_fewer_devices},
        {"data-parallel", "Data parallel", "One stage replicated on all devices, or on those of one type; shares by speed.",
         "Common practice",
         "", "pipelines, locks", plan_data_parallel, true},
    };
    return entries;
}

const PlannerEntry& find_planner(std::string_view name)
{
    std::string known;
    for (const PlannerEntry& entry : planner_registry()) {
        if (entry.name == name)
            return entry;
        known += (known.empty() ? "" : ", ") + entry.name;
    }
    throw Error("planner", "\"" + std::string(name) + "\" is not known", "allowed: " + known);
}

}  // namespace nnpiper
