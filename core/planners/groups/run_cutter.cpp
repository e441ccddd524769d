// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/planners/groups/run_cutter.h"

#include "core/schedule/schedule.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace nnpiper {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
/// Where the problem leaves the number of stages open, deep pipelines with replicas are not worth their bubbles.
constexpr int most_open_stages = 24;
/// Up to so many every number of replicas is tried, beyond them powers of two, halves between them and whole nodes.
constexpr int every_replica = 6;

std::size_t at(int i)
{
    return static_cast<std::size_t>(i);
}

/// A stage on a run of units: what decides how many layers it can take.
struct Run {
    bool made = false;
    bool possible = false;
    int replicas = 0;
    std::vector<int> devices;
    std::vector<int> shares;
    struct Member {
        int device = 0;
        int share = 0;
        double part = 0;
        double capacity = 0;
    };
    std::vector<Member> members;  ///< unlike ones
    struct Policy {
        int kind = -1;
        std::vector<double> forward_exchange_s, backward_exchange_s;  ///< [class] a layer, of the slowest replica
    };
    std::vector<Policy> policies;
    CommunicationSpeed ring{infinite, 0};
};

}  // namespace

struct RunCutter::Runs {
    struct State {
        int first = 0;  ///< layers + 1: not possible
        int end = 0;
        int behind = 0;   ///< position from which the stages behind it go on
        int number = -1;  ///< of its run; -1: unit left out
        int policy = 0;
        int head = -1;  ///< position of the first unit in use
    };

    Runs(GroupEvaluator& evaluator_, std::vector<std::vector<int>> units_, int degree_)
        : evaluator(evaluator_)
        , times(evaluator_.times())
        , problem(evaluator_.problem())
        , units(std::move(units_))
        , degree(degree_)
        , layers(times.layers())
        , count(static_cast<int>(units.size()))
    {
        const int most = problem.replicas_allowed() ? times.samples() : 1;
        for (int r = 1; r <= std::min(count, most); ++r)
            sizes.push_back(r);
        for (const Recompute policy : times.policies()) {
            if (times.kind(degree, policy) >= 0)
                policies.push_back(policy);
        }
        // Fastest first: a slower one is of use only where memory forbids those before it.
        if (count > 0)
            std::stable_sort(policies.begin(), policies.end(), [&](Recompute a, Recompute b) {
                const auto whole = [&](Recompute p) {
                    return times.backward(times.kind(degree, p), times.samples(), units.front().front(), 0, layers);
                };
                return whole(a) < whole(b);
            });
        runs.resize(at(count) * sizes.size());
    }

    bool worth(int i, int r) const
    {
        const auto node = [&](int k) -> const std::string& { return problem.device_nodes[at(units[at(k)].front())]; };
        const bool half = (r & (r - 1)) == 0 || (r % 3 == 0 && ((r / 3) & (r / 3 - 1)) == 0);
        return r <= every_replica || half || i + r == count
               || (node(i + r - 1) != node(i + r) && (i == 0 || node(i - 1) != node(i)));
    }

    Run& run(int i, int number)
    {
        Run& made = runs[at(i) * sizes.size() + at(number)];
        if (!made.made)
            make(made, i, sizes[at(number)]);
        return made;
    }

    void make(Run& made, int i, int replicas)
    {
        made.made = true;
        made.replicas = replicas;
        for (int k = i; k < i + replicas; ++k)
            made.devices.insert(made.devices.end(), units[at(k)].begin(), units[at(k)].end());
        if (!evaluator.links().all_routed()) {
            for (std::size_t a = 0; a < made.devices.size(); ++a) {
                for (std::size_t b = a + 1; b < made.devices.size(); ++b) {
                    if (!evaluator.links().routed(made.devices[a], made.devices[b]))
                        return;
                }
            }
        }
        made.possible = true;
        GroupStage stage{made.devices, {}, degree, policies.front(), layers};
        evaluator.balance(stage, 0);
        made.shares = stage.shares;
        for (std::size_t k = 0; k < made.devices.size(); ++k) {
            const int device = made.devices[k];
            const int share = made.shares[k / at(degree)];
            const double capacity = problem.device_memory_bytes[at(device)];
            const auto known = std::find_if(made.members.begin(), made.members.end(), [&](const Run::Member& m) {
                return m.share == share && times.device_class(m.device) == times.device_class(device);
            });
            if (known == made.members.end())
                made.members.push_back({device, share, static_cast<double>(share) / times.samples(), capacity});
            else
                known->capacity = std::min(known->capacity, capacity);
        }
        GroupLinks& links = evaluator.links();
        for (const Recompute policy : policies)
            add_policy(made, times.kind(degree, policy), links);
        if (replicas > 1)
            made.ring =
                links.ring(made.devices, degree, times.scattered(times.kind(degree, policies.front()), 0, layers));
    }

    void add_policy(Run& made, int kind, GroupLinks& links)
    {
        Run::Policy& policy = made.policies.emplace_back();
        policy.kind = kind;
        if (degree == 1)
            return;
        const auto slowest = [&](const GroupTimes::Exchange& exchange, std::vector<double>& seconds) {
            for (const GroupTraffic& traffic : exchange.traffic) {
                double most = 0;
                for (int r = 0; r < made.replicas; ++r) {
                    const std::span<const int> members(made.devices.data() + at(r * degree), at(degree));
                    most = std::max(most, links.traffic(members, traffic,
                                                        static_cast<double>(made.shares[at(r)]) / times.samples()));
                }
                seconds.push_back(most);
            }
        };
        slowest(times.forward_exchange(kind), policy.forward_exchange_s);
        slowest(times.backward_exchange(kind), policy.backward_exchange_s);
    }

    static double exchanged(const GroupTimes::Exchange& exchange, const std::vector<double>& seconds, int first,
                            int end)
    {
        double total = 0;
        for (std::size_t c = 0; c < seconds.size(); ++c)
            total += (exchange.count[c][at(end)] - exchange.count[c][at(first)]) * seconds[c];
        return total;
    }

    /// Of a micro-batch, with its part of what is done once an iteration.
    double seconds(const Run& made, int policy, int first, int end)
    {
        const Run::Policy& own = made.policies[at(policy)];
        double forward = 0, backward = 0, step = 0;
        for (const Run::Member& m : made.members) {
            forward = std::max(forward, times.forward(own.kind, m.share, m.device, first, end));
            backward = std::max(backward, times.backward(own.kind, m.share, m.device, first, end));
            step = std::max(step, times.optimizer(own.kind, m.device, first, end));
        }
        if (degree > 1) {
            forward += exchanged(times.forward_exchange(own.kind), own.forward_exchange_s, first, end);
            backward += exchanged(times.backward_exchange(own.kind), own.backward_exchange_s, first, end);
        }
        if (!problem.sharded_bytes.empty())
            step /= made.replicas;
        if (made.replicas > 1 && !problem.gradient_bytes.empty()) {
            step += ring_pass_s(made.replicas, times.scattered(own.kind, first, end), made.ring);
            step += ring_pass_s(made.replicas, times.gathered(own.kind, first, end), made.ring);
        }
        return forward + backward + step / evaluator.setting().micro_batches;
    }

    bool holds(const Run& made, int policy, int first, int end, int in_flight) const
    {
        const int kind = made.policies[at(policy)].kind;
        const double state =
            times.whole_state(kind, first, end) + times.sharded_state(kind, first, end) / made.replicas;
        const double carried = in_flight * times.stored(kind, first, end) + times.transient(kind, first, end);
        return std::all_of(made.members.begin(), made.members.end(),
                           [&](const Run::Member& m) { return state + m.part * carried <= m.capacity * (1 + 1e-12); });
    }

    /// Least first layer from `least` on for which it holds that lets the run end at `end`, and the policy;
    /// `end` where there is none that is less than `limit`.
    int back(const Run& made, int end, int least, int limit, int in_flight, double period, int& policy)
    {
        int best = end;
        for (int p = 0; p < static_cast<int>(made.policies.size()); ++p) {
            int low = least, high = std::min({end, limit, best});
            if (low >= high || seconds(made, p, high - 1, end) > period)
                break;  // slower policies do not reach farther
            const auto first = [&](int from, const auto& ok) {
                int a = from, b = high - 1;  // ok(b)
                while (a < b) {
                    const int middle = (a + b) / 2;
                    if (ok(middle))
                        b = middle;
                    else
                        a = middle + 1;
                }
                return b;
            };
            const int by_time = first(low, [&](int l) { return seconds(made, p, l, end) <= period; });
            if (holds(made, p, by_time, end, in_flight)) {
                policy = p;
                return by_time;
            }
            if (!holds(made, p, high - 1, end, in_flight))
                continue;
            policy = p;
            best = first(by_time, [&](int l) { return holds(made, p, l, end, in_flight); });
        }
        return best;
    }

    /// First cut from `cut` on whose message, either way, takes no longer than the period; `layers` where none does.
    int next_cut(int cut, int from, int to, double period) const
    {
        const double bandwidth =
            std::min(problem.bandwidth_bytes_per_s(from, to), problem.bandwidth_bytes_per_s(to, from));
        while (cut < layers && !(times.output(cut) <= period * bandwidth))
            ++cut;
        return cut;
    }

    GroupChain chain(const std::vector<std::vector<State>>& table, int stages) const
    {
        GroupChain made;
        int i = 0;
        for (int x = stages; x > 0; --x) {
            while (table[at(x)][at(i)].number < 0)
                ++i;
            const State& state = table[at(x)][at(i)];
            const Run& run = runs[at(i) * sizes.size() + at(state.number)];
            made.stages.push_back({run.devices, run.shares, degree, policies[at(state.policy)], state.end});
            i = state.behind;
        }
        return made;
    }

    GroupEvaluator& evaluator;
    GroupTimes& times;
    const Problem& problem;
    std::vector<std::vector<int>> units;
    int degree;
    int layers;
    int count;
    std::vector<int> sizes;
    std::vector<Recompute> policies;
    std::vector<Run> runs;  ///< [position][number]
};

RunCutter::RunCutter(GroupEvaluator& evaluator, std::vector<std::vector<int>> units, int degree)
    : runs_(std::make_unique<Runs>(evaluator, std::move(units), degree))
{
}

RunCutter::~RunCutter() = default;

double RunCutter::ideal_s() const
{
    double rate = 0;
    for (const auto& unit : runs_->units) {
        if (runs_->policies.empty())
            break;
        double slowest = 0;
        for (const int device : unit) {
            const int kind = runs_->times.kind(runs_->degree, runs_->policies.front());
            const int all = runs_->times.samples();
            slowest = std::max(slowest, runs_->times.forward(kind, all, device, 0, runs_->layers)
                                            + runs_->times.backward(kind, all, device, 0, runs_->layers));
        }
        rate += 1 / std::max(1e-300, slowest);
    }
    return 1 / rate;
}

GroupChain RunCutter::cut(double period)
{
    Runs& r = *runs_;
    if (r.policies.empty() || r.count == 0)
        return {};
    const std::optional<int> asked = r.problem.stages;
    const int most = std::min({r.count, r.layers, asked.value_or(most_open_stages)});
    const int impossible = r.layers + 1;
    std::vector<std::vector<Runs::State>> table(1, std::vector<Runs::State>(at(r.count + 1)));
    for (Runs::State& state : table.front())
        state.first = r.layers;
    for (int x = 1; x <= most; ++x) {
        auto& row = table.emplace_back(at(r.count + 1));
        const auto& before = table[at(x - 1)];
        row.back().first = impossible;
        const int least = asked ? *asked - x : 0;
        const int in_flight = peak_in_flight(r.evaluator.setting().schedule, x, r.evaluator.setting().micro_batches, 0);
        for (int i = r.count - 1; i >= 0; --i) {
            Runs::State& best = row[at(i)];
            best = row[at(i + 1)];
            best.number = -1;
            bool used = false;
            for (int k = 0; k < static_cast<int>(r.sizes.size()) && i + r.sizes[at(k)] <= r.count; ++k) {
                const int size = r.sizes[at(k)];
                const Runs::State& next = before[at(i + size)];
                if (next.first > r.layers || !r.worth(i, size))
                    continue;
                const Run& run = r.run(i, k);
                if (!run.possible)
                    continue;
                int end = next.first;
                if (x > 1) {
                    end = r.next_cut(end, run.devices.back(), r.units[at(next.head)].front(), period);
                    const Runs::State& user = before[at(next.head)];
                    if (end >= user.end)
                        continue;
                }
                // Of equals the one that leaves no unit out, then the one with fewer replicas.
                const int limit = used ? best.first : std::min(best.first + 1, impossible);
                int policy = 0;
                const int first = r.back(run, end, least, limit, in_flight, period, policy);
                if (first >= end || first >= limit)
                    continue;
                best = {first, end, i + size, k, policy, i};
                used = true;
            }
        }
        if (row.front().first == 0)
            return r.chain(table, x);
    }
    return {};
}

}  // namespace nnpiper
