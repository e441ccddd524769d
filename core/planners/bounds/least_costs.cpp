// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/planners/bounds/least_costs.h"

#include "core/planners/literature/ordered_links.h"
#include "core/problem/group_costs.h"
#include "core/schedule/schedule.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <limits>
#include <numeric>
#include <set>
#include <tuple>

namespace nnpiper {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

std::size_t at(int index)
{
    return static_cast<std::size_t>(index);
}

bool is_whole(ScheduleKind schedule)
{
    return schedule == ScheduleKind::one_f_one_b || schedule == ScheduleKind::gpipe || schedule == ScheduleKind::eager;
}

bool is_split_chain(ScheduleKind schedule)
{
    return schedule == ScheduleKind::zb_h1 || schedule == ScheduleKind::zb_h2 || schedule == ScheduleKind::zb_auto;
}

double passes_s(const Variant& v, int layer, int device)
{
    return v.forward_s(layer, device) + v.backward_input_s(layer, device) + v.backward_weight_s(layer, device);
}

/// Variants whose times a plan of this size may use: its own, and smaller ones for the shares of replicas.
std::vector<const Variant*> priced_by(const Problem& problem, const PlanSize& size)
{
    std::vector<const Variant*> variants;
    for (const Variant& variant : problem.variants) {
        if (variant.micro_batch_samples == size.samples
            || (problem.replicas_allowed() && variant.micro_batch_samples < size.samples))
            variants.push_back(&variant);
    }
    return variants;
}

/// Least bytes that a single device with a layer needs under any policy.
double least_bytes(const Problem& problem, const std::vector<const Variant*>& variants, ScheduleKind schedule, int layer)
{
    double stored = infinite;
    for (const Variant* variant : variants)
        stored = std::min(stored, variant->stored_bytes[at(layer)]);
    const double held = schedule == ScheduleKind::gpipe ? variants.front()->micro_batches : 1;
    return problem.state_bytes[at(layer)] + held * stored;
}

/// A boundary between two devices, at the cut where that is least.
struct Exchange {
    double both_s = infinite;        ///< there and back
    double occupancy_s = infinite;   ///< of the channel that is busier
    double latency_s = 0;            ///< of both
};

Exchange exchange_of(const Problem& problem, const std::set<double>& sizes, int a, int b)
{
    Exchange least;
    for (const double bytes : sizes) {
        const double forth = bandwidth_of(problem, a, b, bytes);
        const double back = bandwidth_of(problem, b, a, bytes);
        if (forth > 0 && back > 0) {
            least.both_s = std::min(least.both_s, bytes / forth + bytes / back);
            least.occupancy_s = std::min(least.occupancy_s, std::max(bytes / forth, bytes / back));
        }
        if (problem.routes.speed.empty())
            break;  // the smallest message is the fastest
    }
    least.latency_s = problem.latency_s(a, b) + problem.latency_s(b, a);
    least.both_s += least.latency_s;
    return least;
}

/// Boundaries that no chain of S of the devices can do without. Edges below a weight leave components of devices; a chain
/// over S devices meets at least as many of them as the largest need to hold S, and passes a heavier edge between two.
void add_boundaries(std::vector<std::vector<double>>& boundaries, std::vector<std::tuple<double, int, int>> edges, int devices)
{
    boundaries.assign(at(devices + 1), {});
    std::vector<int> parent(at(devices)), size(at(devices), 1);
    std::iota(parent.begin(), parent.end(), 0);
    const auto root = [&](int v) {
        while (parent[at(v)] != v)
            v = parent[at(v)] = parent[at(parent[at(v)])];
        return v;
    };
    std::vector<int> sizes(at(devices), 1);   // of the components, largest first
    const auto tell = [&](double weight) {
        // Every boundary that is needed between these components weighs at least this much.
        int covered = 0, components = 0;
        for (int stages = 1; stages <= devices; ++stages) {
            while (covered < stages)
                covered += sizes[at(components++)];
            auto& known = boundaries[at(stages)];
            for (int i = 0; i < components - 1; ++i) {
                if (at(i) < known.size())
                    known[at(i)] = weight;
                else
                    known.push_back(weight);
            }
        }
    };
    std::sort(edges.begin(), edges.end());
    std::size_t i = 0;
    while (true) {
        if (sizes.size() < 2)
            return;
        // The lightest edge that joins two components.
        while (i < edges.size() && root(std::get<1>(edges[i])) == root(std::get<2>(edges[i])))
            ++i;
        tell(i < edges.size() ? std::get<0>(edges[i]) : infinite);
        if (i == edges.size())
            return;
        const int a = root(std::get<1>(edges[i])), b = root(std::get<2>(edges[i]));
        sizes.erase(std::find(sizes.begin(), sizes.end(), size[at(a)]));
        sizes.erase(std::find(sizes.begin(), sizes.end(), size[at(b)]));
        parent[at(a)] = b;
        size[at(b)] += size[at(a)];
        sizes.insert(std::lower_bound(sizes.begin(), sizes.end(), size[at(b)], std::greater<>()), size[at(b)]);
    }
}

/// Infinite from where even the largest devices together cannot hold the model.
void forbid_by_memory(LeastCosts& costs, const Problem& problem, const std::vector<const Variant*>& variants,
                      ScheduleKind schedule, const std::vector<int>& devices)
{
    double needed = 0;
    for (int l = 0; l < problem.layers(); ++l)
        needed += least_bytes(problem, variants, schedule, l);
    std::vector<double> capacity;
    for (const int d : devices)
        capacity.push_back(problem.device_memory_bytes[at(d)]);
    std::sort(capacity.rbegin(), capacity.rend());
    double together = 0;
    for (std::size_t s = 1; s <= devices.size(); ++s) {
        together += capacity[s - 1];
        if (needed > together * (1 + 1e-9))
            costs.transfers[s] = infinite;
    }
}

}  // namespace

std::vector<PlanSize> open_sizes(const Problem& problem)
{
    const Variant& wanted = problem.variants[at(problem.default_variant)];
    std::vector<PlanSize> sizes;
    for (const Variant& variant : problem.variants) {
        const bool open = problem.micro_batch_free || variant.micro_batch_samples == wanted.micro_batch_samples;
        const bool known = std::any_of(sizes.begin(), sizes.end(), [&](const PlanSize& size) {
            return size.samples == variant.micro_batch_samples;
        });
        if (open && !known)
            sizes.push_back({variant.micro_batch_samples, variant.micro_batches});
    }
    return sizes;
}

bool only_single_devices(const Problem& problem)
{
    return !problem.replicas_allowed()
           && std::all_of(problem.variants.begin(), problem.variants.end(),
                          [](const Variant& variant) { return variant.tensor_parallel == 1; });
}

void add_transfers(LeastCosts& costs, const Problem& problem, const Variant& variant, const std::vector<int>& devices)
{
    const std::set<double> sizes(variant.output_bytes.begin(), variant.output_bytes.end() - 1);
    std::vector<std::tuple<double, int, int>> exchanges, occupancies;
    double latency = infinite;
    for (std::size_t i = 0; i < devices.size(); ++i) {
        for (std::size_t j = i + 1; j < devices.size(); ++j) {
            const Exchange exchange = exchange_of(problem, sizes, devices[i], devices[j]);
            if (!(exchange.both_s < infinite))
                continue;
            exchanges.emplace_back(exchange.both_s, static_cast<int>(i), static_cast<int>(j));
            occupancies.emplace_back(exchange.occupancy_s, static_cast<int>(i), static_cast<int>(j));
            latency = std::min(latency, exchange.latency_s);
        }
    }
    const auto count = devices.size();
    costs.transfers.assign(count + 1, 0);
    costs.largest_transfer.assign(count + 1, 0);
    costs.largest_occupancy.assign(count + 1, 0);
    if (!costs.single_devices) {
        // The ports of both groups share the bytes.
        costs.transfer = latency;
        for (std::size_t s = 2; s <= count; ++s) {
            costs.transfers[s] = static_cast<double>(s - 1) * latency;
            costs.largest_transfer[s] = latency;
        }
        return;
    }
    std::vector<std::vector<double>> boundaries;
    add_boundaries(boundaries, std::move(occupancies), costs.devices);
    for (std::size_t s = 2; s <= count; ++s)
        costs.largest_occupancy[s] = boundaries[s].front();
    add_boundaries(boundaries, std::move(exchanges), costs.devices);
    for (std::size_t s = 2; s <= count; ++s) {
        costs.transfers[s] = std::accumulate(boundaries[s].begin(), boundaries[s].end(), 0.0);
        costs.largest_transfer[s] = boundaries[s].front();
        costs.transfer = boundaries[s].back();   // the lightest edge of all
    }
}

LeastCosts least_costs(const Problem& problem, const PlanSize& size, ScheduleKind schedule)
{
    const std::vector<int> devices = given_order(problem);
    const std::vector<const Variant*> variants = priced_by(problem, size);
    LeastCosts costs;
    costs.devices = static_cast<int>(devices.size());
    costs.micro_batches = size.micro_batches;
    costs.single_devices = only_single_devices(problem);
    const bool one_stage_a_device = is_whole(schedule) || is_split_chain(schedule);
    const bool sized = costs.single_devices && one_stage_a_device;
    std::vector<double> row(devices.size());
    for (int l = 0; l < problem.layers(); ++l) {
        double pass = infinite;
        for (std::size_t i = 0; i < devices.size(); ++i) {
            row[i] = infinite;
            for (const Variant* v : variants) {
                const double seconds = passes_s(*v, l, devices[i]);
                const double part = static_cast<double>(size.samples) / v->micro_batch_samples;
                row[i] = std::min(row[i], v->tensor_parallel * part * seconds);
                const double alone = is_whole(schedule) ? seconds : seconds - v->backward_weight_s(l, devices[i]);
                pass = std::min(pass, problem.replicas_allowed() ? alone / v->micro_batch_samples : alone);
            }
            if (sized
                && least_bytes(problem, variants, schedule, l)
                       > problem.device_memory_bytes[at(devices[i])] * (1 + 1e-9))
                row[i] = infinite;
        }
        const bool repeats = !costs.count.empty() && costs.pass.back() == pass
                             && std::equal(row.begin(), row.end(), costs.row(costs.rows() - 1).begin());
        if (repeats) {
            ++costs.count.back();
            continue;
        }
        costs.time.insert(costs.time.end(), row.begin(), row.end());
        costs.count.push_back(1);
        costs.pass.push_back(pass);
    }
    if (one_stage_a_device) {
        // Output bytes are the same for every degree and policy.
        add_transfers(costs, problem, *variants.front(), devices);
        if (sized)
            forbid_by_memory(costs, problem, variants, schedule, devices);
    }
    return costs;
}

ForwardPart forward_part(const Problem& problem)
{
    ForwardPart part{1, 0};
    for (const Variant& variant : problem.variants) {
        // What a tensor-parallel group exchanges adds to either pass.
        if (variant.tensor_parallel > 1)
            return {};
        for (int l = 0; l < problem.layers(); ++l) {
            for (int d = 0; d < problem.devices(); ++d) {
                const double seconds = passes_s(variant, l, d);
                if (seconds > 0) {
                    part.least = std::min(part.least, variant.forward_s(l, d) / seconds);
                    part.most = std::max(part.most, variant.forward_s(l, d) / seconds);
                }
            }
        }
    }
    return part;
}

ScheduleRules schedule_rules(const ForwardPart& forward, ScheduleKind schedule, int stages, int micro_batches)
{
    ScheduleRules rules;
    if (is_split_chain(schedule))
        rules.fill = forward.least;
    if (!is_whole(schedule))
        return rules;
    rules.fill = 1;
    rules.round_trip = true;
    for (int s = 0; s < stages; ++s) {
        const int launched = schedule == ScheduleKind::gpipe ? 1 : peak_in_flight(schedule, stages, micro_batches, s);
        rules.remaining.push_back(std::max(0.0, micro_batches - 1 - (launched - 1) * forward.most));
    }
    if (schedule == ScheduleKind::one_f_one_b) {
        const int launched = std::min(micro_batches, stages);
        rules.rounds = (micro_batches + launched - 1) / launched;
        rules.boundary_rounds = (micro_batches - std::min(micro_batches, std::max(1, stages - 1))) / 2 + 1;
    }
    return rules;
}

}  // namespace nnpiper
