// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/problem/compile.h"

#include "core/base/error.h"
#include "core/cluster/routes.h"
#include "core/problem/cost_model.h"
#include "core/problem/variants.h"

#include <algorithm>
#include <limits>
#include <unordered_map>
#include <utility>

namespace nnpiper {

namespace {

void check_job(const Project& project, int layers)
{
    const Job& job = project.job;
    if (project.cluster.devices.empty())
        throw Error("/cluster/devices", "there is no device", "at least one is needed");
    if (job.global_batch < 1)
        throw Error("/job/global_batch", std::to_string(job.global_batch) + " is not possible",
                    "1 or more samples are expected");
    if (job.micro_batch) {
        const int size = *job.micro_batch;
        if (size < 1)
            throw Error("/job/micro_batch", std::to_string(size) + " is not possible",
                        "1 or more samples are expected");
        if (job.global_batch % size != 0)
            throw Error("/job/micro_batch", std::to_string(size) + " does not divide the global batch of "
                                                + std::to_string(job.global_batch));
    }
    if (job.stages && (*job.stages < 1 || *job.stages > layers))
        throw Error("/job/stages", std::to_string(*job.stages) + " stages are not possible",
                    "1 to " + std::to_string(layers) + ", the number of layers");
    if (job.zero_stage < 0 || job.zero_stage > 1)
        throw Error("/job/zero_stage", std::to_string(job.zero_stage) + " is not possible",
                    "0, or 1 for a distributed optimizer");
    if (!(job.fixed_step_s >= 0))
        throw Error("/job/fixed_step_s", "a negative time is not possible", "0 or more seconds are expected");
    for (std::size_t i = 0; i < job.locks.size(); ++i) {
        for (std::size_t k = 0; k < job.locks[i].devices.size(); ++k) {
            if (!find_device(project.cluster, job.locks[i].devices[k]))
                throw Error("/job/locks/" + std::to_string(i) + "/devices/" + std::to_string(k),
                            "device \"" + job.locks[i].devices[k] + "\" does not exist",
                            "the id of a device of the cluster is expected");
        }
    }
}

/// Names every directed link of the routes and lists the hops of every pair. A drawn link is one resource a direction;
/// a node's interconnect and its way to the network port are one a device and direction, as PCIe lanes and NVSwitch ports
/// are.
class RouteTableMaker {
public:
    explicit RouteTableMaker(const Cluster& cluster) : cluster_(cluster), devices_(cluster.devices) {}

    RouteTable make(const std::vector<std::vector<Route>>& table)
    {
        for (std::size_t from = 0; from < table.size(); ++from) {
            for (std::size_t to = 0; to < table.size(); ++to) {
                result_.begin.push_back(static_cast<int>(result_.hops.size()));
                for (const Hop& hop : table[from][to].hops)
                    add_hop(hop, devices_[from].id, devices_[to].id);
            }
        }
        result_.begin.push_back(static_cast<int>(result_.hops.size()));
        if (std::all_of(result_.speed.begin(), result_.speed.end(), [](const SpeedCurve& c) { return c.empty(); }))
            result_.speed.clear();
        return std::move(result_);
    }

private:
    void add_hop(const Hop& hop, const std::string& from, const std::string& to)
    {
        if (hop.resource.starts_with("interconnect:")) {
            add(hop, "interconnect out of " + from);
            add(hop, "interconnect into " + to);
        } else if (hop.resource.starts_with("host:")) {
            add(hop, hop.reverse ? "host port into " + to : "host port out of " + from);
        } else {
            add(hop, drawn(hop));
        }
    }

    /// A drawn link by the direction between its ends, with its id, since two links may have the same ends.
    std::string drawn(const Hop& hop) const
    {
        const Link& link = *find_link(cluster_, hop.resource.substr(hop.resource.find(':') + 1));
        return (hop.reverse ? link.to + " to " + link.from : link.from + " to " + link.to) + " (" + link.id + ")";
    }

    void add(const Hop& hop, const std::string& name)
    {
        const auto [entry, fresh] = known_.try_emplace(name, static_cast<int>(result_.links.size()));
        if (fresh) {
            result_.links.push_back(name);
            result_.capacity_bytes_per_s.push_back(hop.bandwidth_bytes_per_s);
            result_.speed.push_back(curve_of(hop.resource));
        }
        result_.hops.push_back(entry->second);
    }

    const SpeedCurve& curve_of(const std::string& resource) const
    {
        static const SpeedCurve flat;
        const std::string id = resource.substr(resource.find(':') + 1);
        if (resource.starts_with("link:"))
            return find_link(cluster_, id)->speed;
        return resource.starts_with("interconnect:") ? find_node(cluster_, id)->interconnect_speed : flat;
    }

    const Cluster& cluster_;
    const std::vector<Device>& devices_;
    std::unordered_map<std::string, int> known_;
    RouteTable result_;
};

void add_devices(Problem& problem, const Cluster& cluster)
{
    for (const Device& device : cluster.devices) {
        problem.device_ids.push_back(device.id);
        problem.device_types.push_back(device.spec.type);
        problem.device_nodes.push_back(device.node);
        problem.device_memory_bytes.push_back(device.spec.memory_bytes);
        problem.device_price_per_h.push_back(
            device.spec.price_dollars_per_h.value_or(std::numeric_limits<double>::quiet_NaN()));
    }
    const int count = problem.devices();
    problem.bandwidth_bytes_per_s = Matrix(count, count);
    problem.latency_s = Matrix(count, count);
    const auto table = routes(cluster);
    problem.routes = RouteTableMaker(cluster).make(table);
    for (int from = 0; from < count; ++from) {
        for (int to = 0; to < count; ++to) {
            const Route& route = table[static_cast<std::size_t>(from)][static_cast<std::size_t>(to)];
            problem.bandwidth_bytes_per_s(from, to) = route.bandwidth_bytes_per_s;
            problem.latency_s(from, to) = route.latency_s;
        }
    }
}

void add_layers(Problem& problem, const std::vector<Layer>& layers, const Project& project)
{
    const Cluster& cluster = project.cluster;
    const ParameterBytes bytes = parameter_bytes(project.job.optimizer, project.job.precision);
    problem.optimizer_s = Matrix(static_cast<int>(layers.size()), problem.devices());
    for (const Layer& layer : layers) {
        const int l = problem.layers();
        const double parameters = layer.parameters + layer.tied_parameters;
        problem.layer_names.push_back(layer.name);
        problem.state_bytes.push_back(parameters * bytes.state);
        problem.gradient_bytes.push_back(parameters * bytes.gradient);
        problem.weight_bytes.push_back(parameters * bytes.weight);
        if (project.job.zero_stage > 0)
            problem.sharded_bytes.push_back(parameters * bytes.sharded);
        problem.whole_fraction.push_back(whole_fraction(layer));
        for (int d = 0; d < problem.devices(); ++d) {
            const DeviceSpec& spec = cluster.devices[static_cast<std::size_t>(d)].spec;
            const double speed = spec.memory_bandwidth_bytes_per_s * spec.achieved_memory_fraction;
            problem.optimizer_s(l, d) = speed > 0 ? parameters * bytes.update_moved / speed : 0;
        }
    }
}

}  // namespace

Problem compile(const Project& project)
{
    check(project.cluster, "/cluster");
    parameter_bytes(project.job.optimizer, project.job.precision);  // refuses unknown ones first
    const std::vector<Layer> layers = layers_of(project.model, project.job.precision);
    check_job(project, static_cast<int>(layers.size()));

    Problem problem;
    problem.name = project.name;
    add_devices(problem, project.cluster);
    add_layers(problem, layers, project);
    add_variants(problem, layers, project);
    problem.fixed_step_s = project.job.fixed_step_s;
    problem.blocking_transfers = project.job.blocking_transfers;
    problem.stages = project.job.stages;
    problem.schedule = project.job.schedule;
    problem.objective = project.job.objective;
    problem.locks = project.job.locks;
    return problem;
}

Problem with_micro_batches(Problem problem, int micro_batches)
{
    if (micro_batches < 1)
        throw Error("micro-batches", std::to_string(micro_batches) + " is not possible", "1 or more are expected");
    if (problem.raw) {
        for (Variant& variant : problem.variants) {
            if (variant.micro_batches != micro_batches)
                problem.best_known.reset();
            variant.micro_batches = micro_batches;
        }
        return problem;
    }
    const Variant& wanted = problem.variants[static_cast<std::size_t>(problem.default_variant)];
    int chosen = -1;
    std::vector<int> possible;
    for (std::size_t i = 0; i < problem.variants.size(); ++i) {
        const Variant& variant = problem.variants[i];
        if (variant.tensor_parallel != wanted.tensor_parallel)
            continue;
        possible.push_back(variant.micro_batches);
        if (variant.micro_batches == micro_batches && (chosen < 0 || variant.recompute == wanted.recompute))
            chosen = static_cast<int>(i);
    }
    if (chosen < 0) {
        std::sort(possible.begin(), possible.end());
        possible.erase(std::unique(possible.begin(), possible.end()), possible.end());
        std::string list;
        for (const int number : possible)
            list += (list.empty() ? "" : ", ") + std::to_string(number);
        throw Error("micro-batches", std::to_string(micro_batches) + " is not possible with this global batch",
                    "possible are " + list);
    }
    problem.default_variant = chosen;
    problem.micro_batch_free = false;
    return problem;
}

}  // namespace nnpiper
