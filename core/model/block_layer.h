// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/block_shape.h"
#include "core/model/model.h"

namespace nnpiper {

/// Costs of one block for a sample of `tokens`; `source_tokens` are what a cross attention reads. `element` is the size
/// of an activation in bytes. Formulas and their sources are in the .cpp.
Layer block_layer(const BlockShape& shape, double tokens, double source_tokens, double element);

}  // namespace nnpiper
