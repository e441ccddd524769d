// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/freeze.h"

#include "app/cli/console.h"
#include "app/cli/verbs.h"
#include "core/formats/files.h"
#include "core/formats/frozen_file.h"

#include <algorithm>
#include <filesystem>
#include <map>

namespace nnpiper::cli {

namespace {

bool same_problem(const FrozenProblem& a, const FrozenProblem& b)
{
    return a.size == b.size && a.kind == b.kind && a.index == b.index;
}

/// The standard set with what the file knows; plans that are not the problem's any more are left out.
std::vector<FrozenProblem> go_on(const std::string& file)
{
    auto all = standard_frozen_problems();
    std::error_code error;
    if (!std::filesystem::exists(file, error))
        return all;
    int forgotten = 0;
    std::map<std::uint64_t, FrozenProblem> stored;
    for (auto& frozen : read_frozen(read_text(file), file))
        stored[frozen.index] = std::move(frozen);
    for (auto& frozen : all) {
        const auto found = stored.find(frozen.index);
        if (found == stored.end() || !same_problem(found->second, frozen))
            continue;
        if (still_valid(found->second, problem_of(frozen)))
            frozen = found->second;
        else
            ++forgotten;
    }
    if (forgotten > 0)
        say(std::to_string(forgotten) + " stored plans do not have their makespan any more and are searched anew");
    return all;
}

}  // namespace

int run_freeze(const std::string& file, double seconds, const QualityFilter& filter, std::stop_token stop)
{
    constexpr double checkpoint_ms = 20000;
    const Control control{std::move(stop), Deadline::never(), {}};
    auto problems = go_on(file);
    auto checkpoint = Deadline::after_ms(checkpoint_ms);
    int seen = 0, better = 0;
    for (auto& frozen : problems) {
        ++seen;
        if (control.should_stop())
            break;
        if (!filter.wants(frozen.size, frozen.kind))
            continue;
        better += improve(frozen, seconds, control) ? 1 : 0;
        if (checkpoint.passed()) {
            write_text(file, write_frozen(problems));
            say(std::to_string(seen) + " of " + std::to_string(problems.size()) + " problems, " + std::to_string(better)
                + " improved");
            checkpoint = Deadline::after_ms(checkpoint_ms);
        }
    }
    write_text(file, write_frozen(problems));

    std::map<std::string, std::array<int, 4>> counts;
    std::vector<std::string> order;
    for (const auto& frozen : problems) {
        const auto group = group_name(frozen.size, frozen.kind);
        if (std::find(order.begin(), order.end(), group) == order.end())
            order.push_back(group);
        auto& [all, planned, optimal, searched] = counts[group];
        ++all;
        planned += frozen.best.stages() > 0 ? 1 : 0;
        optimal += frozen.proof.empty() ? 0 : 1;
        searched += frozen.searched_s > 0 || !frozen.proof.empty() ? 1 : 0;
    }
    Table table({"group", "problems", "searched", "with a plan", "proved"});
    for (const auto& group : order) {
        const auto& [all, planned, optimal, searched] = counts[group];
        table.add(
            {group, std::to_string(all), std::to_string(searched), std::to_string(planned), std::to_string(optimal)});
    }
    deliver(table.text(), {});
    return done;
}

}  // namespace nnpiper::cli
