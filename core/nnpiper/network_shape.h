// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/nnpiper/safetensors.h"

#include <string>
#include <utility>
#include <vector>

namespace nnpiper {

/// Sizes of the network; the features' sizes are fixed by the program.
struct NetworkShape {
    int width = 96;
    int layers = 3;
    int heads = 4;
    int feed_forward = 384;
    int edge_hidden = 24;
    int edge_out = 8;       ///< edge numbers that the decoder reads
    int option_hidden = 24; ///< of the small network that weighs a candidate for the order as it stands
    int load_hidden = 32;

    bool operator==(const NetworkShape&) const = default;
};

struct ParameterShape {
    std::string name;
    std::vector<std::int64_t> shape;
};

/// Every parameter by name in a fixed order; matrices are [out][in].
std::vector<ParameterShape> parameter_layout(const NetworkShape& shape);

/// The text kept in the weights' metadata under "architecture".
std::string describe(const NetworkShape& shape);

/// Reads the shape from the metadata and checks that exactly its parameters are there, with their shapes and finite
/// values. Throws Error at `place`.
NetworkShape check_weights(const TensorFile& file, const std::string& place);

}  // namespace nnpiper
