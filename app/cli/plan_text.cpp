// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/plan_text.h"

#include "app/cli/console.h"
#include "core/base/quantity.h"
#include "core/problem/pipeline.h"
#include "core/simulator/simulate.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

namespace nnpiper::cli {

namespace {

std::string seconds(double value)
{
    return value > 0 ? format_quantity(value, Unit::seconds) : "-";
}

std::string milliseconds(double value)
{
    return format_quantity(value * 1e-3, Unit::seconds);
}

/// Four significant digits, without an exponent.
std::string rate(double value)
{
    if (!(value > 0))
        return "-";
    const int digits = std::clamp(3 - static_cast<int>(std::floor(std::log10(value))), 0, 6);
    return fixed(value, digits);
}

std::string per_second(const Problem& problem)
{
    return problem.samples_known ? "samples/s" : "micro-batches/s";
}

std::string joined(const std::vector<std::string>& parts)
{
    std::string text;
    for (const std::string& part : parts)
        text += (text.empty() ? "" : ", ") + part;
    return text;
}

std::string csv_cell(const std::string& text)
{
    if (text.find_first_of(",\"\n") == std::string::npos)
        return text;
    std::string quoted = "\"";
    for (const char c : text)
        quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
    return quoted + "\"";
}

std::string exact(double value)
{
    // Twelve significant digits tell apart what the simulator tells apart.
    if (!(value > 0))
        return "";
    return fixed(value, std::clamp(11 - static_cast<int>(std::floor(std::log10(value))), 0, 20));
}

}  // namespace

std::optional<double> peak_memory_share(const Problem& problem, const Plan& plan)
{
    if (plan.stages.empty() || !validate(problem, plan).empty())
        return std::nullopt;
    double share = 0;
    const OpOrder order = order_of(problem, plan, lay_out(problem, plan));
    for (const DeviceMemory& device : memory_of(problem, plan, order))
        share = std::max(share, device.needed_bytes() / device.capacity_bytes);
    return share;
}

double score(const Problem& problem, const Plan& plan, Objective objective)
{
    const double infinite = std::numeric_limits<double>::infinity();
    if (!plan.feasible)
        return infinite;
    if (!(plan.iteration_s > 0))
        return 0;  // a problem whose every time is 0
    switch (objective) {
    case Objective::throughput:
        return 1 / plan.throughput_samples_per_s;
    case Objective::latency:
        return plan.iteration_s;
    case Objective::cost: {
        double dollars_per_h = 0;
        for (const Stage& stage : plan.stages)
            for (const std::string& id : stage.devices)
                dollars_per_h += problem.device_price_per_h[static_cast<std::size_t>(problem.device_index(id))];
        const double dollars = dollars_per_h / 3600 / plan.throughput_samples_per_s;
        return std::isfinite(dollars) ? dollars : infinite;
    }
    }
    return infinite;
}

int best_plan(const Problem& problem, const std::vector<Plan>& plans, Objective objective)
{
    int best = -1;
    double best_score = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < plans.size(); ++i) {
        const double value = score(problem, plans[i], objective);
        if (value < best_score) {
            best_score = value;
            best = static_cast<int>(i);
        }
    }
    if (best < 0 && objective == Objective::cost)  // no price is known: the fastest
        return best_plan(problem, plans, Objective::throughput);
    return best;
}

std::string comparison_text(const Problem& problem, const std::vector<Plan>& plans, Objective objective)
{
    const int best = best_plan(problem, plans, objective);
    const bool priced = best >= 0 && std::isfinite(score(problem, plans[static_cast<std::size_t>(best)], objective));
    const Objective ruler = priced ? objective : Objective::throughput;
    Table table({"planner", "feasible", "stages", "iteration", per_second(problem), "bubble", "peak memory",
                 "planned in", "vs best", "within"});
    std::string notes;
    for (const Plan& plan : plans) {
        const std::string& word = plan.status;
        if (word == "skipped" || plan.stages.empty()) {
            table.add({plan.planner, word == "skipped" ? "skipped" : "no"});
        } else {
            const auto memory = peak_memory_share(problem, plan);
            const double ratio =
                best < 0 ? 0
                         : score(problem, plans[static_cast<std::size_t>(best)], ruler) / score(problem, plan, ruler);
            table.add({plan.planner, plan.feasible ? (word == "stopped" ? "yes, stopped" : "yes") : "no",
                       std::to_string(plan.stages.size()), seconds(plan.iteration_s),
                       rate(plan.throughput_samples_per_s), plan.makespan_s > 0 ? percent(plan.bubble_fraction) : "-",
                       memory ? percent(*memory) : "-", milliseconds(plan.planning_time_ms),
                       plan.feasible && ratio > 0 ? fixed(ratio, 3) + "x" : "-",
                       plan.proved_gap ? percent(*plan.proved_gap) : "-"});
        }
        if (!plan.reason.empty())
            notes += reason_text(plan) + "\n";
    }
    return table.text() + (notes.empty() ? "" : "\n" + notes);
}

std::string comparison_csv(const Problem& problem, const std::vector<Plan>& plans)
{
    std::string text =
        "planner,status,feasible,schedule,stages,micro_batches,makespan_s,iteration_s,throughput_samples_per_s,"
        "bubble_fraction,peak_memory_fraction,planning_time_ms,proved_gap,reason\n";
    for (const Plan& plan : plans) {
        const auto memory = peak_memory_share(problem, plan);
        text += csv_cell(plan.planner) + "," + plan.status + "," + (plan.feasible ? "true" : "false") + ","
                + std::string(name_of(plan.schedule)) + "," + std::to_string(plan.stages.size()) + ","
                + std::to_string(plan.micro_batches) + "," + exact(plan.makespan_s) + "," + exact(plan.iteration_s)
                + "," + exact(plan.throughput_samples_per_s) + ","
                + (plan.makespan_s > 0 ? fixed(plan.bubble_fraction, 6) : "") + "," + (memory ? fixed(*memory, 6) : "")
                + "," + fixed(plan.planning_time_ms, 3) + "," + (plan.proved_gap ? fixed(*plan.proved_gap, 6) : "") + ","
                + csv_cell(plan.reason) + "\n";
    }
    return text;
}

std::string reason_text(const Plan& plan)
{
    // Some reasons are errors whose place is the planner already.
    return plan.reason.starts_with(plan.planner + ": ") ? plan.reason : plan.planner + ": " + plan.reason;
}

namespace {

/// One policy for all stages, or each stage's own; empty where nothing is computed twice.
std::string recompute_text(const Plan& plan)
{
    std::string each;
    bool any = false, alike = true;
    for (std::size_t s = 0; s < plan.stages.size(); ++s) {
        const Recompute own = plan.stages[s].recompute;
        any = any || own != Recompute::none;
        alike = alike && own == plan.stages.front().recompute;
        each += (s == 0 ? "" : ", ") + std::string(name_of(own));
    }
    if (!any)
        return {};
    return alike ? std::string(name_of(plan.stages.front().recompute)) + " recompute" : "recompute by stage: " + each;
}

/// The stage's devices, what each replica takes where that differs, and how they split a layer.
std::string group_text(const Stage& stage)
{
    std::string text = joined(stage.devices);
    if (stage.tensor_parallel > 1)
        text += " (tensor parallel " + std::to_string(stage.tensor_parallel) + ")";
    if (std::adjacent_find(stage.shares.begin(), stage.shares.end(), std::not_equal_to<>()) != stage.shares.end()) {
        text += " (samples ";
        for (std::size_t r = 0; r < stage.shares.size(); ++r)
            text += (r == 0 ? "" : "+") + std::to_string(stage.shares[r]);
        text += ")";
    }
    return text;
}

}  // namespace

std::string summary_text(const Problem& problem, const Plan& plan)
{
    const std::size_t count = plan.stages.size();
    std::string text = (plan.planner.empty() ? "plan" : plan.planner) + ": " + std::string(name_of(plan.schedule))
                       + ", " + std::to_string(count) + (count == 1 ? " stage, " : " stages, ")
                       + std::to_string(plan.micro_batches) + " micro-batches";
    if (problem.samples_known) {
        const int samples = variant_of(problem, plan).micro_batch_samples;
        text += " of " + std::to_string(samples) + (samples == 1 ? " sample" : " samples");
    }
    if (const std::string recompute = recompute_text(plan); !recompute.empty())
        text += ", " + recompute;
    text += "; iteration " + seconds(plan.iteration_s) + ", " + rate(plan.throughput_samples_per_s) + " "
            + per_second(problem) + ", bubble " + percent(plan.bubble_fraction) + "\n";
    if (plan.proved_gap)
        text += "proved: within " + percent(*plan.proved_gap) + " of the best possible plan\n";
    return text;
}

std::string stages_text(const Problem& problem, const Plan& plan, const Timeline& timeline)
{
    Table table({"stage", "devices", "type", "layers", "first", "last", "fwd+bwd", "busy", "memory", "of"},
                {0, 1, 2, 4, 5});
    const Pipeline pipeline = lay_out(problem, plan);
    for (std::size_t s = 0; s < plan.stages.size(); ++s) {
        const Stage& stage = plan.stages[s];
        std::vector<std::string> types;
        double needed = 0, capacity = 0, share = -1;
        for (const std::string& id : stage.devices) {
            const std::string& type = problem.device_types[static_cast<std::size_t>(problem.device_index(id))];
            if (!type.empty() && std::find(types.begin(), types.end(), type) == types.end())
                types.push_back(type);
        }
        const auto group = static_cast<std::size_t>(timeline.map.device(static_cast<int>(s)));
        for (const DeviceMemory& device : timeline.memory)
            if (timeline.map.device(device.stage) == static_cast<int>(group) && device.needed_bytes() / device.capacity_bytes > share) {
                needed = device.needed_bytes();
                capacity = device.capacity_bytes;
                share = needed / capacity;
            }
        const auto layer = [&](int index) { return problem.layer_names[static_cast<std::size_t>(index)]; };
        table.add({std::to_string(s), group_text(stage), joined(types),
                   std::to_string(stage.end_layer - stage.first_layer), layer(stage.first_layer),
                   layer(stage.end_layer - 1),
                   seconds(pipeline.forward_s[s] + pipeline.backward_s(static_cast<int>(s))),
                   timeline.makespan_s > 0 ? percent(timeline.metrics[group].busy_s / timeline.makespan_s) : "-",
                   format_quantity(needed, Unit::bytes), format_quantity(capacity, Unit::bytes)});
    }
    return table.text();
}

std::string range_text(const Timeline& timeline, const RangeStatistics& range)
{
    const double length = range.length_s();
    const auto share = [&](double part_s) { return length > 0 ? percent(part_s / length) : std::string("-"); };
    std::string text = "from " + seconds(range.from_s) + " to " + seconds(range.to_s) + ": bubble "
                       + percent(range.bubble_fraction) + ", " + std::to_string(range.finished)
                       + " micro-batches finish, critical path " + seconds(range.critical_compute_s) + " computing and "
                       + seconds(range.critical_link_s) + " messages\n";
    Table table({"group", "busy", "forward", "backward", "weights", "warm-up", "drain", "waiting", "link", "imbalance"}, {0});
    for (std::size_t d = 0; d < range.rows.size(); ++d) {
        const RangeRow& row = range.rows[d];
        const Bubble& bubble = row.bubble;
        const bool named = d < timeline.devices.size() && !timeline.devices[d].empty();
        table.add({named ? joined(timeline.devices[d]) : std::to_string(d), share(row.busy_s), share(row.forward_s),
                   share(row.backward_s), share(row.weight_s), share(bubble.warm_up_s), share(bubble.drain_s),
                   share(bubble.dependency_s), share(bubble.link_s), share(bubble.imbalance_s)});
    }
    text += table.text();
    for (const RangeChannel& channel : range.channels) {
        const int stage = channel.boundary % timeline.map.stages;
        const int from = channel.backward ? stage + 1 : stage;
        const int to = channel.backward ? stage : (stage + 1) % timeline.map.stages;
        text += "stage " + std::to_string(from) + " to " + std::to_string(to)
                + (channel.backward ? ": gradients " : ": activations ") + share(channel.busy_s) + ", "
                + std::to_string(channel.messages) + " messages\n";
    }
    return text;
}

std::string limits_text(const PlanLimits& limits)
{
    std::string text = "limited by " + std::string(name_of(limits.kind)) + ": computing is "
                       + percent(limits.compute_share) + " of the critical path, messages " + percent(limits.link_share)
                       + "\n";
    text += "  compute  " + limits.busiest_device + " works " + seconds(limits.busy_s) + " an iteration, "
            + percent(limits.busy_share) + " of the makespan\n";
    if (!limits.links.empty()) {
        const LinkLoad& load = limits.links.front();
        text += "  link     " + load.link + " carries " + format_quantity(load.bytes, Unit::bytes) + " an iteration, "
                + seconds(load.busy_s) + " of sending\n";
    }
    if (!limits.fullest_device.empty())
        text += "  memory   " + limits.fullest_device + " needs " + format_quantity(limits.needed_bytes, Unit::bytes)
                + " of " + format_quantity(limits.capacity_bytes, Unit::bytes) + "\n";
    text += "prediction: " + std::string(name_of(limits.basis));
    if (limits.measured_share > 0)
        text += " (" + percent(limits.measured_share) + " of the layer times are measured)";
    return text + "\n";
}

}  // namespace nnpiper::cli
