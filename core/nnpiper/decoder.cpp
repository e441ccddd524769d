// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nnpiper/decoder.h"

#include "core/base/random.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

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

/// Index drawn from softmax(logits) over the allowed entries, by `uniform` or the most probable one; adds its log
/// probability.
int choose(std::span<const float> logits, std::span<const std::uint8_t> allowed, const float* uniform, double& log_probability,
           std::vector<float>& weights)
{
    float highest = -std::numeric_limits<float>::infinity();
    int best = -1;
    for (std::size_t j = 0; j < logits.size(); ++j)
        if (allowed[j] && logits[j] > highest) {
            highest = logits[j];
            best = static_cast<int>(j);
        }
    float total = 0;
    for (std::size_t j = 0; j < logits.size(); ++j) {
        weights[j] = allowed[j] ? std::exp(logits[j] - highest) : 0;
        total += weights[j];
    }
    int chosen = best;
    if (uniform != nullptr) {
        const float target = *uniform * total;
        float sum = 0;
        for (std::size_t j = 0; j < logits.size(); ++j) {
            sum += weights[j];
            if (allowed[j] && sum > target) {
                chosen = static_cast<int>(j);
                break;
            }
        }
    }
    log_probability += logits[static_cast<std::size_t>(chosen)] - highest - std::log(total);
    return chosen;
}

}  // namespace

OrderState::OrderState(const Features& features)
    : features_(features)
    , used_(static_cast<std::size_t>(features.devices), 0)
    , by_capacity_(static_cast<std::size_t>(features.devices))
{
    std::iota(by_capacity_.begin(), by_capacity_.end(), 0);
    std::stable_sort(by_capacity_.begin(), by_capacity_.end(), [&](int a, int b) {
        return features.best_capacity[static_cast<std::size_t>(a)] > features.best_capacity[static_cast<std::size_t>(b)];
    });
}

void OrderState::allowed(std::span<std::uint8_t> mask) const
{
    const auto devices = static_cast<std::size_t>(features_.devices);
    // Capacity of the best `rest` devices left, and of one more: enough to leave any single device out.
    const int rest = features_.stages - position_ - 1;
    float sum = 0, smallest = 2, one_more = 0;
    int taken = 0;
    for (const int d : by_capacity_) {
        if (used_[static_cast<std::size_t>(d)])
            continue;
        const float capacity = features_.best_capacity[static_cast<std::size_t>(d)];
        if (taken < rest) {
            sum += capacity;
            smallest = capacity;
        } else {
            one_more = capacity;
            break;
        }
        ++taken;
    }
    const float* capacity = features_.capacity.data() + static_cast<std::size_t>(position_) * devices;
    bool any_fits = false, any_route = false;
    for (std::size_t j = 0; j < devices; ++j) {
        if (used_[j]) {
            mask[j] = 0;
            continue;
        }
        const float best = features_.best_capacity[j];
        const float others = rest > 0 && best >= smallest ? sum + one_more - best : sum;
        const bool fits = capacity_ + capacity[j] + others >= 0.97F;
        const bool route = last_ < 0 || features_.route[static_cast<std::size_t>(last_) * devices + j];
        mask[j] = static_cast<std::uint8_t>(1 | (route ? 2 : 0) | (route && fits ? 4 : 0));
        any_fits |= route && fits;
        any_route |= route;
    }
    const std::uint8_t wanted = any_fits ? 4 : any_route ? 2 : 1;
    for (std::size_t j = 0; j < devices; ++j)
        mask[j] = (mask[j] & wanted) != 0;
}

void OrderState::progress(float* out) const
{
    out[0] = std::min(2.0F, capacity_);
    out[1] = std::min(2.0F, speed_);
    const float left = static_cast<float>(features_.stages - position_);
    out[2] = std::clamp((1 - speed_) / left * static_cast<float>(features_.stages), -2.0F, 2.0F);
}

void OrderState::take(int device)
{
    const auto d = static_cast<std::size_t>(device);
    capacity_ += features_.capacity[static_cast<std::size_t>(position_) * static_cast<std::size_t>(features_.devices) + d];
    speed_ += features_.speed_share[d];
    used_[d] = 1;
    last_ = device;
    ++position_;
}

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
    count_edges_ = transposed(weights.tensors.at("count.edges.weight"));
    count_out_ = weights.tensors.at("count.out.weight").values;
    count_bias_ = weights.tensors.at("count.out.bias").values[0];
}

std::vector<DecodedOrder> Decoder::decode(const Features& features, const DecoderTables& tables, int samples,
                                          std::span<const float> uniforms) const
{
    const auto devices = static_cast<std::size_t>(features.devices);
    const auto stages = static_cast<std::size_t>(features.stages);
    const auto d = static_cast<std::size_t>(shape_.width);
    const auto e = static_cast<std::size_t>(shape_.edge_out);
    const auto c = static_cast<std::size_t>(shape_.count_hidden);
    const std::size_t q = query_bias_.size();
    constexpr std::size_t candidate = FeatureSizes::candidate;
    const auto key = transposed(tables.key.data(), devices, d);
    std::vector<float> edge(devices * devices * e);  // [from][e][to]
    for (std::size_t i = 0; i < devices; ++i)
        for (std::size_t j = 0; j < devices; ++j)
            for (std::size_t k = 0; k < e; ++k)
                edge[(i * e + k) * devices + j] = tables.edge[(i * devices + j) * e + k];
    std::vector<float> candidates(stages * candidate * devices);  // [stage][candidate][device]
    for (std::size_t s = 0; s < stages; ++s)
        for (std::size_t j = 0; j < devices; ++j)
            for (std::size_t k = 0; k < candidate; ++k)
                candidates[(s * candidate + k) * devices + j] = features.candidate[(s * devices + j) * candidate + k];
    std::vector<float> base(stages * d);  // what does not depend on the order
    for (std::size_t s = 0; s < stages; ++s) {
        std::copy(tables.context.begin(), tables.context.end(), base.begin() + static_cast<std::ptrdiff_t>(s * d));
        add_rows(features.position.data() + s * FeatureSizes::position, FeatureSizes::position, step_.data(), d,
                 base.data() + s * d);
    }

    std::vector<DecodedOrder> orders;
    std::vector<float> hidden(d), used(d), query(q), logits(devices), weights(devices), counts(stages * c), z(c);
    std::vector<std::uint8_t> allowed(devices);
    for (int sample = 0; sample < samples; ++sample) {
        DecodedOrder order;
        OrderState state(features);
        std::fill(used.begin(), used.end(), 0.0F);
        for (std::size_t s = 0; s < stages; ++s) {
            const float* last = s == 0 ? start_.data() : tables.last.data() + static_cast<std::size_t>(state.last()) * d;
            float progress[FeatureSizes::progress];
            state.progress(progress);
            const float part = 1 / static_cast<float>(features.stages);
            for (std::size_t k = 0; k < d; ++k)
                hidden[k] = base[s * d + k] + last[k] + used[k] * part;
            add_rows(progress, FeatureSizes::progress, step_.data() + FeatureSizes::position * d, d, hidden.data());
            for (auto& value : hidden)
                value = std::max(value, 0.0F);
            std::copy(query_bias_.begin(), query_bias_.end(), query.begin());
            add_rows(hidden.data(), d, query_.data(), q, query.data());
            std::fill(logits.begin(), logits.end(), 0.0F);
            add_rows(query.data(), d, key.data(), devices, logits.data());
            if (s > 0)
                add_rows(query.data() + d, e, edge.data() + static_cast<std::size_t>(state.last()) * e * devices, devices,
                         logits.data());
            add_rows(query.data() + d + e, candidate, candidates.data() + s * candidate * devices, devices, logits.data());
            std::copy(query.begin() + static_cast<std::ptrdiff_t>(d + e + candidate), query.end(),
                      counts.begin() + static_cast<std::ptrdiff_t>(s * c));
            state.allowed(allowed);
            const bool greedy = sample == 0 || uniforms.empty();
            const int chosen = choose(logits, allowed, greedy ? nullptr : &uniforms[static_cast<std::size_t>(sample) * stages + s],
                                      order.log_probability, weights);
            order.devices.push_back(chosen);
            state.take(chosen);
            const float* row = tables.used.data() + static_cast<std::size_t>(chosen) * d;
            for (std::size_t k = 0; k < d; ++k)
                used[k] += row[k];
        }
        order.log_probability /= static_cast<double>(stages);

        float highest = -std::numeric_limits<float>::infinity(), total = 0;
        for (std::size_t s = 0; s < stages; ++s) {
            const auto device = static_cast<std::size_t>(order.devices[s]);
            for (std::size_t k = 0; k < c; ++k)
                z[k] = counts[s * c + k] + tables.count_device[device * c + k];
            if (s > 0)
                add_rows(tables.edge.data() + (static_cast<std::size_t>(order.devices[s - 1]) * devices + device) * e, e,
                         count_edges_.data(), c, z.data());
            if (s + 1 < stages)
                add_rows(tables.edge.data() + (device * devices + static_cast<std::size_t>(order.devices[s + 1])) * e, e,
                         count_edges_.data() + e * c, c, z.data());
            float value = count_bias_;
            for (std::size_t k = 0; k < c; ++k)
                value += std::max(z[k], 0.0F) * count_out_[k];
            // The prior is the stage's fair share by speed and memory there (candidate feature 2 is log2 / 4).
            value += 4 * std::numbers::ln2_v<float> * features.candidate[(s * devices + device) * candidate + 2];
            order.work_share.push_back(value);
            highest = std::max(highest, value);
        }
        for (auto& share : order.work_share)
            total += share = std::exp(share - highest);
        for (auto& share : order.work_share)
            share /= total;
        orders.push_back(std::move(order));
    }
    return orders;
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
