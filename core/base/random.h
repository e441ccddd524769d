// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <utility>

namespace nnpiper {

/// Seeded random numbers that are the same on every platform: xoshiro256++ (Blackman and Vigna 2019) seeded by
/// splitmix64, with distributions of our own because those of the standard library differ between libraries.
class Random {
public:
    explicit Random(std::uint64_t seed);

    std::uint64_t next();
    /// Uniform in [0, 1).
    double uniform();
    /// Uniform in [low, high).
    double uniform(double low, double high) { return low + (high - low) * uniform(); }
    /// exp of a uniform number between the logarithms of `low` and `high`; both positive.
    double log_uniform(double low, double high);
    /// Uniform in 0..count-1; count must be positive.
    int below(int count);
    /// Standard normal.
    double normal();

    template <class T>
    void shuffle(std::span<T> items)
    {
        for (std::size_t i = items.size(); i > 1; --i)
            std::swap(items[i - 1], items[static_cast<std::size_t>(below(static_cast<int>(i)))]);
    }

private:
    std::uint64_t state_[4];
};

}  // namespace nnpiper
