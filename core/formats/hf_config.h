// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/architecture.h"

#include <string>
#include <string_view>

namespace nnpiper {

/// Reads a HuggingFace `config.json` (model_type gpt2, gpt_neox, llama, mistral, qwen3, bert). Throws Error with a JSON
/// pointer; a model type that is not known yet is named together with those that are.
Architecture read_hf_config(std::string_view text, const std::string& place);

}  // namespace nnpiper
