// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/random.h"
#include "core/problem/problem.h"

#include <string>

/// A small raw problem with unlike devices and links; memory is tight on some devices.
inline nnpiper::Problem random_problem(nnpiper::Random& random, int layers, int devices, int micro_batches)
{
    using nnpiper::Matrix;
    nnpiper::Problem p;
    p.name = "random";
    p.raw = true;
    p.samples_known = false;
    nnpiper::Variant v;
    v.micro_batches = micro_batches;
    v.forward_s = v.backward_input_s = v.backward_weight_s = Matrix(layers, devices);
    p.bandwidth_bytes_per_s = p.latency_s = Matrix(devices, devices);
    for (int d = 0; d < devices; ++d) {
        p.device_ids.push_back("gpu" + std::to_string(d));
        p.device_types.emplace_back();
        p.device_nodes.emplace_back();
        p.device_price_per_h.push_back(random.uniform(0.2, 3));
        p.device_memory_bytes.push_back(random.uniform(3, 14));
    }
    for (int l = 0; l < layers; ++l) {
        p.layer_names.push_back("layer " + std::to_string(l));
        p.state_bytes.push_back(random.uniform(0.5, 1.5));
        v.stored_bytes.push_back(random.uniform(0.1, 0.6));
        v.transient_bytes.push_back(0);
        v.output_bytes.push_back(random.uniform(0.2, 2));
        v.buffer_bytes.push_back(0);
        const double size = random.uniform(0.5, 2);
        for (int d = 0; d < devices; ++d) {
            const double slowness = 1 + 0.6 * d;
            v.forward_s(l, d) = size * slowness * random.uniform(0.9, 1.1);
            v.backward_input_s(l, d) = size * slowness * random.uniform(0.9, 1.1);
            v.backward_weight_s(l, d) = size * slowness * random.uniform(0.9, 1.1);
        }
    }
    for (int a = 0; a < devices; ++a) {
        for (int b = 0; b < devices; ++b) {
            if (a != b) {
                p.bandwidth_bytes_per_s(a, b) = random.log_uniform(0.3, 30);
                p.latency_s(a, b) = random.log_uniform(0.001, 0.3);
            }
        }
    }
    p.variants.push_back(std::move(v));
    return p;
}

/// Makes all devices exchangeable: same times, memory and links.
inline void make_equal(nnpiper::Problem& p)
{
    auto& v = p.variants[0];
    for (int d = 1; d < p.devices(); ++d) {
        p.device_memory_bytes[static_cast<std::size_t>(d)] = p.device_memory_bytes[0];
        for (int l = 0; l < p.layers(); ++l) {
            v.forward_s(l, d) = v.forward_s(l, 0);
            v.backward_input_s(l, d) = v.backward_input_s(l, 0);
            v.backward_weight_s(l, d) = v.backward_weight_s(l, 0);
        }
        for (int other = 0; other < p.devices(); ++other) {
            if (other != d) {
                p.bandwidth_bytes_per_s(d, other) = p.bandwidth_bytes_per_s(other, d) = 2;
                p.latency_s(d, other) = p.latency_s(other, d) = 0.1;
            }
        }
    }
}
