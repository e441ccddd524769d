// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <stdexcept>
#include <string>

namespace nnpiper {

/// The one exception that leaves a public function: input that cannot be used, told as one sentence.
/// `place` is a file, line or JSON pointer, `found` what stands there, `allowed` what may stand there (may be empty).
class Error : public std::runtime_error {
public:
    Error(std::string place, std::string found, std::string allowed = {});
    ~Error() override;

    const std::string& place() const noexcept { return place_; }
    const std::string& found() const noexcept { return found_; }
    const std::string& allowed() const noexcept { return allowed_; }

    /// The same error seen from further out, e.g. a JSON pointer behind its file name.
    Error within(const std::string& outer) const;

private:
    std::string place_;
    std::string found_;
    std::string allowed_;
};

}  // namespace nnpiper
