// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/simulator/evaluator.h"

#include <cstddef>
#include <span>

namespace nnpiper {

/// 1F1B in the wavefront order of Evaluator, with the state of all stages kept in vector registers.
struct RegisterWavefront {
    int lanes;         ///< doubles in a vector
    int most_stages;   ///< whose state fits
    double (*run)(double* scratch, int length, int stages, int micro_batches);

    /// Seconds; bit by bit what the other versions give. `scratch` is aligned to 64 bytes and holds `scratch_size`.
    double makespan(const StageCosts& costs, int micro_batches, double* scratch) const;
    /// Doubles for so many stages.
    static std::size_t scratch_size(int stages);
};

/// The versions that this processor runs, widest first; none where its vectors are too short to pay.
std::span<const RegisterWavefront> register_wavefronts();

}  // namespace nnpiper
