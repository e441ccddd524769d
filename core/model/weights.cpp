// SPDX-License-Identifier: GPL-3.0-or-later
// Parameter counts of the published model definitions: GPT-2 (Radford et al. 2019), GPT-NeoX (Black et al. 2022),
// LLaMA (Touvron et al. 2023), Mistral (Jiang et al. 2023), Qwen3 (Yang et al. 2025), BERT (Devlin et al. 2018).
#include "core/model/weights.h"

namespace nnpiper {

namespace {
bool is_gpt_like(const Architecture& a)
{
    return a.family == Family::gpt2 || a.family == Family::gpt_neox || a.family == Family::bert;
}
}  // namespace

double query_size(const Architecture& a)
{
    return static_cast<double>(a.heads) * a.head_dim;
}

double key_value_size(const Architecture& a)
{
    return static_cast<double>(a.key_value_heads) * a.head_dim;
}

double vocabulary_weights(const Architecture& a)
{
    return static_cast<double>(a.vocabulary) * a.hidden;
}

// Attention 2 h q + 2 h kv; feed-forward 2 h f, or 3 h f with a gate (SwiGLU). With q = kv = h and f = 4h: 12 h^2.
double block_matrix_weights(const Architecture& a)
{
    const double h = a.hidden;
    const double f = a.feed_forward;
    const double matrices = is_gpt_like(a) ? 2 : 3;
    return 2 * h * query_size(a) + 2 * h * key_value_size(a) + matrices * h * f;
}

// GPT-2, GPT-NeoX and BERT: biases q + 2 kv + h of attention, f + h of the feed-forward part, two layer norms of 2h;
// with f = 4h that is 12 h^2 + 13 h. LLaMA: two RMS norms of h. Qwen3: a norm of head_dim on each of q and k.
double block_parameters(const Architecture& a)
{
    const double h = a.hidden;
    const double f = a.feed_forward;
    const double attention_biases = query_size(a) + 2 * key_value_size(a) + h;
    double count = block_matrix_weights(a);
    if (is_gpt_like(a)) {
        count += f + h + 4 * h;
        if (a.family != Family::gpt_neox || a.attention_bias)
            count += attention_biases;
        return count;
    }
    count += 2 * h;
    if (a.attention_bias)
        count += attention_biases;
    if (a.family == Family::qwen3)
        count += 2.0 * a.head_dim;
    return count;
}

double embedding_parameters(const Architecture& a)
{
    const double h = a.hidden;
    double count = vocabulary_weights(a);
    if (a.family == Family::gpt2 || a.family == Family::bert)
        count += static_cast<double>(a.positions) * h;
    if (a.family == Family::bert)
        count += static_cast<double>(a.token_types) * h + 2 * h;
    return count;
}

// Published BERT checkpoints count the pooler (h^2 + h) and not the masked-language-model transform; so do we.
double head_parameters(const Architecture& a)
{
    const double h = a.hidden;
    double count = a.tied_embeddings ? 0 : vocabulary_weights(a);
    if (a.family == Family::bert)
        count += h * h + h;
    else if (is_gpt_like(a))
        count += 2 * h;
    else
        count += h;
    return count;
}

}  // namespace nnpiper
