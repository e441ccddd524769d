// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/plan/plan.h"

#include "core/base/error.h"

#include <array>
#include <utility>

namespace nnpiper {

namespace {

template <class Enum, std::size_t N> using Names = std::array<std::pair<Enum, std::string_view>, N>;

constexpr Names<ScheduleKind, 16> schedule_names{{{ScheduleKind::gpipe, "gpipe"},
                                                  {ScheduleKind::one_f_one_b, "1f1b"},
                                                  {ScheduleKind::eager, "eager-1f1b"},
                                                  {ScheduleKind::interleaved, "interleaved-1f1b"},
                                                  {ScheduleKind::zb_h1, "zb-h1"},
                                                  {ScheduleKind::zb_h2, "zb-h2"},
                                                  {ScheduleKind::zb_v, "zb-v"},
                                                  {ScheduleKind::zb_auto, "zb-auto"},
                                                  {ScheduleKind::chimera, "chimera"},
                                                  {ScheduleKind::dualpipe, "dualpipe"},
                                                  {ScheduleKind::dualpipe_v, "dualpipe-v"},
                                                  {ScheduleKind::hanayo, "hanayo"},
                                                  {ScheduleKind::pipedream_2bw, "pipedream-2bw"},
                                                  {ScheduleKind::prefill, "prefill"},
                                                  {ScheduleKind::decode, "decode"},
                                                  {ScheduleKind::custom, "custom"}}};
constexpr Names<Recompute, 3> recompute_names{
    {{Recompute::none, "none"}, {Recompute::selective, "selective"}, {Recompute::full, "full"}}};
constexpr Names<Objective, 3> objective_names{
    {{Objective::throughput, "throughput"}, {Objective::cost, "cost"}, {Objective::latency, "latency"}}};

template <class Enum, std::size_t N> std::string_view name_in(const Names<Enum, N>& names, Enum value)
{
    for (const auto& [entry, name] : names) {
        if (entry == value)
            return name;
    }
    return "?";
}

template <class Enum, std::size_t N>
Enum value_in(const Names<Enum, N>& names, std::string_view name, const std::string& place)
{
    std::string allowed;
    for (const auto& [entry, known] : names) {
        if (known == name)
            return entry;
        allowed += (allowed.empty() ? "allowed: " : ", ") + std::string(known);
    }
    throw Error(place, "\"" + std::string(name) + "\" is not known", allowed);
}

}  // namespace

std::string_view name_of(ScheduleKind kind)
{
    return name_in(schedule_names, kind);
}

std::string_view name_of(Recompute recompute)
{
    return name_in(recompute_names, recompute);
}

std::string_view name_of(Objective objective)
{
    return name_in(objective_names, objective);
}

ScheduleKind schedule_from_name(std::string_view name, const std::string& place)
{
    return value_in(schedule_names, name, place);
}

Recompute recompute_from_name(std::string_view name, const std::string& place)
{
    return value_in(recompute_names, name, place);
}

Objective objective_from_name(std::string_view name, const std::string& place)
{
    return value_in(objective_names, name, place);
}

}  // namespace nnpiper
