// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/nnpiper/decoder.h"
#include "core/nnpiper/features.h"
#include "core/nnpiper/network_shape.h"

#include <torch/torch.h>

#include <map>
#include <string>
#include <vector>

namespace nnpiper {

/// Features of B questions with the same number of devices, and of stages where positions and candidates are filled.
struct FeatureBatch {
    torch::Tensor device;     ///< [B][D][.]
    torch::Tensor edge;       ///< [B][D][D][.]
    torch::Tensor global;     ///< [B][.]
    torch::Tensor position;   ///< [B][S][.]
    torch::Tensor candidate;  ///< [B][S][D][.]
    torch::Tensor alike;      ///< [B][D][D] bool: devices that cannot be told apart, filled with the positions
};

FeatureBatch stack(const std::vector<const Features*>& questions, const torch::Device& device, bool with_positions);

/// What the decoder needs of the encoder, batched; see DecoderTables.
struct Encoded {
    torch::Tensor last;          ///< [B][D][d]
    torch::Tensor used;          ///< [B][D][d]
    torch::Tensor key;           ///< [B][D][d]
    torch::Tensor context;       ///< [B][d]
    torch::Tensor edge;          ///< [B][D][D][e]
    torch::Tensor option_key;    ///< [B][D][o]
    torch::Tensor load_device;  ///< [B][D][c]

    Encoded row(std::int64_t index) const;  ///< of one question, B = 1
};

/// N given orders of each question, for teacher forcing.
struct OrderBatch {
    torch::Tensor devices;   ///< [B][N][S] int64
    torch::Tensor progress;  ///< [B][N][S][FeatureSizes::progress]
    torch::Tensor options;   ///< [B][N][S][FeatureSizes::option][D]
    torch::Tensor allowed;   ///< [B][N][S][D] bool
};

struct Scores {
    torch::Tensor log_probability;  ///< [B][N][S] of each decision, devices that cannot be told apart taken as one
    torch::Tensor log_load;         ///< [B][N][S] see SplitSearch::balance
};

/// The network: device tokens through pre-norm transformer layers whose attention carries a per-head bias from the edge
/// features and whose norms are modulated by the global vector (FiLM, Perez et al. 2018), then an autoregressive pointer
/// (Vinyals et al. 2015) with an edge term from the last device to each candidate. All parameters lie in one flat tensor.
class TorchNetwork {
public:
    TorchNetwork(const NetworkShape& shape, torch::Device device);

    void initialise(std::uint64_t seed);
    /// `tensors` must have passed check_weights.
    void load(const std::map<std::string, Tensor>& tensors);
    std::map<std::string, Tensor> tensors() const;

    Encoded encode(const FeatureBatch& batch) const;
    Scores score(const FeatureBatch& batch, const Encoded& encoded, const OrderBatch& orders) const;
    /// Draws `samples` orders of one question, all at once, step by step; as Decoder::decode, for devices on which a
    /// tensor operation over all samples is cheaper than a loop on the host.
    std::vector<DecodedOrder> decode(const Features& features, const Encoded& encoded, int samples,
                                     std::span<const float> uniforms, bool explain = false) const;

    const NetworkShape& shape() const { return shape_; }
    const torch::Device& device() const { return device_; }
    torch::Tensor flat() const { return flat_; }                            ///< [all parameters], shared storage
    const std::vector<torch::Tensor>& parameters() const { return ordered_; }  ///< leaves, views into flat()

private:
    const torch::Tensor& parameter(const std::string& name) const { return named_.at(name); }
    torch::Tensor linear(const torch::Tensor& x, const std::string& name, bool bias = true) const;
    /// Logits of the candidates. query [.., q], last [.., d] rows of Encoded::last; edges [.., D][e] and their option part
    /// [.., D][o] from the last device (zero at the start), candidates [.., D][candidate + option].
    torch::Tensor logits(const torch::Tensor& hidden, const torch::Tensor& query, const Encoded& encoded,
                         const torch::Tensor& edges, const torch::Tensor& candidates) const;

    NetworkShape shape_;
    torch::Device device_;
    torch::Tensor flat_;
    std::vector<torch::Tensor> ordered_;
    std::map<std::string, torch::Tensor> named_;
};

/// Row `index` of a batch as plain arrays.
DecoderTables tables_of(const Encoded& encoded, int index);

}  // namespace nnpiper
