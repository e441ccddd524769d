// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/layer_edit.h"

#include "core/base/error.h"
#include "core/model/model.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace nnpiper {

namespace {

/// Replaces `whole` and scales its parts with it.
void replace(double& whole, double figure, std::initializer_list<double*> parts)
{
    const double ratio = whole > 0 ? figure / whole : 1;
    for (double* part : parts)
        *part *= ratio;
    whole = figure;
}

}  // namespace

void check(const std::vector<LayerEdit>& edits, int layers, const std::string& place)
{
    std::set<int> told;
    for (std::size_t i = 0; i < edits.size(); ++i) {
        const LayerEdit& edit = edits[i];
        const std::string here = place + "/" + std::to_string(i);
        if (edit.layer < 0 || edit.layer >= layers)
            throw Error(here + "/layer", "there is no layer " + std::to_string(edit.layer),
                        "0 to " + std::to_string(layers - 1) + " are expected");
        if (!told.insert(edit.layer).second)
            throw Error(here + "/layer", "layer " + std::to_string(edit.layer) + " is edited twice");
        const auto check_figure = [&](const std::optional<double>& figure, const char* key) {
            if (figure && !(std::isfinite(*figure) && *figure >= 0))
                throw Error(here + "/" + key, "a negative or infinite figure is not possible",
                            "0 or more is expected");
        };
        check_figure(edit.parameters, "parameters");
        check_figure(edit.forward_flops, "forward_flops");
        check_figure(edit.stored_bytes, "stored_bytes");
        check_figure(edit.output_bytes, "output_bytes");
    }
}

void apply(const LayerEdit& edit, Layer& layer)
{
    if (edit.parameters)
        replace(layer.parameters, *edit.parameters, {&layer.whole_parameters});
    if (edit.forward_flops) {
        if (layer.forward_flops <= 0)
            layer.backward_input_flops = layer.backward_weight_flops = *edit.forward_flops;
        replace(layer.forward_flops, *edit.forward_flops,
                {&layer.backward_input_flops, &layer.backward_weight_flops, &layer.attention_flops,
                 &layer.masked_flops, &layer.expert_flops});
    }
    if (edit.stored_bytes) {
        replace(layer.stored_bytes_selective, *edit.stored_bytes, {&layer.whole_stored_bytes});
        layer.stored_bytes = *edit.stored_bytes;
        layer.stored_bytes_full = layer.kind == LayerKind::block
                                      ? std::min(layer.stored_bytes_full, *edit.stored_bytes)
                                      : *edit.stored_bytes;
    }
    if (edit.output_bytes) {
        layer.output_bytes = *edit.output_bytes;
        layer.carried_bytes = std::min(layer.carried_bytes, *edit.output_bytes);
    }
}

}  // namespace nnpiper
