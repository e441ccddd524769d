// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/console.h"
#include "app/cli/input.h"
#include "app/cli/verbs.h"
#include "core/base/error.h"
#include "core/formats/files.h"
#include "core/study/what_if_effect.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace nnpiper::cli {

namespace {

struct Arguments {
    std::string input;
    std::string budget_ms;
    std::string device = "auto";
    std::uint64_t seed = 1;
    int apply = 0;
    std::string out;
    bool json = false;
};

std::string sign(const std::string& text, double value)
{
    return value > 0 ? "+" + text : text;
}

/// A fraction as "+3.2 %"; "0.0 %" without a sign.
std::string change_text(double fraction)
{
    const double rounded = std::round(fraction * 1000) / 1000;
    return sign(percent(rounded == 0 ? 0 : rounded), rounded);
}

std::string table_of(const PlannedProject& before, const std::vector<WhatIfEffect>& effects,
                     const std::vector<std::size_t>& order)
{
    Table table({"no", "change", "samples/s", "gain", "$/h", "gain per $/h"}, {1});
    table.add(
        {"", "as it is", before.failure.empty() ? fixed(before.plan.throughput_samples_per_s, 3) : "-", "", "", ""});
    std::string failures;
    for (const std::size_t i : order) {
        const WhatIfEffect& effect = effects[i];
        const auto throughput = effect.planned.throughput_samples_per_s();
        const auto& price = effect.change.price_change_dollars_per_h;
        table.add({std::to_string(i + 1), text_of(effect.change), throughput ? fixed(*throughput, 3) : "-",
                   effect.gain ? change_text(*effect.gain) : "-", price ? sign(fixed(*price, 2), *price) : "?",
                   effect.gain_per_cost ? change_text(*effect.gain_per_cost) : "-"});
        if (!effect.planned.failure.empty())
            failures += std::to_string(i + 1) + ": " + effect.planned.failure + "\n";
    }
    if (!before.failure.empty())
        failures = "as it is: " + before.failure + "\n" + failures;
    return table.text() + (failures.empty() ? "" : "\n" + failures);
}

nlohmann::ordered_json json_or_null(const std::optional<double>& value)
{
    return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json();
}

std::string json_of(const PlannedProject& before, const std::vector<WhatIfEffect>& effects,
                    const std::vector<std::size_t>& order)
{
    using Json = nlohmann::ordered_json;
    Json rows = Json::array();
    for (const std::size_t i : order) {
        const WhatIfEffect& effect = effects[i];
        Json row;
        row["number"] = i + 1;
        row["kind"] = name_of(effect.change.kind);
        row["change"] = text_of(effect.change);
        row["elements"] = effect.change.elements;
        row["throughput_samples_per_s"] = json_or_null(effect.planned.throughput_samples_per_s());
        row["gain"] = json_or_null(effect.gain);
        row["price_change_dollars_per_h"] = json_or_null(effect.change.price_change_dollars_per_h);
        row["gain_per_dollar_per_h"] = json_or_null(effect.gain_per_cost);
        row["planner"] = effect.planned.plan.planner;
        row["failure"] = effect.planned.failure.empty() ? Json() : Json(effect.planned.failure);
        rows.push_back(std::move(row));
    }
    Json document;
    document["before"] = {{"throughput_samples_per_s", json_or_null(before.throughput_samples_per_s())},
                          {"planner", before.plan.planner},
                          {"failure", before.failure.empty() ? Json() : Json(before.failure)}};
    document["changes"] = std::move(rows);
    return document.dump(2) + "\n";
}

int run_verb(const Arguments& a)
{
    const std::stop_token stop = interruptible();
    PlanRequest request;
    request.seed = a.seed;
    request.device = a.device;
    if (!a.budget_ms.empty()) {
        request.budget_ms = number(a.budget_ms, "--budget-ms");
        if (!(request.budget_ms > 0))
            throw Error("--budget-ms", "\"" + a.budget_ms + "\" is given", "a number above 0 is allowed");
    }
    const Input input = load(a.input);
    if (!input.project)
        throw Error(a.input, "is a problem of bare numbers", "a project with devices and links is expected");
    std::vector<WhatIf> changes = what_ifs(*input.project);
    if (a.apply != 0) {
        if (a.apply < 0 || static_cast<std::size_t>(a.apply) > changes.size())
            throw Error("--apply", std::to_string(a.apply) + " is given",
                        "a number from 1 to " + std::to_string(changes.size()) + " is allowed");
        const WhatIf& change = changes[static_cast<std::size_t>(a.apply) - 1];
        deliver(write_project(change.after), a.out);
        say("applied: " + text_of(change));
        return done;
    }

    const Control control{stop, Deadline::never(), {}};
    const PlannedProject before = plan_project(*input.project, request, control);
    std::vector<WhatIfEffect> effects;
    for (WhatIf& change : changes) {
        if (stop.stop_requested())
            break;
        effects.push_back(effect_of(std::move(change), before, request, control));
    }
    std::vector<std::size_t> order(effects.size());
    std::iota(order.begin(), order.end(), std::size_t(0));
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t x, std::size_t y) { return pays_more(effects[x], effects[y]); });
    deliver(a.json ? json_of(before, effects, order) : table_of(before, effects, order), a.out);
    if (stop.stop_requested())
        say("stopped: the other changes were not planned");
    return before.failure.empty() ? done : not_feasible;
}

}  // namespace

void add_whatif(CLI::App& program, int& status)
{
    const auto a = std::make_shared<Arguments>();
    CLI::App* verb = program.add_subcommand("whatif", "Plan changed projects: which upgrade pays?");
    verb->add_option("PROJECT", a->input, "Project (*.nnpiper.json)")->required();
    verb->add_flag("--json", a->json, "Print JSON in place of a table");
    verb->add_option("--apply", a->apply, "Plan nothing: write the project with the change of this number");
    verb->add_option("--budget-ms", a->budget_ms, "Time limit of each plan in milliseconds (1000)");
    verb->add_option("--device", a->device, "Where the network runs: auto, cpu or cuda")
        ->check(CLI::IsMember({"auto", "cpu", "cuda"}))
        ->capture_default_str();
    verb->add_option("--seed", a->seed, "Seed of everything random")->capture_default_str();
    verb->add_option("-o,--output", a->out, "Write to this file");
    verb->footer(
        "Changes: one device of each type less, one more beside the first of its type, each class of links or\n"
        "interconnects twice as fast, the micro-batch halved, doubled or chosen by the planner. Each is planned by\n"
        "nn-piper (local-search where there is no network). What pays comes first: free gains, then gains per dollar\n"
        "an hour, then gains of unknown price, savings without loss, losses. A price that the project does not know is "
        "?.");
    verb->callback([a, &status] { status = run_verb(*a); });
}

}  // namespace nnpiper::cli
