// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/quantity.h"

#include "core/base/error.h"

#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <span>

namespace nnpiper {

namespace {

/// One way to write a unit. `printed` ones are listed from small to large and are used for output.
struct Scale {
    std::string_view text;
    double factor;
    bool printed = false;
};

constexpr double kibi = 1024.0;
constexpr double mebi = 1024.0 * 1024.0;
constexpr double gibi = 1024.0 * 1024.0 * 1024.0;
constexpr double tebi = 1024.0 * 1024.0 * 1024.0 * 1024.0;

constexpr Scale byte_scales[] = {
    {"B", 1, true},     {"kB", 1e3, true},  {"MB", 1e6, true}, {"GB", 1e9, true}, {"TB", 1e12, true},
    {"PB", 1e15, true}, {"EB", 1e18, true}, {"KB", 1e3},       {"kb", 1e3},       {"mb", 1e6},
    {"gb", 1e9},        {"tb", 1e12},       {"KiB", kibi},     {"kiB", kibi},     {"MiB", mebi},
    {"GiB", gibi},      {"TiB", tebi},      {"bytes", 1},      {"byte", 1},
};

constexpr Scale byte_rate_scales[] = {
    {"B/s", 1, true},     {"kB/s", 1e3, true}, {"MB/s", 1e6, true},  {"GB/s", 1e9, true}, {"TB/s", 1e12, true},
    {"PB/s", 1e15, true}, {"KB/s", 1e3},       {"KiB/s", kibi},      {"MiB/s", mebi},     {"GiB/s", gibi},
    {"kBps", 1e3},        {"MBps", 1e6},       {"GBps", 1e9},        {"b/s", 1.0 / 8},    {"kb/s", 1e3 / 8},
    {"Mb/s", 1e6 / 8},    {"Gb/s", 1e9 / 8},   {"Tb/s", 1e12 / 8},   {"bit/s", 1.0 / 8},  {"kbit/s", 1e3 / 8},
    {"Mbit/s", 1e6 / 8},  {"Gbit/s", 1e9 / 8}, {"Tbit/s", 1e12 / 8}, {"bps", 1.0 / 8},    {"kbps", 1e3 / 8},
    {"Mbps", 1e6 / 8},    {"Gbps", 1e9 / 8},   {"Tbps", 1e12 / 8},   {"mbps", 1e6 / 8},   {"gbps", 1e9 / 8},
    {"gb/s", 1e9 / 8},    {"mb/s", 1e6 / 8},
};

constexpr Scale bit_rate_scales[] = {
    {"b/s", 1.0 / 8, true},  {"kb/s", 1e3 / 8, true},  {"Mb/s", 1e6 / 8, true},
    {"Gb/s", 1e9 / 8, true}, {"Tb/s", 1e12 / 8, true}, {"Pb/s", 1e15 / 8, true},
};

constexpr Scale second_scales[] = {
    {"ps", 1e-12, true}, {"ns", 1e-9, true}, {"µs", 1e-6, true}, {"ms", 1e-3, true}, {"s", 1, true},
    {"us", 1e-6},        {"μs", 1e-6},       {"sec", 1},         {"min", 60},        {"h", 3600},
};

constexpr Scale flop_scales[] = {
    {"FLOP", 1, true},     {"kFLOP", 1e3, true},  {"MFLOP", 1e6, true},  {"GFLOP", 1e9, true},
    {"TFLOP", 1e12, true}, {"PFLOP", 1e15, true}, {"EFLOP", 1e18, true}, {"FLOPs", 1},
    {"MFLOPs", 1e6},       {"GFLOPs", 1e9},       {"TFLOPs", 1e12},      {"PFLOPs", 1e15},
};

constexpr Scale flop_rate_scales[] = {
    {"FLOP/s", 1, true},     {"kFLOP/s", 1e3, true},  {"MFLOP/s", 1e6, true},  {"GFLOP/s", 1e9, true},
    {"TFLOP/s", 1e12, true}, {"PFLOP/s", 1e15, true}, {"EFLOP/s", 1e18, true}, {"FLOPS", 1},
    {"MFLOPS", 1e6},         {"GFLOPS", 1e9},         {"TFLOPS", 1e12},        {"PFLOPS", 1e15},
    {"EFLOPS", 1e18},        {"GFLOPs", 1e9},         {"TFLOPs", 1e12},        {"PFLOPs", 1e15},
    {"TFLOPs/s", 1e12},      {"PFLOPs/s", 1e15},
};

constexpr Scale fraction_scales[] = {{"%", 0.01, true}};

constexpr Scale watt_scales[] = {{"mW", 1e-3, true}, {"W", 1, true}, {"kW", 1e3, true}, {"MW", 1e6, true}};

constexpr Scale price_scales[] = {{"$/h", 1, true}, {"USD/h", 1}, {"$/hr", 1}, {"$/hour", 1}, {"/h", 1}};

constexpr Scale count_scales[] = {{"", 1, true}, {"M", 1e6, true}, {"B", 1e9, true}, {"T", 1e12, true},
                                  {"k", 1e3},    {"K", 1e3},       {"G", 1e9}};

/// How a unit is read and printed.
struct Rule {
    std::string_view what;             ///< "a size in bytes"
    std::string_view allowed;          ///< shown in errors
    std::span<const Scale> printed;    ///< scales for output
    std::span<const Scale> also = {};  ///< more scales for input
};

Rule rule_of(Unit unit)
{
    switch (unit) {
    case Unit::bytes:
        return {"a size", "B, kB, MB, GB, TB, KiB, MiB, GiB, TiB", byte_scales};
    case Unit::bytes_per_second:
        return {"a bandwidth", "MB/s, GB/s, GiB/s, Mb/s, Gb/s, Gbit/s", byte_rate_scales};
    case Unit::bits_per_second:
        return {"a bandwidth", "Mb/s, Gb/s, Gbit/s, MB/s, GB/s, GiB/s", bit_rate_scales, byte_rate_scales};
    case Unit::seconds:
        return {"a time", "ns, us, µs, ms, s, min, h", second_scales};
    case Unit::flop:
        return {"an amount of work", "MFLOP, GFLOP, TFLOP, PFLOP", flop_scales};
    case Unit::flop_per_second:
        return {"a computing speed", "GFLOP/s, TFLOP/s, PFLOP/s, TFLOPS", flop_rate_scales};
    case Unit::fraction:
        return {"a fraction", "a number from 0 to 1, or %", fraction_scales};
    case Unit::watts:
        return {"a power", "mW, W, kW, MW", watt_scales};
    case Unit::dollars_per_hour:
        return {"a price", "$/h, USD/h", price_scales};
    case Unit::count:
        return {"a number", "no unit, or k, M, B, T", count_scales};
    }
    throw Error("quantity", "unit that does not exist");
}

/// Shortest decimal form with at most `digits` significant digits; never an exponent for 1e-5 <= |value| < 10^digits.
std::string significant(double value, int digits)
{
    std::array<char, 64> buffer{};
    const auto end =
        std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::general, digits);
    return std::string(buffer.data(), end.ptr);
}

/// Drops ASCII blanks and the no-break spaces U+00A0 and U+202F at both ends.
std::string_view trimmed(std::string_view text)
{
    constexpr std::string_view blanks[] = {" ", "\t", "\n", "\r", "\u00a0", "\u202f", "\u2009"};
    for (bool again = true; again;) {
        again = false;
        for (const auto blank : blanks) {
            if (text.starts_with(blank)) {
                text.remove_prefix(blank.size());
                again = true;
            }
            if (text.ends_with(blank)) {
                text.remove_suffix(blank.size());
                again = true;
            }
        }
    }
    return text;
}

std::optional<double> factor_of(std::string_view unit_text, const Rule& rule)
{
    for (const auto scales : {rule.printed, rule.also}) {
        for (const Scale& scale : scales) {
            if (scale.text == unit_text)
                return scale.factor;
        }
    }
    return std::nullopt;
}

}  // namespace

std::string format_quantity(double value, Unit unit)
{
    if (std::isnan(value))
        return "unknown";
    if (std::isinf(value))
        return value > 0 ? "infinite" : "-infinite";
    const Rule rule = rule_of(unit);
    // Counts below a million are printed in full: four digits would drop or disguise units.
    if (unit == Unit::count && std::abs(value) < 1e6 && (value == std::round(value) || std::abs(value) >= 1e4))
        return significant(value == 0 ? 0 : std::round(value), 7);
    const Scale* chosen = nullptr;
    for (const Scale& scale : rule.printed) {
        if (!scale.printed)
            continue;
        // 999.95 of a unit would print as 1000: the next one is used from there on.
        if (!chosen || std::abs(value) >= scale.factor * 0.99995)
            chosen = &scale;
        if (value == 0 && scale.factor == 1)
            chosen = &scale;
    }
    std::string text = significant(value == 0 ? 0 : value / chosen->factor, 4);
    if (!chosen->text.empty())
        text.append(" ").append(chosen->text);
    return text;
}

double parse_quantity(std::string_view text, Unit unit)
{
    const Rule rule = rule_of(unit);
    const std::string_view whole = trimmed(text);
    const auto fail = [&](const std::string& found) {
        return Error("", found, std::string(rule.what) + " is a number with one of: " + std::string(rule.allowed));
    };
    if (whole.empty())
        throw fail("nothing was entered");
    const std::string quoted = std::string("\"").append(whole).append("\"");

    std::string_view rest = whole;
    if (unit == Unit::dollars_per_hour && rest.starts_with("$"))
        rest = trimmed(rest.substr(1));
    const bool plus = rest.starts_with("+");
    if (plus)
        rest.remove_prefix(1);
    double number = 0;
    const auto read = std::from_chars(rest.data(), rest.data() + rest.size(), number);
    if (read.ec == std::errc::result_out_of_range)
        throw fail(quoted + " is too large or too small a number");
    if (read.ec != std::errc() || (plus && rest.starts_with("-")))
        throw fail(quoted + " does not start with a number");
    if (!std::isfinite(number))
        throw fail(quoted + " is not a finite number");

    const std::string_view unit_text = trimmed(rest.substr(static_cast<std::size_t>(read.ptr - rest.data())));
    double value = number;
    if (unit_text.empty()) {
        if (unit == Unit::fraction && (number < 0 || number > 1))
            throw fail(quoted + " is not between 0 and 1");
    } else {
        const auto factor = factor_of(unit_text, rule);
        if (!factor)
            throw fail(quoted + " has \"" + std::string(unit_text) + "\" where a unit is expected");
        value = number * *factor;
    }
    if (!std::isfinite(value))
        throw fail(quoted + " is too large a number");
    return value;
}

}  // namespace nnpiper
