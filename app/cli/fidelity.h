// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <stop_token>
#include <string>

namespace nnpiper::cli {

/// `evaluate --suite fidelity`: predicts the records of a folder (empty: the shipped ones) and prints group by group
/// what was compared. Status 0 when every promised group holds, 1 otherwise.
int run_fidelity(const std::string& folder, const std::string& format, std::stop_token stop);

}  // namespace nnpiper::cli
