// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/planners/groups/group_times.h"

#include "core/base/error.h"

#include <algorithm>

namespace nnpiper {

namespace {

bool same_column(const Matrix& matrix, int a, int b)
{
    for (int l = 0; l < matrix.rows(); ++l) {
        if (matrix(l, a) != matrix(l, b))
            return false;
    }
    return true;
}

GroupTimes::Exchange exchange_of(const std::vector<GroupTraffic>& traffic)
{
    GroupTimes::Exchange result;
    for (std::size_t l = 0; l < traffic.size(); ++l) {
        auto found = std::find(result.traffic.begin(), result.traffic.end(), traffic[l]);
        if (found == result.traffic.end()) {
            result.traffic.push_back(traffic[l]);
            result.count.emplace_back(traffic.size() + 1, 0);
            found = result.traffic.end() - 1;
        }
        const auto own = static_cast<std::size_t>(found - result.traffic.begin());
        for (std::size_t c = 0; c < result.count.size(); ++c)
            result.count[c][l + 1] = result.count[c][l] + (c == own ? 1 : 0);
    }
    return result;
}

}  // namespace

GroupTimes::GroupTimes(const Problem& problem, int micro_batch_samples)
    : samples_(micro_batch_samples)
    , layers_(problem.layers())
{
    const Variant& usual = problem.variants[at(problem.default_variant)];
    for (const Variant& variant : problem.variants) {
        if (variant.micro_batch_samples != samples_
            || (!problem.tensor_parallel_free && variant.tensor_parallel != usual.tensor_parallel)
            || (!problem.recompute_free && variant.recompute != usual.recompute))
            continue;
        whole_ = whole_ ? whole_ : &variant;
        if (std::find(degrees_.begin(), degrees_.end(), variant.tensor_parallel) == degrees_.end())
            degrees_.push_back(variant.tensor_parallel);
        if (std::find(policies_.begin(), policies_.end(), variant.recompute) == policies_.end())
            policies_.push_back(variant.recompute);
    }
    if (!whole_)
        throw Error("micro_batch", "micro-batches of " + std::to_string(samples_) + " samples are not priced",
                    "a size of the problem's variants");
    std::sort(degrees_.begin(), degrees_.end());
    kinds_.assign(degrees_.size() * policies_.size(), -1);
    classify(problem);
    for (const Variant& variant : problem.variants) {
        const auto degree = std::find(degrees_.begin(), degrees_.end(), variant.tensor_parallel);
        const auto policy = std::find(policies_.begin(), policies_.end(), variant.recompute);
        if (variant.micro_batch_samples != samples_ || degree == degrees_.end() || policy == policies_.end())
            continue;
        kinds_[static_cast<std::size_t>(degree - degrees_.begin()) * policies_.size()
               + static_cast<std::size_t>(policy - policies_.begin())] = static_cast<int>(bytes_.size());
        bytes_.push_back(bytes_of(problem, variant));
    }
    tables_.resize(bytes_.size() * at(samples_) * at(classes_));
}

int GroupTimes::kind(int tensor_parallel, Recompute recompute) const
{
    for (std::size_t d = 0; d < degrees_.size(); ++d) {
        for (std::size_t p = 0; p < policies_.size(); ++p) {
            if (degrees_[d] == tensor_parallel && policies_[p] == recompute)
                return kinds_[d * policies_.size() + p];
        }
    }
    return -1;
}

void GroupTimes::classify(const Problem& problem)
{
    const auto alike = [&](int a, int b) {
        for (const Variant& variant : problem.variants) {
            if (!same_column(variant.forward_s, a, b) || !same_column(variant.backward_input_s, a, b)
                || !same_column(variant.backward_weight_s, a, b))
                return false;
        }
        return problem.optimizer_s.empty() || same_column(problem.optimizer_s, a, b);
    };
    for (int d = 0; d < problem.devices(); ++d) {
        const auto found = std::find_if(example_.begin(), example_.end(), [&](int other) { return alike(other, d); });
        class_.push_back(static_cast<int>(found - example_.begin()));
        if (found == example_.end())
            example_.push_back(d);
    }
    classes_ = static_cast<int>(example_.size());
}

GroupTimes::Bytes GroupTimes::bytes_of(const Problem& problem, const Variant& variant) const
{
    Bytes bytes;
    bytes.variant = &variant;
    for (const Variant& other : problem.variants) {
        if (other.tensor_parallel == variant.tensor_parallel && other.recompute == variant.recompute
            && other.micro_batch_samples <= samples_)
            bytes.smaller.push_back(&other);
    }
    std::sort(bytes.smaller.begin(), bytes.smaller.end(),
              [](const Variant* a, const Variant* b) { return a->micro_batch_samples < b->micro_batch_samples; });
    const auto held = [&](int l, const std::vector<double>& values) {
        return values.empty() ? 0 : problem.held_share(l, variant.tensor_parallel) * values[at(l)];
    };
    for (auto* sums : {&bytes.whole_state, &bytes.sharded_state, &bytes.scattered, &bytes.gathered, &bytes.stored})
        sums->push_back(0);
    for (int l = 0; l < layers_; ++l) {
        const double sharded = held(l, problem.sharded_bytes);
        bytes.whole_state.push_back(bytes.whole_state.back() + held(l, problem.state_bytes) - sharded);
        bytes.sharded_state.push_back(bytes.sharded_state.back() + sharded);
        bytes.scattered.push_back(bytes.scattered.back() + held(l, problem.gradient_bytes));
        bytes.gathered.push_back(
            bytes.gathered.back()
            + held(l, problem.sharded_bytes.empty() ? problem.gradient_bytes : problem.weight_bytes));
        bytes.stored.push_back(bytes.stored.back() + variant.stored_bytes[at(l)]);
    }
    for (int c = 0; c < classes_ && !problem.optimizer_s.empty(); ++c) {
        bytes.optimizer.push_back(0);
        for (int l = 0; l < layers_; ++l)
            bytes.optimizer.push_back(bytes.optimizer.back()
                                      + problem.held_share(l, variant.tensor_parallel)
                                            * problem.optimizer_s(l, example_[at(c)]));
    }
    if (std::any_of(variant.transient_bytes.begin(), variant.transient_bytes.end(), [](double t) { return t > 0; })) {
        bytes.largest_transient.assign(at(layers_) * at(layers_), 0);
        for (int first = 0; first < layers_; ++first) {
            double largest = 0;
            for (int l = first; l < layers_; ++l) {
                largest = std::max(largest, variant.transient_bytes[at(l)]);
                bytes.largest_transient[at(first) * at(layers_) + at(l)] = largest;
            }
        }
    }
    bytes.forward_exchange = exchange_of(variant.forward_traffic);
    bytes.backward_exchange = exchange_of(variant.backward_traffic);
    return bytes;
}

double GroupTimes::stored(int kind, int first, int end) const
{
    const Bytes& bytes = bytes_[at(kind)];
    double total = range(bytes.stored, 0, first, end);
    if (first > 0 && !bytes.variant->carried_bytes.empty())
        total += bytes.variant->carried_bytes[at(first - 1)];
    return total;
}

double GroupTimes::transient(int kind, int first, int end) const
{
    const Bytes& bytes = bytes_[at(kind)];
    double total = bytes.largest_transient.empty() ? 0 : bytes.largest_transient[at(first) * at(layers_) + at(end - 1)];
    if (first > 0)
        total += bytes.variant->buffer_bytes[at(first - 1)];
    if (end < layers_)
        total += bytes.variant->buffer_bytes[at(end - 1)];
    return total;
}

/// As the layout prices a share: linear between the sizes that were priced, proportional below the smallest.
const double* GroupTimes::fill(int kind, int share, int device)
{
    const Bytes& bytes = bytes_[at(kind)];
    const Variant* below = nullptr;
    const Variant* above = bytes.variant;
    for (const Variant* variant : bytes.smaller) {
        if (variant->micro_batch_samples >= share) {
            above = variant;
            break;
        }
        below = variant;
    }
    const int base = below ? below->micro_batch_samples : 0;
    const double part = static_cast<double>(share - base) / (above->micro_batch_samples - base);
    const auto time = [&](const Matrix Variant::*matrix, int l) {
        const double low = below ? (below->*matrix)(l, device) : 0;
        return low + ((above->*matrix)(l, device) - low) * part;
    };
    auto& sums = tables_[(at(kind) * at(samples_) + at(share - 1)) * at(classes_) + at(class_[at(device)])];
    sums.assign(2 * at(layers_ + 1), 0);
    double* const forward = sums.data();
    double* const backward = forward + layers_ + 1;
    for (int l = 0; l < layers_; ++l) {
        forward[l + 1] = forward[l] + time(&Variant::forward_s, l);
        backward[l + 1] = backward[l] + time(&Variant::backward_input_s, l) + time(&Variant::backward_weight_s, l);
    }
    return sums.data();
}

}  // namespace nnpiper
