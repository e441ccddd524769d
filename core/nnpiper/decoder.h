// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/nnpiper/features.h"
#include "core/nnpiper/network_shape.h"

#include <span>

namespace nnpiper {

/// What the encoder hands to the decode loop, row-major; D devices, width d, e edge numbers, c count numbers.
struct DecoderTables {
    std::vector<float> last;          ///< [D][d]
    std::vector<float> used;          ///< [D][d]
    std::vector<float> key;           ///< [D][d]
    std::vector<float> context;       ///< [d]
    std::vector<float> edge;          ///< [D][D][e]
    std::vector<float> count_device;  ///< [D][c]
};

/// Which devices an order begun may take next, and the figures of it that the network sees. One object walks one order;
/// sampling, training and the tests share it.
class OrderState {
public:
    explicit OrderState(const Features& features);

    int position() const { return position_; }
    int last() const { return last_; }  ///< -1 at the start
    /// Marks the devices that may come next [D]: not used, with a route from the last one, and such that the layers can
    /// still fit (share by share, optimistic about the later stages). Gives way in that order when nothing is left.
    void allowed(std::span<std::uint8_t> mask) const;
    /// Capacity and speed gathered so far and speed still needed a stage, FeatureSizes::progress numbers.
    void progress(float* out) const;
    void take(int device);

private:
    const Features& features_;
    std::vector<std::uint8_t> used_;
    std::vector<int> by_capacity_;  ///< devices, best_capacity falling
    int position_ = 0;
    int last_ = -1;
    float capacity_ = 0;
    float speed_ = 0;
};

/// One decoded order, in indices of the features.
struct DecodedOrder {
    std::vector<int> devices;       ///< [S]
    std::vector<float> work_share;  ///< [S] sums to 1: how the network would share out the work
    double log_probability = 0;     ///< mean over the decisions
};

/// The decode loop in plain C++ over the weights of the LibTorch network: at tens of devices the dispatch of a tensor
/// library costs several times the arithmetic. Immutable after construction; safe to share between threads.
class Decoder {
public:
    /// `weights` must have passed check_weights.
    Decoder(const NetworkShape& shape, const TensorFile& weights);

    /// `uniforms` [samples][S]: one number in [0, 1) a decision, inverse of the cumulative distribution; an empty row
    /// set (samples == 1 and no uniforms) or the first sample takes the most probable device each time.
    std::vector<DecodedOrder> decode(const Features& features, const DecoderTables& tables, int samples,
                                     std::span<const float> uniforms) const;

private:
    NetworkShape shape_;
    std::vector<float> start_;       ///< [d]
    std::vector<float> step_;        ///< [position + progress][d], transposed
    std::vector<float> query_;       ///< [d][q], transposed; q = d + e + candidate + c
    std::vector<float> query_bias_;  ///< [q]
    std::vector<float> count_edges_; ///< [2 e][c], transposed
    std::vector<float> count_out_;   ///< [c]
    float count_bias_ = 0;
};

/// Layer counts for an order whose stages should carry `work_share` of the work: each stage ends at the layer boundary
/// nearest to its cumulated share, with at least one layer, within its device's memory and leaving no more than the stages
/// behind it can hold, where that is possible.
std::vector<int> layer_counts(const NetworkQuestion& question, const Features& features, const DecodedOrder& order);

/// The same uniform numbers for the same seed, for `decode`.
std::vector<float> decode_uniforms(std::uint64_t seed, int samples, int stages);

}  // namespace nnpiper
