// SPDX-License-Identifier: GPL-3.0-or-later
// Work and memory of a layer under a job. Sources: FLOPs and activations as in core/model; flash attention computes the
// scores anew in its backward pass, so that one takes 2.5 times its forward (Dao et al. 2022); selective recompute
// repeats the attention core, full recompute the whole block, whose input alone is kept (Korthikanti et al. 2022);
// 16 bytes a parameter of mixed-precision Adam: 2 + 2 + 4 + 4 + 4 (Rajbhandari et al. 2020).
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
    // The gradient is read, master (or weight) and moments are read and written, the 2-byte copy is written.
    bytes.update_moved = gradient + 2 * (mixed ? master : weight) + 2 * moments + (mixed ? weight : 0);
    return bytes;
}

LayerWork layer_work(const Layer& layer, const Job& job, Recompute recompute, int samples, const ParameterBytes& bytes)
{
    const double b = samples;
    const bool flash = job.flash_attention;
    const double attention = b * (layer.attention_flops - (flash ? layer.masked_flops : 0));
    const double attention_bytes = flash ? 0 : b * layer.attention_bytes_moved;
    const double linear = b * (layer.forward_flops - layer.attention_flops);
    const double moved = b * layer.forward_bytes_moved;
    // An embedding touches the rows of its tokens only, which its activation bytes count.
    const double weights = layer.kind == LayerKind::embedding ? 0 : layer.parameters + layer.tied_parameters;

    LayerWork work;
    work.forward_flops = linear + attention;
    work.forward_bytes = moved + attention_bytes + weights * bytes.weight;
    work.loss_bytes = b * layer.loss_bytes_moved;
    // Each half of the backward pass reads the gradient of the output and a kept tensor where the forward pass reads
    // and writes; the weight half also adds to the gradient.
    work.backward_input_flops =
        b * (layer.backward_input_flops - 2 * layer.attention_flops) + (flash ? 2.5 : 2) * attention;
    work.backward_input_bytes = moved + 2 * attention_bytes + weights * bytes.weight;
    work.backward_weight_flops = b * layer.backward_weight_flops;
    work.backward_weight_bytes = moved + 2 * weights * bytes.gradient;

    const double kept = b * (flash ? layer.stored_bytes_selective : layer.stored_bytes);
    work.stored_bytes = kept;
    work.transient_bytes = b * layer.transient_bytes;
    work.output_bytes = b * layer.output_bytes;
    if (layer.kind != LayerKind::block)
        return work;
    if (recompute == Recompute::selective && !flash) {
        work.recompute_flops = attention;
        work.recompute_bytes = attention_bytes;
        work.stored_bytes = b * layer.stored_bytes_selective;
        work.transient_bytes += kept - work.stored_bytes;
    } else if (recompute == Recompute::full) {
        work.recompute_flops = work.forward_flops;
        work.recompute_bytes = work.forward_bytes;
        work.stored_bytes = b * layer.stored_bytes_full;
        work.transient_bytes += kept - work.stored_bytes;
    }
    return work;
}

double roofline_s(double flops, double bytes, double flop_per_s, double bytes_per_s)
{
    const double computing = flops / flop_per_s;
    return bytes_per_s > 0 ? std::max(computing, bytes / bytes_per_s) : computing;
}

}  // namespace nnpiper
