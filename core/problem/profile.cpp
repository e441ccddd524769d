// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/problem/profile.h"

#include "core/base/error.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace nnpiper {

namespace {

/// How closely a row names a layer.
enum Closeness { not_named, by_kind, by_index, by_name };

/// "7" or "1-24"; empty for anything else.
std::optional<std::pair<int, int>> index_range(const std::string& text)
{
    const char* const end = text.data() + text.size();
    int first = 0;
    auto read = std::from_chars(text.data(), end, first);
    if (read.ec != std::errc() || first < 0)
        return std::nullopt;
    if (read.ptr == end)
        return std::pair(first, first);
    int last = 0;
    if (*read.ptr != '-')
        return std::nullopt;
    read = std::from_chars(read.ptr + 1, end, last);
    if (read.ec != std::errc() || read.ptr != end || last < first)
        return std::nullopt;
    return std::pair(first, last);
}

Closeness closeness(const ProfileRow& row, const Layer& layer, int index)
{
    if (row.layer == layer.name)
        return by_name;
    if (const auto range = index_range(row.layer))
        return range->first <= index && index <= range->second ? by_index : not_named;
    return row.layer == name_of(layer.kind) ? by_kind : not_named;
}

double backward_of(const ProfileRow& row)
{
    return row.backward_input_s && row.backward_weight_s ? *row.backward_input_s + *row.backward_weight_s
                                                         : *row.backward_s;
}

}  // namespace

MeasuredLayer::MeasuredLayer(std::vector<const ProfileRow*> rows)
{
    std::stable_sort(rows.begin(), rows.end(),
                     [](const ProfileRow* a, const ProfileRow* b) { return a->micro_batch < b->micro_batch; });
    for (const ProfileRow* row : rows) {
        if (!rows_.empty() && rows_.back()->micro_batch == row->micro_batch)
            rows_.back() = row;
        else
            rows_.push_back(row);
    }
}

template <class Field>
double MeasuredLayer::read(int samples, const Field& field) const
{
    const auto above =
        std::find_if(rows_.begin(), rows_.end(), [&](const ProfileRow* r) { return r->micro_batch >= samples; });
    if (above != rows_.end() && (*above)->micro_batch == samples)
        return field(**above);
    const bool smaller = above == rows_.begin();
    const ProfileRow& nearest = smaller ? *rows_.front() : *rows_.back();
    const double proportion = static_cast<double>(samples) / nearest.micro_batch;
    if (rows_.size() == 1)
        return field(nearest) * proportion;
    const auto high = smaller ? rows_.begin() + 1 : above == rows_.end() ? rows_.end() - 1 : above;
    const ProfileRow& a = **(high - 1);
    const ProfileRow& b = **high;
    const double slope = (field(b) - field(a)) / (b.micro_batch - a.micro_batch);
    const double line = field(a) + slope * (samples - a.micro_batch);
    if (smaller)
        return std::max(line, field(nearest) * proportion);
    return above == rows_.end() ? std::max(line, field(nearest)) : line;
}

MeasuredTimes MeasuredLayer::at(int samples) const
{
    MeasuredTimes times;
    times.forward_s = read(samples, [](const ProfileRow& row) { return row.forward_s; });
    times.backward_s = read(samples, backward_of);
    const auto all = [&](const std::optional<double> ProfileRow::*field) {
        return std::all_of(rows_.begin(), rows_.end(),
                           [&](const ProfileRow* row) { return (row->*field).has_value(); });
    };
    if (all(&ProfileRow::backward_input_s) && all(&ProfileRow::backward_weight_s) && times.backward_s > 0)
        times.input_part = std::clamp(
            read(samples, [](const ProfileRow& row) { return *row.backward_input_s; }) / times.backward_s, 0.0, 1.0);
    if (all(&ProfileRow::stored_bytes))
        times.stored_bytes = read(samples, [](const ProfileRow& row) { return *row.stored_bytes; });
    return times;
}

MeasuredLayer measured_layer(const Profile& profile, const std::vector<Layer>& layers, int index,
                             const std::string& device_type, int tensor_parallel)
{
    Closeness closest = by_kind;
    std::vector<const ProfileRow*> rows;
    for (const ProfileRow& row : profile) {
        if (row.device_type != device_type || row.tensor_parallel != tensor_parallel)
            continue;
        const Closeness here = closeness(row, layers[static_cast<std::size_t>(index)], index);
        if (here > closest) {
            rows.clear();
            closest = here;
        }
        if (here == closest)
            rows.push_back(&row);
    }
    return MeasuredLayer(std::move(rows));
}

void check_selectors(const Profile& profile, const std::vector<Layer>& layers, const std::string& place)
{
    for (std::size_t r = 0; r < profile.size(); ++r) {
        const auto index_of = [&](const Layer& layer) { return static_cast<int>(&layer - layers.data()); };
        if (std::none_of(layers.begin(), layers.end(), [&](const Layer& layer) {
                return closeness(profile[r], layer, index_of(layer)) != not_named;
            }))
            throw Error(place + "/" + std::to_string(r) + "/layer", "\"" + profile[r].layer + "\" names no layer",
                        "a layer's name such as \"" + layers.front().name
                            + "\", a kind (embedding, block, head) or indices 0-" + std::to_string(layers.size() - 1));
    }
}

}  // namespace nnpiper
