// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/formats/fidelity_file.h"

#include "core/base/error.h"
#include "core/formats/files.h"
#include "core/formats/json_text.h"
#include "core/formats/measured_run_json.h"
#include "core/formats/schema_check.h"

#include <algorithm>
#include <map>

namespace nnpiper {

using nlohmann::json;

namespace {

std::vector<std::string> names_of(const json& document, const char* key)
{
    return document.value(key, std::vector<std::string>());
}

std::map<std::string, std::string> tags_of(const json& document)
{
    std::map<std::string, std::string> tags;
    for (const auto& [name, value] : document.items())
        tags[name] = value.is_string() ? value.get<std::string>() : value.dump();
    return tags;
}

std::optional<double> optional_number(const json& document, const char* key)
{
    const auto it = document.find(key);
    return it == document.end() ? std::nullopt : std::optional(it->get<double>());
}

FidelityRecord record_from_json(const json& document, const std::string& source, const std::string& place,
                                const std::filesystem::path& folder)
{
    FidelityRecord record;
    record.id = document.at("id").get<std::string>();
    if (document.contains("tags"))
        record.tags = tags_of(document.at("tags"));
    record.source = document.value("source", source);
    record.note = document.value("note", std::string());
    record.copy_of = document.value("copy_of", std::string());
    record.run = measured_run_from_json(document, place, folder);
    record.samples = optional_number(document, "samples");
    record.devices = optional_number(document, "devices");
    record.tokens_per_sample = optional_number(document, "tokens_per_sample");
    record.flop_per_sample = optional_number(document, "flop_per_sample");
    for (const auto& [name, value] : document.at("measured").items())
        record.measured[figure_from_name(name, pointer_to(place + "/measured", name))] = value.get<double>();
    return record;
}

Comparison comparison_of(const std::string& name)
{
    return name == "ratio" ? Comparison::ratio : name == "rank" ? Comparison::rank : Comparison::absolute;
}

FidelityTolerance tolerance_from_json(const json& document, const std::string& place)
{
    FidelityTolerance tolerance;
    tolerance.relative = document.value("kind", "relative") == "relative";
    tolerance.each = optional_number(document, "each");
    tolerance.mean = optional_number(document, "mean");
    tolerance.within = optional_number(document, "within");
    if (document.contains("at_least"))
        tolerance.at_least = document.at("at_least").get<int>();
    if (tolerance.within.has_value() != tolerance.at_least.has_value())
        throw Error(place + (tolerance.within ? "/at_least" : "/within"), "missing",
                    "within and at_least come together");
    tolerance.rank_correlation = optional_number(document, "rank_correlation");
    tolerance.regret = optional_number(document, "regret");
    return tolerance;
}

FidelityGroup group_from_json(const json& document, const std::string& place)
{
    FidelityGroup group;
    group.id = document.at("id").get<std::string>();
    group.title = document.value("title", std::string());
    group.note = document.value("note", std::string());
    group.records = names_of(document, "records");
    group.figure = figure_from_name(document.at("figure").get<std::string>(), place + "/figure");
    group.comparison = comparison_of(document.value("compare", "absolute"));
    const auto reference = document.find("reference");
    if ((reference != document.end()) != (group.comparison == Comparison::ratio))
        throw Error(place + "/reference",
                    reference == document.end() ? "missing" : "given without \"compare\": \"ratio\"",
                    "a ratio, and only a ratio, has a reference");
    if (reference != document.end()) {
        group.reference_tags = tags_of(reference->at("tags"));
        group.reference_same = names_of(*reference, "same");
    }
    group.per = names_of(document, "per");
    if (const auto fit = document.find("fit"); fit != document.end()) {
        group.fit.emplace();
        for (std::size_t i = 0; i < fit->at("constants").size(); ++i)
            group.fit->constants.push_back(constant_from_name(fit->at("constants")[i].get<std::string>(),
                                                              pointer_to(place + "/fit/constants", i)));
        group.fit->on = names_of(*fit, "on");
        group.fit->per = names_of(*fit, "per");
    }
    group.tolerance = tolerance_from_json(document.at("tolerance"), place + "/tolerance");
    group.stretch = document.value("stretch", false);
    return group;
}

const json& list_of(const json& document, const char* key)
{
    static const json empty = json::array();
    const auto it = document.find(key);
    return it == document.end() ? empty : *it;
}

template <class Item>
void require_unique(const std::vector<Item>& items, const char* what, const std::string& place)
{
    std::map<std::string, int> seen;
    for (const Item& item : items)
        if (++seen[item.id] > 1)
            throw Error(place, "two " + std::string(what) + " are called \"" + item.id + "\"",
                        "an id of its own is expected for each");
}

}  // namespace

FidelitySuite read_fidelity(std::string_view text, const std::string& place, const std::filesystem::path& folder,
                            std::vector<std::string>* warnings)
{
    const json document = parse_json(text, place);
    check_format(document, "nnpiper-fidelity", place);
    check_schema(document, "fidelity", place);
    const std::string source = document.value("source", std::string());
    FidelitySuite suite;
    const json& records = list_of(document, "records");
    for (std::size_t i = 0; i < records.size(); ++i)
        suite.records.push_back(record_from_json(records[i], source, place + ": " + pointer_to("/records", i), folder));
    const json& groups = list_of(document, "groups");
    for (std::size_t i = 0; i < groups.size(); ++i)
        suite.groups.push_back(group_from_json(groups[i], place + ": " + pointer_to("/groups", i)));
    require_unique(suite.records, "records", place);
    require_unique(suite.groups, "groups", place);
    if (warnings)
        for (std::string& sentence : unknown_fields(document, "fidelity"))
            warnings->push_back(place + ": " + std::move(sentence));
    return suite;
}

FidelitySuite load_fidelity(const std::filesystem::path& folder, std::vector<std::string>* warnings)
{
    std::error_code error;
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder, error))
        if (entry.path().filename().string().ends_with(".fidelity.json"))
            files.push_back(entry.path());
    if (error)
        throw Error(folder.string(), "cannot be listed (" + error.message() + ")", "a folder is expected");
    if (files.empty())
        throw Error(folder.string(), "holds no *.fidelity.json file", "a folder with measurement records is needed");
    std::sort(files.begin(), files.end());
    FidelitySuite suite;
    for (const auto& file : files) {
        FidelitySuite part = read_fidelity(read_text(file), file.string(), folder, warnings);
        std::move(part.records.begin(), part.records.end(), std::back_inserter(suite.records));
        std::move(part.groups.begin(), part.groups.end(), std::back_inserter(suite.groups));
    }
    require_unique(suite.records, "records", folder.string());
    require_unique(suite.groups, "groups", folder.string());
    return suite;
}

}  // namespace nnpiper
