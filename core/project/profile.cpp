// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/project/profile.h"

#include "core/base/error.h"

#include <cmath>

namespace nnpiper {

namespace {

void check(const ProfileRow& row, const std::string& place)
{
    if (row.device_type.empty())
        throw Error(place + "/device_type", "it is empty", "a device type as in the cluster is expected");
    if (row.layer.empty())
        throw Error(place + "/layer", "it is empty",
                    "a layer's name, its kind (embedding, block, head) or indices such as 1-24 are expected");
    if (row.micro_batch < 1)
        throw Error(place + "/micro_batch", std::to_string(row.micro_batch) + " is not possible",
                    "1 or more samples are expected");
    if (row.tensor_parallel < 1)
        throw Error(place + "/tensor_parallel", std::to_string(row.tensor_parallel) + " is not possible",
                    "1 or more devices are expected");
    if (!(std::isfinite(row.forward_s) && row.forward_s > 0))
        throw Error(place + "/forward_s", "the time is not above 0", "a number above 0 is expected");
    const auto not_negative = [&](const std::optional<double>& value, const char* field) {
        if (value && !(std::isfinite(*value) && *value >= 0))
            throw Error(place + "/" + field, "a negative number is not possible", "0 or a number above it is expected");
    };
    not_negative(row.backward_s, "backward_s");
    not_negative(row.backward_input_s, "backward_input_s");
    not_negative(row.backward_weight_s, "backward_weight_s");
    not_negative(row.stored_bytes, "stored_bytes");
    const bool halves = row.backward_input_s && row.backward_weight_s;
    if (!halves && !row.backward_s)
        throw Error(place + "/backward_s", "missing",
                    "backward_s, or backward_input_s and backward_weight_s, is needed");
    if (halves && row.backward_s
        && std::abs(*row.backward_input_s + *row.backward_weight_s - *row.backward_s) > 1e-6 * *row.backward_s)
        throw Error(place + "/backward_s", "it is not the sum of its halves", "one of the two forms is enough");
}

}  // namespace

void check(const Profile& profile, const std::string& place)
{
    for (std::size_t i = 0; i < profile.size(); ++i)
        check(profile[i], place + "/" + std::to_string(i));
}

}  // namespace nnpiper
