// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/planners/literature/piper_recurrence.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

/// Piper's own cost over a chain of operators with edges that may jump, recompute chosen operator by operator as in the
/// paper (knapsack: the fastest choices, then those that free most memory a second until the stage fits, then back
/// those that turn out to be needless).
class PiperChain : public nnpiper::PiperCosts {
public:
    /// `straight`: no replicas.
    PiperChain(const nlohmann::json& file, int devices, double memory_bytes, bool straight)
        : devices_(devices)
        , straight_(straight)
        , memory_bytes_(memory_bytes)
        , bandwidth_(file.at("bytes_per_s"))
        , micro_batches_(file.at("micro_batches"))
        , layers_(static_cast<int>(file.at("layers").size()))
    {
        for (std::size_t t = 0; t < file.at("degrees").size(); ++t) {
            Degree degree;
            degree.tensor_parallel = file["degrees"][t];
            for (const auto& row : file.at("layers")) {
                const auto v = row.at(t).get<std::vector<double>>();
                degree.operators.push_back({Option{v[0], v[1], v[2], v[3]}, Option{v[4], v[5], v[6], v[7]}});
            }
            // Bytes of the edges into and out of [first, end), both ways, with what the group gathers.
            degree.edges.assign(at(layers_) * at(layers_ + 1), 0);
            for (const auto& edge : file.at("edges")) {
                const int from = edge.at(0), to = edge.at(1);
                const double bytes = edge.at(2), before = edge.at(3).at(t), behind = edge.at(4).at(t);
                for (int first = 0; first < layers_; ++first) {
                    for (int end = first + 1; end <= layers_; ++end) {
                        const bool source = first <= from && from < end, target = first <= to && to < end;
                        if (source != target)
                            degree.edges[at(first) * at(layers_ + 1) + at(end)] +=
                                2 * (bytes + (target ? before : behind));
                    }
                }
            }
            degrees_.push_back(std::move(degree));
        }
    }

    int layers() const override { return layers_; }
    int devices() const override { return devices_; }
    int largest_sum() const override { return std::min(devices_, micro_batches_); }
    std::vector<int> alike(int, int) const override { return std::vector<int>(at(devices_), 0); }

    std::vector<std::pair<int, int>> shapes() const override
    {
        std::vector<std::pair<int, int>> all;
        for (const Degree& degree : degrees_) {
            for (int d = 1; d * degree.tensor_parallel <= devices_; ++d) {
                if (micro_batches_ % d == 0 && (d == 1 || !straight_))
                    all.emplace_back(degree.tensor_parallel, d);
            }
        }
        return all;
    }

    double work_s(const nnpiper::StageRun& run) const override
    {
        double total = 0;
        for (int l = run.first; l < run.end; ++l)
            total += std::min(of(run)[at(l)][0].time_s, of(run)[at(l)][1].time_s);
        return total / run.replicas();
    }

    double load_s(const nnpiper::StageRun& run, int sum) const override
    {
        const int d = run.replicas();
        return load_of(run, (sum + d - 1) / d);
    }

    int most_sum(const nnpiper::StageRun& run, double limit_s) const override
    {
        const int d = run.replicas();
        int low = 0, high = largest_sum() / d + 1;  // in flight a replica
        if (load_of(run, high) <= limit_s)
            return high * d;
        while (high - low > 1) {
            const int middle = (low + high) / 2;
            (load_of(run, middle) <= limit_s ? low : high) = middle;
        }
        return low * d;
    }

private:
    struct Option {
        double time_s = 0, weight_bytes = 0, activation_bytes = 0, fixed_bytes = 0;
    };
    struct Degree {
        int tensor_parallel = 1;
        std::vector<std::array<Option, 2>> operators;
        std::vector<double> edges;
    };
    static std::size_t at(int i) { return static_cast<std::size_t>(i); }

    const Degree& degree_of(const nnpiper::StageRun& run) const
    {
        return *std::find_if(degrees_.begin(), degrees_.end(),
                             [&](const Degree& degree) { return degree.tensor_parallel == run.tensor_parallel; });
    }
    const std::vector<std::array<Option, 2>>& of(const nnpiper::StageRun& run) const
    {
        return degree_of(run).operators;
    }

    double load_of(const nnpiper::StageRun& run, int in_flight) const
    {
        const std::array<int, 5> key{run.first, run.end, run.tensor_parallel, run.replicas(), in_flight};
        const auto [found, fresh] = kept_.emplace(key, 0);
        if (fresh)
            found->second = price(run, in_flight);
        return found->second;
    }

    double price(const nnpiper::StageRun& run, int in_flight) const
    {
        const int d = run.replicas();
        const double edges = degree_of(run).edges[at(run.first) * at(layers_ + 1) + at(run.end)];
        double load = edges / d / bandwidth_;
        double needed = 0;
        struct Change {
            double seconds, bytes;
        };
        std::vector<Change> changes;  // from the faster option to the other
        for (int l = run.first; l < run.end; ++l) {
            std::array<double, 2> time{}, memory{};
            for (std::size_t o = 0; o < 2; ++o) {
                const Option& option = of(run)[at(l)][o];
                time[o] = option.time_s / d + 4.0 * (d - 1) * option.weight_bytes / d / micro_batches_ / bandwidth_;
                memory[o] = option.activation_bytes * in_flight + option.fixed_bytes;
            }
            const std::size_t fast = time[1] < time[0] ? 1 : 0;
            load += time[fast];
            needed += memory[fast];
            if (memory[1 - fast] < memory[fast])
                changes.push_back({time[1 - fast] - time[fast], memory[fast] - memory[1 - fast]});
        }
        std::sort(changes.begin(), changes.end(),
                  [](const Change& a, const Change& b) { return a.seconds * b.bytes < b.seconds * a.bytes; });
        std::size_t taken = 0;
        for (; taken < changes.size() && needed > memory_bytes_; ++taken) {
            load += changes[taken].seconds;
            needed -= changes[taken].bytes;
        }
        if (needed > memory_bytes_)
            return std::numeric_limits<double>::infinity();
        std::sort(changes.begin(), changes.begin() + static_cast<std::ptrdiff_t>(taken),
                  [](const Change& a, const Change& b) { return a.seconds > b.seconds; });
        for (std::size_t i = 0; i < taken; ++i) {
            if (needed + changes[i].bytes <= memory_bytes_) {
                needed += changes[i].bytes;
                load -= changes[i].seconds;
            }
        }
        return load;
    }

    int devices_;
    bool straight_;
    double memory_bytes_;
    double bandwidth_;
    int micro_batches_;
    int layers_;
    std::vector<Degree> degrees_;
    mutable std::map<std::array<int, 5>, double> kept_;
};
