// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/random.h"

#include <bit>
#include <cmath>
#include <numbers>

namespace nnpiper {

Random::Random(std::uint64_t seed)
{
    for (auto& word : state_) {
        seed += 0x9e3779b97f4a7c15ULL;
        std::uint64_t z = seed;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
        word = z ^ (z >> 31);
    }
}

std::uint64_t Random::next()
{
    const std::uint64_t result = std::rotl(state_[0] + state_[3], 23) + state_[0];
    const std::uint64_t t = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= t;
    state_[3] = std::rotl(state_[3], 45);
    return result;
}

double Random::uniform()
{
    return static_cast<double>(next() >> 11) * 0x1.0p-53;
}

double Random::log_uniform(double low, double high)
{
    return std::exp(uniform(std::log(low), std::log(high)));
}

int Random::below(int count)
{
    // The product's high half is uniform up to a bias of count / 2^32.
    return static_cast<int>(((next() >> 32) * static_cast<std::uint64_t>(count)) >> 32);
}

double Random::normal()
{
    const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));
    return radius * std::cos(2.0 * std::numbers::pi * uniform());
}

}  // namespace nnpiper
