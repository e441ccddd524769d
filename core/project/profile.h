// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace nnpiper {

/// Measured times of one layer, or of several that cost the same, on one type of device for one micro-batch; without
/// recompute, one device of its tensor-parallel group, without the group's collectives. Seconds and bytes per
/// micro-batch; a pass is given by its whole backward time or by both halves.
struct ProfileRow {
    std::string device_type;
    std::string layer;                           ///< name ("block 3"), kind ("block"), or indices ("1-24", "25")
    int micro_batch = 1;                         ///< samples
    int tensor_parallel = 1;
    double forward_s = 0;
    std::optional<double> backward_s;
    std::optional<double> backward_input_s;
    std::optional<double> backward_weight_s;
    std::optional<double> stored_bytes;          ///< kept for backward

    bool operator==(const ProfileRow&) const = default;
};

using Profile = std::vector<ProfileRow>;

/// Throws Error at `place` + "/index/field" where a row is contradictory.
void check(const Profile& profile, const std::string& place);

}  // namespace nnpiper
