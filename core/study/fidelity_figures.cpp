// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/study/fidelity_figures.h"

#include "core/base/error.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace nnpiper {

namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

/// A shortfall of rounding is none.
constexpr double slack = 1e-12;

std::vector<double> ranks_of(const std::vector<double>& values)
{
    std::vector<std::size_t> order(values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
    std::vector<double> ranks(values.size());
    for (std::size_t i = 0; i < order.size();) {
        std::size_t end = i;
        while (end < order.size() && values[order[end]] == values[order[i]])
            ++end;
        for (std::size_t k = i; k < end; ++k)
            ranks[order[k]] = static_cast<double>(i + end - 1) / 2;
        i = end;
    }
    return ranks;
}

}  // namespace

double rank_correlation(const std::vector<double>& a, const std::vector<double>& b)
{
    const std::vector<double> x = ranks_of(a), y = ranks_of(b);
    if (x.size() < 2 || x.size() != y.size())
        return unknown;
    const double middle = static_cast<double>(x.size() - 1) / 2;
    double xy = 0, xx = 0, yy = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        xy += (x[i] - middle) * (y[i] - middle);
        xx += (x[i] - middle) * (x[i] - middle);
        yy += (y[i] - middle) * (y[i] - middle);
    }
    return xx > 0 && yy > 0 ? xy / std::sqrt(xx * yy) : unknown;
}

bool higher_is_better(Figure figure)
{
    return figure == Figure::samples_per_s || figure == Figure::samples_per_s_per_device
           || figure == Figure::tokens_per_s_per_device || figure == Figure::flop_per_s_per_device;
}

bool matches(std::string_view text, std::string_view pattern)
{
    if (pattern.empty())
        return text.empty();
    if (pattern.front() == '*')
        return matches(text, pattern.substr(1)) || (!text.empty() && matches(text.substr(1), pattern));
    return !text.empty() && text.front() == pattern.front() && matches(text.substr(1), pattern.substr(1));
}

bool matches_any(std::string_view text, const std::vector<std::string>& patterns)
{
    return std::any_of(patterns.begin(), patterns.end(),
                       [&](const std::string& pattern) { return matches(text, pattern); });
}

std::vector<const FidelityRecord*> selected(const std::vector<FidelityRecord>& records,
                                            const std::vector<std::string>& patterns, const std::string& group)
{
    for (const std::string& pattern : patterns)
        if (std::none_of(records.begin(), records.end(),
                         [&](const FidelityRecord& record) { return matches(record.id, pattern); }))
            throw Error("group \"" + group + "\"", "no record is called \"" + pattern + "\"",
                        "ids of records in this folder are expected");
    std::vector<const FidelityRecord*> found;
    for (const FidelityRecord& record : records)
        if (matches_any(record.id, patterns))
            found.push_back(&record);
    return found;
}

std::string part_of(const FidelityRecord& record, const std::vector<std::string>& tags, const std::string& group)
{
    std::string part;
    for (const std::string& tag : tags) {
        const auto it = record.tags.find(tag);
        if (it == record.tags.end())
            throw Error("group \"" + group + "\"", "record \"" + record.id + "\" has no tag \"" + tag + "\"",
                        "every record of the group needs it");
        part += (part.empty() ? "" : ", ") + tag + " " + it->second;
    }
    return part;
}

const FidelityRecord* reference_of(const FidelityRecord& record, const FidelityGroup& group,
                                   const std::vector<FidelityRecord>& records)
{
    const std::string wanted = part_of(record, group.reference_same, group.id);
    const FidelityRecord* found = nullptr;
    for (const FidelityRecord& other : records) {
        const bool has_tags =
            std::all_of(group.reference_tags.begin(), group.reference_tags.end(), [&](const auto& tag) {
                const auto it = other.tags.find(tag.first);
                return it != other.tags.end() && it->second == tag.second;
            });
        const bool has_same = std::all_of(group.reference_same.begin(), group.reference_same.end(),
                                          [&](const std::string& tag) { return other.tags.count(tag) > 0; });
        if (!has_tags || !has_same || other.measured.count(group.figure) == 0
            || part_of(other, group.reference_same, group.id) != wanted)
            continue;
        if (found)
            throw Error("group \"" + group.id + "\"",
                        "records \"" + found->id + "\" and \"" + other.id + "\" could both be the reference of \""
                            + record.id + "\"",
                        "the reference's tags must single out one");
        found = &other;
    }
    if (!found)
        throw Error("group \"" + group.id + "\"", "record \"" + record.id + "\" has no reference",
                    "a record with the reference's tags is needed");
    return found;
}

void require_figure(const FidelityRecord& record, const FidelityGroup& group)
{
    const auto it = record.measured.find(group.figure);
    if (it == record.measured.end())
        throw Error("group \"" + group.id + "\"",
                    "record \"" + record.id + "\" has no measured " + std::string(name_of(group.figure)),
                    "every record of the group needs it");
}

std::vector<std::string> device_types(const FidelityRecord& record)
{
    const auto* planned = std::get_if<PlannedRun>(&record.run);
    if (!planned || !planned->project)
        throw Error("record \"" + record.id + "\"", "has no project, so no achieved fraction",
                    "a record with a project is needed where it is fitted");
    std::vector<std::string> types;
    for (const Device& device : planned->project->cluster.devices)
        if (std::find(types.begin(), types.end(), device.spec.type) == types.end())
            types.push_back(device.spec.type);
    return types;
}

double predicted_figure(const FidelityRecord& record, Figure figure, const RunConstants& constants)
{
    const RunFigures run = predict_run(record.run, constants);
    const double samples = record.samples.value_or(run.samples);
    const double rate = samples / run.iteration_s;
    const double device_rate = rate / record.devices.value_or(run.devices);
    switch (figure) {
    case Figure::iteration_s:
        return run.iteration_s;
    case Figure::makespan_s:
        return run.makespan_s;
    case Figure::bubble_fraction:
        return run.bubble_fraction;
    case Figure::samples_per_s:
        return rate;
    case Figure::samples_per_s_per_device:
        return device_rate;
    case Figure::tokens_per_s_per_device:
        return device_rate * record.tokens_per_sample.value_or(unknown);
    case Figure::flop_per_s_per_device:
        return device_rate * record.flop_per_sample.value_or(unknown);
    case Figure::peak_memory_bytes:
        return run.peak_memory_bytes;
    case Figure::peak_activations:
        return run.peak_activations;
    }
    return unknown;
}

void judge(FidelityResult& result, const FidelityGroup& group)
{
    const FidelityTolerance& t = group.tolerance;
    double sum = 0;
    int failures = 0;
    for (const FidelityRow& row : result.rows) {
        if (!row.counted())
            continue;
        ++result.counted;
        if (!row.failure.empty()) {
            ++failures;
            continue;
        }
        const double size = std::abs(row.error);
        sum += size;
        result.largest_error = std::max(result.largest_error, size);
        if (const auto limit = t.within ? t.within : t.each; limit && size <= *limit * (1 + slack))
            ++result.within;
    }
    const int predicted = result.counted - failures;
    result.mean_error = predicted > 0 ? sum / predicted : unknown;
    if (predicted == 0)
        result.largest_error = unknown;

    std::vector<std::string> missed;
    if (failures > 0)
        missed.push_back(std::to_string(failures) + (failures == 1 ? " record is" : " records are") + " not predicted");
    if (result.counted == 0)
        missed.push_back("no record is left to compare");
    if (predicted > 0 && t.each && !(result.largest_error <= *t.each * (1 + slack)))
        missed.push_back("the largest error is above the tolerance");
    if (predicted > 0 && t.mean && !(result.mean_error <= *t.mean * (1 + slack)))
        missed.push_back("the mean error is above the tolerance");
    if (t.at_least && result.within < *t.at_least)
        missed.push_back(std::to_string(result.within) + " records are within the tolerance, not "
                         + std::to_string(*t.at_least));
    for (const RankResult& rank : result.ranks) {
        const std::string where = rank.part.empty() ? "" : " (" + rank.part + ")";
        if (t.rank_correlation && !(rank.correlation >= *t.rank_correlation - slack))
            missed.push_back("the rank correlation is too low" + where);
        if (t.regret && !(rank.regret <= *t.regret + slack))
            missed.push_back("the predicted best is too far from the measured best" + where);
    }
    result.passed = missed.empty();
    for (const std::string& sentence : missed)
        result.missed += (result.missed.empty() ? "" : "; ") + sentence;
}

}  // namespace nnpiper
