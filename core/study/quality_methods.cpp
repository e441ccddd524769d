// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/study/quality_methods.h"

#include "core/base/error.h"

#include <charconv>

namespace nnpiper {

namespace {

constexpr double unhurried_ms = 1000;  // procedures without a search end long before

/// Milliseconds behind "full-"; 0 where the word is another one.
int full_ms(const std::string& word)
{
    constexpr std::string_view start = "full-";
    int milliseconds = 0;
    const char* const end = word.data() + word.size();
    if (!word.starts_with(start))
        return 0;
    const auto [at, error] = std::from_chars(word.data() + start.size(), end, milliseconds);
    return error == std::errc() && at == end && milliseconds > 0 ? milliseconds : 0;
}

bool same_question(const PlanRequest& a, const PlanRequest& b)
{
    return a.budget_ms == b.budget_ms && a.network_steps == b.network_steps;
}

int index_of(const std::vector<QualityMethod>& methods, const std::string& planner, const PlanRequest& request)
{
    for (std::size_t i = 0; i < methods.size(); ++i)
        if (methods[i].planner == planner && same_question(methods[i].request, request))
            return static_cast<int>(i);
    return -1;
}

void add_procedure(std::vector<QualityMethod>& methods, const std::string& word, PlanRequest request)
{
    std::string name = word;
    request.budget_ms = unhurried_ms;
    if (word == "greedy" || word == "raw") {
        request.network_steps = NetworkSteps::greedy;
    } else if (word == "best-of") {
        request.network_steps = NetworkSteps::best_of;
        name = "best of orders";
    } else {
        const int milliseconds = full_ms(word);
        if (milliseconds == 0)
            throw Error("--methods", "\"" + word + "\" is given",
                        "raw, greedy, best-of, or full-N with N milliseconds, e.g. full-30");
        request.budget_ms = milliseconds;
        name = "full " + std::to_string(milliseconds) + " ms";
    }
    if (word == "raw") {
        methods.push_back({name, "nn-piper-raw", request});
        return;
    }
    methods.push_back({name, "nn-piper", request});
    methods.push_back({name + ", no network", "nn-piper-no-network", request});
}

}  // namespace

const std::vector<std::string>& standard_procedures()
{
    static const std::vector<std::string> words{"raw", "greedy", "best-of", "full-10", "full-30", "full-100"};
    return words;
}

std::vector<QualityMethod> quality_methods(const std::vector<std::string>& procedures,
                                           const std::vector<std::string>& planners, const PlanRequest& request)
{
    std::vector<QualityMethod> methods;
    for (const std::string& word : procedures)
        add_procedure(methods, word, request);
    for (const std::string& planner : planners) {
        find_planner(planner);
        if (index_of(methods, planner, request) < 0)
            methods.push_back({planner, planner, request});
    }
    for (std::size_t i = 0; i < methods.size(); ++i) {
        QualityMethod& method = methods[i];
        if (method.planner == "nn-piper-no-network")
            continue;
        const bool own = method.planner.starts_with("nn-piper");
        method.against = index_of(methods, own ? "nn-piper-no-network" : "nn-piper", method.request);
        if (method.against < 0 && i > 0)
            method.against = 0;
    }
    return methods;
}

}  // namespace nnpiper
