// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/planners/literature/ordered_costs.h"

#include "core/problem/group_costs.h"
#include "core/problem/share_times.h"
#include "core/problem/stage_group.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace nnpiper {

namespace {

std::size_t at(int i)
{
    return static_cast<std::size_t>(i);
}

template <class Value>
std::vector<double> prefix_sums(int count, const Value& value)
{
    std::vector<double> sums{0};
    for (int i = 0; i < count; ++i)
        sums.push_back(sums.back() + value(i));
    return sums;
}

double range(const std::vector<double>& sums, int first, int end)
{
    return sums[at(end)] - sums[at(first)];
}

}  // namespace

std::vector<OrderedSetting> ordered_settings(const Problem& problem)
{
    const Variant& wanted = problem.variants[at(problem.default_variant)];
    std::vector<OrderedSetting> settings;
    for (const Variant& variant : problem.variants) {
        if ((!problem.micro_batch_free && variant.micro_batch_samples != wanted.micro_batch_samples)
            || (!problem.recompute_free && variant.recompute != wanted.recompute)
            || (!problem.tensor_parallel_free && variant.tensor_parallel != wanted.tensor_parallel))
            continue;
        auto found = std::find_if(settings.begin(), settings.end(), [&](const OrderedSetting& setting) {
            return setting.micro_batch_samples == variant.micro_batch_samples && setting.recompute == variant.recompute;
        });
        if (found == settings.end())
            found = settings.insert(found, {variant.micro_batch_samples, variant.micro_batches, variant.recompute, {}});
        found->degrees.push_back(variant.tensor_parallel);
    }
    for (OrderedSetting& setting : settings)
        std::sort(setting.degrees.begin(), setting.degrees.end());
    return settings;
}

OrderedCosts::OrderedCosts(const Problem& problem, const OrderedSetting& setting, const OrderedLinks& links)
    : problem_(&problem)
    , setting_(setting)
    , links_(&links)
    , layers_(problem.layers())
    , most_replicas_(problem.replicas_allowed() ? setting.micro_batch_samples : 1)
{
    for (const Variant& variant : problem.variants) {
        if (variant.micro_batch_samples == setting.micro_batch_samples && variant.recompute == setting.recompute
            && std::find(setting.degrees.begin(), setting.degrees.end(), variant.tensor_parallel)
                   != setting.degrees.end())
            add_degree(variant);
    }
}

void OrderedCosts::add_degree(const Variant& variant)
{
    const Problem& problem = *problem_;
    output_bytes_ = variant.output_bytes;
    Degree degree;
    degree.tensor_parallel = variant.tensor_parallel;
    const auto held = [&](int l) { return problem.held_share(l, variant.tensor_parallel); };
    const auto sharded = [&](int l) { return problem.sharded_bytes.empty() ? 0 : problem.sharded_bytes[at(l)]; };
    const auto gradient = [&](int l) { return problem.gradient_bytes.empty() ? 0 : problem.gradient_bytes[at(l)]; };
    degree.whole_state =
        prefix_sums(layers_, [&](int l) { return held(l) * (problem.state_bytes[at(l)] - sharded(l)); });
    degree.sharded_state = prefix_sums(layers_, [&](int l) { return held(l) * sharded(l); });
    degree.scattered = prefix_sums(layers_, [&](int l) { return held(l) * gradient(l); });
    degree.gathered = prefix_sums(layers_, [&](int l) {
        return held(l)
               * (problem.sharded_bytes.empty() || problem.gradient_bytes.empty() ? gradient(l)
                                                                                  : problem.weight_bytes[at(l)]);
    });
    degree.stored = prefix_sums(layers_, [&](int l) { return variant.stored_bytes[at(l)]; });
    degree.transient = variant.transient_bytes;
    degree.buffer = variant.buffer_bytes;
    degree.carried = variant.carried_bytes;
    degree.largest_transient.assign(at(layers_) * at(layers_), 0);
    for (int first = 0; first < layers_; ++first) {
        double largest = 0;
        for (int l = first; l < layers_; ++l) {
            largest = std::max(largest, degree.transient[at(l)]);
            degree.largest_transient[at(first) * at(layers_) + at(l)] = largest;
        }
    }
    add_kinds(degree, variant);
    add_runs(degree);
    degrees_.push_back(std::move(degree));
}

void OrderedCosts::add_kinds(Degree& degree, const Variant& variant) const
{
    const Problem& problem = *problem_;
    const auto& order = links_->order();
    const int t = degree.tensor_parallel;
    const bool published = links_->view() == CostView::as_published;
    std::vector<ShareTime> priced;
    for (int size = 1; size <= samples(); ++size)
        priced.push_back(share_time(problem, variant, size));

    // Seconds of one layer on a device, the mean one as published.
    const auto layer_s = [&](const ShareTime& time, Matrix Variant::*matrix, int device, int l) {
        if (!published)
            return time.seconds(matrix, device, l, l + 1);
        double total = 0;
        for (const int d : order)
            total += time.seconds(matrix, d, l, l + 1);
        return total / static_cast<double>(order.size());
    };
    const auto same_place = [&](int a, int b) {
        return problem.device_nodes[at(a)] == problem.device_nodes[at(b)]
               && problem.device_types[at(a)] == problem.device_types[at(b)];
    };
    degree.kind_at.assign(order.size(), -1);
    for (int from = 0; from + t <= devices(); ++from) {
        const std::vector<int> members(order.begin() + from, order.begin() + from + t);
        if (t > 1
            && (problem.device_nodes[at(members[0])].empty() || !links_->connected(from, from + t)
                || !std::all_of(members.begin(), members.end(), [&](int d) { return same_place(d, members[0]); })))
            continue;
        if (published && !degree.kinds.empty()) {
            degree.kind_at[at(from)] = 0;
            continue;
        }
        Kind kind;
        kind.capacity = std::numeric_limits<double>::infinity();
        for (const int d : published ? order : members)
            kind.capacity = std::min(kind.capacity, problem.device_memory_bytes[at(d)]);
        for (int size = 1; size <= samples(); ++size) {
            const double share = static_cast<double>(size) / samples();
            const ShareTime& time = priced[at(size - 1)];
            const auto exchanged = [&](const std::vector<GroupTraffic>& traffic) {
                std::vector<double> seconds(at(layers_), 0);
                for (int l = 0; l < layers_ && t > 1 && !traffic.empty(); ++l)
                    seconds[at(l)] = l > 0 && traffic[at(l)] == traffic[at(l - 1)]
                                         ? seconds[at(l - 1)]
                                         : traffic_s(problem, members, traffic[at(l)], share);
                return seconds;
            };
            // The group waits for its slowest member; members of one type are equally fast but for a speed factor, so
            // the slowest in all layers is the slowest in each.
            const auto slowest = [&](int l, auto matrices) {
                double most = 0;
                for (const int d : members) {
                    double sum = 0;
                    for (const auto matrix : matrices)
                        sum += layer_s(time, matrix, d, l);
                    most = std::max(most, sum);
                }
                return most;
            };
            const std::vector<double> forth = exchanged(variant.forward_traffic);
            const std::vector<double> back = exchanged(variant.backward_traffic);
            const auto forward = prefix_sums(layers_, [&](int l) {
                return forth[at(l)] + slowest(l, std::initializer_list<Matrix Variant::*>{&Variant::forward_s});
            });
            const auto backward = prefix_sums(layers_, [&](int l) {
                return back[at(l)]
                       + slowest(l, std::initializer_list<Matrix Variant::*>{&Variant::backward_input_s,
                                                                             &Variant::backward_weight_s});
            });
            kind.forward.insert(kind.forward.end(), forward.begin(), forward.end());
            kind.backward.insert(kind.backward.end(), backward.begin(), backward.end());
        }
        const auto found = std::find(degree.kinds.begin(), degree.kinds.end(), kind);
        degree.kind_at[at(from)] = static_cast<int>(found - degree.kinds.begin());
        if (found == degree.kinds.end())
            degree.kinds.push_back(std::move(kind));
    }
}

void OrderedCosts::add_runs(Degree& degree) const
{
    const int t = degree.tensor_parallel;
    const bool published = links_->view() == CostView::as_published;
    const double bytes = degree.scattered.back() / std::max(1, devices() / t);
    degree.runs.resize(at(devices()));
    degree.rings.resize(at(devices()));
    for (int from = 0; from < devices(); ++from) {
        std::vector<std::pair<int, int>> kinds;
        std::vector<std::vector<int>> rings(at(t));
        for (int replicas = 1; replicas <= most_replicas_ && from + replicas * t <= devices(); ++replicas) {
            const int begin = from + (replicas - 1) * t;
            const int kind = degree.kind_at[at(begin)];
            if (kind < 0 || !links_->connected(from, begin + t))
                break;
            const auto found =
                std::find_if(kinds.begin(), kinds.end(), [&](const auto& entry) { return entry.first == kind; });
            if (found == kinds.end())
                kinds.emplace_back(kind, 1);
            else
                ++found->second;
            for (int slice = 0; slice < t; ++slice)
                rings[at(slice)].push_back(links_->order()[at(begin + slice)]);
            degree.runs[at(from)].push_back(kinds);
            degree.rings[at(from)].push_back(published || replicas < 2 ? links_->mean()
                                                                       : ring_speed(*problem_, rings, bytes));
        }
    }
}

const OrderedCosts::Degree* OrderedCosts::find(int tensor_parallel) const
{
    for (const Degree& degree : degrees_) {
        if (degree.tensor_parallel == tensor_parallel)
            return &degree;
    }
    return nullptr;
}

bool OrderedCosts::possible(int from, int to, int tensor_parallel) const
{
    const Degree* degree = find(tensor_parallel);
    const int devices = to - from;
    return degree && devices > 0 && devices % tensor_parallel == 0
           && at(devices / tensor_parallel) <= degree->runs[at(from)].size();
}

bool OrderedCosts::same_run(int from, int other, int to, int tensor_parallel) const
{
    const Degree& degree = *find(tensor_parallel);
    const int n = to - from;
    const std::size_t replicas = at(n / tensor_parallel - 1);
    const auto same_ends = [&](int middle, int begin, int end, int other_middle) {
        const BoundaryTime a = links_->transfer_s(1, begin, middle, end);
        const BoundaryTime b =
            links_->transfer_s(1, begin - middle + other_middle, other_middle, end - middle + other_middle);
        return a == b;
    };
    const bool inner_ends = from > 0 && other > 0 ? same_ends(from, from - 1, to, other) : from == other;
    const bool outer_ends = to < devices() && other + n < devices() ? same_ends(to, from, to + 1, other + n)
                                                                    : (to == devices()) == (other + n == devices());
    return inner_ends && outer_ends && degree.runs[at(from)][replicas] == degree.runs[at(other)][replicas]
           && degree.rings[at(from)][replicas] == degree.rings[at(other)][replicas];
}

template <class Visit>
void OrderedCosts::each_share(const Degree& degree, const StageRun& run, const Visit& visit) const
{
    const auto& kinds = degree.runs[at(run.from)][at(run.replicas() - 1)];
    const int replicas = run.replicas();
    if (kinds.size() == 1) {
        visit(Share{kinds.front().first, (samples() + replicas - 1) / replicas, (samples() - 1) % replicas + 1});
        return;
    }
    // Sample by sample, as in balanced_shares; within a kind shares differ by one at most.
    std::vector<Share> shares;
    std::vector<double> next;
    for (const auto& [kind, count] : kinds) {
        shares.push_back({kind, 1, count});
        next.push_back(pass_s(degree, run, kind, 2, true) + pass_s(degree, run, kind, 2, false));
    }
    for (int given = replicas; given < samples(); ++given) {
        const auto i = static_cast<std::size_t>(std::min_element(next.begin(), next.end()) - next.begin());
        Share& share = shares[i];
        if (share.larger == kinds[i].second) {
            ++share.samples;
            share.larger = 1;
        } else {
            ++share.larger;
        }
        const int coming = share.samples + (share.larger == kinds[i].second ? 1 : 0);
        next[i] = pass_s(degree, run, share.kind, coming, true) + pass_s(degree, run, share.kind, coming, false);
    }
    for (const Share& share : shares)
        visit(share);
}

double OrderedCosts::pass_s(const Degree& degree, const StageRun& run, int kind, int share, bool forward) const
{
    if (share > samples())
        return std::numeric_limits<double>::infinity();
    const Kind& group = degree.kinds[at(kind)];
    const std::vector<double>& sums = forward ? group.forward : group.backward;
    const std::size_t row = at(share - 1) * at(layers_ + 1);
    return sums[row + at(run.end)] - sums[row + at(run.first)];
}

double OrderedCosts::forward_s(const StageRun& run) const
{
    const Degree& degree = *find(run.tensor_parallel);
    double slowest = 0;
    each_share(degree, run, [&](const Share& share) {
        slowest = std::max(slowest, pass_s(degree, run, share.kind, share.samples, true));
    });
    return slowest;
}

double OrderedCosts::backward_s(const StageRun& run) const
{
    const Degree& degree = *find(run.tensor_parallel);
    double slowest = 0;
    each_share(degree, run, [&](const Share& share) {
        slowest = std::max(slowest, pass_s(degree, run, share.kind, share.samples, false));
    });
    return slowest;
}

double OrderedCosts::stage_s(const StageRun& run) const
{
    const Degree& degree = *find(run.tensor_parallel);
    double forward = 0, backward = 0;
    each_share(degree, run, [&](const Share& share) {
        forward = std::max(forward, pass_s(degree, run, share.kind, share.samples, true));
        backward = std::max(backward, pass_s(degree, run, share.kind, share.samples, false));
    });
    return forward + backward;
}

double OrderedCosts::gradient_bytes(int first, int end, int tensor_parallel) const
{
    return range(find(tensor_parallel)->scattered, first, end);
}

double OrderedCosts::sync_s(const StageRun& run) const
{
    const int replicas = run.replicas();
    if (replicas < 2)
        return 0;
    const Degree& degree = *find(run.tensor_parallel);
    const CommunicationSpeed& speed = degree.rings[at(run.from)][at(replicas - 1)];
    return ring_pass_s(replicas, range(degree.scattered, run.first, run.end), speed)
           + ring_pass_s(replicas, range(degree.gathered, run.first, run.end), speed);
}

OrderedCosts::Bytes OrderedCosts::bytes_of(const Degree& degree, const StageRun& run) const
{
    Bytes bytes;
    bytes.state = range(degree.whole_state, run.first, run.end)
                  + range(degree.sharded_state, run.first, run.end) / run.replicas();
    bytes.stored = range(degree.stored, run.first, run.end);
    bytes.transient = degree.largest_transient[at(run.first) * at(layers_) + at(run.end - 1)];
    if (run.first > 0) {
        bytes.transient += degree.buffer[at(run.first - 1)];
        if (!degree.carried.empty())
            bytes.stored += degree.carried[at(run.first - 1)];
    }
    if (run.end < layers_)
        bytes.transient += degree.buffer[at(run.end - 1)];
    return bytes;
}

double OrderedCosts::state_bytes(const StageRun& run) const
{
    return bytes_of(*find(run.tensor_parallel), run).state;
}

double OrderedCosts::stored_bytes(const StageRun& run) const
{
    const Degree& degree = *find(run.tensor_parallel);
    int largest = 0;
    each_share(degree, run, [&](const Share& share) { largest = std::max(largest, share.samples); });
    return bytes_of(degree, run).stored * largest / samples();
}

double OrderedCosts::transient_bytes(const StageRun& run) const
{
    const Degree& degree = *find(run.tensor_parallel);
    int largest = 0;
    each_share(degree, run, [&](const Share& share) { largest = std::max(largest, share.samples); });
    return bytes_of(degree, run).transient * largest / samples();
}

int OrderedCosts::most_in_flight(const StageRun& run) const
{
    constexpr double plenty = 1e6;
    const Degree& degree = *find(run.tensor_parallel);
    const Bytes bytes = bytes_of(degree, run);
    double most = plenty;
    each_share(degree, run, [&](const Share& share) {
        const double part = static_cast<double>(share.samples) / samples();
        const double capacity = degree.kinds[at(share.kind)].capacity * (1 + 1e-12);
        const double room = capacity - bytes.state - part * bytes.transient;
        if (room < 0)
            most = 0;
        else if (room < plenty * part * bytes.stored)
            most = std::min(most, std::floor(room / (part * bytes.stored)));
    });
    return static_cast<int>(most);
}

Stage OrderedCosts::stage(const StageRun& run) const
{
    Stage stage;
    for (int i = run.from; i < run.to; ++i)
        stage.devices.push_back(problem_->device_ids[at(links_->order()[at(i)])]);
    stage.first_layer = run.first;
    stage.end_layer = run.end;
    stage.tensor_parallel = run.tensor_parallel;
    stage.recompute = setting_.recompute;
    if (links_->view() == CostView::as_published || run.replicas() < 2)
        return stage;
    const Degree& degree = *find(run.tensor_parallel);
    std::vector<Share> shares;
    each_share(degree, run, [&](const Share& share) { shares.push_back(share); });
    std::vector<int> samples_of_replica;
    for (int i = run.from; i < run.to; i += run.tensor_parallel) {
        const int kind = degree.kind_at[at(i)];
        Share& share = *std::find_if(shares.begin(), shares.end(), [&](const Share& s) { return s.kind == kind; });
        samples_of_replica.push_back(share.samples - (share.larger-- > 0 ? 0 : 1));
    }
    if (samples_of_replica != shares_of(stage, samples()))
        stage.shares = std::move(samples_of_replica);
    return stage;
}

}  // namespace nnpiper
