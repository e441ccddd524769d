// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/shipped.h"

#include "core/base/error.h"

namespace nnpiper::cli {

std::filesystem::path shipped(const std::string& path)
{
    std::error_code error;
    const auto executable = std::filesystem::read_symlink("/proc/self/exe", error);
    auto found = executable.parent_path().parent_path() / "share" / "nnpiper" / path;
    if (error || !std::filesystem::exists(found, error))
        throw Error(found.string(), "it comes with the program but is not there",
                    "install the program whole, or name a folder with --data");
    return found;
}

}  // namespace nnpiper::cli
