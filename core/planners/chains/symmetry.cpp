// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/planners/chains/symmetry.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace nnpiper {

namespace {

bool interchangeable(const ChainCosts& costs, int a, int b)
{
    const Problem& p = costs.problem();
    for (const Lock& lock : p.locks) {
        for (const int d : {a, b}) {
            if (std::find(lock.devices.begin(), lock.devices.end(), p.device_ids[static_cast<std::size_t>(d)])
                != lock.devices.end())
                return false;
        }
    }
    if (costs.capacity(a) != costs.capacity(b)
        || (p.objective == Objective::cost && costs.price_per_s(a) != costs.price_per_s(b)))
        return false;
    for (int l = 0; l < costs.layers(); ++l) {
        if (costs.forward(a, l, l + 1) != costs.forward(b, l, l + 1)
            || costs.backward(a, l, l + 1) != costs.backward(b, l, l + 1)
            || costs.optimizer(a, l, l + 1) != costs.optimizer(b, l, l + 1))
            return false;
    }
    const auto same = [](const Matrix& m, int a1, int b1, int a2, int b2) { return m(a1, b1) == m(a2, b2); };
    for (const Matrix* m : {&p.bandwidth_bytes_per_s, &p.latency_s}) {
        if (!same(*m, a, b, b, a))
            return false;
        for (const int other : costs.usable()) {
            if (other != a && other != b && (!same(*m, a, other, b, other) || !same(*m, other, a, other, b)))
                return false;
        }
    }
    return true;
}

/// The same for interchangeable devices, whatever the order of the others, and seldom for two that are not.
std::uint64_t signature(const ChainCosts& costs, int device)
{
    const Problem& p = costs.problem();
    std::uint64_t sum = 0;
    const auto add = [&](double value, std::uint64_t role) {
        std::uint64_t bits = std::bit_cast<std::uint64_t>(value) + role * 0x9e3779b97f4a7c15U;
        bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9U;
        sum += bits ^ (bits >> 27);
    };
    add(costs.capacity(device), 1);
    add(costs.forward(device, 0, costs.layers()), 2);
    add(costs.backward(device, 0, costs.layers()), 3);
    for (const int other : costs.usable()) {
        if (other == device)
            continue;
        add(p.bandwidth_bytes_per_s(device, other), 4);
        add(p.bandwidth_bytes_per_s(other, device), 5);
        add(p.latency_s(device, other), 6);
        add(p.latency_s(other, device), 7);
    }
    return sum;
}

}  // namespace

std::vector<int> device_classes(const ChainCosts& costs)
{
    const auto& usable = costs.usable();
    std::vector<int> classes(usable.size(), -1);
    std::vector<std::uint64_t> signatures;
    for (const int device : usable)
        signatures.push_back(signature(costs, device));
    int count = 0;
    for (std::size_t i = 0; i < usable.size(); ++i) {
        if (classes[i] >= 0)
            continue;
        classes[i] = count;
        for (std::size_t j = i + 1; j < usable.size(); ++j) {
            if (classes[j] < 0 && signatures[i] == signatures[j] && interchangeable(costs, usable[i], usable[j]))
                classes[j] = count;
        }
        ++count;
    }
    return classes;
}

}  // namespace nnpiper
