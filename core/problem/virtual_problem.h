// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/random.h"
#include "core/problem/problem.h"

#include <optional>
#include <string_view>

namespace nnpiper {

/// What a virtual problem stresses. `any` draws one of the others, or a blend of all their habits.
enum class VirtualKind { any, mixed_devices, equal_devices, slow_wan, unlike_layers };

std::string_view name_of(VirtualKind kind);

/// L layers for S stages on D devices, S <= min(L, D).
struct VirtualSize {
    int layers = 32;
    int devices = 8;
    int stages = 8;
    std::optional<int> micro_batches;   ///< empty: drawn, mostly between S and 8 S

    bool operator==(const VirtualSize&) const = default;
};

/// Layers for so many stages: 1.2 to 6 a stage, 8 to 200.
int random_virtual_depth(Random& random, int stages);

/// A size for training: devices 2..max_devices (at most 64) with few below six; stages all of them or a seventh and up, at
/// least two; layers by random_virtual_depth.
VirtualSize random_virtual_size(Random& random, int max_devices = 64);

/// An invented training problem, the same for the same seed on every machine: sites, nodes and devices of one to four
/// types with NVLink-, PCIe-, Ethernet- or WAN-like links between them; a chain of transformer-like or unlike layers or
/// (`any` only) those of a model of the catalogue;
/// speeds that differ by type and, sometimes, by kind of layer; memory from loose to tight (most problems are feasible
/// but bound by it). One variant, devices used once (no replicas). Throws Error when the size is impossible.
Problem virtual_problem(std::uint64_t seed, const VirtualSize& size, VirtualKind kind = VirtualKind::any);

/// Seeds of problems that a network trains on and of those that it is judged by; the two never meet.
std::uint64_t training_seed(std::uint64_t run, std::uint64_t index);
std::uint64_t evaluation_seed(std::uint64_t run, std::uint64_t index);

}  // namespace nnpiper
