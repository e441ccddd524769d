// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/model.h"

#include "core/base/error.h"

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

void check_lengths(const Model& model, const std::string& place)
{
    const Architecture& a = model.architecture;
    const std::string name = a.name.empty() ? std::string(name_of(a.family)) : a.name;
    const int s = model.sequence_length;
    if (s <= 0)
        throw Error(place + "/sequence_length", std::to_string(s) + " is not possible",
                    "a positive number of tokens is expected");
    if (a.family == Family::vit && s != image_tokens(a))
        throw Error(place + "/sequence_length", std::to_string(s) + " tokens are not what an image gives",
                    std::to_string(image_tokens(a)) + " patches and class token for " + name);
    if (has_position_table(a.family) && s > a.positions)
        throw Error(place + "/sequence_length", std::to_string(s) + " tokens are more than the position table holds",
                    "at most " + std::to_string(a.positions) + " for " + name);
    if (model.target_length < 0 || (model.target_length > 0 && a.family != Family::t5))
        throw Error(place + "/target_length", std::to_string(model.target_length) + " is not possible",
                    a.family == Family::t5 ? "0 or more tokens are expected" : name + " has no decoder of its own");
}

double parameter_count(const Architecture& a)
{
    double count = 0;
    for (const Layer& layer : layers_of({a, a.family == Family::vit ? image_tokens(a) : 1, 0}, "bf16"))
        count += layer.parameters;
    return count;
}

}  // namespace nnpiper
