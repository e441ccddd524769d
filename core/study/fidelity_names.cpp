// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/error.h"
#include "core/study/fidelity.h"

#include <array>
#include <utility>

namespace nnpiper {

namespace {

constexpr std::array<std::pair<Figure, std::string_view>, 9> figures{{
    {Figure::iteration_s, "iteration_s"},
    {Figure::makespan_s, "makespan_s"},
    {Figure::bubble_fraction, "bubble_fraction"},
    {Figure::samples_per_s, "samples_per_s"},
    {Figure::samples_per_s_per_device, "samples_per_s_per_device"},
    {Figure::tokens_per_s_per_device, "tokens_per_s_per_device"},
    {Figure::flop_per_s_per_device, "flop_per_s_per_device"},
    {Figure::peak_memory_bytes, "peak_memory_bytes"},
    {Figure::peak_activations, "peak_activations"},
}};

constexpr std::array<std::pair<FittedConstant, std::string_view>, 5> constants{{
    {FittedConstant::time_scale, "time_scale"},
    {FittedConstant::op_overhead_s, "op_overhead_s"},
    {FittedConstant::transfer_overhead_s, "transfer_overhead_s"},
    {FittedConstant::fixed_step_s, "fixed_step_s"},
    {FittedConstant::achieved_fraction, "achieved_fraction"},
}};

template <class Names, class Value>
std::string_view name_in(const Names& names, Value value)
{
    for (const auto& [each, name] : names)
        if (each == value)
            return name;
    return {};
}

template <class Names>
auto value_in(const Names& names, std::string_view wanted, const std::string& place)
{
    std::string allowed;
    for (const auto& [each, name] : names) {
        if (name == wanted)
            return each;
        allowed += (allowed.empty() ? "" : ", ") + std::string(name);
    }
    throw Error(place, "\"" + std::string(wanted) + "\" is not known", "one of " + allowed + " is expected");
}

}  // namespace

std::string_view name_of(Figure figure)
{
    return name_in(figures, figure);
}

Figure figure_from_name(std::string_view name, const std::string& place)
{
    return value_in(figures, name, place);
}

std::string_view name_of(FittedConstant constant)
{
    return name_in(constants, constant);
}

FittedConstant constant_from_name(std::string_view name, const std::string& place)
{
    return value_in(constants, name, place);
}

}  // namespace nnpiper
