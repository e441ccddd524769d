// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/planners/chains/chain.h"

#include "core/problem/group_costs.h"
#include "core/schedule/schedule.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace nnpiper {

namespace {

std::vector<double> prefix_by_device(const Matrix& a, const Matrix* b, int layers, int devices)
{
    std::vector<double> sums(ChainCosts::index(devices * (layers + 1)), 0);
    for (int d = 0; d < devices; ++d) {
        double total = 0;
        for (int l = 0; l < layers; ++l) {
            total += a(l, d) + (b ? (*b)(l, d) : 0);
            sums[ChainCosts::index(d * (layers + 1) + l + 1)] = total;
        }
    }
    return sums;
}

std::vector<double> prefix(const std::vector<double>& values)
{
    std::vector<double> sums{0};
    for (const double value : values)
        sums.push_back(sums.back() + value);
    return sums;
}

}  // namespace

ChainCosts::ChainCosts(const Problem& problem, const ChainSetting& setting)
    : problem_(&problem), setting_(setting), layers_(problem.layers()), devices_(problem.devices()), locks_(problem)
{
    const Variant& variant = problem.variants[index(setting.variant)];
    forward_ = prefix_by_device(variant.forward_s, nullptr, layers_, devices_);
    backward_ = prefix_by_device(variant.backward_input_s, &variant.backward_weight_s, layers_, devices_);
    if (!problem.optimizer_s.empty())
        optimizer_ = prefix_by_device(problem.optimizer_s, nullptr, layers_, devices_);
    output_bytes_ = variant.output_bytes;
    buffer_bytes_ = variant.buffer_bytes;
    carried_bytes_ = variant.carried_bytes;
    state_ = prefix(problem.state_bytes);
    stored_ = prefix(variant.stored_bytes);
    samples_ = static_cast<double>(setting.micro_batches) * variant.micro_batch_samples;
    capacity_ = problem.device_memory_bytes;
    usable_ = given_order(problem);
    for (int d = 0; d < devices_; ++d) {
        const double price = index(d) < problem.device_price_per_h.size() ? problem.device_price_per_h[index(d)] : NAN;
        price_per_s_.push_back(price / 3600);
    }
    const auto add_speeds = [&](double bytes) {
        for (int a = 0; a < devices_; ++a) {
            for (int b = 0; b < devices_; ++b) {
                const double bandwidth = bandwidth_of(problem, a, b, bytes);
                inverse_bandwidth_.push_back(bandwidth > 0 ? 1 / bandwidth : std::numeric_limits<double>::infinity());
            }
        }
    };
    if (problem.routes.speed.empty()) {
        add_speeds(0);
    } else {
        std::map<double, std::size_t> begin;
        for (const double bytes : output_bytes_) {
            const auto [size, fresh] = begin.try_emplace(bytes, inverse_bandwidth_.size());
            if (fresh)
                add_speeds(bytes);
            size_class_.push_back(size->second);
        }
    }
    for (int a = 0; a < devices_; ++a) {
        for (int b = 0; b < devices_; ++b)
            latency_.push_back(problem.latency_s(a, b));
    }
    for (int s = 0; s < setting.stages; ++s)
        in_flight_.push_back(peak_in_flight(setting.schedule, setting.stages, setting.micro_batches, s));
    if (std::any_of(variant.transient_bytes.begin(), variant.transient_bytes.end(), [](double t) { return t > 0; })) {
        transient_.assign(index(layers_ * layers_), 0);
        for (int first = 0; first < layers_; ++first) {
            double largest = 0;
            for (int l = first; l < layers_; ++l) {
                largest = std::max(largest, variant.transient_bytes[index(l)]);
                transient_[index(first * layers_ + l)] = largest;
            }
        }
    }
}

double ChainCosts::memory(int stage, int first, int end) const
{
    if (end <= first)
        return 0;
    double bytes = state_[index(end)] - state_[index(first)]
                   + in_flight_[index(stage)] * (stored_[index(end)] - stored_[index(first)]);
    if (!transient_.empty())
        bytes += transient_[index(first * layers_ + end - 1)];
    if (first > 0) {
        bytes += buffer_bytes_[index(first - 1)];
        if (!carried_bytes_.empty())
            bytes += in_flight_[index(stage)] * carried_bytes_[index(first - 1)];
    }
    if (end < layers_)
        bytes += buffer_bytes_[index(end - 1)];
    return bytes;
}

ChainEvaluator::ChainEvaluator(const ChainCosts& costs) : costs_(costs), evaluator_(costs.stages())
{
    const std::size_t stages = ChainCosts::index(costs.stages());
    buffer_.resize(6 * stages);
    double* memory = buffer_.data();
    views_ = {costs.stages(),      memory,
              memory + stages,     memory + 2 * stages,
              memory + 3 * stages, memory + 4 * stages,
              memory + 5 * stages};
}

void ChainEvaluator::fill(const Chain& chain)
{
    const int stages = costs_.stages();
    double* const forward = buffer_.data();
    double* const backward = forward + stages;
    double* const forward_occupancy = backward + stages;
    double* const forward_latency = forward_occupancy + stages;
    double* const backward_occupancy = forward_latency + stages;
    double* const backward_latency = backward_occupancy + stages;
    routed_ = true;
    int first = 0;
    for (int s = 0; s < stages; ++s) {
        const int device = chain.device[ChainCosts::index(s)];
        const int end = chain.end[ChainCosts::index(s)];
        forward[s] = costs_.forward(device, first, end);
        backward[s] = costs_.backward(device, first, end);
        if (s + 1 < stages) {
            const int next = chain.device[ChainCosts::index(s + 1)];
            forward_occupancy[s] = costs_.occupancy(end, device, next);
            forward_latency[s] = costs_.latency(device, next);
            backward_occupancy[s] = costs_.occupancy(end, next, device);
            backward_latency[s] = costs_.latency(next, device);
            routed_ = routed_ && std::isfinite(forward_occupancy[s] + backward_occupancy[s]);
        }
        first = end;
    }
}

double ChainEvaluator::makespan(const Chain& chain)
{
    ++evaluations_;
    fill(chain);
    if (!routed_)
        return std::numeric_limits<double>::infinity();
    return evaluator_.makespan(costs_.setting().schedule, views_, costs_.micro_batches());
}

double ChainEvaluator::excess(const Chain& chain) const
{
    double total = 0;
    for (int s = 0; s < costs_.stages(); ++s) {
        const double capacity = costs_.capacity(chain.device[ChainCosts::index(s)]);
        const double needed = costs_.memory(s, chain.first(s), chain.end[ChainCosts::index(s)]);
        if (needed > capacity * (1 + 1e-12))
            total += capacity > 0 ? needed / capacity - 1 : 1;
    }
    return costs_.locks().any() ? total + costs_.locks().broken(chain) : total;
}

double ChainEvaluator::value(const Chain& chain)
{
    double update = 0;
    double price = 0;
    for (int s = 0; s < costs_.stages(); ++s) {
        const int device = chain.device[ChainCosts::index(s)];
        update = std::max(update, costs_.optimizer(device, chain.first(s), chain.end[ChainCosts::index(s)]));
        price += costs_.price_per_s(device);
    }
    const Problem& problem = costs_.problem();
    double value = makespan(chain) + update + problem.fixed_step_s;
    if (problem.objective != Objective::latency)
        value /= costs_.samples();
    if (problem.objective == Objective::cost)
        value *= price;
    return value;
}

Plan to_plan(const ChainCosts& costs, const Chain& chain, std::string planner)
{
    const Problem& problem = costs.problem();
    Plan plan;
    plan.planner = std::move(planner);
    plan.schedule = costs.setting().schedule;
    plan.micro_batches = costs.micro_batches();
    for (int s = 0; s < chain.stages(); ++s) {
        Stage stage;
        stage.devices.push_back(problem.device_ids[ChainCosts::index(chain.device[ChainCosts::index(s)])]);
        stage.first_layer = chain.first(s);
        stage.end_layer = chain.end[ChainCosts::index(s)];
        stage.recompute = problem.variants[ChainCosts::index(costs.setting().variant)].recompute;
        plan.stages.push_back(std::move(stage));
    }
    return plan;
}

std::vector<ChainSetting> open_settings(const Problem& problem)
{
    const int most = std::min(static_cast<int>(given_order(problem).size()), problem.layers());
    const Variant& wanted = problem.variants[ChainCosts::index(problem.default_variant)];
    std::vector<ChainSetting> settings;
    for (int v = 0; v < static_cast<int>(problem.variants.size()); ++v) {
        const Variant& variant = problem.variants[ChainCosts::index(v)];
        if ((!problem.micro_batch_free && variant.micro_batch_samples != wanted.micro_batch_samples)
            || (!problem.recompute_free && variant.recompute != wanted.recompute) || variant.tensor_parallel != 1)
            continue;
        const int low = problem.stages ? *problem.stages : 1;
        const int high = problem.stages ? *problem.stages : most;
        for (int stages = low; stages <= high && stages <= most; ++stages)
            settings.push_back(
                {v, stages, variant.micro_batches, problem.schedule.value_or(ScheduleKind::one_f_one_b)});
    }
    return settings;
}

}  // namespace nnpiper
