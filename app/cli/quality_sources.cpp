// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/quality_sources.h"

#include "app/cli/console.h"
#include "app/cli/shipped.h"
#include "core/base/error.h"
#include "core/formats/files.h"
#include "core/formats/frozen_file.h"
#include "core/simulator/simulate.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>

namespace nnpiper::cli {

namespace {

constexpr std::uint64_t first_fresh_run = 1000;  // no seed repeats the frozen problems or those that training watches
constexpr std::string_view problem_ending = ".problem.json";

std::vector<std::filesystem::path> problem_files(const std::string& folder)
{
    std::error_code error;
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder, error))
        if (entry.path().filename().string().ends_with(problem_ending))
            files.push_back(entry.path());
    if (error)
        throw Error(folder, "cannot be listed (" + error.message() + ")", "a folder is expected");
    if (files.empty())
        throw Error(folder, "holds no *.problem.json file", "a folder with problems is needed");
    std::sort(files.begin(), files.end());
    return files;
}

/// Sets asked for: the standard ones, or every size with every kind where sizes are named that are not among them.
std::vector<QualitySet> wanted_sets(const QualityFilter& filter)
{
    std::vector<QualitySet> sets;
    for (const QualitySet& set : standard_quality_sets())
        if (filter.wants(set.size, set.kind))
            sets.push_back(set);
    const auto kinds = filter.kinds.empty() ? std::vector{VirtualKind::any} : filter.kinds;
    for (const VirtualSize& size : filter.sizes)
        for (const VirtualKind kind : kinds)
            if (std::none_of(sets.begin(), sets.end(),
                             [&](const auto& set) { return set.size == size && set.kind == kind; }))
                sets.push_back({size, kind, 0});
    return sets;
}

}  // namespace

bool QualityFilter::wants(const VirtualSize& size, VirtualKind kind) const
{
    return (sizes.empty() || std::find(sizes.begin(), sizes.end(), size) != sizes.end())
           && (kinds.empty() || std::find(kinds.begin(), kinds.end(), kind) != kinds.end());
}

QualitySource frozen_problems(const QualityFilter& filter, int most)
{
    const auto file = shipped("evaluation/frozen.json");
    const auto kept = std::make_shared<std::vector<FrozenProblem>>();
    std::map<std::string, int> counts;
    for (auto& frozen : read_frozen(read_text(file), file.string())) {
        const bool impossible = !frozen.proof.empty() && frozen.best.stages() == 0;
        if (impossible || !filter.wants(frozen.size, frozen.kind))
            continue;
        if (int& count = counts[group_name(frozen.size, frozen.kind)]; most == 0 || count < most) {
            ++count;
            kept->push_back(std::move(frozen));
        }
    }
    if (kept->empty())
        throw Error("evaluate", "no frozen problem is of these sizes and kinds",
                    "--fresh makes problems of any size and kind");
    return {"frozen", kept->size(), [kept, file](std::size_t i) {
                const FrozenProblem& frozen = (*kept)[i];
                QualityInstance instance;
                instance.problem = problem_of(frozen);
                instance.name = instance.problem.name;
                instance.group = group_name(frozen.size, frozen.kind);
                if (!still_valid(frozen, instance.problem))
                    throw Error(file.string(), "the plan of " + instance.name + " has not its stored makespan",
                                "the file belongs to another version of the program");
                if (frozen.best.stages() > 0)
                    instance.best_known_s = frozen.makespan_s;
                instance.proved = !frozen.proof.empty();
                return instance;
            }};
}

QualitySource fresh_problems(const QualityFilter& filter, int count, std::uint64_t seed)
{
    const auto sets = wanted_sets(filter);
    const std::size_t all = sets.size() * static_cast<std::size_t>(count);
    return {"fresh", all, [sets, seed](std::size_t i) {
                const QualitySet& set = sets[i % sets.size()];
                QualityInstance instance;
                instance.problem = virtual_problem(evaluation_seed(first_fresh_run + seed, i), set.size, set.kind);
                instance.name = instance.problem.name;
                instance.group = group_name(set.size, set.kind);
                return instance;
            }};
}

QualitySource problems_of_folder(const std::string& folder)
{
    const auto instances = std::make_shared<std::vector<QualityInstance>>();
    for (const auto& file : problem_files(folder)) {
        QualityInstance instance;
        instance.problem = read_problem(read_text(file), file.string());
        if (!instance.problem.best_known) {
            say(file.string() + ": no best_known, left out");
            continue;
        }
        Plan best = *instance.problem.best_known;
        predict(instance.problem, best);
        if (best.feasible)
            instance.best_known_s = best.makespan_s;
        else
            say(file.string() + ": best_known is not feasible (" + best.reason
                + "), the best that is found takes its place");
        const std::string name = file.filename().string();
        instance.name = name.substr(0, name.size() - problem_ending.size());
        instance.group = text_of(VirtualSize{
            instance.problem.layers(), instance.problem.devices(), static_cast<int>(best.stages.size()), {}});
        instances->push_back(std::move(instance));
    }
    if (instances->empty())
        throw Error(folder, "holds no problem with a best_known", "a folder with such problems is needed");
    return {folder, instances->size(), [instances](std::size_t i) { return (*instances)[i]; }};
}

}  // namespace nnpiper::cli
