// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/formats/frozen_file.h"

#include "core/base/error.h"
#include "core/formats/json_text.h"
#include "core/formats/schema_check.h"

#include <algorithm>
#include <cmath>

namespace nnpiper {

using nlohmann::json;

namespace {

FrozenProblem problem_from_json(const json& document, const std::string& place)
{
    FrozenProblem frozen;
    frozen.size = virtual_size_from_text(document.at("size").get<std::string>(), place + "/size");
    frozen.kind = virtual_kind_from_name(document.at("kind").get<std::string>(), place + "/kind");
    frozen.index = document.at("index").get<std::uint64_t>();
    frozen.proof = document.value("proof", std::string());
    frozen.searched_s = document.value("searched_s", 0.0);
    const int parts = static_cast<int>(document.contains("makespan_s")) + static_cast<int>(document.contains("devices"))
                      + static_cast<int>(document.contains("ends"));
    if (parts == 0)
        return frozen;
    if (parts != 3)
        throw Error(place, "a plan is not complete", "makespan_s, devices and ends come together");
    frozen.makespan_s = document.at("makespan_s").get<double>();
    frozen.best.device = document.at("devices").get<std::vector<int>>();
    frozen.best.end = document.at("ends").get<std::vector<int>>();
    const auto& [device, end] = frozen.best;
    const auto stages = static_cast<std::size_t>(frozen.size.stages);
    if (device.size() != stages || end.size() != stages)
        throw Error(place,
                    std::to_string(device.size()) + " devices and " + std::to_string(end.size()) + " ends are given",
                    "one of each for every of the " + std::to_string(stages) + " stages");
    if (std::any_of(device.begin(), device.end(), [&](int d) { return d >= frozen.size.devices; }))
        throw Error(place + "/devices", "a device is beyond the last",
                    "0 to " + std::to_string(frozen.size.devices - 1));
    if (std::adjacent_find(end.begin(), end.end(), [](int a, int b) { return a >= b; }) != end.end()
        || end.back() != frozen.size.layers)
        throw Error(place + "/ends", "they do not rise up to the last layer",
                    "the last end is " + std::to_string(frozen.size.layers));
    return frozen;
}

nlohmann::ordered_json to_json(const FrozenProblem& frozen)
{
    nlohmann::ordered_json item{
        {"size", text_of(frozen.size)}, {"kind", name_of(frozen.kind)}, {"index", frozen.index}};
    if (frozen.best.stages() > 0) {
        item["makespan_s"] = json_number(frozen.makespan_s);
        item["devices"] = frozen.best.device;
        item["ends"] = frozen.best.end;
    }
    if (!frozen.proof.empty())
        item["proof"] = frozen.proof;
    item["searched_s"] = json_number(std::round(frozen.searched_s * 100) / 100);
    return item;
}

}  // namespace

std::vector<FrozenProblem> read_frozen(std::string_view text, const std::string& place)
{
    const json document = parse_json(text, place);
    check_format(document, "nnpiper-frozen", place);
    check_schema(document, "frozen", place);
    if (document.at("run").get<std::uint64_t>() != frozen_run)
        throw Error(place + "/run", "it is " + document.at("run").dump(),
                    "run " + std::to_string(frozen_run) + " is expected");
    std::vector<FrozenProblem> problems;
    for (const json& item : document.at("problems"))
        problems.push_back(problem_from_json(item, place + "/problems/" + std::to_string(problems.size())));
    return problems;
}

std::string write_frozen(const std::vector<FrozenProblem>& problems)
{
    std::string text =
        "{\"format\": \"nnpiper-frozen\", \"version\": 1, \"run\": " + std::to_string(frozen_run) + ", \"problems\": [";
    for (std::size_t i = 0; i < problems.size(); ++i)
        text += (i == 0 ? "\n" : ",\n") + to_json(problems[i]).dump();
    return text + "\n]}\n";
}

}  // namespace nnpiper
