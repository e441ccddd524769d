// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/planners/groups/units.h"

#include "core/base/error.h"
#include "core/problem/group_costs.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>

namespace nnpiper {

namespace {

std::size_t at(int i)
{
    return static_cast<std::size_t>(i);
}

bool names(const Lock& lock, const std::string& id)
{
    return std::find(lock.devices.begin(), lock.devices.end(), id) != lock.devices.end();
}

/// First lock that puts the device somewhere; -1 without.
int lock_of(const Problem& problem, int device)
{
    for (std::size_t i = 0; i < problem.locks.size(); ++i) {
        if (!problem.locks[i].idle && names(problem.locks[i], problem.device_ids[at(device)]))
            return static_cast<int>(i);
    }
    return -1;
}

class Grouping {
public:
    Grouping(const Problem& problem, int degree)
        : problem_(problem)
        , degree_(degree)
    {
        for (int d = 0; d < problem.devices(); ++d) {
            lock_.push_back(lock_of(problem, d));
            const bool idle = std::any_of(problem.locks.begin(), problem.locks.end(), [&](const Lock& lock) {
                return lock.idle && names(lock, problem.device_ids[at(d)]);
            });
            if (!idle)
                free_.push_back(d);
        }
        // Locked devices choose first.
        std::stable_sort(free_.begin(), free_.end(),
                         [&](int a, int b) { return lock_[at(a)] >= 0 && lock_[at(b)] < 0; });
    }

    std::vector<std::vector<int>> groups(bool inside_nodes) const
    {
        std::vector<std::vector<int>> result;
        std::vector<int> left = free_;
        while (!left.empty()) {
            std::vector<int> group{left.front()};
            left.erase(left.begin());
            while (static_cast<int>(group.size()) < degree_) {
                const auto next = nearest(group, left, inside_nodes);
                if (next == left.end())
                    break;
                group.push_back(*next);
                left.erase(next);
            }
            if (static_cast<int>(group.size()) == degree_) {
                std::sort(group.begin(), group.end());
                result.push_back(std::move(group));
            } else {
                left.insert(left.begin(), group.begin() + 1, group.end());
            }
        }
        std::sort(result.begin(), result.end());
        return result;
    }

private:
    std::vector<int>::iterator nearest(const std::vector<int>& group, std::vector<int>& left, bool inside_nodes) const
    {
        auto best = left.end();
        double best_bandwidth = 0;
        const int first = group.front();
        int lock = -1;
        for (const int member : group)
            lock = std::max(lock, lock_[at(member)]);
        for (auto candidate = left.begin(); candidate != left.end(); ++candidate) {
            const int d = *candidate;
            if (problem_.device_types[at(d)] != problem_.device_types[at(first)]
                || (inside_nodes && problem_.device_nodes[at(d)] != problem_.device_nodes[at(first)])
                || (lock >= 0 && lock_[at(d)] >= 0 && lock_[at(d)] != lock))
                continue;
            double bandwidth = std::numeric_limits<double>::infinity();
            for (const int member : group)
                bandwidth = std::min(
                    {bandwidth, problem_.bandwidth_bytes_per_s(member, d), problem_.bandwidth_bytes_per_s(d, member)});
            if (bandwidth > best_bandwidth) {
                best_bandwidth = bandwidth;
                best = candidate;
            }
        }
        return best;
    }

    const Problem& problem_;
    int degree_;
    std::vector<int> lock_;  ///< [device]
    std::vector<int> free_;
};

/// Seconds that each unit exchanges for a layer; layers alike are priced once.
std::vector<double> exchanged(const Problem& problem, const std::vector<int>& unit,
                              const std::vector<GroupTraffic>& traffic)
{
    std::vector<double> seconds;
    for (std::size_t l = 0; l < traffic.size(); ++l)
        seconds.push_back(l > 0 && traffic[l] == traffic[l - 1] ? seconds.back()
                                                                : traffic_s(problem, unit, traffic[l], 1));
    return seconds;
}

Variant unit_variant(const Problem& problem, const Variant& variant, const std::vector<std::vector<int>>& units)
{
    const int layers = problem.layers();
    const int count = static_cast<int>(units.size());
    Variant result = variant;
    result.tensor_parallel = 1;
    result.forward_traffic.clear();
    result.backward_traffic.clear();
    result.forward_s = result.backward_input_s = result.backward_weight_s = Matrix(layers, count);
    for (int u = 0; u < count; ++u) {
        const auto& unit = units[at(u)];
        const auto forth = exchanged(problem, unit, variant.forward_traffic);
        const auto back = exchanged(problem, unit, variant.backward_traffic);
        for (int l = 0; l < layers; ++l) {
            double forward = 0, input = 0, weight = 0;
            for (const int d : unit) {
                forward = std::max(forward, variant.forward_s(l, d));
                if (variant.backward_input_s(l, d) + variant.backward_weight_s(l, d) > input + weight) {
                    input = variant.backward_input_s(l, d);
                    weight = variant.backward_weight_s(l, d);
                }
            }
            result.forward_s(l, u) = forward + (forth.empty() ? 0 : forth[at(l)]);
            result.backward_input_s(l, u) = input + (back.empty() ? 0 : back[at(l)]);
            result.backward_weight_s(l, u) = weight;
        }
    }
    return result;
}

/// Bytes per second from group to group, member i to member i, all at once: t times the slowest pair, and no more than
/// the links carry that several pairs pass.
double bandwidth_between(const Problem& problem, const std::vector<int>& from, const std::vector<int>& to, double bytes)
{
    const double pairs = static_cast<double>(from.size());
    double slowest = std::numeric_limits<double>::infinity();
    std::map<int, int> uses;
    for (std::size_t i = 0; i < from.size(); ++i) {
        slowest = std::min(slowest, bandwidth_of(problem, from[i], to[i], bytes / pairs));
        if (!problem.routes.empty()) {
            for (const int link : problem.routes.route(from[i], to[i], problem.devices()))
                ++uses[link];
        }
    }
    double total = pairs * slowest;
    for (const auto& [link, count] : uses)
        total = std::min(total, problem.routes.capacity_bytes_per_s[at(link)] * pairs / count);
    return total;
}

void add_units(Problem& reduced, const Problem& problem, const std::vector<std::vector<int>>& units,
               double message_bytes)
{
    const int count = static_cast<int>(units.size());
    for (const auto& unit : units) {
        const std::size_t first = at(unit.front());
        reduced.device_ids.push_back(problem.device_ids[first]);
        reduced.device_types.push_back(problem.device_types[first]);
        reduced.device_nodes.push_back(problem.device_nodes[first]);
        double memory = std::numeric_limits<double>::infinity();
        double price = 0;
        for (const int d : unit) {
            memory = std::min(memory, problem.device_memory_bytes[at(d)]);
            price += at(d) < problem.device_price_per_h.size() ? problem.device_price_per_h[at(d)]
                                                               : std::numeric_limits<double>::quiet_NaN();
        }
        reduced.device_memory_bytes.push_back(memory);
        reduced.device_price_per_h.push_back(price);
    }
    reduced.bandwidth_bytes_per_s = reduced.latency_s = Matrix(count, count);
    for (int u = 0; u < count; ++u) {
        for (int v = 0; v < count; ++v) {
            if (u == v)
                continue;
            reduced.bandwidth_bytes_per_s(u, v) = bandwidth_between(problem, units[at(u)], units[at(v)], message_bytes);
            for (std::size_t i = 0; i < units[at(u)].size(); ++i)
                reduced.latency_s(u, v) =
                    std::max(reduced.latency_s(u, v), problem.latency_s(units[at(u)][i], units[at(v)][i]));
        }
    }
}

/// State of a device, but gradients and weights as the group's t rings move them together over the groups' bandwidth.
void add_layers(Problem& reduced, const Problem& problem, int degree, const std::vector<std::vector<int>>& units)
{
    const int layers = problem.layers();
    const int count = static_cast<int>(units.size());
    const auto held_part = [&](const std::vector<double>& whole, double times) {
        std::vector<double> part;
        for (int l = 0; l < layers && !whole.empty(); ++l)
            part.push_back(times * problem.held_share(l, degree) * whole[at(l)]);
        return part;
    };
    reduced.layer_names = problem.layer_names;
    reduced.state_bytes = held_part(problem.state_bytes, 1);
    reduced.sharded_bytes = held_part(problem.sharded_bytes, 1);
    reduced.gradient_bytes = held_part(problem.gradient_bytes, degree);
    reduced.weight_bytes = held_part(problem.weight_bytes, degree);
    if (problem.optimizer_s.empty())
        return;
    reduced.optimizer_s = Matrix(layers, count);
    for (int l = 0; l < layers; ++l) {
        for (int u = 0; u < count; ++u) {
            for (const int d : units[at(u)])
                reduced.optimizer_s(l, u) =
                    std::max(reduced.optimizer_s(l, u), problem.held_share(l, degree) * problem.optimizer_s(l, d));
        }
    }
}

/// Locks name a unit wherever they name one of its members.
std::vector<Lock> unit_locks(const Problem& problem, const std::vector<std::vector<int>>& units)
{
    std::vector<Lock> locks;
    for (std::size_t i = 0; i < problem.locks.size(); ++i) {
        const Lock& lock = problem.locks[i];
        if (lock.idle)
            continue;
        Lock kept = lock;
        kept.devices.clear();
        for (const std::string& id : lock.devices) {
            const auto home = std::find_if(units.begin(), units.end(), [&](const std::vector<int>& unit) {
                return std::any_of(unit.begin(), unit.end(), [&](int d) { return problem.device_ids[at(d)] == id; });
            });
            if (home == units.end())
                throw Error("/locks/" + std::to_string(i),
                            "device \"" + id + "\" is left over when groups are made of devices of one type and node");
            const std::string& name = problem.device_ids[at(home->front())];
            if (std::find(kept.devices.begin(), kept.devices.end(), name) == kept.devices.end())
                kept.devices.push_back(name);
        }
        locks.push_back(std::move(kept));
    }
    return locks;
}

}  // namespace

std::vector<std::vector<int>> tensor_units(const Problem& problem, int degree)
{
    const Grouping grouping(problem, degree);
    auto units = grouping.groups(true);
    return units.empty() ? grouping.groups(false) : units;
}

UnitProblem unit_problem(const Problem& problem, int degree)
{
    const auto units = tensor_units(problem, degree);
    if (units.empty())
        throw Error("tensor_parallel", "no " + std::to_string(degree) + " devices of one type are joined by links",
                    "a degree that the devices can make groups of");
    UnitProblem result;
    result.degree = degree;
    Problem& reduced = result.problem;
    const Variant& usual = problem.variants[at(problem.default_variant)];
    bool priced = false;
    for (const Variant& variant : problem.variants) {
        if (variant.tensor_parallel != degree)
            continue;
        if (!priced
            || (variant.micro_batch_samples == usual.micro_batch_samples && variant.recompute == usual.recompute))
            reduced.default_variant = static_cast<int>(reduced.variants.size());
        priced = true;
        reduced.variants.push_back(unit_variant(problem, variant, units));
    }
    if (!priced)
        throw Error("tensor_parallel", "groups of " + std::to_string(degree) + " are not priced",
                    "a degree of the problem's variants");
    reduced.name = problem.name;
    const auto& messages = reduced.variants[at(reduced.default_variant)].output_bytes;
    add_units(reduced, problem, units, messages[messages.size() / 2]);
    add_layers(reduced, problem, degree, units);
    reduced.locks = unit_locks(problem, units);
    reduced.fixed_step_s = problem.fixed_step_s;
    reduced.blocking_transfers = problem.blocking_transfers;
    reduced.micro_batch_free = problem.micro_batch_free;
    reduced.recompute_free = problem.recompute_free;
    reduced.basis = problem.basis;
    reduced.samples_known = problem.samples_known;
    reduced.raw = problem.raw;
    reduced.stages = problem.stages;
    reduced.schedule = problem.schedule;
    reduced.objective = problem.objective;
    for (const auto& unit : units) {
        auto& members = result.members.emplace_back();
        for (const int d : unit)
            members.push_back(problem.device_ids[at(d)]);
    }
    return result;
}

Plan on_devices(const UnitProblem& units, Plan plan)
{
    for (Stage& stage : plan.stages) {
        std::vector<std::string> devices;
        for (const std::string& id : stage.devices) {
            const auto& members = units.members[at(units.problem.device_index(id))];
            devices.insert(devices.end(), members.begin(), members.end());
        }
        stage.devices = std::move(devices);
        stage.tensor_parallel = units.degree;
    }
    return plan;
}

std::vector<int> open_degrees(const Problem& problem)
{
    std::vector<int> degrees{problem.variants[at(problem.default_variant)].tensor_parallel};
    for (const Variant& variant : problem.variants) {
        if (problem.tensor_parallel_free
            && std::find(degrees.begin(), degrees.end(), variant.tensor_parallel) == degrees.end())
            degrees.push_back(variant.tensor_parallel);
    }
    return degrees;
}

}  // namespace nnpiper
