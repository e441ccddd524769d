// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/problem/variants.h"

#include "core/base/error.h"
#include "core/problem/profile.h"

#include <algorithm>
#include <array>

namespace nnpiper {

namespace {

/// A micro-batch must give every replica a sample, so on more devices larger ones are priced.
constexpr int largest_free_micro_batch = 16;
constexpr std::array policies = {Recompute::none, Recompute::selective, Recompute::full};

std::size_t at(int index)
{
    return static_cast<std::size_t>(index);
}

std::vector<DeviceRates> rates_of(const Project& project)
{
    std::vector<DeviceRates> all;
    for (std::size_t i = 0; i < project.cluster.devices.size(); ++i) {
        const Device& device = project.cluster.devices[i];
        const auto rates = device_rates(device, project.job.precision);
        if (!rates) {
            std::string has;
            for (const auto& [precision, peak] : device.spec.peak_flop_per_s)
                has += (has.empty() ? "" : ", ") + precision;
            throw Error("/cluster/devices/" + std::to_string(i) + "/peak_flop_per_s",
                        "device \"" + device.id + "\"" + (device.spec.type.empty() ? "" : " (" + device.spec.type + ")")
                            + " has no rate usable for " + project.job.precision,
                        has.empty() ? "no rate of it is known: enter one" : "it has " + has);
        }
        all.push_back(*rates);
    }
    return all;
}

std::vector<int> sizes_of(const Job& job, std::size_t devices)
{
    if (job.micro_batch)
        return {*job.micro_batch};
    const int largest = std::max(largest_free_micro_batch, static_cast<int>(devices));
    std::vector<int> sizes;
    for (int size = 1; size <= largest && job.global_batch % size == 0; size *= 2)
        sizes.push_back(size);
    return sizes;
}

/// What keeps a degree from splitting the model, empty when nothing does.
std::string obstacle(const Project& project, int degree)
{
    const Architecture& a = project.model.architecture;
    const auto divides = [&](int count) { return count % degree == 0; };
    if (!divides(a.heads))
        return "it does not divide the " + std::to_string(a.heads) + " heads";
    if (!divides(a.key_value_heads))
        return "it does not divide the " + std::to_string(a.key_value_heads) + " key and value heads";
    if (a.family == Family::clip && !divides(a.image_tower.heads))
        return "it does not divide the " + std::to_string(a.image_tower.heads) + " heads of the image tower";
    if (project.job.expert_parallel && has_experts(a.family) && !divides(a.experts))
        return "it does not divide the " + std::to_string(a.experts) + " experts";
    return {};
}

/// Measured times of every layer on every type of device for one degree.
class MeasuredLayers {
public:
    MeasuredLayers(const Project& project, const std::vector<Layer>& layers, int degree)
        : cluster_(project.cluster)
    {
        if (project.profile.empty())
            return;
        for (const Device& device : cluster_.devices) {
            std::vector<MeasuredLayer>& of_type = types_[device.spec.type];
            for (int l = 0; of_type.size() < layers.size(); ++l)
                of_type.push_back(measured_layer(project.profile, layers, l, device.spec.type, degree));
        }
    }

    /// nullptr where nobody measured.
    const MeasuredLayer* find(int layer, int device) const
    {
        const auto type = types_.find(cluster_.devices[at(device)].spec.type);
        if (type == types_.end() || type->second[at(layer)].empty())
            return nullptr;
        return &type->second[at(layer)];
    }

private:
    const Cluster& cluster_;
    std::map<std::string, std::vector<MeasuredLayer>> types_;
};

/// Seconds of a layer's passes on a device.
struct Times {
    double forward = 0;
    double backward_input = 0;
    double backward_weight = 0;
};

Times formula(const LayerWork& work, const DeviceRates& rates)
{
    Work loss;
    loss.bytes = work.loss_bytes;
    return {roofline_s(work.forward, rates) + roofline_s(loss, rates),
            roofline_s(work.backward_input, rates) + roofline_s(work.recompute, rates),
            roofline_s(work.backward_weight, rates)};
}

/// Measured times win; what they do not tell, the formula does: how a backward pass splits, and selective recompute.
Times measured(const MeasuredLayer& layer, const LayerWork& work, const DeviceRates& rates, LayerKind kind,
               const WorkSetting& setting, double speed_factor)
{
    const MeasuredTimes m = layer.at(setting.samples);
    const double recompute = roofline_s(work.recompute, rates);
    Times times{m.forward_s / speed_factor, 0, 0};
    const double input = roofline_s(work.backward_input, rates);
    const double both = input + roofline_s(work.backward_weight, rates);
    const double part = m.input_part.value_or(both > 0 ? input / both : 0.5);
    times.backward_input = part * m.backward_s / speed_factor;
    times.backward_weight = (1 - part) * m.backward_s / speed_factor;
    if (kind == LayerKind::block && setting.recompute == Recompute::full)
        times.backward_input += times.forward;
    else
        times.backward_input += recompute;
    return times;
}

class VariantMaker {
public:
    VariantMaker(const std::vector<Layer>& layers, const Project& project)
        : layers_(layers)
        , project_(project)
        , rates_(rates_of(project))
        , bytes_(parameter_bytes(project.job.optimizer, project.job.precision))
    {
    }

    Variant make(const WorkSetting& setting, const MeasuredLayers& profile) const
    {
        const int count = static_cast<int>(layers_.size());
        const int width = static_cast<int>(rates_.size());
        Variant variant;
        variant.micro_batch_samples = setting.samples;
        variant.micro_batches = project_.job.global_batch / setting.samples;
        variant.tensor_parallel = setting.tensor_parallel;
        variant.recompute = setting.recompute;
        variant.forward_s = Matrix(count, width);
        variant.backward_input_s = Matrix(count, width);
        variant.backward_weight_s = Matrix(count, width);
        LayerWork previous;
        for (int l = 0; l < count; ++l) {
            const LayerWork work = layer_work(layers_[at(l)], project_.job, setting, bytes_);
            variant.stored_bytes.push_back(work.stored_bytes);
            add_bytes(variant, work);
            // Blocks of one kind cost the same: price the first one only.
            const bool repeats = l > 0 && work == previous;
            previous = work;
            for (int d = 0; d < width; ++d) {
                Times times;
                if (const MeasuredLayer* found = profile.find(l, d)) {
                    times = measured(*found, work, rates_[at(d)], layers_[at(l)].kind, setting,
                                     project_.cluster.devices[at(d)].speed_factor);
                    if (setting.recompute == Recompute::none)
                        variant.stored_bytes.back() =
                            stored(*found, setting.samples, variant.stored_bytes.back(), d == 0);
                } else if (repeats && !profile.find(l - 1, d)) {
                    times = {variant.forward_s(l - 1, d), variant.backward_input_s(l - 1, d),
                             variant.backward_weight_s(l - 1, d)};
                } else {
                    times = formula(work, rates_[at(d)]);
                }
                variant.forward_s(l, d) = times.forward;
                variant.backward_input_s(l, d) = times.backward_input;
                variant.backward_weight_s(l, d) = times.backward_weight;
            }
        }
        return variant;
    }

private:
    /// The most that any type of device was seen to keep.
    static double stored(const MeasuredLayer& layer, int samples, double so_far, bool first)
    {
        const auto bytes = layer.at(samples).stored_bytes;
        return !bytes ? so_far : first ? *bytes : std::max(so_far, *bytes);
    }

    static void add_bytes(Variant& variant, const LayerWork& work)
    {
        variant.transient_bytes.push_back(work.transient_bytes);
        variant.output_bytes.push_back(work.output_bytes);
        variant.buffer_bytes.push_back(work.buffer_bytes);
        variant.carried_bytes.push_back(work.carried_bytes);
        if (variant.tensor_parallel > 1) {
            variant.forward_traffic.push_back(work.forward_traffic);
            variant.backward_traffic.push_back(work.backward_traffic);
        }
    }

    const std::vector<Layer>& layers_;
    const Project& project_;
    std::vector<DeviceRates> rates_;
    ParameterBytes bytes_;
};

void set_basis(Problem& problem, const Cluster& cluster, const MeasuredLayers& profile)
{
    for (int l = 0; l < problem.layers(); ++l) {
        for (int d = 0; d < problem.devices(); ++d)
            problem.measured_cells += profile.find(l, d) != nullptr;
    }
    const bool calibrated = std::all_of(cluster.devices.begin(), cluster.devices.end(),
                                        [](const Device& device) { return device.spec.calibrated; });
    if (problem.measured_cells == problem.layers() * problem.devices())
        problem.basis = CostBasis::measured;
    else if (calibrated)
        problem.basis = CostBasis::calibrated;
}

}  // namespace

std::vector<int> tensor_degrees(const Project& project)
{
    if (project.job.tensor_parallel) {
        const int degree = *project.job.tensor_parallel;
        const int devices = static_cast<int>(project.cluster.devices.size());
        if (degree < 1 || degree > devices)
            throw Error("/job/tensor_parallel", std::to_string(degree) + " is not possible",
                        "1 to " + std::to_string(devices) + ", the number of devices");
        if (const std::string fault = obstacle(project, degree); !fault.empty())
            throw Error("/job/tensor_parallel", std::to_string(degree) + " is not possible", fault);
        return {degree};
    }
    int largest = 1;
    for (const Node& node : project.cluster.nodes) {
        const auto& devices = project.cluster.devices;
        largest =
            std::max(largest, static_cast<int>(std::count_if(devices.begin(), devices.end(),
                                                             [&](const Device& d) { return d.node == node.id; })));
    }
    std::vector<int> degrees;
    for (int degree = 1; degree <= largest; degree *= 2) {
        if (obstacle(project, degree).empty())
            degrees.push_back(degree);
    }
    return degrees;
}

void add_variants(Problem& problem, const std::vector<Layer>& layers, const Project& project)
{
    const Job& job = project.job;
    check(project.profile, "/profile");
    check_selectors(project.profile, layers, "/profile");
    const std::vector<int> degrees = tensor_degrees(project);
    const VariantMaker maker(layers, project);
    const Recompute wanted = job.recompute.value_or(Recompute::none);
    const int degree = job.tensor_parallel.value_or(1);
    // Four micro-batches a stage keep the bubble small (Huang et al. 2019): the largest size that leaves so many is
    // what a planner without a choice takes.
    const int stages = job.stages.value_or(std::min(problem.devices() / degree, problem.layers()));
    bool chosen = false;
    for (const int t : degrees) {
        const MeasuredLayers profile(project, layers, t);
        for (const int size : sizes_of(job, project.cluster.devices.size())) {
            for (const Recompute recompute : policies) {
                if (job.recompute && *job.recompute != recompute)
                    continue;
                const bool like_wanted = recompute == wanted && t == degree;
                if (like_wanted && (!chosen || job.global_batch / size >= 4 * stages)) {
                    problem.default_variant = static_cast<int>(problem.variants.size());
                    chosen = true;
                }
                problem.variants.push_back(maker.make({size, t, recompute}, profile));
            }
        }
        if (t == degree)
            set_basis(problem, project.cluster, profile);
    }
    problem.micro_batch_free = !job.micro_batch;
    problem.recompute_free = !job.recompute;
    problem.tensor_parallel_free = !job.tensor_parallel;
}

}  // namespace nnpiper
