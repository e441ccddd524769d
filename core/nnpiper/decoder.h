// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/nnpiper/network_shape.h"
#include "core/nnpiper/order_state.h"

#include <span>

namespace nnpiper {

/// What the encoder hands to the decode loop, row-major; D devices, width d, e edge numbers, o option numbers, c load
/// numbers.
struct DecoderTables {
    std::vector<float> last;          ///< [D][d]
    std::vector<float> used;          ///< [D][d]
    std::vector<float> key;           ///< [D][d]
    std::vector<float> context;       ///< [d]
    std::vector<float> edge;          ///< [D][D][e]
    std::vector<float> option_key;    ///< [D][o]
    std::vector<float> load_device;   ///< [D][c]
};

/// One decoded order, in indices of the features.
struct DecodedOrder {
    std::vector<int> devices;       ///< [S]
    std::vector<float> log_load;    ///< [S] how much load it would give each stage, see SplitSearch::balance
    double log_probability = 0;     ///< mean over the decisions; devices that cannot be told apart count as one
    std::vector<float> probability; ///< [S][D] of every device at every decision, where asked for
};

/// The decode loop in plain C++ over the weights of the LibTorch network: at tens of devices the dispatch of a tensor
/// library costs several times the arithmetic. Immutable after construction; safe to share between threads.
class Decoder {
public:
    /// `weights` must have passed check_weights.
    Decoder(const NetworkShape& shape, const TensorFile& weights);

    /// `uniforms` [samples][S]: one number in [0, 1) a decision, inverse of the cumulative distribution; an empty row
    /// set (samples == 1 and no uniforms) or the first sample takes the most probable device each time. Many samples of
    /// large problems go to up to `threads` threads.
    std::vector<DecodedOrder> decode(const Features& features, const DecoderTables& tables, int samples,
                                     std::span<const float> uniforms, bool explain = false, unsigned threads = 1) const;

private:
    struct Prepared;
    Prepared prepare(const Features& features, const DecoderTables& tables) const;
    std::vector<float> log_loads(const DecoderTables& tables, const std::vector<int>& order, const std::vector<float>& queries) const;

    NetworkShape shape_;
    std::vector<float> start_;       ///< [d]
    std::vector<float> step_;        ///< [position + progress][d], transposed
    std::vector<float> query_;       ///< [d][q], transposed; q = d + e + candidate + option + o + c
    std::vector<float> query_bias_;  ///< [q]
    std::vector<float> option_edge_;       ///< [o][e]
    std::vector<float> option_candidate_;  ///< [o][candidate + option]
    std::vector<float> option_out_;        ///< [o]
    std::vector<float> load_edges_ ; ///< [2 e][c], transposed
    std::vector<float> load_out_;    ///< [c]
    float load_bias_ = 0;
};

/// Index drawn from probabilities [D] by `uniform` in [0, 1), or without one the first of the most probable class of devices
/// that cannot be told apart.
int draw_device(std::span<const float> probability, const std::vector<int>& alike, const float* uniform);

/// The same uniform numbers for the same seed, for `decode`.
std::vector<float> decode_uniforms(std::uint64_t seed, int samples, int stages);

}  // namespace nnpiper
