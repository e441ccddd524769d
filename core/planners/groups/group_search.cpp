// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/planners/groups/group_search.h"

#include "core/planners/groups/group_moves.h"
#include "core/planners/groups/run_starts.h"
#include "core/problem/pipeline.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace nnpiper {

namespace {

constexpr std::size_t kept_starts = 6;
constexpr std::size_t kept_tracks = 4;
/// Tracks for which orders are cut into runs, and starts of each order.
constexpr std::size_t run_tracks = 4;
constexpr std::size_t kept_runs = 2;
/// A track whose best start is that many times worse than the best of all gets no more of them.
constexpr double hopeless = 1.15;
/// Evaluations without anything better after which the search ends, a layer and device and at most.
constexpr long patience = 2000;
constexpr long most_patience = 600000;
/// Of the time that is left, for the long walk of each of the two best tracks.
constexpr double walk_part = 0.3;
/// Temperature, in parts of the score, from which a walk gets anywhere; it needs so many moves a device to cool again.
constexpr double hottest = 3e-2;
constexpr double many_moves = 4000;

std::size_t at(int i)
{
    return static_cast<std::size_t>(i);
}

bool better(double score, double than)
{
    return score < than * (1 - 1e-12);
}

void sort_starts(std::vector<ScoredGroups>& starts)
{
    std::stable_sort(starts.begin(), starts.end(), [](const auto& a, const auto& b) { return a.score < b.score; });
}

void sort_tracks(std::vector<GroupTrack>& tracks)
{
    std::stable_sort(tracks.begin(), tracks.end(),
                     [](const auto& a, const auto& b) { return a.best.score < b.best.score; });
}

/// Tries a change of `chain` and takes it back unless it helps.
class Steps {
public:
    Steps(GroupEvaluator& evaluator, GroupChain& chain, double score)
        : evaluator_(evaluator)
        , chain_(chain)
        , score_(score)
    {
    }

    double score() const { return score_; }

    void shift(int low, int high, int by)
    {
        const auto move = [&](int layers) {
            for (int s = low; s < high; ++s)
                chain_.stages[at(s)].end += layers;
        };
        move(by);
        for (int s = low; s <= high; ++s) {
            if (chain_.stages[at(s)].end <= chain_.first(s)) {
                move(-by);
                return;
            }
        }
        if (!helps())
            move(-by);
    }

    void policy(int s, Recompute policy)
    {
        const Recompute before = chain_.stages[at(s)].recompute;
        if (policy == before)
            return;
        chain_.stages[at(s)].recompute = policy;
        if (!helps())
            chain_.stages[at(s)].recompute = before;
    }

    void share(int s, int from, int to)
    {
        auto& shares = chain_.stages[at(s)].shares;
        if (shares[at(from)] < 2)
            return;
        --shares[at(from)];
        ++shares[at(to)];
        if (!helps()) {
            ++shares[at(from)];
            --shares[at(to)];
        }
    }

    bool improved = false;

private:
    bool helps()
    {
        const double score = evaluator_.price(chain_, score_).score();
        if (!better(score, score_))
            return false;
        score_ = score;
        improved = true;
        return true;
    }

    GroupEvaluator& evaluator_;
    GroupChain& chain_;
    double score_;
};

}  // namespace

double polish(GroupEvaluator& evaluator, GroupChain& chain, double score, const Control& control)
{
    Steps steps(evaluator, chain, score);
    const auto& policies = evaluator.times().policies();
    do {
        steps.improved = false;
        for (int s = 0; s < chain.size() && !control.should_stop(); ++s) {
            for (int to = s + 1; to < std::min(chain.size(), s + 4); ++to) {
                steps.shift(s, to, -1);
                steps.shift(s, to, 1);
            }
            for (const Recompute policy : policies)
                steps.policy(s, policy);
            const int replicas = chain.stages[at(s)].replicas();
            for (int r = 0; r + 1 < replicas; ++r) {
                steps.share(s, r, r + 1);
                steps.share(s, r + 1, r);
            }
        }
    } while (steps.improved && !control.should_stop());
    return steps.score();
}

ScoredGroups anneal(GroupEvaluator& evaluator, const ScoredGroups& start, Random& random, long steps,
                    double temperature, const Control& control, bool in_time)
{
    ScoredGroups best = start;
    GroupChain current = start.chain;
    double current_walk = evaluator.price(current).walk();
    if (!std::isfinite(current_walk))
        current_walk = std::numeric_limits<double>::max();
    const double scale = std::min(current_walk, 1e9);
    GroupChain trial = current;
    GroupMoves moves(evaluator, random);
    const double cooling = std::pow(1e-3, 1.0 / static_cast<double>(std::max(1L, steps)));
    const double time_ms = control.deadline.remaining_ms();
    double heat = scale * temperature;
    for (long step = 0, looked = 0; step < steps; ++step, heat *= cooling) {
        if (step >= looked) {
            if (control.should_stop())
                break;
            if (in_time && std::isfinite(time_ms)) {
                const double passed = 1 - control.deadline.remaining_ms() / time_ms;
                const auto due = std::min(steps, static_cast<long>(passed * static_cast<double>(steps)));
                heat *= due > step ? std::pow(cooling, static_cast<double>(due - step)) : 1;
                step = std::max(step, due);
            }
            looked = step + 64;
        }
        trial = current;
        if (!moves.move(trial))
            continue;
        // The Metropolis rule with its random number drawn first, so that hopeless chains need no simulation.
        const double limit = current_walk - heat * std::log(std::max(1e-300, random.uniform()));
        const GroupPrice price = evaluator.price(trial, limit);
        if (!(price.walk() <= limit))
            continue;
        std::swap(current, trial);
        current_walk = price.walk();
        if (const double score = price.score(); better(score, best.score)) {
            best.chain = current;
            best.score = score;
        }
    }
    return best;
}

namespace {

GroupTrack& track_of(std::vector<GroupTrack>& tracks, const Problem& problem, const GroupSetting& setting)
{
    for (GroupTrack& track : tracks) {
        const GroupSetting& own = track.evaluator->setting();
        if (own.micro_batch_samples == setting.micro_batch_samples && own.schedule == setting.schedule)
            return track;
    }
    tracks.push_back({std::make_unique<GroupEvaluator>(problem, setting), {}, {}});
    return tracks.back();
}

void settle(GroupTrack& track)
{
    sort_starts(track.starts);
    if (track.starts.size() > kept_starts)
        track.starts.resize(kept_starts);
    if (track.starts.empty())
        track.best.score = std::numeric_limits<double>::infinity();
    else
        track.best = track.starts.front();
}

/// The usual number of micro-batches first: it is there when time runs out.
std::vector<GroupSetting> open_settings(const Problem& problem)
{
    const Variant& usual = problem.variants[at(problem.default_variant)];
    std::vector<GroupSetting> settings{
        {usual.micro_batch_samples, usual.micro_batches, problem.schedule.value_or(ScheduleKind::one_f_one_b)}};
    for (const Variant& variant : problem.variants) {
        const bool known = std::any_of(settings.begin(), settings.end(), [&](const GroupSetting& other) {
            return other.micro_batch_samples == variant.micro_batch_samples;
        });
        if (problem.micro_batch_free && !known)
            settings.push_back({variant.micro_batch_samples, variant.micro_batches, settings.front().schedule});
    }
    return settings;
}

}  // namespace

void add_start(std::vector<GroupTrack>& tracks, const Problem& problem, const Plan& plan)
{
    if (plan.stages.empty() || plan.chunks_per_device != 1 || !plan.launch_counts.empty()
        || (plan.schedule != ScheduleKind::one_f_one_b && plan.schedule != ScheduleKind::gpipe)
        || !validate(problem, plan).empty())
        return;
    GroupTrack& track = track_of(tracks, problem, group_setting(problem, plan));
    ScoredGroups start{to_groups(problem, plan), 0};
    start.score = track.evaluator->price(start.chain).score();
    track.starts.push_back(std::move(start));
    settle(track);
    sort_tracks(tracks);
}

void add_run_starts(std::vector<GroupTrack>& tracks, const Problem& problem,
                    const std::vector<std::vector<int>>& orders, const Control& control)
{
    // Those that plain shapes had no time for have a chance, too.
    for (const GroupSetting& setting : open_settings(problem)) {
        if (tracks.size() >= run_tracks || control.should_stop())
            break;
        if (GroupTrack& track = track_of(tracks, problem, setting); track.starts.empty())
            settle(track);
    }
    // Order by order, so that time that is short is shared; after the first only for tracks that have a chance.
    double best = std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < orders.size(); ++k) {
        for (std::size_t i = 0; i < std::min(run_tracks, tracks.size()) && !control.should_stop(); ++i) {
            GroupTrack& track = tracks[i];
            if (k > 0 && track.best.score > hopeless * best)
                continue;
            for (ScoredGroups& start : run_groups(*track.evaluator, {orders[k]}, kept_runs, control))
                track.starts.push_back(std::move(start));
            settle(track);
            best = std::min(best, track.best.score);
        }
    }
    std::erase_if(tracks, [](const GroupTrack& track) { return track.starts.empty(); });
    sort_tracks(tracks);
}

std::vector<GroupTrack> group_tracks(const Problem& problem, const Control& control)
{
    std::vector<GroupTrack> tracks;
    const auto settings = open_settings(problem);
    for (std::size_t i = 0; i < settings.size(); ++i) {
        if (!tracks.empty() && control.should_stop())
            break;
        GroupTrack& track = track_of(tracks, problem, settings[i]);
        Control part = control;
        if (const double left = control.deadline.remaining_ms(); std::isfinite(left))
            part.deadline = Deadline::after_ms(left / static_cast<double>(settings.size() - i));
        for (ScoredGroups& start : plain_groups(*track.evaluator, kept_starts, part))
            track.starts.push_back(std::move(start));
    }
    std::erase_if(tracks, [](const GroupTrack& track) { return track.starts.empty(); });
    for (GroupTrack& track : tracks)
        settle(track);
    sort_tracks(tracks);
    return tracks;
}

namespace {

/// The chain with micro-batches of another size; false when a stage has more replicas than those have samples.
bool moved(const GroupChain& chain, GroupEvaluator& evaluator, ScoredGroups& to, const Control& control)
{
    to.chain = chain;
    for (int s = 0; s < chain.size(); ++s) {
        if (chain.stages[at(s)].replicas() > evaluator.times().samples())
            return false;
        evaluator.balance(to.chain.stages[at(s)], chain.first(s));
    }
    to.score = evaluator.price(to.chain).score();
    to.score = polish(evaluator, to.chain, to.score, control);
    return true;
}

}  // namespace

long moves_in(double milliseconds, const GroupEvaluator& evaluator, int stages)
{
    constexpr double most_moves = 2e7;
    const double devices = evaluator.problem().devices();
    const double move_us = 0.4 + 0.06 * devices + 0.004 * (evaluator.setting().micro_batches + stages);
    return static_cast<long>(std::clamp(1000 * milliseconds / move_us, 1.0, most_moves));
}

std::vector<Plan> search_groups(const Problem& problem, std::vector<GroupTrack> tracks, std::uint64_t seed,
                                const Control& control)
{
    Random random(seed);
    if (tracks.size() > kept_tracks)
        tracks.resize(kept_tracks);
    const double budget = control.deadline.remaining_ms();
    for (GroupTrack& track : tracks) {
        for (ScoredGroups& start : track.starts) {
            if (control.should_stop()
                || (&start != &track.starts.front() && control.deadline.remaining_ms() < 0.8 * budget))
                break;
            start.score = polish(*track.evaluator, start.chain, start.score, control);
        }
        sort_starts(track.starts);
        track.best = track.starts.front();
    }
    sort_tracks(tracks);
    const auto evaluations = [&] {
        long all = 0;
        for (const GroupTrack& track : tracks)
            all += track.evaluator->evaluations();
        return all;
    };
    long last_found = evaluations();
    double best = tracks.empty() ? 0 : tracks.front().best.score;
    double length = 1;
    const long quiet = std::min(most_patience, patience * problem.layers() * problem.devices());
    // A long walk on the two best first: it finds what short ones do not. The fewer its moves, the nearer it stays.
    for (std::size_t i = 0; i < std::min<std::size_t>(2, tracks.size()) && !control.should_stop(); ++i) {
        GroupTrack& track = tracks[i];
        const double ms = walk_part * control.deadline.remaining_ms();
        const long moves = std::min(quiet, moves_in(ms, *track.evaluator, track.best.chain.size()));
        const double temperature =
            hottest * std::clamp(static_cast<double>(moves) / (many_moves * problem.devices()), 0.1, 1.0);
        Control part = control;
        part.deadline = Deadline::after_ms(ms);
        ScoredGroups found = anneal(*track.evaluator, track.best, random, moves, temperature, part, true);
        found.score = polish(*track.evaluator, found.chain, found.score, control);
        if (better(found.score, track.best.score))
            track.best = std::move(found);
    }
    sort_tracks(tracks);
    for (int round = 0; !control.should_stop() && !tracks.empty() && evaluations() - last_found < quiet; ++round) {
        // Half of the rounds on the best track, the others in turn.
        GroupTrack& track = round % 2 == 0 ? tracks.front() : tracks[at(round / 2) % tracks.size()];
        const long steps = static_cast<long>(length * (60.0 * track.best.chain.size() + 600));
        ScoredGroups start = track.best;
        double temperature = round % 4 < 2 ? 2e-3 : 1e-2;
        if (round % 6 == 5) {
            start = track.starts[at(random.below(static_cast<int>(track.starts.size())))];
            temperature = hottest;
        }
        ScoredGroups found = anneal(*track.evaluator, start, random, steps, temperature, control);
        found.score = polish(*track.evaluator, found.chain, found.score, control);
        if (better(found.score, track.best.score))
            track.best = std::move(found);
        if (round % 6 == 5) {
            length *= 1.3;
            sort_tracks(tracks);
            for (std::size_t i = 1; i < tracks.size() && !control.should_stop(); ++i) {
                ScoredGroups other;
                if (moved(tracks.front().best.chain, *tracks[i].evaluator, other, control)
                    && better(other.score, tracks[i].best.score))
                    tracks[i].best = std::move(other);
            }
        }
        sort_tracks(tracks);
        if (better(tracks.front().best.score, best)) {
            best = tracks.front().best.score;
            last_found = evaluations();
        }
    }
    std::vector<Plan> plans;
    for (const GroupTrack& track : tracks)
        plans.push_back(to_plan(problem, track.evaluator->setting(), track.best.chain, {}));
    return plans;
}

}  // namespace nnpiper
