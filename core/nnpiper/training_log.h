// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

namespace nnpiper {

/// A training run's figures as JSON Lines, written as they come.
class TrainingLog {
public:
    /// Appends; an empty path writes nothing. Throws Error when the file cannot be opened.
    explicit TrainingLog(const std::filesystem::path& path);
    /// One line. Throws Error when the disk takes no more.
    void write(const nlohmann::ordered_json& figures);

private:
    std::filesystem::path path_;
    std::ofstream file_;
};

/// Shortest decimal text that reads back the same, with a point in every locale, and back.
std::string number_text(double value);
std::optional<double> number_of(const std::string& text);

}  // namespace nnpiper
