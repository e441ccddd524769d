// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/project/project.h"

#include <optional>
#include <string>
#include <string_view>

namespace nnpiper {

/// Matrix rate that a device uses for a job's precision: that one, or the nearest that it has.
struct MatrixRate {
    std::string precision;  ///< "fp16" on a card without bf16
    double flop_per_s = 0;  ///< peak x achieved fraction
};

/// Empty when the device has no usable rate. fp8 falls back to bf16, bf16 and fp16 to each other, then fp32; tf32 to
/// fp32; fp32 to nothing.
std::optional<MatrixRate> matrix_rate(const DeviceSpec& spec, std::string_view precision);

/// Bytes a parameter, by optimizer and precision.
struct ParameterBytes {
    double weight = 0;        ///< what a pass reads
    double gradient = 0;      ///< what replicas all-reduce
    double state = 0;         ///< everything that stays: weights, gradients, master copy, moments
    double update_moved = 0;  ///< read and written by the optimizer
};

/// Throws Error at /job/optimizer or /job/precision.
ParameterBytes parameter_bytes(std::string_view optimizer, std::string_view precision);

/// Work of one layer for one micro-batch, before a device is known.
struct LayerWork {
    double forward_flops = 0;
    double forward_bytes = 0;
    double loss_bytes = 0;  ///< moved behind the products of the forward pass, so its time adds to theirs
    double backward_input_flops = 0;
    double backward_input_bytes = 0;
    double recompute_flops = 0;  ///< repeated ahead of the backward pass
    double recompute_bytes = 0;
    double backward_weight_flops = 0;
    double backward_weight_bytes = 0;
    double stored_bytes = 0;
    double transient_bytes = 0;
    double output_bytes = 0;

    bool operator==(const LayerWork&) const = default;
};

/// Flash attention skips the scores that a causal mask hides.
LayerWork layer_work(const Layer& layer, const Job& job, Recompute recompute, int samples, const ParameterBytes& bytes);

/// Roofline (Williams et al. 2009): the slower of computing and moving. An unknown bandwidth (0) bounds nothing.
double roofline_s(double flops, double bytes, double flop_per_s, double bytes_per_s);

}  // namespace nnpiper
