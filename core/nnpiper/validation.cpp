// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nnpiper/validation.h"

#include "core/planners/chains/split.h"
#include "core/problem/virtual_problem.h"

#include <algorithm>
#include <cmath>
#include <charconv>
#include <limits>

namespace nnpiper {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

/// An infeasible answer's score says nothing about time: it counts as twice the reference.
double log_gap(double score, double reference)
{
    return std::log(std::min(score / reference, 2.0));
}

/// "+1.8 %", with a point in every locale.
std::string percent(double fraction)
{
    char digits[40];
    const auto end = std::to_chars(digits, digits + sizeof digits, 100 * fraction, std::chars_format::fixed, 1).ptr;
    return (fraction < 0 ? "" : "+") + std::string(digits, end) + " %";
}

}  // namespace

std::string ValidationFigures::text() const
{
    std::string all;
    for (const auto& group : groups) {
        all += (all.empty() ? "" : "; ") + group.name + " best of 16 " + percent(group.best_of_16) + ", greedy "
               + percent(group.greedy) + ", raw " + percent(group.raw) + " (n=" + std::to_string(group.problems) + ")";
    }
    return all;
}

nlohmann::ordered_json ValidationFigures::json() const
{
    nlohmann::ordered_json all;
    for (const auto& group : groups)
        all["validation"][group.name] = {{"best_of_16", group.best_of_16}, {"greedy", group.greedy}, {"raw", group.raw}};
    return all;
}

double ValidationFigures::mean_best_gap() const
{
    double sum = 0;
    for (const auto& group : groups)
        sum += group.best_of_16 / static_cast<double>(groups.size());
    return sum;
}

Validation::Validation()
{
    constexpr std::uint64_t run = 20;
    constexpr VirtualSize sizes[] = {{32, 8, 8, {}}, {48, 16, 12, {}}, {64, 16, 16, {}}, {96, 32, 24, {}}, {128, 64, 48, {}}};
    constexpr int counts[] = {16, 16, 12, 8, 4};
    std::uint64_t index = 0;
    for (std::size_t i = 0; i < std::size(sizes); ++i) {
        Group group;
        group.name = std::to_string(sizes[i].layers) + "x" + std::to_string(sizes[i].devices) + "x" + std::to_string(sizes[i].stages);
        for (int k = 0; k < counts[i]; ++k) {
            Lesson lesson;
            const auto seed = evaluation_seed(run, index++);
            lesson.problem = std::make_unique<Problem>(virtual_problem(seed, sizes[i]));
            lesson.setting = {0, sizes[i].stages, lesson.problem->variants.front().micro_batches, ScheduleKind::one_f_one_b};
            lesson.costs = std::make_unique<ChainCosts>(*lesson.problem, lesson.setting);
            lesson.features = features_of({lesson.problem.get(), 0, lesson.setting.schedule, sizes[i].stages, 1, 0});
            const double reference = improved_plan(*lesson.costs, seed, 2000).score;
            if (!ChainEvaluator::fits(reference))
                continue;
            group.references.push_back(reference);
            group.lessons.push_back(std::move(lesson));
        }
        groups_.push_back(std::move(group));
    }
}

ValidationFigures Validation::measure(const Decoder& decoder, const std::function<DecoderTables(const Features&)>& encode) const
{
    ValidationFigures figures;
    for (const auto& group : groups_) {
        ValidationFigures::Group result;
        result.name = group.name;
        const double n = static_cast<double>(group.lessons.size());
        for (std::size_t i = 0; i < group.lessons.size(); ++i) {
            const auto& lesson = group.lessons[i];
            const double reference = group.references[i];
            const auto drawn = decoder.decode(lesson.features, encode(lesson.features), 16,
                                              decode_uniforms(7, 16, lesson.features.stages));
            std::vector<std::vector<int>> orders;
            for (const auto& order : drawn)
                orders.push_back(order.devices);
            Chain raw;
            const bool fits = SplitSearch(*lesson.costs).balance(orders.front(), drawn.front().log_load, raw);
            result.raw += log_gap(fits ? ChainEvaluator(*lesson.costs).score(raw) : infinite, reference) / n;
            result.greedy += log_gap(judge(lesson, {orders.front()}, Reward::split).front().score, reference) / n;
            result.best_of_16 += log_gap(judge(lesson, orders, Reward::split).front().score, reference) / n;
            ++result.problems;
        }
        result.raw = std::expm1(result.raw);
        result.greedy = std::expm1(result.greedy);
        result.best_of_16 = std::expm1(result.best_of_16);
        figures.groups.push_back(std::move(result));
    }
    return figures;
}

}  // namespace nnpiper
