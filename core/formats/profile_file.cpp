// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/error.h"
#include "core/formats/files.h"
#include "core/formats/json_text.h"
#include "core/formats/profile_json.h"
#include "core/formats/schema_check.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace nnpiper {

using nlohmann::json;
using nlohmann::ordered_json;

namespace {

struct NumberColumn {
    const char* name;
    std::optional<double> ProfileRow::*field;
};

constexpr std::array<NumberColumn, 4> optional_columns = {{{"backward_s", &ProfileRow::backward_s},
                                                           {"backward_input_s", &ProfileRow::backward_input_s},
                                                           {"backward_weight_s", &ProfileRow::backward_weight_s},
                                                           {"stored_bytes", &ProfileRow::stored_bytes}}};

std::vector<std::string> cells_of(std::string_view line)
{
    std::vector<std::string> cells;
    bool quoted = false;
    std::string cell;
    for (std::size_t i = 0; i < line.size(); ++i) {
        if (line[i] == '"') {
            if (quoted && i + 1 < line.size() && line[i + 1] == '"')
                cell += line[++i];
            else
                quoted = !quoted;
        } else if (line[i] == ',' && !quoted) {
            cells.push_back(std::move(cell));
            cell.clear();
        } else {
            cell += line[i];
        }
    }
    cells.push_back(std::move(cell));
    for (std::string& text : cells) {
        const auto first = text.find_first_not_of(" \t");
        const auto last = text.find_last_not_of(" \t");
        text = first == std::string::npos ? std::string() : text.substr(first, last - first + 1);
    }
    return cells;
}

double number_from(const std::string& text, const std::string& place)
{
    double value = 0;
    const char* const end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, value);
    if (read.ec != std::errc() || read.ptr != end || !std::isfinite(value))
        throw Error(place, "\"" + text + "\" is no number", "a number with a decimal point is expected");
    return value;
}

int count_from(const std::string& text, const std::string& place)
{
    int value = 0;
    const char* const end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, value);
    if (read.ec != std::errc() || read.ptr != end || value < 1)
        throw Error(place, "\"" + text + "\" is no count", "a whole number of at least 1 is expected");
    return value;
}

/// Reads one line into a row, by the names of the columns.
ProfileRow row_from(const std::vector<std::string>& columns, const std::vector<std::string>& cells,
                    const std::string& line)
{
    if (cells.size() != columns.size())
        throw Error(line, std::to_string(cells.size()) + " cells stand there",
                    std::to_string(columns.size()) + " are expected, as in the heading");
    ProfileRow row;
    for (std::size_t i = 0; i < columns.size(); ++i) {
        const std::string& name = columns[i];
        const std::string place = line + ": " + name;
        if (name == "device_type") {
            row.device_type = cells[i];
        } else if (name == "layer") {
            row.layer = cells[i];
        } else if (name == "micro_batch") {
            row.micro_batch = count_from(cells[i], place);
        } else if (name == "tensor_parallel") {
            row.tensor_parallel = cells[i].empty() ? 1 : count_from(cells[i], place);
        } else if (name == "forward_s") {
            row.forward_s = number_from(cells[i], place);
        } else if (!cells[i].empty()) {
            for (const NumberColumn& column : optional_columns) {
                if (name == column.name)
                    row.*column.field = number_from(cells[i], place);
            }
        }
    }
    return row;
}

void check_columns(const std::vector<std::string>& columns, const std::string& place)
{
    constexpr const char* known =
        "device_type, layer, micro_batch, tensor_parallel, forward_s, backward_s, backward_input_s, "
        "backward_weight_s, stored_bytes";
    for (std::size_t i = 0; i < columns.size(); ++i) {
        const std::string& name = columns[i];
        const bool plain = name == "device_type" || name == "layer" || name == "micro_batch"
                           || name == "tensor_parallel" || name == "forward_s";
        if (!plain && std::none_of(optional_columns.begin(), optional_columns.end(), [&](const NumberColumn& column) {
                return name == column.name;
            }))
            throw Error(place, "\"" + name + "\" is no column", std::string("known are ") + known);
        if (std::find(columns.begin(), columns.begin() + static_cast<std::ptrdiff_t>(i), name)
            != columns.begin() + static_cast<std::ptrdiff_t>(i))
            throw Error(place, "the column \"" + name + "\" stands twice", "once is enough");
    }
    for (const char* needed : {"device_type", "layer", "micro_batch", "forward_s"}) {
        if (std::find(columns.begin(), columns.end(), needed) == columns.end())
            throw Error(place, std::string("the column \"") + needed + "\" is missing",
                        std::string("known are ") + known);
    }
}

Profile read_csv(std::string_view text, const std::string& place)
{
    Profile profile;
    std::vector<std::string> columns;
    std::size_t number = 0;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        ++number;
        if (!line.empty() && line.back() == '\r')
            line.remove_suffix(1);
        if (line.find_first_not_of(" \t") == std::string_view::npos || line.front() == '#')
            continue;
        const std::string here = place + ": line " + std::to_string(number);
        const std::vector<std::string> cells = cells_of(line);
        if (columns.empty()) {
            check_columns(cells, here);
            columns = cells;
            continue;
        }
        profile.push_back(row_from(columns, cells, here));
        try {
            check({profile.back()}, "");
        } catch (const Error& error) {
            throw Error(here + ": " + error.place().substr(error.place().rfind('/') + 1), error.found(),
                        error.allowed());
        }
    }
    if (columns.empty())
        throw Error(place, "there is no line", "a heading and a row per measured layer are expected");
    return profile;
}

}  // namespace

Profile profile_from_json(const json& list)
{
    Profile profile;
    for (const json& item : list) {
        ProfileRow row;
        row.device_type = item.at("device_type").get<std::string>();
        row.layer = item.at("layer").is_string() ? item.at("layer").get<std::string>()
                                                 : std::to_string(item.at("layer").get<int>());
        row.micro_batch = item.value("micro_batch", 1);
        row.tensor_parallel = item.value("tensor_parallel", 1);
        row.forward_s = item.at("forward_s").get<double>();
        for (const NumberColumn& column : optional_columns) {
            const auto found = item.find(column.name);
            if (found != item.end() && !found->is_null())
                row.*column.field = found->get<double>();
        }
        profile.push_back(std::move(row));
    }
    return profile;
}

ordered_json profile_to_json(const Profile& profile)
{
    ordered_json list = ordered_json::array();
    for (const ProfileRow& row : profile) {
        ordered_json item;
        item["device_type"] = row.device_type;
        item["layer"] = row.layer;
        item["micro_batch"] = row.micro_batch;
        if (row.tensor_parallel != 1)
            item["tensor_parallel"] = row.tensor_parallel;
        item["forward_s"] = json_number(row.forward_s);
        for (const NumberColumn& column : optional_columns) {
            if (row.*column.field)
                item[column.name] = json_number(*(row.*column.field));
        }
        list.push_back(std::move(item));
    }
    return list;
}

Profile read_profile(std::string_view text, const std::string& place)
{
    const auto first = text.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos || text[first] != '{')
        return read_csv(text, place);
    const json document = parse_json(text, place);
    check_format(document, "nnpiper-profile", place);
    check_schema(document, "profile", place);
    const Profile profile = profile_from_json(document.at("rows"));
    check(profile, place + ": /rows");
    return profile;
}

std::string write_profile(const Profile& profile)
{
    ordered_json document;
    document["format"] = "nnpiper-profile";
    document["version"] = 1;
    document["rows"] = profile_to_json(profile);
    return print_json(document);
}

}  // namespace nnpiper
