// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/formats/measured_csv.h"

#include "core/base/error.h"
#include "core/formats/files.h"
#include "core/formats/measured_run_json.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>

namespace nnpiper {

using nlohmann::json;

namespace {

struct Line {
    int number = 0;
    std::vector<std::string> cells;
};

std::string trimmed(const std::string& text)
{
    const auto first = text.find_first_not_of(" \t\r");
    return first == std::string::npos ? std::string() : text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

std::vector<Line> lines_of(std::string_view text, const std::string& place)
{
    std::vector<Line> lines;
    int number = 1;
    if (text.starts_with("\xEF\xBB\xBF"))
        text.remove_prefix(3);
    for (std::size_t at = 0; at < text.size();) {
        Line line{number, {}};
        if (text[at] == '#') {
            at = std::min(text.find('\n', at), text.size() - 1) + 1;
            ++number;
            continue;
        }
        std::string cell;
        bool quoted = false, ended = false;
        for (; at < text.size() && !ended; ++at) {
            const char c = text[at];
            if (quoted) {
                if (c == '"' && at + 1 < text.size() && text[at + 1] == '"')
                    cell += text[++at];
                else if (c == '"')
                    quoted = false;
                else
                    cell += c;
                number += c == '\n' ? 1 : 0;
            } else if (c == '"' && trimmed(cell).empty()) {
                quoted = true;
                cell.clear();
            } else if (c == ',') {
                line.cells.push_back(trimmed(cell));
                cell.clear();
            } else if (c == '\n') {
                ended = true;
                ++number;
            } else {
                cell += c;
            }
        }
        if (quoted)
            throw Error(place + ":" + std::to_string(line.number), "a quotation mark is not closed");
        line.cells.push_back(trimmed(cell));
        if (line.cells.size() > 1 || !line.cells.front().empty())
            lines.push_back(std::move(line));
    }
    return lines;
}

double number_in(const std::string& text, const std::string& place, const std::string& column)
{
    double value = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc() || stop != end || !std::isfinite(value) || value < 0)
        throw Error(place, column + " is \"" + text + "\"", "a number of at least 0 with a decimal point is expected");
    return value;
}

/// One number, or a list of those that blanks separate.
json numbers_in(const std::string& text, const std::string& place, const std::string& column)
{
    json list = json::array();
    std::size_t at = 0;
    while (at < text.size()) {
        const std::size_t end = std::min(text.find_first_of(" ;", at), text.size());
        if (end > at)
            list.push_back(number_in(text.substr(at, end - at), place, column));
        at = end + 1;
    }
    return list.size() == 1 ? list.front() : list;
}

int whole_in(const std::string& text, const std::string& place, const std::string& column)
{
    int value = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc() || stop != end || value < 1)
        throw Error(place, column + " is \"" + text + "\"", "a whole number of at least 1 is expected");
    return value;
}

bool is_schedule_column(const std::string& column)
{
    return column == "stages" || column == "micro_batches" || column == "chunks" || column.ends_with("_s");
}

/// The cells of a run as a measurement record has them.
json record_of(const std::map<std::string, std::string>& cells, const std::string& place)
{
    json record = json::object(), schedule = json::object();
    for (const auto& [column, text] : cells) {
        if (column == "project" || column == "problem" || column == "plan")
            record[column] = text;
        else if (column == "blocking") {
            if (text != "yes" && text != "no")
                throw Error(place, "blocking is \"" + text + "\"", "yes or no is expected");
            record[column] = text == "yes";
        } else if (column == "schedule")
            schedule["name"] = text;
        else if (column == "stages" || column == "micro_batches" || column == "chunks")
            schedule[column] = whole_in(text, place, column);
        else if (is_schedule_column(column) && column != "iteration_s")
            schedule[column] = numbers_in(text, place, column);
    }
    if (schedule.empty())
        return record;
    for (const char* needed : {"name", "stages", "micro_batches", "forward_s"})
        if (!schedule.contains(needed))
            throw Error(place, std::string(needed == std::string_view("name") ? "schedule" : needed) + " is missing",
                        "a run without project or problem needs schedule, stages, micro_batches and forward_s");
    if (record.contains("blocking")) {
        schedule["blocking"] = record.at("blocking");
        record.erase("blocking");
    }
    record["schedule"] = std::move(schedule);
    return record;
}

MeasuredStep step_of(const std::map<std::string, std::string>& cells, const std::string& place,
                     const std::filesystem::path& folder)
{
    MeasuredStep step;
    const auto measured = cells.find("iteration_s");
    if (measured == cells.end())
        throw Error(place, "iteration_s is missing", "the measured time of a step in seconds is needed");
    step.iteration_s = number_in(measured->second, place, "iteration_s");
    if (step.iteration_s <= 0)
        throw Error(place, "iteration_s is 0", "a time above 0 is needed");
    json record = record_of(cells, place);
    if (record.contains("project") && !record.contains("plan")) {
        const auto path = folder / cells.at("project");
        const Project project = read_project(read_text(path), path.string());
        if (project.plans.size() != 1)
            throw Error(place,
                        "plan is missing, and the project keeps " + std::to_string(project.plans.size()) + " plans",
                        "the file of the plan that was run is needed");
        record["plan"] = json::parse(write_plan(project.plans.front()));
    }
    step.run = measured_run_from_json(record, place, folder);
    const auto name = cells.find("name");
    step.name = name == cells.end() ? "line " + place.substr(place.rfind(':') + 1) : name->second;
    return step;
}

}  // namespace

const std::vector<std::string>& measured_csv_columns()
{
    static const std::vector<std::string> columns{"name",
                                                  "iteration_s",
                                                  "project",
                                                  "problem",
                                                  "plan",
                                                  "blocking",
                                                  "schedule",
                                                  "stages",
                                                  "micro_batches",
                                                  "forward_s",
                                                  "backward_input_s",
                                                  "backward_weight_s",
                                                  "delay_s",
                                                  "transfer_s",
                                                  "chunks"};
    return columns;
}

std::vector<MeasuredStep> read_measured_csv(std::string_view text, const std::string& place,
                                            const std::filesystem::path& folder)
{
    const std::vector<Line> lines = lines_of(text, place);
    if (lines.empty())
        throw Error(place, "is empty", "a heading and a line for each measured run are expected");
    const auto at = [&](const Line& line) { return place + ":" + std::to_string(line.number); };
    const std::vector<std::string>& heading = lines.front().cells;
    for (std::size_t c = 0; c < heading.size(); ++c) {
        const auto& known = measured_csv_columns();
        if (std::find(known.begin(), known.end(), heading[c]) == known.end()) {
            std::string allowed;
            for (const std::string& column : known)
                allowed += (allowed.empty() ? "" : ", ") + column;
            throw Error(at(lines.front()), "the column \"" + heading[c] + "\" is not known", allowed);
        }
        if (std::find(heading.begin(), heading.begin() + static_cast<std::ptrdiff_t>(c), heading[c])
            != heading.begin() + static_cast<std::ptrdiff_t>(c))
            throw Error(at(lines.front()), "the column \"" + heading[c] + "\" stands twice");
    }
    std::vector<MeasuredStep> steps;
    for (std::size_t l = 1; l < lines.size(); ++l) {
        if (lines[l].cells.size() != heading.size())
            throw Error(at(lines[l]), "has " + std::to_string(lines[l].cells.size()) + " cells",
                        "the heading has " + std::to_string(heading.size()));
        std::map<std::string, std::string> cells;
        for (std::size_t c = 0; c < heading.size(); ++c)
            if (!lines[l].cells[c].empty())
                cells[heading[c]] = lines[l].cells[c];
        steps.push_back(step_of(cells, at(lines[l]), folder));
    }
    if (steps.empty())
        throw Error(place, "has a heading only", "a line for each measured run is expected");
    return steps;
}

}  // namespace nnpiper
