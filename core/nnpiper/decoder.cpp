// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nnpiper/decoder.h"

#include "core/base/parallel.h"
#include "core/base/random.h"

#include <algorithm>
#include <cmath>
#include <limits>

#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__)
#define NNPIPER_WIDE __attribute__((target_clones("arch=haswell", "default")))
#else
#define NNPIPER_WIDE
#endif

namespace nnpiper {

namespace {

/// out[n] += sum over the rows r with x[r] != 0 of x[r] * matrix[r][n].
NNPIPER_WIDE void add_rows(const float* x, std::size_t rows, const float* matrix, std::size_t columns, float* out)
{
    for (std::size_t r = 0; r < rows; ++r) {
        const float factor = x[r];
        if (factor == 0)  // half of a rectified vector
            continue;
        const float* row = matrix + r * columns;
        for (std::size_t n = 0; n < columns; ++n)
            out[n] += factor * row[n];
    }
}

/// [rows][columns] -> [columns][rows].
std::vector<float> transposed(const float* values, std::size_t rows, std::size_t columns)
{
    std::vector<float> result(rows * columns);
    for (std::size_t r = 0; r < rows; ++r)
        for (std::size_t c = 0; c < columns; ++c)
            result[c * rows + r] = values[r * columns + c];
    return result;
}

std::vector<float> transposed(const Tensor& tensor)
{
    return transposed(tensor.values.data(), static_cast<std::size_t>(tensor.shape[0]), static_cast<std::size_t>(tensor.shape[1]));
}

/// Turns logits into probabilities over the allowed entries. [D]
void softmax(std::span<float> logits, std::span<const std::uint8_t> allowed)
{
    float highest = -std::numeric_limits<float>::infinity();
    for (std::size_t j = 0; j < logits.size(); ++j)
        highest = allowed[j] ? std::max(highest, logits[j]) : highest;
    float total = 0;
    for (std::size_t j = 0; j < logits.size(); ++j) {
        logits[j] = allowed[j] ? std::exp(logits[j] - highest) : 0;
        total += logits[j];
    }
    for (auto& value : logits)
        value /= total;
}

}  // namespace

Decoder::Decoder(const NetworkShape& shape, const TensorFile& weights)
    : shape_(shape)
{
    start_ = weights.tensors.at("decoder.start").values;
    step_ = transposed(weights.tensors.at("decoder.step.weight"));
    query_ = transposed(weights.tensors.at("decoder.query.weight"));
    query_bias_ = weights.tensors.at("decoder.query.bias").values;
    // The residual path and the scale of the dot product fold into the matrix.
    const auto d = static_cast<std::size_t>(shape.width);
    const std::size_t columns = query_bias_.size();
    const float scale = 1 / std::sqrt(static_cast<float>(shape.width));
    for (std::size_t r = 0; r < d; ++r) {
        query_[r * columns + r] += 1;
        for (std::size_t c = 0; c < d; ++c)
            query_[r * columns + c] *= scale;
    }
    for (std::size_t c = 0; c < d; ++c)
        query_bias_[c] *= scale;
    option_edge_ = weights.tensors.at("option.edge.weight").values;
    option_candidate_ = weights.tensors.at("option.candidate.weight").values;
    option_out_ = weights.tensors.at("option.out.weight").values;
    load_edges_ = transposed(weights.tensors.at("load.edges.weight"));
    load_out_ = weights.tensors.at("load.out.weight").values;
    load_bias_ = weights.tensors.at("load.out.bias").values[0];
}

namespace {

/// out[j] += sum over k of out_weight[k] * relu(bias[k] + key[k][j] + sum over f of weight[k][f] * numbers[f][j]).
NNPIPER_WIDE void add_options(const float* bias, const float* key, const float* weight, const float* out_weight,
                              const float* numbers, std::size_t hidden, std::size_t count, std::size_t devices, float* z,
                              float* out)
{
    for (std::size_t k = 0; k < hidden; ++k) {
        const float b = bias[k];
        const float* const row = key + k * devices;
        for (std::size_t j = 0; j < devices; ++j)
            z[j] = b + row[j];
        for (std::size_t f = 0; f < count; ++f) {
            const float w = weight[k * count + f];
            const float* const number = numbers + f * devices;
            for (std::size_t j = 0; j < devices; ++j)
                z[j] += w * number[j];
        }
        const float v = out_weight[k];
        for (std::size_t j = 0; j < devices; ++j)
            out[j] += v * std::max(z[j], 0.0F);
    }
}

}  // namespace

/// What one question's orders have in common.
struct Decoder::Prepared {
    std::vector<float> key;         ///< [d][D]
    std::vector<float> edge;        ///< [from][e][to]
    std::vector<float> candidate;   ///< [S][candidate][D]
    std::vector<float> base;        ///< [S][d] what does not depend on the order
    std::vector<float> option_key;  ///< [from or D at the start][o][to]
};

Decoder::Prepared Decoder::prepare(const Features& features, const DecoderTables& tables) const
{
    const auto devices = static_cast<std::size_t>(features.devices);
    const auto stages = static_cast<std::size_t>(features.stages);
    const auto d = static_cast<std::size_t>(shape_.width);
    const auto e = static_cast<std::size_t>(shape_.edge_out);
    const auto o = static_cast<std::size_t>(shape_.option_hidden);
    constexpr std::size_t candidate = FeatureSizes::candidate;
    Prepared p;
    p.key = transposed(tables.key.data(), devices, d);
    p.edge.resize(devices * devices * e);
    for (std::size_t i = 0; i < devices; ++i)
        for (std::size_t j = 0; j < devices; ++j)
            for (std::size_t k = 0; k < e; ++k)
                p.edge[(i * e + k) * devices + j] = tables.edge[(i * devices + j) * e + k];
    p.candidate.resize(stages * candidate * devices);
    for (std::size_t s = 0; s < stages; ++s)
        for (std::size_t j = 0; j < devices; ++j)
            for (std::size_t k = 0; k < candidate; ++k)
                p.candidate[(s * candidate + k) * devices + j] = features.candidate[(s * devices + j) * candidate + k];
    p.base.resize(stages * d);
    for (std::size_t s = 0; s < stages; ++s) {
        std::copy(tables.context.begin(), tables.context.end(), p.base.begin() + static_cast<std::ptrdiff_t>(s * d));
        add_rows(features.position.data() + s * FeatureSizes::position, FeatureSizes::position, step_.data(), d,
                 p.base.data() + s * d);
    }
    const auto key = transposed(tables.option_key.data(), devices, o);
    for (std::size_t i = 0; i <= devices; ++i) {
        p.option_key.insert(p.option_key.end(), key.begin(), key.end());
        if (i == devices)
            break;
        float* const own = p.option_key.data() + i * o * devices;
        for (std::size_t k = 0; k < o; ++k)
            add_rows(option_edge_.data() + k * e, e, p.edge.data() + i * e * devices, devices, own + k * devices);
    }
    return p;
}

std::vector<DecodedOrder> Decoder::decode(const Features& features, const DecoderTables& tables, int samples,
                                          std::span<const float> uniforms, bool explain, unsigned threads) const
{
    const auto devices = static_cast<std::size_t>(features.devices);
    const auto stages = static_cast<std::size_t>(features.stages);
    const auto d = static_cast<std::size_t>(shape_.width);
    const auto e = static_cast<std::size_t>(shape_.edge_out);
    const auto o = static_cast<std::size_t>(shape_.option_hidden);
    const auto c = static_cast<std::size_t>(shape_.load_hidden);
    const std::size_t q = query_bias_.size();
    constexpr std::size_t fixed = FeatureSizes::candidate, numbers = fixed + FeatureSizes::option;
    const Prepared p = prepare(features, tables);

    struct Scratch {
        std::vector<float> hidden, used, query, logits, z, load_queries, number;
        std::vector<std::uint8_t> allowed;
    };
    std::vector<DecodedOrder> orders(static_cast<std::size_t>(samples));
    const OrderState start(features);
    if (orders.size() * stages * devices < 5000)
        threads = 1;
    const auto draw = [&](Scratch& scratch, std::size_t sample) {
        auto& [hidden, used, query, logits, z, load_queries, number, allowed] = scratch;
        DecodedOrder order;
        OrderState state = start;
        std::fill(used.begin(), used.end(), 0.0F);
        for (std::size_t s = 0; s < stages; ++s) {
            const std::size_t from = s == 0 ? devices : static_cast<std::size_t>(state.last());
            const float* last = s == 0 ? start_.data() : tables.last.data() + from * d;
            float progress[FeatureSizes::progress];
            state.progress(progress);
            const float part = 1 / static_cast<float>(features.stages);
            for (std::size_t k = 0; k < d; ++k)
                hidden[k] = p.base[s * d + k] + last[k] + used[k] * part;
            add_rows(progress, FeatureSizes::progress, step_.data() + FeatureSizes::position * d, d, hidden.data());
            for (auto& value : hidden)
                value = std::max(value, 0.0F);
            std::copy(query_bias_.begin(), query_bias_.end(), query.begin());
            add_rows(hidden.data(), d, query_.data(), q, query.data());
            std::fill(logits.begin(), logits.end(), 0.0F);
            add_rows(query.data(), d, p.key.data(), devices, logits.data());
            if (s > 0)
                add_rows(query.data() + d, e, p.edge.data() + from * e * devices, devices, logits.data());
            const float* const known = p.candidate.data() + s * fixed * devices;
            std::copy(known, known + fixed * devices, number.begin());
            state.options(std::span(number).subspan(fixed * devices));
            add_rows(query.data() + d + e, numbers, number.data(), devices, logits.data());
            add_options(query.data() + d + e + numbers, p.option_key.data() + from * o * devices, option_candidate_.data(),
                        option_out_.data(), number.data(), o, numbers, devices, z.data(), logits.data());
            std::copy(query.end() - static_cast<std::ptrdiff_t>(c), query.end(),
                      load_queries.begin() + static_cast<std::ptrdiff_t>(s * c));
            state.allowed(allowed);
            softmax(logits, allowed);
            const bool greedy = sample == 0 || uniforms.empty();
            const int drawn = draw_device(logits, features.alike,
                                     greedy ? nullptr : &uniforms[sample * stages + s]);
            const int chosen = state.first_alike(drawn);
            float probability = 0;
            for (std::size_t j = 0; j < devices; ++j)
                probability += features.alike[j] == features.alike[static_cast<std::size_t>(chosen)] ? logits[j] : 0;
            order.log_probability += std::log(std::max(probability, 1e-30F));
            if (explain)
                order.probability.insert(order.probability.end(), logits.begin(), logits.end());
            order.devices.push_back(chosen);
            state.take(chosen);
            const float* row = tables.used.data() + static_cast<std::size_t>(chosen) * d;
            for (std::size_t k = 0; k < d; ++k)
                used[k] += row[k];
        }
        order.log_probability /= static_cast<double>(stages);
        order.log_load = log_loads(tables, order.devices, load_queries);
        orders[sample] = std::move(order);
    };
    parallel_for(orders.size(), threads, [&] {
        Scratch scratch{std::vector<float>(d), std::vector<float>(d), std::vector<float>(q), std::vector<float>(devices),
                        std::vector<float>(devices), std::vector<float>(stages * c), std::vector<float>(numbers * devices),
                        std::vector<std::uint8_t>(devices)};
        return [&draw, scratch = std::move(scratch)](std::size_t sample) mutable { draw(scratch, sample); };
    });
    return orders;
}

std::vector<float> Decoder::log_loads(const DecoderTables& tables, const std::vector<int>& order,
                                      const std::vector<float>& queries) const
{
    const std::size_t stages = order.size();
    const auto e = static_cast<std::size_t>(shape_.edge_out);
    const auto c = static_cast<std::size_t>(shape_.load_hidden);
    const std::size_t devices = tables.load_device.size() / c;
    std::vector<float> loads, z(c);
    for (std::size_t s = 0; s < stages; ++s) {
        const auto device = static_cast<std::size_t>(order[s]);
        for (std::size_t k = 0; k < c; ++k)
            z[k] = queries[s * c + k] + tables.load_device[device * c + k];
        if (s > 0)
            add_rows(tables.edge.data() + (static_cast<std::size_t>(order[s - 1]) * devices + device) * e, e,
                     load_edges_.data(), c, z.data());
        if (s + 1 < stages)
            add_rows(tables.edge.data() + (device * devices + static_cast<std::size_t>(order[s + 1])) * e, e,
                     load_edges_.data() + e * c, c, z.data());
        float value = load_bias_;
        for (std::size_t k = 0; k < c; ++k)
            value += std::max(z[k], 0.0F) * load_out_[k];
        loads.push_back(value);
    }
    return loads;
}

int draw_device(std::span<const float> probability, const std::vector<int>& alike, const float* uniform)
{
    if (uniform == nullptr) {
        int best = 0;
        float highest = -1;
        for (std::size_t j = 0; j < probability.size(); ++j) {
            float sum = 0;
            for (std::size_t i = 0; i < probability.size(); ++i)
                sum += alike[i] == alike[j] ? probability[i] : 0;
            if (probability[j] > 0 && sum > highest * (1 + 1e-5F)) {
                highest = sum;
                best = static_cast<int>(j);
            }
        }
        return best;
    }
    float sum = 0;
    int last = 0;
    for (std::size_t j = 0; j < probability.size(); ++j) {
        if (probability[j] <= 0)
            continue;
        last = static_cast<int>(j);
        sum += probability[j];
        if (sum > *uniform)
            break;
    }
    return last;
}

std::vector<float> decode_uniforms(std::uint64_t seed, int samples, int stages)
{
    Random random(seed);
    std::vector<float> uniforms(static_cast<std::size_t>(samples) * static_cast<std::size_t>(stages));
    for (auto& value : uniforms)
        value = std::min(static_cast<float>(random.uniform()), 0.99999994F);
    return uniforms;
}

}  // namespace nnpiper
