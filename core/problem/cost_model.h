// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/problem/problem.h"
#include "core/project/project.h"

#include <array>
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
    double sharded = 0;       ///< part of state that a distributed optimizer spreads over the replicas
    double update_moved = 0;  ///< read and written by the optimizer
};

/// Throws Error at /job/optimizer or /job/precision.
ParameterBytes parameter_bytes(std::string_view optimizer, std::string_view precision);

/// FLOPs of a pass by kind of operation, and what it reads and writes.
struct Work {
    std::array<double, operation_count> flops{};  ///< by Operation
    double bytes = 0;

    bool operator==(const Work&) const = default;
};

/// Work of one layer for one micro-batch on one device of its tensor-parallel group, before a device is known.
struct LayerWork {
    Work forward;
    double loss_bytes = 0;  ///< moved behind the products of the forward pass, so its time adds to theirs
    Work backward_input;
    Work recompute;         ///< repeated ahead of the backward pass
    Work backward_weight;
    double stored_bytes = 0;
    double transient_bytes = 0;
    double buffer_bytes = 0;  ///< send and receive buffer of each stage at a boundary behind the layer
    double output_bytes = 0;  ///< of the whole group
    double carried_bytes = 0;
    GroupTraffic forward_traffic;
    GroupTraffic backward_traffic;

    bool operator==(const LayerWork&) const = default;
};

/// How a layer is run.
struct WorkSetting {
    int samples = 1;          ///< of the micro-batch
    int tensor_parallel = 1;  ///< t
    Recompute recompute = Recompute::none;
};

/// Splits the layer's matrix products, attention heads, vocabulary and experts over t devices; norms, residual sums,
/// dropout behind a part and its input stay whole unless the job splits the sequence. Image embedding and pooled heads
/// are not split. The router's product, small, is counted as split. Flash attention skips the scores that a causal mask
/// hides.
LayerWork layer_work(const Layer& layer, const Job& job, const WorkSetting& setting, const ParameterBytes& bytes);

/// Part of a layer's parameters, copies included, that a tensor-parallel group does not split.
double whole_fraction(const Layer& layer);

/// A device as the cost model sees it: rates that it achieves.
struct DeviceRates {
    std::array<double, operation_count> flop_per_s{};  ///< by Operation
    double bytes_per_s = 0;                            ///< 0: not known
};

/// Empty as for `matrix_rate`.
std::optional<DeviceRates> device_rates(const Device& device, std::string_view precision);

/// Roofline (Williams et al. 2009): the slower of computing, one kind of operation after the other, and moving. An
/// unknown bandwidth (0) bounds nothing.
double roofline_s(const Work& work, const DeviceRates& rates);

}  // namespace nnpiper
