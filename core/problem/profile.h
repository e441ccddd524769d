// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/model.h"
#include "core/project/profile.h"

#include <optional>
#include <string>
#include <vector>

namespace nnpiper {

/// Times of one layer for one size of micro-batch, read between what was measured.
struct MeasuredTimes {
    double forward_s = 0;
    double backward_s = 0;
    std::optional<double> input_part;    ///< of backward_s; empty where only the whole was measured
    std::optional<double> stored_bytes;
};

/// A layer's rows, by size of micro-batch: linear between the sizes and on the line through the nearest two outside
/// them, but never below the proportion to the nearest one (a smaller batch) or its value (a larger one); with a single
/// size proportional to it.
class MeasuredLayer {
public:
    MeasuredLayer() = default;
    explicit MeasuredLayer(std::vector<const ProfileRow*> rows);

    bool empty() const { return rows_.empty(); }
    /// Not on an empty one.
    MeasuredTimes at(int samples) const;

private:
    template <class Field>
    double read(int samples, const Field& field) const;

    std::vector<const ProfileRow*> rows_;
};

/// The rows that hold for layer `index` on a type of device and a tensor-parallel degree. A row by name wins over one by
/// indices, and that over one by kind; of two for the same size the later one counts.
MeasuredLayer measured_layer(const Profile& profile, const std::vector<Layer>& layers, int index,
                             const std::string& device_type, int tensor_parallel);

/// Throws Error at `place` + "/row/layer" for a row that names no layer of the chain.
void check_selectors(const Profile& profile, const std::vector<Layer>& layers, const std::string& place);

}  // namespace nnpiper
