// SPDX-License-Identifier: GPL-3.0-or-later
// Work and memory of a layer under a job. Sources: FLOPs and activations as in core/model; flash attention computes the
// scores anew in its backward pass, so that one takes 2.5 times its forward (Dao et al. 2022); selective recompute
// repeats the attention core, full recompute the whole block, whose input alone is kept (Korthikanti et al. 2022);
// 16 bytes a parameter of mixed-precision Adam: 2 + 2 + 4 + 4 + 4, of which a distributed optimizer (ZeRO-1) spreads
// the last three over the replicas: 4 + 12/d, with fp32 gradients 6 + 12/d (Rajbhandari et al. 2020). Tensor and
// sequence parallelism: Shoeybi et al. 2019, Korthikanti et al. 2022.
#include "core/problem/cost_model.h"

#include "core/base/error.h"

#include <algorithm>
#include <span>

namespace nnpiper {

namespace {

std::span<const std::string_view> usable(std::string_view precision)
{
    static constexpr std::string_view fp8[] = {"fp8", "bf16", "fp16", "fp32"};
    static constexpr std::string_view bf16[] = {"bf16", "fp16", "fp32"};
    static constexpr std::string_view fp16[] = {"fp16", "bf16", "fp32"};
    static constexpr std::string_view tf32[] = {"tf32", "fp32"};
    static constexpr std::string_view fp32[] = {"fp32"};
    if (precision == "fp8")
        return fp8;
    if (precision == "bf16")
        return bf16;
    if (precision == "fp16")
        return fp16;
    if (precision == "tf32")
        return tf32;
    if (precision == "fp32")
        return fp32;
    throw Error("/job/precision", "\"" + std::string(precision) + "\" is not known",
                "known are fp32, tf32, fp16, bf16, fp8");
}

}  // namespace

std::optional<MatrixRate> matrix_rate(const DeviceSpec& spec, std::string_view precision)
{
    for (const std::string_view name : usable(precision)) {
        const auto peak = spec.peak_flop_per_s.find(std::string(name));
        if (peak != spec.peak_flop_per_s.end())
            return MatrixRate{std::string(name), peak->second * spec.achieved_fraction};
    }
    return std::nullopt;
}

// Mixed precision keeps fp32 master weights beside the 2-byte ones; in fp32 the weights are their own master.
ParameterBytes parameter_bytes(std::string_view optimizer, std::string_view precision)
{
    usable(precision);
    const double weight = element_bytes(precision);
    const bool mixed = weight < 4;
    const double master = mixed ? 4 : 0;
    const bool adam = optimizer == "adam" || optimizer == "adam-fp32-grads";
    if (!adam && optimizer != "sgd")
        throw Error("/job/optimizer", "\"" + std::string(optimizer) + "\" is not known",
                    "known are adam, adam-fp32-grads, sgd");
    const double gradient = optimizer == "adam-fp32-grads" ? 4 : weight;
    const double moments = adam ? 8 : 0;
    ParameterBytes bytes;
    bytes.weight = weight;
    bytes.gradient = gradient;
    bytes.state = weight + gradient + master + moments;
    bytes.sharded = master + moments;
    // The gradient is read, master (or weight) and moments are read and written, the 2-byte copy is written.
    bytes.update_moved = gradient + 2 * (mixed ? master : weight) + 2 * moments + (mixed ? weight : 0);
    return bytes;
}

namespace {

std::size_t at(Operation operation)
{
    return static_cast<std::size_t>(operation);
}

Operation operation_of(LayerKind kind)
{
    return kind == LayerKind::head ? Operation::head : Operation::matrix;
}

/// An image embedding or a pooled head: nothing in it is split.
bool is_whole(const Layer& layer)
{
    return layer.parameters + layer.tied_parameters <= layer.whole_parameters;
}

GroupTraffic traffic_of(const Layer& layer, const Job& job, int passes, double b, int t)
{
    GroupTraffic traffic;
    traffic.ring_bytes = b * layer.ring_bytes;
    traffic.ring_passes = passes;
    if (job.expert_parallel && layer.routed_bytes > 0) {
        // Tokens go to their experts and come back; where the sequence is whole, each device handles its part of the
        // tokens and gathers the others' results (Lepikhin et al. 2021).
        traffic.exchange_bytes = b * layer.routed_bytes / t;
        traffic.exchanges = 2;
        traffic.ring_passes += (job.sequence_parallel ? 0 : 1) - layer.expert_ring_passes;
    }
    return traffic;
}

GroupTraffic operator+(GroupTraffic a, const GroupTraffic& b)
{
    a.ring_passes += b.ring_passes;
    a.exchanges += b.exchanges;
    return a;
}

}  // namespace

double whole_fraction(const Layer& layer)
{
    const double all = layer.parameters + layer.tied_parameters;
    return all > 0 ? layer.whole_parameters / all : 0;
}

LayerWork layer_work(const Layer& layer, const Job& job, const WorkSetting& setting, const ParameterBytes& bytes)
{
    const double b = setting.samples;
    const int t = setting.tensor_parallel;
    const bool flash = job.flash_attention;
    const double part = is_whole(layer) ? 1 : 1.0 / t;
    const double whole_part = job.sequence_parallel ? part : 1;  // of what stays whole with a whole sequence
    const auto split = [&](double all, double whole) { return (all - whole) * part + whole * whole_part; };

    const double attention = part * b * (layer.attention_flops - (flash ? layer.masked_flops : 0));
    const double attention_bytes = flash ? 0 : part * b * layer.attention_bytes_moved;
    const double moved = b * split(layer.forward_bytes_moved, layer.whole_bytes_moved);
    // An embedding touches the rows of its tokens only, which its activation bytes count.
    const double weights =
        layer.kind == LayerKind::embedding
            ? 0
            : layer.whole_parameters + (layer.parameters + layer.tied_parameters - layer.whole_parameters) / t;
    const double experts = part * b * layer.expert_flops;
    const Operation products = operation_of(layer.kind);
    const auto pass = [&](double linear, double scores, double moved_bytes) {
        Work work;
        work.flops[at(products)] = part * b * linear - experts;
        work.flops[at(Operation::expert)] += experts;
        work.flops[at(Operation::attention)] += scores;
        work.bytes = moved_bytes;
        return work;
    };

    LayerWork work;
    work.forward =
        pass(layer.forward_flops - layer.attention_flops, attention, moved + attention_bytes + weights * bytes.weight);
    work.loss_bytes = part * b * layer.loss_bytes_moved;
    // Each half of the backward pass reads the gradient of the output and a kept tensor where the forward pass reads
    // and writes; the weight half also adds to the gradient.
    work.backward_input = pass(layer.backward_input_flops - 2 * layer.attention_flops, (flash ? 2.5 : 2) * attention,
                               moved + 2 * attention_bytes + weights * bytes.weight);
    work.backward_weight = pass(layer.backward_weight_flops, 0, moved + 2 * weights * bytes.gradient);

    const double kept = b * split(flash ? layer.stored_bytes_selective : layer.stored_bytes, layer.whole_stored_bytes);
    work.stored_bytes = kept;
    // What a split sequence is gathered into stays whole.
    work.transient_bytes =
        b * ((layer.transient_bytes - layer.whole_transient_bytes) * part + layer.whole_transient_bytes);
    work.output_bytes = b * layer.output_bytes;
    work.carried_bytes = b * layer.carried_bytes * (job.sequence_parallel ? 1.0 / t : 1);
    // Each stage at a boundary sends one of activation and gradient and receives the other.
    work.buffer_bytes = 2 * b * layer.output_bytes * (job.sequence_parallel ? 1.0 / t : 1);
    if (t > 1) {
        work.forward_traffic = traffic_of(layer, job, layer.forward_ring_passes, b, t);
        work.backward_traffic = traffic_of(layer, job, layer.backward_ring_passes, b, t);
    }
    if (layer.kind != LayerKind::block)
        return work;
    if (setting.recompute == Recompute::selective && !flash) {
        work.recompute.flops[at(Operation::attention)] = attention;
        work.recompute.bytes = attention_bytes;
        work.stored_bytes = b * split(layer.stored_bytes_selective, layer.whole_stored_bytes);
        work.transient_bytes += kept - work.stored_bytes;
    } else if (setting.recompute == Recompute::full) {
        work.recompute = work.forward;
        work.stored_bytes = b * layer.stored_bytes_full * whole_part;
        work.transient_bytes += kept - work.stored_bytes;
        work.backward_traffic = work.backward_traffic + work.forward_traffic;
    }
    return work;
}

std::optional<DeviceRates> device_rates(const Device& device, std::string_view precision)
{
    const auto rate = matrix_rate(device.spec, precision);
    if (!rate)
        return std::nullopt;
    DeviceRates rates;
    const double peak = device.spec.peak_flop_per_s.at(rate->precision);
    for (std::size_t i = 0; i < operation_count; ++i)
        rates.flop_per_s[i] = peak * achieved_fraction(device.spec, static_cast<Operation>(i)) * device.speed_factor;
    rates.bytes_per_s = device.spec.memory_bandwidth_bytes_per_s * device.spec.achieved_memory_fraction;
    return rates;
}

double roofline_s(const Work& work, const DeviceRates& rates)
{
    double computing = 0;
    for (std::size_t i = 0; i < operation_count; ++i) {
        if (work.flops[i] > 0)
            computing += work.flops[i] / rates.flop_per_s[i];
    }
    return rates.bytes_per_s > 0 ? std::max(computing, work.bytes / rates.bytes_per_s) : computing;
}

}  // namespace nnpiper
