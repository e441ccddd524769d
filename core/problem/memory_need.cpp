// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/problem/memory_need.h"

#include <algorithm>
#include <numeric>

namespace nnpiper {

MemoryNeed memory_need(const Problem& problem)
{
    const Variant& variant = problem.variants[static_cast<std::size_t>(problem.default_variant)];
    MemoryNeed need;
    need.micro_batch_samples = variant.micro_batch_samples;
    need.tensor_parallel = variant.tensor_parallel;
    need.recompute = variant.recompute;
    for (int l = 0; l < problem.layers(); ++l) {
        const auto layer = static_cast<std::size_t>(l);
        const double share = problem.held_share(l, variant.tensor_parallel);
        const double weight = problem.weight_bytes.empty() ? 0 : problem.weight_bytes[layer];
        const double gradient = problem.gradient_bytes.empty() ? 0 : problem.gradient_bytes[layer];
        need.weight_bytes += share * weight;
        need.gradient_bytes += share * gradient;
        need.optimizer_bytes += share * (problem.state_bytes[layer] - weight - gradient);
    }
    need.activation_bytes = std::accumulate(variant.stored_bytes.begin(), variant.stored_bytes.end(), 0.0);
    if (!variant.transient_bytes.empty())
        need.transient_bytes = *std::max_element(variant.transient_bytes.begin(), variant.transient_bytes.end());
    return need;
}

}  // namespace nnpiper
