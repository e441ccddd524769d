// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/control.h"
#include "core/study/measured_run.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nnpiper {

/// What can be measured and predicted. Throughputs are better when higher, all others when lower.
enum class Figure {
    iteration_s,
    makespan_s,
    bubble_fraction,
    samples_per_s,
    samples_per_s_per_device,
    tokens_per_s_per_device,
    flop_per_s_per_device,
    peak_memory_bytes,
    peak_activations,
};
std::string_view name_of(Figure figure);
/// Throws Error at `place` naming the allowed words.
Figure figure_from_name(std::string_view name, const std::string& place);

/// One run that somebody measured.
struct FidelityRecord {
    std::string id;
    std::map<std::string, std::string> tags;  ///< what groups select, pair and part by
    std::string source;
    std::string note;
    std::string copy_of;  ///< id of the record whose figures this one seems to repeat; it is shown, never counted
    MeasuredRun run;
    std::optional<double> samples;  ///< of one iteration; empty: the run's own
    std::optional<double> devices;  ///< that share the work; empty: the run's own
    std::optional<double> tokens_per_sample;
    std::optional<double> flop_per_sample;  ///< as the source counts them
    std::map<Figure, double> measured;
};

/// How the figures of a group are compared.
enum class Comparison {
    absolute,  ///< predicted against measured
    ratio,     ///< both over those of a reference record
    rank,      ///< the order of the predictions against that of the measurements
};

/// A constant that a group may find out from some of its records.
enum class FittedConstant { time_scale, op_overhead_s, transfer_overhead_s, fixed_step_s, achieved_fraction };
std::string_view name_of(FittedConstant constant);
FittedConstant constant_from_name(std::string_view name, const std::string& place);

/// Constants are fitted by least squares of the relative error on `on`, once for every value of the tags in `per`, and
/// used for all records with those values. The records that were fitted on are shown, never counted.
struct FidelityFit {
    std::vector<FittedConstant> constants;
    std::vector<std::string> on;  ///< record ids; "*" stands for any characters
    std::vector<std::string> per;
};

/// All that are given must hold.
struct FidelityTolerance {
    bool relative = true;          ///< errors are fractions of the measured figure, else differences
    std::optional<double> each;    ///< largest error of any record
    std::optional<double> mean;    ///< mean of the errors' magnitudes
    std::optional<double> within;  ///< with at_least: that many records err no more than this
    std::optional<int> at_least;
    std::optional<double> rank_correlation;  ///< Spearman's, at least
    std::optional<double> regret;  ///< at most: measured figure of the predicted best over the measured best - 1
};

struct FidelityGroup {
    std::string id;
    std::string title;
    std::string note;
    std::vector<std::string> records;  ///< ids; "*" stands for any characters
    Figure figure = Figure::iteration_s;
    Comparison comparison = Comparison::absolute;
    std::map<std::string, std::string> reference_tags;  ///< ratio: the reference record has these tags ...
    std::vector<std::string> reference_same;            ///< ... and the same values as the record in these
    std::vector<std::string> per;                       ///< rank: ranked apart for every value of these tags
    std::optional<FidelityFit> fit;
    FidelityTolerance tolerance;
    bool stretch = false;  ///< wanted, not promised: a miss is told but fails nothing
};

struct FidelitySuite {
    std::vector<FidelityRecord> records;
    std::vector<FidelityGroup> groups;
};

/// One record of a group. Predicted and measured are ratios where those are compared.
struct FidelityRow {
    std::string record;
    std::string reference;
    double predicted = 0;  ///< NaN when `failure` says why there is none
    double measured = 0;
    double error = 0;  ///< predicted / measured - 1, or predicted - measured
    bool fitted_on = false;
    bool copy = false;
    std::string failure;

    bool counted() const { return !fitted_on && !copy; }
};

/// What was fitted for the records with these tag values.
struct FittedValues {
    std::string part;  ///< "model 1.5B"; empty when all records share it
    std::map<FittedConstant, double> values;
};

/// Rank comparison of one part of a group.
struct RankResult {
    std::string part;
    int records = 0;
    double correlation = 0;  ///< NaN below two records
    std::string predicted_best;
    std::string measured_best;
    double regret = 0;
};

struct FidelityResult {
    std::string group;
    std::vector<FidelityRow> rows;
    std::vector<FittedValues> fitted;
    std::vector<RankResult> ranks;
    int counted = 0;
    double mean_error = 0;  ///< of the magnitudes of counted rows; NaN without any
    double largest_error = 0;
    int within = 0;  ///< counted rows that meet tolerance.within, or tolerance.each
    bool passed = false;
    std::string missed;  ///< what did not hold, one sentence
};

/// Evaluates every group, in order. A record that cannot be predicted is a missed row, with the reason. Throws Error
/// when a group names records, tags or figures that are not there. Stops early with what is there.
std::vector<FidelityResult> evaluate_fidelity(const FidelitySuite& suite, const Control& control);

/// Spearman's rank correlation, ties by their mean rank; NaN below two values or when all are equal.
double rank_correlation(const std::vector<double>& a, const std::vector<double>& b);

}  // namespace nnpiper
