// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/planners/literature/metis_search.h"

#include "core/schedule/schedule.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <numeric>

namespace nnpiper {

namespace {

constexpr int most_blocks = 6;
constexpr int most_moves = 4;
constexpr int most_refills = 3;

std::size_t at(int i)
{
    return static_cast<std::size_t>(i);
}

/// Seconds in which the slowest device of a stage updates its weights.
double update_s(const OrderedCosts& costs, const StageRun& run)
{
    const Problem& problem = costs.problem();
    if (problem.optimizer_s.empty())
        return 0;
    double slowest = 0;
    for (int i = run.from; i < run.to; ++i) {
        double seconds = 0;
        for (int l = run.first; l < run.end; ++l)
            seconds +=
                problem.held_share(l, run.tensor_parallel) * problem.optimizer_s(l, costs.links().order()[at(i)]);
        slowest = std::max(slowest, seconds);
    }
    return problem.sharded_bytes.empty() ? slowest : slowest / run.replicas();
}

StageRun with_layers(StageRun run, int first, int end)
{
    run.first = first;
    run.end = end;
    return run;
}

/// Ends of the stages' layers for given capacities (parts of the whole work).
void fill(const OrderedCosts& costs, std::vector<StageRun>& stages, const std::vector<double>& capacity)
{
    const int count = static_cast<int>(stages.size());
    const int layers = costs.layers();
    std::vector<double> whole;
    for (const StageRun& stage : stages)
        whole.push_back(std::max(1e-300, costs.stage_s(with_layers(stage, 0, layers))));
    const auto part = [&](int s, int first, int end) {
        return costs.stage_s(with_layers(stages[at(s)], first, end)) / whole[at(s)];
    };
    int last_first = count == 1 ? 0 : layers - 1;
    if (count > 1) {
        const double wish = capacity.back();
        while (last_first > count - 1
               && std::abs(part(count - 1, last_first - 1, layers) - wish)
                      <= std::abs(part(count - 1, last_first, layers) - wish))
            --last_first;
    }
    int first = 0;
    for (int s = 0; s + 1 < count; ++s) {
        const int most = last_first - (count - 2 - s);
        int end = s + 2 == count ? last_first : first + 1;
        while (end < most
               && std::abs(part(s, first, end + 1) - capacity[at(s)])
                      <= std::abs(part(s, first, end) - capacity[at(s)]))
            ++end;
        stages[at(s)].first = first;
        stages[at(s)].end = end;
        first = end;
    }
    stages.back().first = first;
    stages.back().end = layers;
}

/// The slowest stage gives a layer to a neighbour while that makes the slower of the two faster.
void move_layers(const OrderedCosts& costs, std::vector<StageRun>& stages)
{
    std::vector<double> time;
    for (const StageRun& stage : stages)
        time.push_back(costs.stage_s(stage));
    for (int move = 0; move < most_moves; ++move) {
        const auto slowest = std::max_element(time.begin(), time.end()) - time.begin();
        const int s = static_cast<int>(slowest);
        StageRun& giver = stages[at(s)];
        if (giver.end - giver.first < 2)
            return;
        double best = time[at(s)];
        int to = -1;
        for (const int neighbour : {s - 1, s + 1}) {
            if (neighbour < 0 || neighbour >= static_cast<int>(stages.size()))
                continue;
            const bool before = neighbour < s;
            const StageRun& taker = stages[at(neighbour)];
            const double given = costs.stage_s(with_layers(giver, giver.first + before, giver.end - !before));
            const double taken = costs.stage_s(with_layers(taker, taker.first - !before, taker.end + before));
            if (std::max(given, taken) < best) {
                best = std::max(given, taken);
                to = neighbour;
            }
        }
        if (to < 0)
            return;
        StageRun& taker = stages[at(to)];
        if (to < s)
            taker.end = ++giver.first;
        else
            taker.first = --giver.end;
        time[at(s)] = costs.stage_s(giver);
        time[at(to)] = costs.stage_s(taker);
    }
}

/// Doubles the degree of a stage; false when it cannot be.
bool double_degree(const OrderedCosts& costs, StageRun& stage)
{
    for (int t = 2 * stage.tensor_parallel; t <= stage.devices(); t *= 2) {
        if (costs.possible(stage.from, stage.to, t)) {
            stage.tensor_parallel = t;
            return true;
        }
    }
    return false;
}

}  // namespace

std::vector<std::vector<int>> power_of_two_groups(int devices, int stages)
{
    std::vector<std::vector<int>> found;
    const int least = std::max(1, devices / std::max(1, stages));
    std::vector<int> groups;
    const std::function<void(int, int, int)> choose = [&](int left, int count, int most) {
        if (count == 0) {
            if (left == 0)
                found.push_back(groups);
            return;
        }
        for (int size = most; size >= least; size /= 2) {
            if (size * count < left)
                break;
            if (size + (count - 1) * least > left)
                continue;
            groups.push_back(size);
            choose(left - size, count - 1, size);
            groups.pop_back();
        }
    };
    int largest = 1;
    while (2 * largest <= devices)
        largest *= 2;
    if (stages >= 1)
        choose(devices, stages, largest);
    return found;
}

std::vector<std::vector<int>> group_orders(const std::vector<int>& groups)
{
    std::map<int, int> count;  // of every size
    for (const int size : groups)
        ++count[size];
    std::map<int, int> blocks = count;
    int total = static_cast<int>(groups.size());
    while (total > most_blocks) {
        const auto divisible =
            std::find_if(blocks.begin(), blocks.end(), [](const auto& entry) { return entry.second > 1; });
        if (divisible == blocks.end())
            break;
        total -= divisible->second / 2;
        divisible->second -= divisible->second / 2;
    }
    // Blocks of a size differ by one group at most.
    std::vector<std::pair<int, int>> row;  // size, groups in the block
    for (const auto& [size, n] : blocks) {
        for (int b = 0; b < n; ++b)
            row.emplace_back(size, count[size] / n + (b < count[size] % n ? 1 : 0));
    }
    std::sort(row.begin(), row.end());
    std::vector<std::vector<int>> orders;
    do {
        std::vector<int> order;
        for (const auto& [size, n] : row)
            order.insert(order.end(), at(n), size);
        orders.push_back(std::move(order));
    } while (std::next_permutation(row.begin(), row.end()));
    std::sort(orders.begin(), orders.end());
    orders.erase(std::unique(orders.begin(), orders.end()), orders.end());
    return orders;
}

double metis_cost_s(const OrderedCosts& costs, const std::vector<StageRun>& stages)
{
    double sum = 0, slowest = 0, sync = 0, update = 0;
    for (std::size_t s = 0; s < stages.size(); ++s) {
        const double own = costs.stage_s(stages[s]);
        sum += own;
        slowest = std::max(slowest, own);
        sync = std::max(sync, costs.sync_s(stages[s]));
        update = std::max(update, update_s(costs, stages[s]));
        if (s + 1 < stages.size())
            sum += costs.transfer_s(stages[s].end, stages[s].from, stages[s].to, stages[s + 1].to).both_s();
    }
    return sum + (costs.micro_batches() - 1) * slowest + sync + update;
}

bool balance_layers(const OrderedCosts& costs, ScheduleKind schedule, std::vector<StageRun>& stages,
                    std::vector<double>* load)
{
    const int count = static_cast<int>(stages.size());
    std::vector<double> capacity;
    for (const StageRun& stage : stages)
        capacity.push_back(1 / std::max(1e-300, costs.stage_s(with_layers(stage, 0, costs.layers()))));
    const double total = std::accumulate(capacity.begin(), capacity.end(), 0.0);
    for (double& part : capacity)
        part /= total;
    for (int refill = 0; true; ++refill) {
        fill(costs, stages, capacity);
        move_layers(costs, stages);
        std::vector<double> full(at(count), 0);
        bool fits = true;
        double lost = 0, kept = 0;
        for (int s = 0; s < count; ++s) {
            const StageRun& stage = stages[at(s)];
            const int in_flight = peak_in_flight(schedule, count, costs.micro_batches(), s);
            double memory = std::numeric_limits<double>::infinity();
            for (int i = stage.from; i < stage.to; ++i)
                memory = std::min(memory, costs.problem().device_memory_bytes[at(costs.links().order()[at(i)])]);
            full[at(s)] =
                (costs.state_bytes(stage) + in_flight * costs.stored_bytes(stage) + costs.transient_bytes(stage))
                / std::max(1.0, memory);
            if (!costs.fits(stage, in_flight)) {
                fits = false;
                const double lower = 0.9 * capacity[at(s)] / std::max(1.0, full[at(s)]);
                lost += capacity[at(s)] - lower;
                capacity[at(s)] = lower;
            } else {
                kept += capacity[at(s)];
            }
        }
        if (fits || refill == most_refills || kept <= 0) {
            if (load)
                *load = std::move(full);
            return fits;
        }
        // What the full ones give up goes to the others as they are.
        for (int s = 0; s < count; ++s) {
            const int in_flight = peak_in_flight(schedule, count, costs.micro_batches(), s);
            if (costs.fits(stages[at(s)], in_flight))
                capacity[at(s)] *= 1 + lost / kept;
        }
    }
}

std::optional<MetisPlan> cheapest_strategy(const OrderedCosts& costs, ScheduleKind schedule,
                                           const std::vector<int>& groups)
{
    std::vector<StageRun> stages;
    int from = 0;
    for (const int size : groups) {
        StageRun stage{0, 0, from, from + size, 1};
        from += size;
        if (!costs.possible(stage.from, stage.to, 1) && !double_degree(costs, stage))
            return std::nullopt;
        stages.push_back(stage);
    }
    std::optional<MetisPlan> best;
    std::vector<double> load;
    while (true) {
        bool routed = true;
        if (balance_layers(costs, schedule, stages, &load)) {
            const double cost = metis_cost_s(costs, stages);
            routed = std::isfinite(cost);
            if (routed && (!best || cost < best->cost_s))
                best = MetisPlan{stages, cost};
        }
        std::vector<int> by_load(stages.size());
        std::iota(by_load.begin(), by_load.end(), 0);
        std::stable_sort(by_load.begin(), by_load.end(), [&](int a, int b) { return load[at(a)] > load[at(b)]; });
        const bool changed =
            std::any_of(by_load.begin(), by_load.end(), [&](int s) { return double_degree(costs, stages[at(s)]); });
        if (!changed || !routed)
            return best;
    }
}

}  // namespace nnpiper
