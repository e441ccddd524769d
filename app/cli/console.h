// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace nnpiper::cli {

/// Ctrl-C asks for a stop (a second one ends the program at once). The first call installs this; call it before any
/// other thread starts.
std::stop_token interruptible();

/// Writes to the file, atomically, or to standard output when the path is empty or "-".
void deliver(std::string_view text, const std::filesystem::path& path);

/// One sentence on standard error, behind "nnpiper: ".
void say(const std::string& sentence);
void say(const std::vector<std::string>& sentences);

/// A number with that many digits behind a decimal point, whatever the locale.
std::string fixed(double value, int digits);
/// "45.1 %"
std::string percent(double fraction);

/// Columns aligned by their widest cell; the first is aligned left, the others right unless `left` names them.
class Table {
public:
    explicit Table(std::vector<std::string> titles, std::vector<std::size_t> left = {0});
    void add(std::vector<std::string> cells);
    std::string text() const;

private:
    std::vector<std::vector<std::string>> rows_;
    std::vector<std::size_t> left_;
};

}  // namespace nnpiper::cli
