// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/problem/problem.h"

#include <nlohmann/json.hpp>

#include <fstream>
#include <string>
#include <vector>

/// The measured OPT-350 of tests/data/peers/sailor-opt350.json on as many A100 as V100, the faster first, four a node.
class SailorFile {
public:
    SailorFile()
        : json_(nlohmann::json::parse(std::ifstream(TEST_DATA "/peers/sailor-opt350.json")))
    {
    }

    const nlohmann::json& json() const { return json_; }

    /// `link_bytes_per_s` for all pairs, or 0 for the measured links: inside a node the node's, between nodes a quarter
    /// of what four devices reach together.
    nnpiper::Problem problem(int devices_of_each, int batch, int largest_micro_batch, double link_bytes_per_s) const
    {
        using nnpiper::Matrix;
        nnpiper::Problem p;
        p.name = "OPT-350";
        p.basis = nnpiper::CostBasis::measured;
        const int layers = 26, devices = 2 * devices_of_each;
        std::vector<int> kind;
        for (int l = 0; l < layers; ++l) {
            kind.push_back(l == 0 ? 0 : l == 1 ? 1 : l + 1 == layers ? 3 : 2);
            p.layer_names.push_back("layer " + std::to_string(l));
            const double parameters = json_["parameters"][static_cast<std::size_t>(kind.back())];
            p.state_bytes.push_back(16 * parameters);  // fp32 weights, gradients and two moments
            p.gradient_bytes.push_back(4 * parameters);
        }
        p.optimizer_s = Matrix(layers, devices);
        for (int d = 0; d < devices; ++d) {
            const std::string type = d < devices_of_each ? "A100-40" : "V100-16";
            p.device_types.push_back(type);
            p.device_nodes.push_back("node" + std::to_string(d / 4));
            p.device_ids.push_back(p.device_nodes.back() + "/gpu" + std::to_string(d % 4));
            p.device_memory_bytes.push_back(json_["devices"][type]["memory_bytes"]);
            p.device_price_per_h.push_back(std::numeric_limits<double>::quiet_NaN());
            for (int l = 0; l < layers; ++l)
                p.optimizer_s(l, d) = json_["devices"][type]["by_degree_and_samples"]["1"]["1"]["update_s"];
        }
        p.bandwidth_bytes_per_s = p.latency_s = Matrix(devices, devices);
        for (int a = 0; a < devices; ++a) {
            for (int b = 0; b < devices; ++b) {
                if (a != b)
                    p.bandwidth_bytes_per_s(a, b) = link_bytes_per_s > 0 ? link_bytes_per_s : measured_link(p, a, b);
            }
        }
        for (const int t : {1, 2, 4}) {
            for (int samples = 1; samples <= largest_micro_batch; samples *= 2)
                p.variants.push_back(variant(p, kind, t, samples, batch));
        }
        p.micro_batch_free = p.tensor_parallel_free = true;
        return p;
    }

private:
    double measured_link(const nnpiper::Problem& p, int a, int b) const
    {
        const auto i = static_cast<std::size_t>(std::min(a, b)), j = static_cast<std::size_t>(std::max(a, b));
        if (p.device_nodes[i] == p.device_nodes[j])
            return json_["devices"][p.device_types[i]]["node_bandwidth_bytes_per_s"];
        return json_["bandwidth_between_nodes_bytes_per_s"][p.device_types[i] + " " + p.device_types[j]].get<double>()
               / 4;
    }

    /// Beyond the largest size that was measured times grow in proportion.
    nnpiper::Variant variant(const nnpiper::Problem& p, const std::vector<int>& kind, int t, int samples,
                             int batch) const
    {
        nnpiper::Variant v;
        v.micro_batch_samples = samples;
        v.micro_batches = batch / samples;
        v.tensor_parallel = t;
        const std::string degree = std::to_string(t);
        v.forward_s = v.backward_input_s = v.backward_weight_s = nnpiper::Matrix(p.layers(), p.devices());
        for (int l = 0; l < p.layers(); ++l) {
            const auto k = static_cast<std::size_t>(kind[static_cast<std::size_t>(l)]);
            v.stored_bytes.push_back(samples * json_["stored_bytes_per_sample"][degree][k].get<double>());
            v.output_bytes.push_back(samples * json_["output_bytes_per_sample"][k].get<double>());
            v.transient_bytes.push_back(0);
            v.buffer_bytes.push_back(0);
            for (int d = 0; d < p.devices(); ++d) {
                const auto& sizes =
                    json_["devices"][p.device_types[static_cast<std::size_t>(d)]]["by_degree_and_samples"][degree];
                int measured = samples;
                while (!sizes.contains(std::to_string(measured)))
                    measured /= 2;
                const auto& times = sizes[std::to_string(measured)];
                const double scale = samples / measured;
                v.forward_s(l, d) = scale * times["forward_s"][k].get<double>();
                v.backward_input_s(l, d) = v.backward_weight_s(l, d) = scale * times["backward_s"][k].get<double>() / 2;
            }
        }
        return v;
    }

    nlohmann::json json_;
};
