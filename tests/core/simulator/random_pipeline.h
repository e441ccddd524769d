// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/random.h"
#include "core/problem/pipeline.h"

/// Unequal stages and links of random size; some links are free, some slower than the stages.
inline nnpiper::Pipeline random_pipeline(nnpiper::Random& random, int stages, int micro_batches)
{
    nnpiper::Pipeline pipeline;
    pipeline.map = nnpiper::straight_map(stages);
    pipeline.micro_batches = micro_batches;
    pipeline.samples = micro_batches;
    for (int s = 0; s < stages; ++s) {
        pipeline.forward_s.push_back(random.log_uniform(0.1, 3));
        pipeline.backward_input_s.push_back(random.log_uniform(0.1, 3));
        pipeline.backward_weight_s.push_back(random.log_uniform(0.1, 3));
        pipeline.optimizer_s.push_back(0);
        pipeline.all_reduce_s.push_back(0);
    }
    for (int s = 0; s + 1 < stages; ++s) {
        const bool free = random.below(4) == 0;
        pipeline.forward_occupancy_s.push_back(free ? 0 : random.log_uniform(0.01, 6));
        pipeline.forward_latency_s.push_back(free ? 0 : random.log_uniform(0.01, 2));
        pipeline.backward_occupancy_s.push_back(free ? 0 : random.log_uniform(0.01, 6));
        pipeline.backward_latency_s.push_back(free ? 0 : random.log_uniform(0.01, 2));
    }
    return pipeline;
}
