// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>

namespace nnpiper {

/// What a number measures; values are in SI base units everywhere in the core.
enum class Unit {
    bytes,
    bytes_per_second,  ///< printed in GB/s, as memory and NVLink are quoted
    bits_per_second,   ///< a value in bytes/s printed in Gb/s, as networks are quoted
    seconds,
    flop,
    flop_per_second,
    fraction,          ///< printed in %
    watts,
    dollars_per_hour,
    count,
};

/// Prints with a scaled unit ("24 GB", "25 Gb/s", "5 µs", "71 TFLOP/s", "45 %"), always with a decimal point.
std::string format_quantity(double value, Unit unit);

/// Reads what `format_quantity` prints, any other scale of the unit (bandwidths in bits or bytes, "GiB", "us" for
/// "µs"), or a bare number in the SI base unit (a bare fraction is 0..1). Throws Error on anything else.
double parse_quantity(std::string_view text, Unit unit);

}  // namespace nnpiper
