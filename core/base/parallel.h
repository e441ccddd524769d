// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

namespace nnpiper {

/// Threads worth starting for a piece of work of some milliseconds.
inline unsigned processors()
{
    return std::clamp(std::thread::hardware_concurrency(), 1U, 8U);
}

/// Calls make() once in each of up to `threads` threads, this one among them, and its result with every index in
/// [0, count), each index once. What make() returns belongs to one thread. Nothing may throw.
template <class Make>
void parallel_for(std::size_t count, unsigned threads, const Make& make)
{
    std::atomic<std::size_t> next{0};
    const auto work = [&] {
        auto each = make();
        for (std::size_t i = next++; i < count; i = next++)
            each(i);
    };
    std::vector<std::jthread> others;
    for (std::size_t t = 1; t < std::min<std::size_t>(threads, count); ++t)
        others.emplace_back(work);
    work();
}

}  // namespace nnpiper
