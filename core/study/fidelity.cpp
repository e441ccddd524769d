// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/study/fidelity.h"

#include "core/base/error.h"
#include "core/study/fidelity_figures.h"
#include "core/study/least_squares.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

namespace nnpiper {

namespace {

constexpr double not_known = std::numeric_limits<double>::quiet_NaN();

/// A row with its records, while a group is being worked on.
struct Compared {
    const FidelityRecord* record = nullptr;
    const FidelityRecord* reference = nullptr;  ///< ratio only
    std::string part;                           ///< of the fit
    bool fitted_on = false;
};

/// The figure of a row; for ratios both records under the same constants.
double predicted_of(const Compared& row, Figure figure, const RunConstants& constants)
{
    const double own = predicted_figure(*row.record, figure, constants);
    return row.reference ? own / predicted_figure(*row.reference, figure, constants) : own;
}

double measured_of(const Compared& row, Figure figure)
{
    const double own = row.record->measured.at(figure);
    return row.reference ? own / row.reference->measured.at(figure) : own;
}

RunConstants constants_of(const std::map<FittedConstant, double>& values, const Compared& row)
{
    RunConstants constants;
    for (const auto& [constant, value] : values)
        switch (constant) {
        case FittedConstant::time_scale:
            constants.time_scale = value;
            break;
        case FittedConstant::op_overhead_s:
            constants.op_overhead_s = value;
            break;
        case FittedConstant::transfer_overhead_s:
            constants.transfer_overhead_s = value;
            break;
        case FittedConstant::fixed_step_s:
            constants.fixed_step_s = value;
            break;
        case FittedConstant::achieved_fraction:
            for (const FidelityRecord* record : {row.record, row.reference})
                if (record)
                    for (const std::string& type : device_types(*record))
                        constants.achieved_fractions[type] = value;
        }
    return constants;
}

std::map<FittedConstant, double> fit(const FidelityGroup& group, const std::vector<Compared>& rows)
{
    std::vector<Unknown> unknowns;
    double typical_s = 0;  // a mean op, so that costs are searched in steps that matter
    for (const Compared& row : rows)
        typical_s += predict_run(row.record->run, {}).iteration_s / static_cast<double>(rows.size());
    for (const FittedConstant constant : group.fit->constants) {
        Unknown unknown{0, false, constant == FittedConstant::fixed_step_s ? typical_s : typical_s / 100,
                        std::numeric_limits<double>::infinity()};
        if (constant == FittedConstant::time_scale)
            unknown = {};
        else if (constant == FittedConstant::achieved_fraction)
            unknown = {DeviceSpec().achieved_fraction, true, 1, 1};
        unknowns.push_back(unknown);
    }
    const auto named = [&](std::span<const double> values) {
        std::map<FittedConstant, double> result;
        for (std::size_t i = 0; i < values.size(); ++i)
            result[group.fit->constants[i]] = values[i];
        return result;
    };
    return named(least_squares(unknowns, [&](std::span<const double> values) {
        const auto constants = named(values);
        std::vector<double> errors;
        for (const Compared& row : rows)
            errors.push_back(std::log(predicted_of(row, group.figure, constants_of(constants, row))
                                      / measured_of(row, group.figure)));
        return errors;
    }));
}

std::vector<Compared> rows_of(const FidelityGroup& group, const std::vector<FidelityRecord>& records)
{
    std::vector<Compared> rows;
    for (const FidelityRecord* record : selected(records, group.records, group.id)) {
        require_figure(*record, group);
        Compared row{record, nullptr, {}, false};
        if (group.comparison == Comparison::ratio) {
            row.reference = reference_of(*record, group, records);
            if (row.reference == record)
                continue;
            require_figure(*row.reference, group);
        }
        if (group.fit) {
            row.part = part_of(*record, group.fit->per, group.id);
            row.fitted_on = matches_any(record->id, group.fit->on);
        }
        rows.push_back(std::move(row));
    }
    if (rows.empty())
        throw Error("group \"" + group.id + "\"", "compares no record", "at least one is needed");
    return rows;
}

FidelityRow row_result(const Compared& row, const FidelityGroup& group, const std::map<FittedConstant, double>& values)
{
    FidelityRow result;
    result.record = row.record->id;
    result.reference = row.reference ? row.reference->id : std::string();
    result.measured = measured_of(row, group.figure);
    result.fitted_on = row.fitted_on;
    result.copy = !row.record->copy_of.empty();
    try {
        result.predicted = predicted_of(row, group.figure, constants_of(values, row));
        result.error =
            group.tolerance.relative ? result.predicted / result.measured - 1 : result.predicted - result.measured;
    } catch (const Error& error) {
        result.failure = error.what();
    }
    if (result.failure.empty() && !std::isfinite(result.error))
        result.failure = "the figure is not predicted for this kind of run";
    if (!result.failure.empty())
        result.predicted = result.error = not_known;
    return result;
}

void rank_rows(FidelityResult& result, const FidelityGroup& group, const std::vector<Compared>& rows)
{
    std::vector<std::string> parts;
    for (const Compared& row : rows)
        if (const std::string part = part_of(*row.record, group.per, group.id);
            std::find(parts.begin(), parts.end(), part) == parts.end())
            parts.push_back(part);
    for (const std::string& part : parts) {
        std::vector<double> predicted, measured;
        std::vector<std::size_t> at;
        for (std::size_t i = 0; i < rows.size(); ++i)
            if (result.rows[i].counted() && result.rows[i].failure.empty()
                && part_of(*rows[i].record, group.per, group.id) == part) {
                predicted.push_back(result.rows[i].predicted);
                measured.push_back(result.rows[i].measured);
                at.push_back(i);
            }
        RankResult rank;
        rank.part = part;
        rank.records = static_cast<int>(at.size());
        rank.correlation = rank_correlation(predicted, measured);
        rank.regret = not_known;
        if (!at.empty()) {
            const auto best = [&](const std::vector<double>& values) {
                const auto it = higher_is_better(group.figure) ? std::max_element(values.begin(), values.end())
                                                               : std::min_element(values.begin(), values.end());
                return static_cast<std::size_t>(it - values.begin());
            };
            const std::size_t chosen = best(predicted), right = best(measured);
            rank.predicted_best = result.rows[at[chosen]].record;
            rank.measured_best = result.rows[at[right]].record;
            rank.regret = higher_is_better(group.figure) ? measured[right] / measured[chosen] - 1
                                                         : measured[chosen] / measured[right] - 1;
        }
        result.ranks.push_back(std::move(rank));
    }
}

FidelityResult evaluate(const FidelityGroup& group, const std::vector<FidelityRecord>& records)
{
    const std::vector<Compared> rows = rows_of(group, records);
    FidelityResult result;
    result.group = group.id;
    std::map<std::string, std::string> failed_parts;
    std::map<std::string, std::map<FittedConstant, double>> fits;
    if (group.fit)
        for (const Compared& row : rows) {
            if (fits.count(row.part) > 0)
                continue;
            std::vector<Compared> training;
            for (const Compared& other : rows)
                if (other.fitted_on && other.part == row.part)
                    training.push_back(other);
            auto& values = fits[row.part];
            if (training.empty()) {
                failed_parts[row.part] = "there is no record to fit the constants on";
                continue;
            }
            try {
                values = fit(group, training);
                result.fitted.push_back({row.part, values});
            } catch (const Error& error) {
                failed_parts[row.part] = error.what();
            }
        }
    for (const Compared& row : rows) {
        FidelityRow one = row_result(row, group, fits[row.part]);
        if (const auto failed = failed_parts.find(row.part); failed != failed_parts.end()) {
            one.failure = failed->second;
            one.predicted = one.error = not_known;
        }
        result.rows.push_back(std::move(one));
    }
    if (group.comparison == Comparison::rank)
        rank_rows(result, group, rows);
    judge(result, group);
    return result;
}

}  // namespace

std::vector<FidelityResult> evaluate_fidelity(const FidelitySuite& suite, const Control& control)
{
    std::vector<FidelityResult> results;
    for (const FidelityGroup& group : suite.groups) {
        if (control.should_stop())
            break;
        control.report(static_cast<double>(results.size()) / static_cast<double>(suite.groups.size()), group.id);
        results.push_back(evaluate(group, suite.records));
    }
    return results;
}

}  // namespace nnpiper
