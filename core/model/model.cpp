// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/model.h"

#include "core/base/error.h"
#include "core/model/weights.h"

namespace nnpiper {

std::string_view name_of(LayerKind kind)
{
    switch (kind) {
    case LayerKind::embedding:
        return "embedding";
    case LayerKind::block:
        return "block";
    case LayerKind::head:
        return "head";
    }
    return "unknown";
}

double element_bytes(std::string_view precision)
{
    if (precision == "fp32" || precision == "tf32")
        return 4;
    // fp8 recipes keep the weights and what passes between layers in bf16; only the matrix products are narrower.
    if (precision == "fp16" || precision == "bf16" || precision == "fp8")
        return 2;
    throw Error("precision", "\"" + std::string(precision) + "\" is not known",
                "known are fp32, tf32, fp16, bf16, fp8");
}

double parameter_count(const Architecture& a)
{
    return embedding_parameters(a) + a.blocks * block_parameters(a) + head_parameters(a);
}

// Two floating-point operations per weight and token (Kaplan et al. 2020, section 2.1); the embedding is a look-up.
double forward_linear_flops_per_token(const Architecture& a)
{
    return 2 * (a.blocks * block_matrix_weights(a) + vocabulary_weights(a));
}

// Scores and their product with V are 2 s q_dim each and token (Narayanan et al. 2021, appendix).
double forward_flops_per_token(const Architecture& a, int sequence_length, bool causal)
{
    const double scores = 4.0 * sequence_length * query_size(a) * a.blocks;
    return forward_linear_flops_per_token(a) + (causal ? scores / 2 : scores);
}

}  // namespace nnpiper
