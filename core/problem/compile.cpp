// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/problem/compile.h"

#include "core/base/error.h"
#include "core/cluster/routes.h"
#include "core/problem/cost_model.h"

#include <algorithm>
#include <array>
#include <limits>

namespace nnpiper {

namespace {

constexpr int largest_free_micro_batch = 16;
constexpr std::array policies = {Recompute::none, Recompute::selective, Recompute::full};

/// A device as the cost model sees it.
struct PricedDevice {
    double flop_per_s = 0;
    double bytes_per_s = 0;
};

std::vector<PricedDevice> priced_devices(const Project& project)
{
    std::vector<PricedDevice> priced;
    for (std::size_t i = 0; i < project.cluster.devices.size(); ++i) {
        const Device& device = project.cluster.devices[i];
        const auto rate = matrix_rate(device.spec, project.job.precision);
        if (!rate) {
            std::string has;
            for (const auto& [precision, peak] : device.spec.peak_flop_per_s)
                has += (has.empty() ? "" : ", ") + precision;
            throw Error("/cluster/devices/" + std::to_string(i) + "/peak_flop_per_s",
                        "device \"" + device.id + "\"" + (device.spec.type.empty() ? "" : " (" + device.spec.type + ")")
                            + " has no rate usable for " + project.job.precision,
                        has.empty() ? "no rate of it is known: enter one" : "it has " + has);
        }
        priced.push_back({rate->flop_per_s * device.speed_factor,
                          device.spec.memory_bandwidth_bytes_per_s * device.spec.achieved_memory_fraction});
    }
    return priced;
}

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

std::vector<int> sizes_of(const Job& job)
{
    if (job.micro_batch)
        return {*job.micro_batch};
    std::vector<int> sizes;
    for (int size = 1; size <= largest_free_micro_batch && job.global_batch % size == 0; size *= 2)
        sizes.push_back(size);
    return sizes;
}

Variant variant_for(const std::vector<Layer>& layers, const Project& project, const std::vector<PricedDevice>& devices,
                    int size, Recompute recompute, const ParameterBytes& bytes)
{
    const int count = static_cast<int>(layers.size());
    const int width = static_cast<int>(devices.size());
    Variant variant;
    variant.micro_batch_samples = size;
    variant.micro_batches = project.job.global_batch / size;
    variant.recompute = recompute;
    variant.forward_s = Matrix(count, width);
    variant.backward_input_s = Matrix(count, width);
    variant.backward_weight_s = Matrix(count, width);
    LayerWork previous;
    for (int l = 0; l < count; ++l) {
        const LayerWork work = layer_work(layers[static_cast<std::size_t>(l)], project.job, recompute, size, bytes);
        variant.stored_bytes.push_back(work.stored_bytes);
        variant.transient_bytes.push_back(work.transient_bytes);
        variant.output_bytes.push_back(work.output_bytes);
        // Each stage at a boundary sends one of activation and gradient and receives the other.
        variant.buffer_bytes.push_back(2 * work.output_bytes);
        // Blocks of one kind cost the same: price the first one only.
        const bool repeats = l > 0 && work == previous;
        previous = work;
        for (int d = 0; d < width; ++d) {
            if (repeats) {
                variant.forward_s(l, d) = variant.forward_s(l - 1, d);
                variant.backward_input_s(l, d) = variant.backward_input_s(l - 1, d);
                variant.backward_weight_s(l, d) = variant.backward_weight_s(l - 1, d);
                continue;
            }
            const PricedDevice& device = devices[static_cast<std::size_t>(d)];
            const auto seconds = [&](double flops, double moved) {
                return roofline_s(flops, moved, device.flop_per_s, device.bytes_per_s);
            };
            variant.forward_s(l, d) = seconds(work.forward_flops, work.forward_bytes) + seconds(0, work.loss_bytes);
            variant.backward_input_s(l, d) = seconds(work.backward_input_flops, work.backward_input_bytes)
                                             + seconds(work.recompute_flops, work.recompute_bytes);
            variant.backward_weight_s(l, d) = seconds(work.backward_weight_flops, work.backward_weight_bytes);
        }
    }
    return variant;
}

void add_variants(Problem& problem, const std::vector<Layer>& layers, const Project& project,
                  const ParameterBytes& bytes)
{
    const Job& job = project.job;
    const std::vector<PricedDevice> devices = priced_devices(project);
    // Four micro-batches a stage keep the bubble small (Huang et al. 2019): the largest size that leaves so many is
    // what a planner without a choice takes.
    const int stages = job.stages.value_or(std::min(problem.devices(), problem.layers()));
    const Recompute wanted = job.recompute.value_or(Recompute::none);
    for (const int size : sizes_of(job)) {
        for (const Recompute recompute : policies) {
            if (job.recompute && *job.recompute != recompute)
                continue;
            if (recompute == wanted && job.global_batch / size >= 4 * stages)
                problem.default_variant = static_cast<int>(problem.variants.size());
            problem.variants.push_back(variant_for(layers, project, devices, size, recompute, bytes));
        }
    }
    problem.micro_batch_free = !job.micro_batch;
    problem.recompute_free = !job.recompute;
}

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
    for (int from = 0; from < count; ++from) {
        for (int to = 0; to < count; ++to) {
            const Route& route = table[static_cast<std::size_t>(from)][static_cast<std::size_t>(to)];
            problem.bandwidth_bytes_per_s(from, to) = route.bandwidth_bytes_per_s;
            problem.latency_s(from, to) = route.latency_s;
        }
    }
}

void add_layers(Problem& problem, const std::vector<Layer>& layers, const Cluster& cluster, const ParameterBytes& bytes)
{
    problem.optimizer_s = Matrix(static_cast<int>(layers.size()), problem.devices());
    for (const Layer& layer : layers) {
        const int l = problem.layers();
        const double parameters = layer.parameters + layer.tied_parameters;
        problem.layer_names.push_back(layer.name);
        problem.state_bytes.push_back(parameters * bytes.state);
        problem.gradient_bytes.push_back(parameters * bytes.gradient);
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
    const ParameterBytes bytes = parameter_bytes(project.job.optimizer, project.job.precision);
    const std::vector<Layer> layers = layers_of(project.model, project.job.precision);
    check_job(project, static_cast<int>(layers.size()));

    Problem problem;
    problem.name = project.name;
    add_devices(problem, project.cluster);
    add_layers(problem, layers, project.cluster, bytes);
    add_variants(problem, layers, project, bytes);
    problem.fixed_step_s = project.job.fixed_step_s;
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
    const Recompute wanted = problem.variants[static_cast<std::size_t>(problem.default_variant)].recompute;
    int chosen = -1;
    std::vector<int> possible;
    for (std::size_t i = 0; i < problem.variants.size(); ++i) {
        const Variant& variant = problem.variants[i];
        possible.push_back(variant.micro_batches);
        if (variant.micro_batches == micro_batches && (chosen < 0 || variant.recompute == wanted))
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
