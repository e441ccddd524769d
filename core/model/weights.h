// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/architecture.h"

namespace nnpiper {

/// Counts of weights by part of a model, exact in a double.

/// Width of all query heads together, q = heads x head_dim; equals hidden in most models, not in all.
double query_size(const Architecture& architecture);
/// Width of all key (or value) heads together, kv.
double key_value_size(const Architecture& architecture);

/// Weights of one block that take part in matrix products (no biases, no norms).
double block_matrix_weights(const Architecture& architecture);
/// All parameters of one block.
double block_parameters(const Architecture& architecture);
/// Token table, position table and token-type table with its norm where the family has them.
double embedding_parameters(const Architecture& architecture);
/// Final norm and, where it is not tied, the output projection; BERT: the pooler.
double head_parameters(const Architecture& architecture);
/// V h, the size of the token table and of the output projection.
double vocabulary_weights(const Architecture& architecture);

}  // namespace nnpiper
