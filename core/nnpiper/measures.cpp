// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nnpiper/measures.h"

#include "core/base/error.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace nnpiper {

namespace {

void measure_work(Measures& m, const Variant& variant, const std::vector<int>& usable)
{
    m.whole_s.assign(usable.size(), 0);
    std::vector<double> by_layer(static_cast<std::size_t>(m.layers), 0);
    const auto time = [&](int l, int d) {
        return variant.forward_s(l, d) + variant.backward_input_s(l, d) + variant.backward_weight_s(l, d);
    };
    for (int l = 0; l < m.layers; ++l)
        for (std::size_t i = 0; i < usable.size(); ++i)
            m.whole_s[i] += time(l, usable[i]);
    for (auto& whole : m.whole_s)
        whole = std::max(whole, 1e-30);
    m.work.assign(static_cast<std::size_t>(m.layers), 0);
    for (int l = 0; l < m.layers; ++l)
        for (std::size_t i = 0; i < usable.size(); ++i)
            m.work[static_cast<std::size_t>(l)] += time(l, usable[i]) / m.whole_s[i] / static_cast<double>(usable.size());
    // Relative slowness by depth: the device's share of its own time in that quarter against the mean share.
    m.tilt.assign(usable.size(), {});
    std::vector<int> quarter(static_cast<std::size_t>(m.layers));
    std::array<double, Measures::quarters> mean{};
    double before = 0;
    for (int l = 0; l < m.layers; ++l) {
        const double w = m.work[static_cast<std::size_t>(l)];
        quarter[static_cast<std::size_t>(l)] = std::clamp(static_cast<int>((before + w / 2) * Measures::quarters), 0, Measures::quarters - 1);
        mean[static_cast<std::size_t>(quarter[static_cast<std::size_t>(l)])] += w;
        before += w;
    }
    for (std::size_t i = 0; i < usable.size(); ++i) {
        std::array<double, Measures::quarters> own{};
        for (int l = 0; l < m.layers; ++l)
            own[static_cast<std::size_t>(quarter[static_cast<std::size_t>(l)])] += time(l, usable[i]) / m.whole_s[i];
        for (std::size_t q = 0; q < Measures::quarters; ++q)
            m.tilt[i][q] = mean[q] > 1e-9 && own[q] > 1e-9 ? std::clamp(std::log(own[q] / mean[q]), -2.0, 2.0) : 0;
    }
    std::vector<double> rates;
    for (const double whole : m.whole_s)
        rates.push_back(1 / whole);
    std::sort(rates.begin(), rates.end(), std::greater<>());
    m.stage_s = 1 / std::accumulate(rates.begin(), rates.begin() + m.stages, 0.0);
}

void measure_memory(Measures& m, const Problem& problem, const Variant& variant, const std::vector<int>& usable)
{
    m.state = problem.state_bytes;
    m.stored = variant.stored_bytes;
    const double transient = variant.transient_bytes.empty()
                                 ? 0
                                 : *std::max_element(variant.transient_bytes.begin(), variant.transient_bytes.end());
    for (const int d : usable)
        m.memory.push_back(std::max(0.0, problem.device_memory_bytes[static_cast<std::size_t>(d)] - transient));
}

void measure_links(Measures& m, const Problem& problem, const Variant& variant, const std::vector<int>& usable)
{
    double message = 0;
    for (int l = 0; l + 1 < m.layers; ++l)
        message += variant.output_bytes[static_cast<std::size_t>(l)];
    message /= std::max(1, m.layers - 1);
    const auto cells = static_cast<std::size_t>(m.devices) * static_cast<std::size_t>(m.devices);
    m.occupancy.assign(cells, 0);
    m.latency.assign(cells, 0);
    m.both_ways.assign(cells, 0);
    m.route.assign(cells, 1);
    constexpr double no_route = 1e6;
    for (int i = 0; i < m.devices; ++i)
        for (int j = 0; j < m.devices; ++j) {
            if (i == j)
                continue;
            const int a = usable[static_cast<std::size_t>(i)];
            const int b = usable[static_cast<std::size_t>(j)];
            const double bandwidth = problem.bandwidth_bytes_per_s(a, b);
            m.occupancy[m.at(i, j)] = bandwidth > 0 ? message / bandwidth / m.stage_s : no_route;
            m.latency[m.at(i, j)] = problem.latency_s(a, b) / m.stage_s;
            m.route[m.at(i, j)] = bandwidth > 0 && problem.bandwidth_bytes_per_s(b, a) > 0;
        }
    for (int i = 0; i < m.devices; ++i)
        for (int j = 0; j < m.devices; ++j)
            m.both_ways[m.at(i, j)] = m.occupancy[m.at(i, j)] + m.latency[m.at(i, j)] + m.occupancy[m.at(j, i)]
                                      + m.latency[m.at(j, i)] + (i == j ? 0 : 1e-6);
}

}  // namespace

std::vector<int> usable_devices_of(const Problem& problem)
{
    std::vector<int> usable;
    for (int d = 0; d < problem.devices(); ++d) {
        const auto& id = problem.device_ids[static_cast<std::size_t>(d)];
        const bool idle = std::any_of(problem.locks.begin(), problem.locks.end(), [&](const Lock& lock) {
            return lock.idle && std::find(lock.devices.begin(), lock.devices.end(), id) != lock.devices.end();
        });
        if (!idle)
            usable.push_back(d);
    }
    return usable;
}

Measures measure(const NetworkQuestion& question, const std::vector<int>& usable)
{
    const Problem& problem = *question.problem;
    const Variant& variant = problem.variants[static_cast<std::size_t>(question.variant)];
    Measures m;
    m.layers = problem.layers();
    m.devices = static_cast<int>(usable.size());
    m.stages = question.stages;
    m.micro_batches = variant.micro_batches;
    m.gpipe = question.schedule == ScheduleKind::gpipe;
    if (m.stages < 1 || m.stages > m.devices || m.stages > m.layers)
        throw Error("stages", std::to_string(m.stages),
                    "1 to " + std::to_string(std::min(m.devices, m.layers)) + " (usable devices and layers)");
    measure_work(m, variant, usable);
    measure_memory(m, problem, variant, usable);
    measure_links(m, problem, variant, usable);
    return m;
}

}  // namespace nnpiper
