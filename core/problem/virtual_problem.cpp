// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/problem/virtual_problem.h"

#include "core/base/error.h"
#include "core/model/model.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

namespace nnpiper {

namespace {

/// Costs of one layer on the reference device, before the device's speed.
struct LayerShape {
    std::string name;
    bool block = true;
    double work = 1;     ///< relative compute
    double state = 1;    ///< relative bytes of parameters, gradients and optimizer
    double stored = 1;   ///< relative bytes kept for backward
    double output = 1;   ///< relative bytes handed on
};

struct DeviceShape {
    int type = 0;
    int node = 0;
    int site = 0;
};

struct TypeShape {
    double speed = 1;
    double memory_bytes = 0;
    double block_factor = 1;           ///< time factor of blocks, beside the ends of the chain
    double tilt = 0;                   ///< log time factor from the first to the last layer
};

struct Traits {
    bool equal_devices = false;
    bool slow_wan = false;
    bool unlike_layers = false;
    bool real_model = false;   ///< layers of an architecture of the catalogue
};

Traits draw_traits(Random& random, VirtualKind kind)
{
    switch (kind) {
    case VirtualKind::mixed_devices: return {false, false, false};
    case VirtualKind::equal_devices: return {true, false, random.uniform() < 0.3};
    case VirtualKind::slow_wan: return {random.uniform() < 0.4, true, random.uniform() < 0.3};
    case VirtualKind::unlike_layers: return {random.uniform() < 0.3, false, true};
    case VirtualKind::any: break;
    }
    Traits traits;
    traits.equal_devices = random.uniform() < 0.35;
    traits.slow_wan = random.uniform() < 0.2;
    traits.unlike_layers = random.uniform() < 0.45;
    traits.real_model = random.uniform() < 0.25;
    return traits;
}

/// The layers of a model of the catalogue at a random length of its samples, relative to its blocks; its depth stretched
/// or cut to `count`, first and last layer kept.
std::vector<LayerShape> real_layers(Random& random, int count)
{
    constexpr std::array names{"GPT-2 small", "GPT-2 XL",     "BERT large", "OPT 13B", "LLaMA-2 7B", "LLaMA-3 8B",
                               "Qwen3 0.6B",  "Mixtral 8x7B", "T5 large",   "T5 3B",   "ViT-L/16",   "CLIP ViT-L/14"};
    const std::string_view name = names[static_cast<std::size_t>(random.below(static_cast<int>(names.size())))];
    const auto entry = std::find_if(model_catalog().begin(), model_catalog().end(),
                                    [&](const ModelEntry& e) { return e.name == name; });
    Model model;
    model.architecture = entry->architecture;
    const bool images = model.architecture.family == Family::vit;
    model.sequence_length =
        std::min(model.architecture.positions, images ? model.architecture.positions
                                                      : static_cast<int>(random.log_uniform(64, 8192)));
    const auto chain = layers_of(model, "bf16");
    double work = 0, state = 0, stored = 0, output = 0;
    for (const auto& layer : chain) {
        const double n = static_cast<double>(chain.size());
        work += (layer.forward_flops + layer.backward_input_flops + layer.backward_weight_flops) / n;
        state += layer.parameters / n;
        stored += layer.stored_bytes_selective / n;
        output += layer.output_bytes / n;
    }
    std::vector<LayerShape> layers;
    for (int l = 0; l < count; ++l) {
        const double depth = count > 1 ? static_cast<double>(l) / (count - 1) : 0;
        const auto& layer = chain[static_cast<std::size_t>(std::lround(depth * static_cast<double>(chain.size() - 1)))];
        const double all = layer.forward_flops + layer.backward_input_flops + layer.backward_weight_flops;
        // An embedding looks rows up; no profile shows it as free.
        layers.push_back({layer.name, layer.kind == LayerKind::block, std::max(all / work, 0.01),
                          std::max(layer.parameters / state, 1e-3), std::max(layer.stored_bytes_selective / stored, 1e-3),
                          layer.output_bytes / output});
    }
    layers.back().output = 0;
    return layers;
}

std::vector<LayerShape> draw_layers(Random& random, int count, bool unlike)
{
    std::vector<LayerShape> layers(static_cast<std::size_t>(count));
    const double spread = unlike ? random.log_uniform(2, 12) : random.log_uniform(1.0001, 1.15);
    const double output_spread = unlike ? random.log_uniform(1.1, 6) : 1.0;
    const double bulge = unlike && random.uniform() < 0.5 ? random.uniform(-1.5, 1.5) : 0;  // convolution-like profile
    const int period = random.uniform() < 0.25 ? 2 + random.below(3) : 0;                   // e.g. expert layers
    const double heavier = random.log_uniform(1.5, 4);
    for (int l = 0; l < count; ++l) {
        auto& layer = layers[static_cast<std::size_t>(l)];
        const double depth = count > 1 ? static_cast<double>(l) / (count - 1) : 0;
        const double common = std::sqrt(random.log_uniform(1 / spread, spread));
        layer.name = "block " + std::to_string(l);
        layer.work = common * std::sqrt(random.log_uniform(1 / spread, spread)) * std::exp(bulge * (depth - 0.5));
        layer.state = common * std::sqrt(random.log_uniform(1 / spread, spread)) * std::exp(-bulge * (depth - 0.5));
        layer.output = random.log_uniform(1 / output_spread, output_spread) * std::exp(0.7 * bulge * (0.5 - depth));
        layer.stored = common * std::sqrt(layer.output * random.log_uniform(1 / output_spread, output_spread));
        if (period > 0 && l % period == period - 1) {
            layer.state *= heavier;
            layer.work *= std::sqrt(heavier);
        }
    }
    if (count >= 4 && random.uniform() < (unlike ? 0.5 : 0.85)) {
        auto& embedding = layers.front();
        auto& head = layers.back();
        const double vocabulary = random.log_uniform(0.4, 4);  // of the head, in blocks
        embedding = {"embedding", false, random.uniform(0.005, 0.05), vocabulary, random.uniform(0.02, 0.1), embedding.output};
        head = {"head", false, vocabulary * random.uniform(0.7, 1.1), vocabulary, random.uniform(0.2, 1.5), 0};
    }
    layers.back().output = 0;
    return layers;
}

std::vector<TypeShape> draw_types(Random& random, bool equal, int devices)
{
    constexpr std::array memories{8e9, 11e9, 16e9, 24e9, 32e9, 40e9, 48e9, 80e9};
    const int count = equal ? 1 : 2 + random.below(std::min(3, std::max(1, devices - 1)));
    const double widest = random.log_uniform(1.2, 8);
    const bool same_memory = random.uniform() < 0.3;
    const double shape = random.uniform() < 0.4 ? random.uniform(0.1, 0.6) : 0;
    std::vector<TypeShape> types(static_cast<std::size_t>(count));
    for (auto& type : types) {
        type.speed = random.log_uniform(1, widest);
        type.memory_bytes = memories[static_cast<std::size_t>(random.below(static_cast<int>(memories.size())))];
        if (same_memory)
            type.memory_bytes = types.front().memory_bytes;
        type.block_factor = std::exp(shape * random.normal());
        type.tilt = 0.5 * shape * random.normal();
    }
    return types;
}

std::vector<DeviceShape> draw_places(Random& random, int count, int types, int sites)
{
    constexpr std::array sizes{1, 2, 4, 8, 8};
    const int size = std::min(sizes[static_cast<std::size_t>(random.below(static_cast<int>(sizes.size())))],
                              std::max(1, count / sites));
    const bool ragged = random.uniform() < 0.4;
    const bool pure = random.uniform() < 0.75;  // one type a node
    std::vector<DeviceShape> places(static_cast<std::size_t>(count));
    int node = -1;
    int left = 0;
    int type = 0;
    for (auto& place : places) {
        if (left == 0) {
            ++node;
            left = ragged ? 1 + random.below(size) : size;
            type = random.below(types);
        }
        --left;
        place.node = node;
        place.type = pure ? type : random.below(types);
    }
    std::vector<int> site_of(static_cast<std::size_t>(node + 1));
    for (std::size_t n = 0; n < site_of.size(); ++n)
        site_of[n] = static_cast<int>(n) < sites ? static_cast<int>(n) : random.below(sites);
    for (auto& place : places)
        place.site = site_of[static_cast<std::size_t>(place.node)];
    return places;
}

struct LinkShape {
    double occupancy = 0.01;  ///< time of a typical message, in balanced stage times
    double latency = 1e-4;    ///< in balanced stage times
};

/// Links as shares of the balanced stage time: that ratio, not the gigabytes, is what makes a problem hard.
void connect(Random& random, Problem& problem, const std::vector<DeviceShape>& places, const Traits& traits,
             double message_bytes, double stage_s)
{
    const int count = problem.devices();
    const bool nvlink = random.uniform() < 0.5;
    const LinkShape inside{nvlink ? random.log_uniform(1e-4, 1e-2) : random.log_uniform(3e-3, 0.2),
                           random.log_uniform(1e-5, 1e-3)};
    const LinkShape between{std::max(inside.occupancy, random.log_uniform(5e-3, 1.5)), random.log_uniform(1e-4, 1e-2)};
    LinkShape wan{between.occupancy * random.log_uniform(1, 5), random.log_uniform(1e-3, 0.5)};
    if (traits.slow_wan)
        wan = {std::max(between.occupancy, random.log_uniform(1, 150)), random.log_uniform(0.1, 5)};
    const bool lone_slow = traits.slow_wan && random.uniform() < 0.3;  // volunteers: every node behind a thin line
    const int nodes = places.back().node + 1;
    std::vector<double> inside_factor(static_cast<std::size_t>(nodes), 1);
    std::vector<double> port_factor(static_cast<std::size_t>(nodes), 1);
    if (random.uniform() < 0.4)
        for (int n = 0; n < nodes; ++n) {
            inside_factor[static_cast<std::size_t>(n)] = random.log_uniform(0.3, 3);
            port_factor[static_cast<std::size_t>(n)] = random.log_uniform(0.3, 3);
        }
    const bool pairs = nvlink && random.uniform() < 0.2;               // bridges join two cards, the rest is PCIe
    problem.bandwidth_bytes_per_s = Matrix(count, count);
    problem.latency_s = Matrix(count, count);
    for (int i = 0; i < count; ++i)
        for (int j = 0; j < count; ++j) {
            if (i == j)
                continue;
            const auto& a = places[static_cast<std::size_t>(i)];
            const auto& b = places[static_cast<std::size_t>(j)];
            const double port = std::max(port_factor[static_cast<std::size_t>(a.node)], port_factor[static_cast<std::size_t>(b.node)]);
            LinkShape link = between;
            if (a.node == b.node) {
                link = inside;
                link.occupancy *= inside_factor[static_cast<std::size_t>(a.node)];
                if (pairs && i / 2 != j / 2)
                    link.occupancy = std::max(link.occupancy, std::sqrt(inside.occupancy * between.occupancy));
            } else if (a.site != b.site || lone_slow) {
                link = wan;
                link.occupancy *= lone_slow ? port : 1;
            } else {
                link.occupancy *= port;
            }
            problem.bandwidth_bytes_per_s(i, j) = message_bytes / (link.occupancy * stage_s);
            problem.latency_s(i, j) = link.latency * stage_s;
        }
}

/// Scales bytes so that the devices that would be used hold `slack` times what an even plan needs.
void fit_memory(Random& random, Problem& problem, int stages)
{
    auto& variant = problem.variants.front();
    auto memories = problem.device_memory_bytes;
    random.shuffle(std::span(memories));
    const double capacity = std::accumulate(memories.begin(), memories.begin() + stages, 0.0);
    const double in_flight = std::min<double>(variant.micro_batches, (stages + 1) / 2.0);
    const double slack = random.uniform() < 0.7 ? random.log_uniform(1.25, 3) : random.log_uniform(3, 10);
    const double stored_share = random.log_uniform(0.03, 0.7);
    const double state = std::accumulate(problem.state_bytes.begin(), problem.state_bytes.end(), 0.0);
    const double stored = std::accumulate(variant.stored_bytes.begin(), variant.stored_bytes.end(), 0.0) * in_flight;
    for (auto& bytes : problem.state_bytes)
        bytes *= capacity / slack * (1 - stored_share) / state;
    for (auto& bytes : variant.stored_bytes)
        bytes *= capacity / slack * stored_share / stored;
}

int draw_micro_batches(Random& random, int stages)
{
    if (random.uniform() < 0.1)
        return 1 + random.below(2 * stages);
    return std::max(1, static_cast<int>(std::lround(stages * random.log_uniform(1, 8))));
}

/// Well mixed and with the lowest bit free to tell training from evaluation.
std::uint64_t mixed(std::uint64_t run, std::uint64_t index)
{
    Random random(run * 0x9e3779b97f4a7c15ULL + index);
    return random.next() & ~std::uint64_t{1};
}

}  // namespace

std::uint64_t training_seed(std::uint64_t run, std::uint64_t index)
{
    return mixed(run, index);
}

std::uint64_t evaluation_seed(std::uint64_t run, std::uint64_t index)
{
    return mixed(run, index) | 1;
}

std::string_view name_of(VirtualKind kind)
{
    switch (kind) {
    case VirtualKind::any: return "any";
    case VirtualKind::mixed_devices: return "mixed devices";
    case VirtualKind::equal_devices: return "equal devices";
    case VirtualKind::slow_wan: return "slow WAN";
    case VirtualKind::unlike_layers: return "unlike layers";
    }
    return "any";
}

int random_virtual_depth(Random& random, int stages)
{
    const double depth = std::max(8.0, stages * random.log_uniform(1.2, 6));
    return std::clamp(static_cast<int>(std::lround(depth)), stages, std::max(200, stages));
}

VirtualSize random_virtual_size(Random& random, int max_devices)
{
    VirtualSize size;
    const double most = std::clamp(max_devices, 2, 64);
    const double low = random.uniform() < 0.15 ? 2 : std::min(6.0, most);
    size.devices = static_cast<int>(std::lround(random.log_uniform(low, most)));
    const double share = random.uniform() < 0.4 ? 1.0 : random.uniform(0.15, 1.0);
    size.stages = std::clamp(static_cast<int>(std::lround(size.devices * share)), 1, size.devices);
    size.stages = std::max(size.stages, std::min(2, size.devices));
    size.layers = random_virtual_depth(random, size.stages);
    return size;
}

Problem virtual_problem(std::uint64_t seed, const VirtualSize& size, VirtualKind kind)
{
    if (size.stages < 1 || size.stages > size.devices || size.stages > size.layers)
        throw Error("virtual problem",
                    std::to_string(size.stages) + " stages for " + std::to_string(size.layers) + " layers on "
                        + std::to_string(size.devices) + " devices",
                    "stages are at least 1 and at most the layers and the devices");
    Random random(seed);
    const auto traits = draw_traits(random, kind);
    const auto layers = traits.real_model ? real_layers(random, size.layers)
                                          : draw_layers(random, size.layers, traits.unlike_layers);
    const auto types = draw_types(random, traits.equal_devices, size.devices);
    const int sites = traits.slow_wan ? 2 + random.below(2) : random.uniform() < 0.7 ? 1 : 2;
    const auto places = draw_places(random, size.devices, static_cast<int>(types.size()), std::min(sites, size.devices));

    Problem problem;
    problem.name = "virtual L" + std::to_string(size.layers) + " D" + std::to_string(size.devices) + " S"
                   + std::to_string(size.stages) + " #" + std::to_string(seed);
    problem.raw = true;
    problem.basis = CostBasis::given;
    problem.samples_known = false;
    problem.stages = size.stages;
    problem.schedule = ScheduleKind::one_f_one_b;
    auto& variant = problem.variants.emplace_back();
    variant.micro_batches = size.micro_batches.value_or(draw_micro_batches(random, size.stages));
    variant.forward_s = Matrix(size.layers, size.devices);
    variant.backward_input_s = Matrix(size.layers, size.devices);
    variant.backward_weight_s = Matrix(size.layers, size.devices);

    for (int d = 0; d < size.devices; ++d) {
        const auto& place = places[static_cast<std::size_t>(d)];
        const std::string node = "site" + std::to_string(place.site) + "/node" + std::to_string(place.node);
        problem.device_ids.push_back(node + "/gpu" + std::to_string(d));
        problem.device_nodes.push_back(node);
        problem.device_types.push_back("type " + std::to_string(place.type));
        problem.device_memory_bytes.push_back(types[static_cast<std::size_t>(place.type)].memory_bytes);
        problem.device_price_per_h.push_back(std::numeric_limits<double>::quiet_NaN());
    }
    const double reference_s = random.log_uniform(3e-4, 3e-2);
    const bool noisy = random.uniform() < 0.3;  // measured profiles scatter
    double message_bytes = 0;
    for (int l = 0; l < size.layers; ++l) {
        const auto& layer = layers[static_cast<std::size_t>(l)];
        problem.layer_names.push_back(layer.name);
        problem.state_bytes.push_back(layer.state);
        variant.stored_bytes.push_back(layer.stored);
        variant.transient_bytes.push_back(0);
        variant.buffer_bytes.push_back(0);
        variant.output_bytes.push_back(layer.output * 16e6);
        message_bytes += layer.output * 16e6 / std::max(1, size.layers - 1);
        const double backward = 2 * random.uniform(0.92, 1.08);
        const double depth = static_cast<double>(l) / std::max(1, size.layers - 1) - 0.5;
        std::vector<double> time_of_type;
        for (const auto& type : types)
            time_of_type.push_back(reference_s * layer.work / type.speed * (layer.block ? type.block_factor : 1)
                                   * std::exp(type.tilt * depth) * (noisy ? random.uniform(0.95, 1.05) : 1));
        for (int d = 0; d < size.devices; ++d) {
            const double forward = time_of_type[static_cast<std::size_t>(places[static_cast<std::size_t>(d)].type)];
            variant.forward_s(l, d) = forward;
            variant.backward_input_s(l, d) = 0.5 * backward * forward;
            variant.backward_weight_s(l, d) = 0.5 * backward * forward;
        }
    }
    double rate = 0;  // whole models a second of an average device
    for (int d = 0; d < size.devices; ++d) {
        double total = 0;
        for (int l = 0; l < size.layers; ++l)
            total += variant.forward_s(l, d) + variant.backward_input_s(l, d) + variant.backward_weight_s(l, d);
        rate += 1 / total / size.devices;
    }
    connect(random, problem, places, traits, message_bytes, 1 / (rate * size.stages));
    fit_memory(random, problem, size.stages);
    return problem;
}

}  // namespace nnpiper
