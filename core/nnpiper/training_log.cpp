// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nnpiper/training_log.h"

#include "core/base/error.h"

#include <charconv>

namespace nnpiper {

TrainingLog::TrainingLog(const std::filesystem::path& path)
    : path_(path)
{
    if (path.empty())
        return;
    file_.open(path, std::ios::app);
    if (!file_)
        throw Error(path.string(), "cannot be written to");
}

void TrainingLog::write(const nlohmann::ordered_json& figures)
{
    if (path_.empty())
        return;
    file_ << figures.dump() << '\n' << std::flush;
    if (!file_)
        throw Error(path_.string(), "cannot be written to");
}

std::string number_text(double value)
{
    char digits[40];
    return {digits, std::to_chars(digits, digits + sizeof digits, value).ptr};
}

std::optional<double> number_of(const std::string& text)
{
    double value = 0;
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
    return fault == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

}  // namespace nnpiper
