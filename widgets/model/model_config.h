// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/model.h"

#include <QString>

namespace nnpiper {

/// True where the file holds a JSON object that names a model type and is not of a format of our own: a HuggingFace
/// `config.json`, whatever its name. False where it cannot be read.
bool isModelConfig(const QString& path);

/// The architecture of a HuggingFace `config.json`, named after its folder where it bears no name. Throws Error.
Architecture architectureFromConfig(const QString& path);

/// `model` with another architecture. Its sequence length is kept, but no longer than a learned table of positions; an
/// image model has as many tokens as patches, no fewer.
Model withArchitecture(Model model, const Architecture& architecture);

}  // namespace nnpiper
