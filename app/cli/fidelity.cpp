// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/fidelity.h"

#include "app/cli/console.h"
#include "app/cli/shipped.h"
#include "app/cli/verbs.h"
#include "core/base/error.h"
#include "core/formats/fidelity_file.h"
#include "core/formats/json_text.h"

#include <cmath>
#include <filesystem>

namespace nnpiper::cli {

namespace {

using nlohmann::ordered_json;

std::string signed_percent(double fraction)
{
    return std::isfinite(fraction) ? (fraction >= 0 ? "+" : "") + fixed(fraction * 100, 2) + " %" : "-";
}

/// An error in the group's own terms.
std::string error_text(double error, bool relative)
{
    if (!std::isfinite(error))
        return "-";
    return relative ? fixed(error * 100, 2) + " %" : fixed(error, 5);
}

/// Six digits, whatever the size of the figure.
std::string figure_text(double value)
{
    if (!std::isfinite(value))
        return "-";
    const int whole = value == 0 ? 1 : static_cast<int>(std::floor(std::log10(std::abs(value)))) + 1;
    if (whole > 9)
        return fixed(value / std::pow(10, whole - 1), 4) + "e" + std::to_string(whole - 1);
    return fixed(value, std::max(0, std::min(6, 6 - whole)));
}

std::string tolerance_text(const FidelityTolerance& t)
{
    std::string text;
    const auto add = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
    if (t.each)
        add("each " + error_text(*t.each, t.relative));
    if (t.mean)
        add("mean " + error_text(*t.mean, t.relative));
    if (t.within)
        add(std::to_string(*t.at_least) + " within " + error_text(*t.within, t.relative));
    if (t.rank_correlation)
        add("rank correlation " + fixed(*t.rank_correlation, 2));
    if (t.regret)
        add("regret " + error_text(*t.regret, true));
    return text;
}

std::string verdict(const FidelityResult& result, const FidelityGroup& group)
{
    return result.passed ? "pass" : group.stretch ? "missed (stretch)" : "MISSED";
}

/// Group by group: every figure, what was fitted, how the ranks agree, the verdict.
std::string details(const FidelityResult& result, const FidelityGroup& group)
{
    std::string text = group.id + (group.title.empty() ? "" : ": " + group.title) + "\n";
    const bool ratio = group.comparison == Comparison::ratio;
    Table table({"  record", ratio ? "over" : "", std::string(name_of(group.figure)) + (ratio ? " ratio" : ""),
                 "measured", "error", ""},
                {0, 1, 5});
    for (const FidelityRow& row : result.rows) {
        const std::string remark = !row.failure.empty() ? row.failure
                                   : row.copy           ? "copy, not counted"
                                   : row.fitted_on      ? "fitted on, not counted"
                                                        : "";
        table.add({"  " + row.record, row.reference, figure_text(row.predicted), figure_text(row.measured),
                   group.tolerance.relative ? signed_percent(row.error) : error_text(row.error, false), remark});
    }
    text += table.text();
    for (const FittedValues& fitted : result.fitted) {
        text += "  fitted" + (fitted.part.empty() ? "" : " for " + fitted.part) + ":";
        for (const auto& [constant, value] : fitted.values)
            text += " " + std::string(name_of(constant)) + " " + figure_text(value);
        text += "\n";
    }
    for (const RankResult& rank : result.ranks)
        text += "  ranks" + (rank.part.empty() ? "" : " of " + rank.part) + ": " + std::to_string(rank.records)
                + " records, correlation " + (std::isfinite(rank.correlation) ? fixed(rank.correlation, 3) : "-")
                + ", predicted best " + rank.predicted_best + ", measured best " + rank.measured_best + ", regret "
                + signed_percent(rank.regret) + "\n";
    text += "  " + verdict(result, group) + (result.missed.empty() ? "" : ": " + result.missed) + "\n\n";
    return text;
}

std::string text_of(const std::vector<FidelityResult>& results, const std::vector<FidelityGroup>& groups)
{
    std::string text;
    Table summary({"group", "compared", "mean error", "largest", "tolerance", "verdict"}, {0, 4, 5});
    int passed = 0, missed = 0, stretch_missed = 0;
    for (std::size_t i = 0; i < results.size(); ++i) {
        const FidelityResult& result = results[i];
        const FidelityGroup& group = groups[i];
        text += details(result, group);
        ++(result.passed ? passed : group.stretch ? stretch_missed : missed);
        summary.add({group.id, std::to_string(result.counted), error_text(result.mean_error, group.tolerance.relative),
                     error_text(result.largest_error, group.tolerance.relative), tolerance_text(group.tolerance),
                     verdict(result, group)});
    }
    return text + summary.text() + std::to_string(passed) + " groups pass, " + std::to_string(missed) + " missed, "
           + std::to_string(stretch_missed) + " stretch groups missed\n";
}

ordered_json optional_json(const std::optional<double>& value)
{
    return value ? json_number(*value) : ordered_json(nullptr);
}

ordered_json group_json(const FidelityResult& result, const FidelityGroup& group)
{
    ordered_json item;
    item["group"] = group.id;
    item["title"] = group.title;
    item["figure"] = name_of(group.figure);
    item["compare"] = group.comparison == Comparison::ratio  ? "ratio"
                      : group.comparison == Comparison::rank ? "rank"
                                                             : "absolute";
    item["stretch"] = group.stretch;
    item["compared"] = result.counted;
    item["mean_error"] = json_number(result.mean_error);
    item["largest_error"] = json_number(result.largest_error);
    const FidelityTolerance& t = group.tolerance;
    item["tolerance"] = {{"kind", t.relative ? "relative" : "absolute"},
                         {"each", optional_json(t.each)},
                         {"mean", optional_json(t.mean)},
                         {"within", optional_json(t.within)},
                         {"at_least", t.at_least ? ordered_json(*t.at_least) : ordered_json(nullptr)},
                         {"rank_correlation", optional_json(t.rank_correlation)},
                         {"regret", optional_json(t.regret)}};
    item["within"] = result.within;
    item["passed"] = result.passed;
    item["missed"] = result.missed;
    item["fitted"] = ordered_json::array();
    for (const FittedValues& fitted : result.fitted) {
        ordered_json values{{"part", fitted.part}};
        for (const auto& [constant, value] : fitted.values)
            values[std::string(name_of(constant))] = json_number(value);
        item["fitted"].push_back(std::move(values));
    }
    item["ranks"] = ordered_json::array();
    for (const RankResult& rank : result.ranks)
        item["ranks"].push_back({{"part", rank.part},
                                 {"records", rank.records},
                                 {"correlation", json_number(rank.correlation)},
                                 {"predicted_best", rank.predicted_best},
                                 {"measured_best", rank.measured_best},
                                 {"regret", json_number(rank.regret)}});
    item["rows"] = ordered_json::array();
    for (const FidelityRow& row : result.rows)
        item["rows"].push_back({{"record", row.record},
                                {"reference", row.reference},
                                {"predicted", json_number(row.predicted)},
                                {"measured", json_number(row.measured)},
                                {"error", json_number(row.error)},
                                {"counted", row.counted()},
                                {"fitted_on", row.fitted_on},
                                {"copy", row.copy},
                                {"failure", row.failure}});
    return item;
}

}  // namespace

int run_fidelity(const std::string& folder, const std::string& format, std::stop_token stop)
{
    std::vector<std::string> warnings;
    const FidelitySuite suite =
        load_fidelity(folder.empty() ? shipped("fidelity") : std::filesystem::path(folder), &warnings);
    say(warnings);
    if (suite.groups.empty())
        throw Error(folder, "holds records but no group", "a group says what to compare");
    const auto results = evaluate_fidelity(suite, {std::move(stop), Deadline::never(), {}});
    if (format == "json") {
        ordered_json document;
        document["groups"] = ordered_json::array();
        for (std::size_t i = 0; i < results.size(); ++i)
            document["groups"].push_back(group_json(results[i], suite.groups[i]));
        deliver(print_json(document), {});
    } else {
        deliver(text_of(results, suite.groups), {});
    }
    for (std::size_t i = 0; i < results.size(); ++i)
        if (!results[i].passed && !suite.groups[i].stretch)
            return not_feasible;
    return results.size() == suite.groups.size() ? done : not_feasible;
}

}  // namespace nnpiper::cli
