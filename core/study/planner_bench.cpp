// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/study/planner_bench.h"

#include "core/planners/bounds/lower_bound.h"
#include "core/planners/nn_piper.h"
#include "core/simulator/simulate.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <limits>
#include <string_view>
#include <thread>

namespace nnpiper {

namespace {

/// A size in bytes of this process as Linux tells it ("VmRSS", "VmHWM"); empty elsewhere.
std::optional<double> process_bytes(std::string_view field)
{
    std::ifstream status("/proc/self/status");
    for (std::string word; status >> word;) {
        if (word == std::string(field) + ":") {
            long kilobytes = 0;
            if (status >> kilobytes)
                return 1024.0 * static_cast<double>(kilobytes);
        }
    }
    return std::nullopt;
}

/// Lets the high-water mark of memory start again from what is held now.
void forget_peak()
{
    std::ofstream("/proc/self/clear_refs") << "5";
}

BenchTrial try_planner(const PlannerEntry& entry, const BenchProblem& bench, const PlanRequest& request,
                       const ObjectiveBound* bound, const Control& control)
{
    forget_peak();
    const auto before = process_bytes("VmRSS");
    const Plan plan = run_planner(entry, bench.problem, request, {control.stop, control.deadline, {}}, bound);
    const auto peak = process_bytes("VmHWM");
    BenchTrial trial;
    trial.group = bench.group;
    trial.problem = bench.problem.name;
    trial.planner = entry.name;
    trial.status = plan.status;
    trial.reason = plan.reason;
    trial.feasible = plan.feasible;
    trial.value = plan.feasible ? objective_value(bench.problem, plan) : 0;
    trial.planning_ms = plan.planning_time_ms;
    trial.proved_gap = plan.proved_gap;
    if (before && peak)
        trial.peak_bytes = std::max(0.0, *peak - *before);
    return trial;
}

std::optional<double> cancel_latency_ms(const PlannerEntry& entry, const Problem& problem, PlanRequest request,
                                        double after_ms, const Control& control)
{
    using Clock = std::chrono::steady_clock;
    request.budget_ms = std::numeric_limits<double>::infinity();
    std::stop_source stop;
    Clock::time_point stopped = Clock::time_point::max();
    std::jthread watch([&](std::stop_token finished) {
        const Deadline deadline = Deadline::after_ms(after_ms);
        while (!deadline.passed() && !control.stop.stop_requested()) {
            if (finished.stop_requested())
                return;
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        stopped = Clock::now();
        stop.request_stop();
    });
    Control cancelled;
    cancelled.stop = stop.get_token();
    run_planner(entry, problem, request, cancelled);
    const auto returned = Clock::now();
    watch.request_stop();
    watch.join();
    if (stopped > returned)
        return std::nullopt;
    return std::chrono::duration<double, std::milli>(returned - stopped).count();
}

double best_known_value(const Problem& problem)
{
    if (!problem.best_known || problem.best_known->stages.empty())
        return std::numeric_limits<double>::infinity();
    Plan plan = *problem.best_known;
    predict(problem, plan);
    return objective_value(problem, plan);
}

BenchMean mean_of(const std::vector<const BenchTrial*>& trials, double first_planner_ms)
{
    BenchMean mean;
    mean.group = trials.front()->group;
    mean.planner = trials.front()->planner;
    std::vector<double> gaps;
    double milliseconds = 0;
    int timed = 0;
    for (const BenchTrial* trial : trials) {
        ++mean.problems;
        if (trial->status == "skipped") {
            ++mean.skipped;
            continue;
        }
        milliseconds += trial->planning_ms;
        ++timed;
        if (trial->feasible)
            gaps.push_back(trial->gap());
        else if (trial->best_value > 0)
            ++mean.infeasible;
        if (trial->peak_bytes)
            mean.peak_bytes = std::max(mean.peak_bytes.value_or(0), *trial->peak_bytes);
        if (trial->cancel_ms)
            mean.cancel_ms = std::max(mean.cancel_ms.value_or(0), *trial->cancel_ms);
    }
    std::sort(gaps.begin(), gaps.end());
    for (const double gap : gaps)
        mean.mean_gap += gap / static_cast<double>(gaps.size());
    if (!gaps.empty()) {
        mean.median_gap = gaps[gaps.size() / 2];
        mean.largest_gap = gaps.back();
    } else {
        mean.mean_gap = mean.median_gap = mean.largest_gap = std::numeric_limits<double>::quiet_NaN();
    }
    mean.planning_ms = timed > 0 ? milliseconds / timed : std::numeric_limits<double>::quiet_NaN();
    mean.time_ratio = first_planner_ms > 0 ? mean.planning_ms / first_planner_ms : 1;
    return mean;
}

}  // namespace

std::vector<BenchProblem> generated_bench_problems(int count, int largest_devices, std::uint64_t seed)
{
    static constexpr struct {
        int layers, devices, stages;
    } sizes[] = {
        {8, 2, 2},     {16, 4, 4},     {32, 8, 8},     {48, 16, 12},   {64, 16, 16},    {96, 32, 24},
        {128, 64, 48}, {160, 128, 64}, {160, 256, 64}, {200, 512, 96}, {200, 1024, 96},
    };
    std::vector<BenchProblem> problems;
    std::uint64_t index = 0;
    for (const auto& size : sizes) {
        for (int i = 0; i < count; ++i, ++index) {
            if (size.devices > largest_devices)
                continue;
            BenchProblem bench;
            bench.group = "L" + std::to_string(size.layers) + " D" + std::to_string(size.devices) + " S"
                          + std::to_string(size.stages);
            bench.problem = virtual_problem(evaluation_seed(seed, index), {size.layers, size.devices, size.stages, {}});
            problems.push_back(std::move(bench));
        }
    }
    return problems;
}

std::vector<BenchTrial> bench_planners(const std::vector<BenchProblem>& problems, const BenchQuestion& question,
                                       const Control& control,
                                       const std::function<void(const std::vector<BenchTrial>&)>& seen)
{
    std::vector<const PlannerEntry*> entries;
    for (const std::string& name : question.planners)
        entries.push_back(&find_planner(name));
    if (std::any_of(entries.begin(), entries.end(),
                    [](const auto* e) { return e->name == "nn-piper" || e->name == "nn-piper-raw"; }))
        prepare_nn_piper(question.request);
    std::vector<BenchTrial> all;
    for (std::size_t p = 0; p < problems.size() && !control.should_stop(); ++p) {
        const BenchProblem& bench = problems[p];
        control.report(static_cast<double>(p) / static_cast<double>(problems.size()), bench.group);
        const bool last_of_group = p + 1 == problems.size() || problems[p + 1].group != bench.group;
        const auto bound = objective_bound(with_request(bench.problem, question.request));
        std::vector<BenchTrial> trials;
        double best = best_known_value(bench.problem);
        for (const PlannerEntry* entry : entries) {
            BenchTrial trial = try_planner(*entry, bench, question.request, bound ? &*bound : nullptr, control);
            if (trial.feasible)
                best = std::min(best, trial.value);
            if (last_of_group && question.cancel_after_ms > 0 && trial.status != "skipped" && !control.should_stop())
                trial.cancel_ms =
                    cancel_latency_ms(*entry, bench.problem, question.request, question.cancel_after_ms, control);
            trials.push_back(std::move(trial));
        }
        if (question.reference_ms > 0 && !control.should_stop()) {
            PlanRequest longer = question.request;
            longer.budget_ms = question.reference_ms;
            const BenchTrial reference =
                try_planner(find_planner("local-search"), bench, longer, bound ? &*bound : nullptr, control);
            if (reference.feasible)
                best = std::min(best, reference.value);
        }
        if (control.should_stop())
            break;  // the last planners may have been cut short
        for (BenchTrial& trial : trials)
            trial.best_value = std::isfinite(best) ? best : 0;
        if (seen)
            seen(trials);
        all.insert(all.end(), trials.begin(), trials.end());
    }
    return all;
}

std::vector<BenchMean> bench_means(const std::vector<BenchTrial>& trials)
{
    std::vector<std::string> groups, planners;
    for (const BenchTrial& trial : trials) {
        if (std::find(groups.begin(), groups.end(), trial.group) == groups.end())
            groups.push_back(trial.group);
        if (std::find(planners.begin(), planners.end(), trial.planner) == planners.end())
            planners.push_back(trial.planner);
    }
    std::vector<BenchMean> means;
    for (const std::string& group : groups) {
        double first_ms = 0;
        for (const std::string& planner : planners) {
            std::vector<const BenchTrial*> own;
            for (const BenchTrial& trial : trials) {
                if (trial.group == group && trial.planner == planner)
                    own.push_back(&trial);
            }
            if (own.empty())
                continue;
            means.push_back(mean_of(own, first_ms));
            if (planner == planners.front())
                first_ms = means.back().planning_ms;
        }
    }
    return means;
}

}  // namespace nnpiper
