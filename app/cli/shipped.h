// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <string>

namespace nnpiper::cli {

/// A file or folder that comes with the program, by its path in share/nnpiper. Throws Error when it is not there.
std::filesystem::path shipped(const std::string& path);

}  // namespace nnpiper::cli
