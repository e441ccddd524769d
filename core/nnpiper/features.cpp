// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nnpiper/features.h"

#include "core/nnpiper/device_relations.h"
#include "core/nnpiper/measures.h"
#include "core/planners/chains/chain.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

namespace nnpiper {

namespace {

constexpr int quarters = Measures::quarters;

/// Ratios over seven orders of magnitude become about -2..1.5.
float log_ratio(double x)
{
    return static_cast<float>(0.5 * std::log10(std::clamp(x, 1e-4, 1e3)));
}

float log_share(double x)
{
    return static_cast<float>(std::log2(std::clamp(x, 1.0 / 16, 16.0)) / 4);
}

/// [S][D] share of all work whose layers fit on a device at a position, by the layers' density of bytes near that depth, at
/// most 1.
std::vector<float> capacity_shares(const Measures& m)
{
    std::vector<float> shares;
    for (int s = 0; s < m.stages; ++s) {
        const double from = (s - 0.5) / m.stages;
        const double to = (s + 1.5) / m.stages;
        double work = 0, state = 0, stored = 0, before = 0;
        for (int l = 0; l < m.layers; ++l) {
            const auto i = static_cast<std::size_t>(l);
            const double after = before + m.work[i];
            const double overlap = std::min(after, to) - std::max(before, from);
            if (overlap > 0 && m.work[i] > 0) {
                const double part = overlap / m.work[i];
                work += overlap;
                state += m.state[i] * part;
                stored += m.stored[i] * part;
            }
            before = after;
        }
        const double bytes_per_work = (state + stored * m.in_flight(s)) / std::max(work, 1e-12);
        for (const double memory : m.memory)
            shares.push_back(static_cast<float>(bytes_per_work > 0 ? std::min(1.0, memory / bytes_per_work) : 1.0));
    }
    return shares;
}

/// Rank 0..1, equal values sharing the mean rank.
std::vector<float> ranks(const std::vector<double>& values)
{
    std::vector<float> result;
    for (const double v : values) {
        double below = 0;
        for (const double other : values)
            below += other < v ? 1 : other == v ? 0.5 : 0;
        result.push_back(static_cast<float>(below / static_cast<double>(values.size())));
    }
    return result;
}

bool near_equal(double a, double b)
{
    return std::abs(a - b) <= 1e-6 * std::max(std::abs(a), std::abs(b));
}

bool same_type(const Measures& m, int i, int j)
{
    const auto a = static_cast<std::size_t>(i);
    const auto b = static_cast<std::size_t>(j);
    return near_equal(m.whole_s[a], m.whole_s[b]) && near_equal(m.memory[a], m.memory[b])
           && std::abs(m.tilt[a][0] - m.tilt[b][0]) < 1e-6;
}

void fill_edges_and_devices(const Measures& m, const std::vector<float>& capacities, Features& out)
{
    const auto d = static_cast<std::size_t>(m.devices);
    std::vector<double> nearest(d, 1e9);
    std::vector<double> all;
    for (int i = 0; i < m.devices; ++i)
        for (int j = 0; j < m.devices; ++j)
            if (i != j) {
                nearest[static_cast<std::size_t>(i)] = std::min(nearest[static_cast<std::size_t>(i)], m.both_ways[m.at(i, j)]);
                all.push_back(m.both_ways[m.at(i, j)]);
            }
    double median = 1;
    if (!all.empty()) {
        std::nth_element(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2), all.end());
        median = all[all.size() / 2];
    }
    const auto speed_rank = ranks(m.whole_s);
    const auto memory_rank = ranks(m.memory);
    out.edge.assign(d * d * FeatureSizes::edge, 0);
    out.device.assign(d * FeatureSizes::device, 0);
    for (int i = 0; i < m.devices; ++i) {
        const auto a = static_cast<std::size_t>(i);
        double sum_log = 0, farthest = 0, best_out = 1e9, near_count = 0, like_count = 0;
        for (int j = 0; j < m.devices; ++j) {
            const auto b = static_cast<std::size_t>(j);
            float* e = out.edge.data() + m.at(i, j) * FeatureSizes::edge;
            if (i == j) {
                e[7] = 1;
                continue;
            }
            const double way = m.both_ways[m.at(i, j)];
            const bool near = out.near[m.at(i, j)] != 0;
            const bool like = same_type(m, i, j);
            e[0] = log_ratio(m.occupancy[m.at(i, j)]);
            e[1] = log_ratio(m.latency[m.at(i, j)]);
            e[2] = log_ratio(m.occupancy[m.at(j, i)]);
            e[3] = log_ratio(way / nearest[a]);
            e[4] = log_ratio(way / nearest[b]);
            e[5] = like ? 1.0F : 0.0F;
            e[6] = static_cast<float>(0.5 * std::clamp(std::log(m.whole_s[b] / m.whole_s[a]), -4.0, 4.0));
            e[8] = log_ratio(way / median);
            e[9] = near ? 1.0F : m.route[m.at(i, j)] ? 0.0F : -1.0F;
            e[10] = out.side[m.at(i, j)] ? 1.0F : 0.0F;
            sum_log += log_ratio(way);
            farthest = std::max(farthest, way);
            best_out = std::min(best_out, m.occupancy[m.at(i, j)]);
            near_count += near;
            like_count += like;
        }
        const double others = std::max(1, m.devices - 1);
        float* f = out.device.data() + a * FeatureSizes::device;
        const double share = m.stage_s / m.whole_s[a];
        f[0] = static_cast<float>(std::clamp(std::log(share * m.stages), -4.0, 4.0));
        f[1] = static_cast<float>(std::min(4.0, share * m.stages));
        for (std::size_t q = 0; q < quarters; ++q)
            f[2 + q] = static_cast<float>(2 * m.tilt[a][q]);
        const auto capacity = [&](int s) { return capacities[static_cast<std::size_t>(s * m.devices + i)] * static_cast<float>(m.stages); };
        f[6] = log_share(capacity(0));
        f[7] = log_share(capacity(m.stages / 2));
        f[8] = log_share(capacity(m.stages - 1));
        f[9] = log_share(capacity(m.stages / 2) / std::max(1e-3, share * m.stages));
        f[10] = log_ratio(nearest[a]);
        f[11] = static_cast<float>(sum_log / others);
        f[12] = log_ratio(farthest);
        f[13] = log_ratio(best_out);
        f[14] = static_cast<float>(near_count / others);
        f[15] = static_cast<float>(like_count / others);
        f[16] = speed_rank[a];
        f[17] = memory_rank[a];
        f[18] = std::min(2.0F, static_cast<float>(out.near_count[a] + 1) / static_cast<float>(m.stages));
        f[19] = std::min(2.0F, static_cast<float>(out.side_count[a] + 1) / static_cast<float>(m.stages));
        out.speed_share.push_back(static_cast<float>(share));
    }
    out.global.push_back(log_ratio(median));
    out.global.push_back(all.empty() ? 0.0F : log_ratio(*std::min_element(all.begin(), all.end())));
    out.global.push_back(all.empty() ? 0.0F : log_ratio(*std::max_element(all.begin(), all.end())));
}

/// Sums of `values` over equal slices of the work, each share against the slice's width.
void append_profile(const Measures& m, const std::vector<double>& values, int bins, std::vector<float>& out)
{
    std::vector<double> sums(static_cast<std::size_t>(bins), 0);
    double total = 0, before = 0;
    for (int l = 0; l < m.layers; ++l) {
        const auto i = static_cast<std::size_t>(l);
        const double middle = (before + m.work[i] / 2) * bins;
        sums[static_cast<std::size_t>(std::clamp(static_cast<int>(middle), 0, bins - 1))] += values[i];
        total += values[i];
        before += m.work[i];
    }
    for (const double sum : sums)
        out.push_back(total > 0 ? static_cast<float>(std::min(3.0, sum / total * bins - 1)) : 0.0F);
}

void fill_global(const Measures& m, const Variant& variant, const std::vector<float>& capacities, Features& out)
{
    auto& g = out.global;
    const double s = m.stages;
    g.push_back(static_cast<float>(std::log(s) / 4));
    g.push_back(static_cast<float>(std::log(m.devices) / 4));
    g.push_back(static_cast<float>(s / m.devices));
    g.push_back(static_cast<float>(std::log(m.layers / s) / 2));
    g.push_back(static_cast<float>(std::clamp(std::log(m.micro_batches / s), -3.0, 3.0) / 2));
    g.push_back(static_cast<float>(std::log(m.micro_batches) / 6));
    g.push_back(m.gpipe ? 1.0F : 0.0F);
    double mean = 0, square = 0;
    for (const double whole : m.whole_s) {
        mean += std::log(whole) / m.devices;
        square += std::log(whole) * std::log(whole) / m.devices;
    }
    g.push_back(static_cast<float>(std::sqrt(std::max(0.0, square - mean * mean))));
    // How tight memory is: capacity of the best S devices at the first, middle and last position.
    for (const int position : {0, m.stages / 2, m.stages - 1}) {
        std::vector<float> row(capacities.begin() + position * m.devices, capacities.begin() + (position + 1) * m.devices);
        std::sort(row.begin(), row.end(), std::greater<>());
        g.push_back(log_share(std::accumulate(row.begin(), row.begin() + m.stages, 0.0)));
    }
    const double heaviest = *std::max_element(m.work.begin(), m.work.end());
    g.push_back(static_cast<float>(std::min(4.0, heaviest * s)));
    g.push_back(static_cast<float>(std::min(4.0, m.work.front() * s)));
    g.push_back(static_cast<float>(std::min(4.0, m.work.back() * s)));
    std::vector<double> ones(static_cast<std::size_t>(m.layers), 1.0);
    append_profile(m, ones, 8, g);
    append_profile(m, variant.output_bytes, 8, g);
    append_profile(m, m.state, 5, g);
    append_profile(m, m.stored, 5, g);
    g.resize(FeatureSizes::global, 0);
}

/// Least and mean output of the layers where the end of stage s of an even split might lie, against the mean of all.
std::array<float, 2> outputs_near(const Measures& m, const std::vector<double>& output_bytes, int s)
{
    const double from = (s + 0.5) / m.stages, to = (s + 1.5) / m.stages;
    double all = 0, sum = 0, least = std::numeric_limits<double>::infinity(), after = 0;
    int count = 0;
    for (int l = 0; l + 1 < m.layers; ++l) {
        const double bytes = output_bytes[static_cast<std::size_t>(l)];
        after += m.work[static_cast<std::size_t>(l)];
        all += bytes / (m.layers - 1);
        if (after >= from && after <= to) {
            sum += bytes;
            least = std::min(least, bytes);
            ++count;
        }
    }
    if (count == 0 || !(all > 0))
        return {0, 0};
    return {log_share(least / all), log_share(sum / count / all)};
}

void fill_positions(const Measures& m, const Variant& variant, const std::vector<float>& capacities, Features& out)
{
    for (int s = 0; s < m.stages; ++s) {
        const double left = m.stages - s;
        out.position.push_back(static_cast<float>(static_cast<double>(s) / m.stages));
        out.position.push_back(static_cast<float>(1 / left));
        out.position.push_back(static_cast<float>(std::log(left) / 4));
        out.position.push_back(static_cast<float>(m.in_flight(s) / m.stages));
        out.position.push_back(s == 0 ? 1.0F : 0.0F);
        out.position.push_back(left == 1 ? 1.0F : 0.0F);
        out.position.push_back(static_cast<float>(std::min(2.0, m.micro_batches / left) / 2));
        for (const float output : outputs_near(m, variant.output_bytes, s))
            out.position.push_back(output);
        const double depth = std::clamp((s + 0.5) / m.stages * quarters - 0.5, 0.0, quarters - 1.0);
        const auto below = static_cast<std::size_t>(std::min(quarters - 2, static_cast<int>(depth)));
        const double part = depth - static_cast<double>(below);
        for (int d = 0; d < m.devices; ++d) {
            const auto i = static_cast<std::size_t>(d);
            const double capacity = capacities[static_cast<std::size_t>(s * m.devices + d)];
            const double slow = m.tilt[i][below] * (1 - part) + m.tilt[i][below + 1] * part;
            const double share = m.stage_s / m.whole_s[i] * std::exp(-slow);
            out.candidate.push_back(log_share(capacity * m.stages));
            out.candidate.push_back(log_share(capacity / std::max(share, 1e-9)));
            out.candidate.push_back(log_share(std::min(capacity, share) * m.stages));
            out.candidate.push_back(static_cast<float>(2 * slow));
        }
    }
}

}  // namespace

Features features_of(const NetworkQuestion& question)
{
    Features out;
    out.device_index = usable_devices_of(*question.problem);
    Measures m = measure(question, out.device_index);
    out.devices = m.devices;
    out.stages = m.stages;
    const Variant& variant = question.problem->variants[static_cast<std::size_t>(question.variant)];
    out.layers = m.layers;
    relate_devices(m, ChainCosts(*question.problem, {question.variant, m.stages, m.micro_batches, question.schedule}), out);
    const auto capacities = capacity_shares(m);
    fill_edges_and_devices(m, capacities, out);
    fill_global(m, variant, capacities, out);
    fill_positions(m, variant, capacities, out);
    out.route = std::move(m.route);
    out.layer_work = std::move(m.work);
    return out;
}

}  // namespace nnpiper
