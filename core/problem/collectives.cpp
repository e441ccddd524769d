// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/problem/collectives.h"

#include <bit>

namespace nnpiper {

double point_to_point_s(double bytes, const CommunicationSpeed& speed)
{
    return speed.latency_s + bytes / speed.bytes_per_s;
}

double ring_pass_s(int devices, double bytes, const CommunicationSpeed& speed)
{
    if (devices < 2)
        return 0;
    const double steps = devices - 1;
    return steps / devices * bytes / speed.bytes_per_s + steps * speed.latency_s;
}

double ring_all_reduce_s(int devices, double bytes, const CommunicationSpeed& speed)
{
    return 2 * ring_pass_s(devices, bytes, speed);
}

double tree_all_reduce_s(int devices, double bytes, const CommunicationSpeed& speed)
{
    if (devices < 2)
        return 0;
    const double depth = std::bit_width(static_cast<unsigned>(devices - 1));
    return 2 * bytes / speed.bytes_per_s + 2 * depth * speed.latency_s;
}

double all_to_all_s(int devices, double bytes, const CommunicationSpeed& speed)
{
    return ring_pass_s(devices, bytes, speed);
}

}  // namespace nnpiper
