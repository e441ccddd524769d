// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/problem/share_times.h"

#include <algorithm>
#include <cstddef>

namespace nnpiper {

double ShareTime::seconds(Matrix Variant::*matrix, int device, int first, int end) const
{
    const auto sum = [&](const Variant& variant) {
        double total = 0;
        for (int l = first; l < end; ++l)
            total += (variant.*matrix)(l, device);
        return total;
    };
    return (below ? below_part * sum(*below) : 0) + above_part * sum(*above);
}

ShareTime share_time(const Problem& problem, const Variant& whole, int samples)
{
    ShareTime time;
    time.above = &whole;
    for (const Variant& variant : problem.variants) {
        if (variant.recompute != whole.recompute || variant.tensor_parallel != whole.tensor_parallel)
            continue;
        const int size = variant.micro_batch_samples;
        if (size < samples && (!time.below || size > time.below->micro_batch_samples))
            time.below = &variant;
        if (size >= samples && size < time.above->micro_batch_samples)
            time.above = &variant;
    }
    const double high = time.above->micro_batch_samples;
    if (samples >= time.above->micro_batch_samples) {
        time.below = nullptr;
    } else if (time.below) {
        const double low = time.below->micro_batch_samples;
        time.above_part = (samples - low) / (high - low);
        time.below_part = 1 - time.above_part;
    } else {
        time.above_part = samples / high;
    }
    return time;
}

std::vector<int> balanced_shares(int samples, int replicas, const std::function<double(int, int)>& time_s)
{
    std::vector<int> shares(static_cast<std::size_t>(replicas), 1);
    std::vector<double> next;
    for (int r = 0; r < replicas; ++r)
        next.push_back(time_s(r, 2));
    for (int given = replicas; given < samples; ++given) {
        const auto r = static_cast<std::size_t>(std::min_element(next.begin(), next.end()) - next.begin());
        next[r] = time_s(static_cast<int>(r), ++shares[r] + 1);
    }
    return shares;
}

std::vector<int> shares_by_speed(const Problem& problem, const Variant& whole, const std::vector<int>& devices,
                                 int first, int end)
{
    const int t = whole.tensor_parallel;
    return balanced_shares(
        whole.micro_batch_samples, static_cast<int>(devices.size()) / t, [&](int replica, int share) {
            const ShareTime time = share_time(problem, whole, share);
            double slowest = 0;
            for (int i = replica * t; i < (replica + 1) * t; ++i) {
                const int device = devices[static_cast<std::size_t>(i)];
                slowest = std::max(slowest, time.seconds(&Variant::forward_s, device, first, end)
                                                + time.seconds(&Variant::backward_input_s, device, first, end)
                                                + time.seconds(&Variant::backward_weight_s, device, first, end));
            }
            return slowest;
        });
}

}  // namespace nnpiper
