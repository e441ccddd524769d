// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/planners/chains/kind_chain.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>

namespace nnpiper {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
/// Above this many reached states the least total is not looked for.
constexpr std::size_t most_totals = 20'000'000;

std::size_t at(int i)
{
    return static_cast<std::size_t>(i);
}

/// Suffixes of the model are built from the last stage on, so that the stages behind are counted by what is used.
/// A state is (devices used of every kind, kind of the suffix's first stage, its first layer); the first layers that
/// can be reached under a limit are one row of bits.
class SuffixSearch {
public:
    SuffixSearch(const KindCosts& costs, std::optional<int> stages)
        : costs_(costs)
        , kinds_(costs.kinds())
        , layers_(costs.layers)
        , words_(at(layers_) / 64 + 1)
        , total_devices_(std::accumulate(costs.count.begin(), costs.count.end(), 0))
        , most_stages_(std::min(stages.value_or(total_devices_), std::min(total_devices_, layers_)))
        , wanted_(stages)
    {
        for (const int n : costs.count) {
            radix_.push_back(uses_);
            uses_ *= at(n) + 1;
        }
        for (std::size_t u = 0; u < uses_; ++u) {
            int sum = 0;
            for (int k = 0; k < kinds_; ++k)
                sum += used(u, k);
            stages_.push_back(sum);
        }
        memory_masks();
    }

    /// Whether the whole model can be cut with every stage and round trip at most `limit`. Fills the reached rows, with
    /// `all` to the end, else until the first whole model.
    bool reach(double limit, bool all, const Control& control)
    {
        limit_ = limit;
        masks();
        if (most_layers(0) < layers_)
            return false;
        rows_.assign(uses_ * at(kinds_) * words_, 0);
        for (std::size_t u = 0; u < uses_; ++u) {
            if (u % 256 == 0 && control.should_stop())
                return false;
            if (stages_[u] >= most_stages_)
                continue;
            for (int d = 0; d < kinds_; ++d) {
                if (used(u, d) == costs_.count[at(d)])
                    continue;
                const std::size_t next = u + radix_[at(d)];
                std::uint64_t* const target = row(next, d);
                if (u == 0)
                    join(target, mask(0, d, layers_));
                for (int c = 0; c < kinds_ && u > 0; ++c)
                    prepend(u, c, d, target);
                if (!all && has(target, 0) && (!wanted_ || stages_[next] == *wanted_))
                    return true;
            }
        }
        return first_state().has_value();
    }

    /// A chain under the last reached limit, with as few stages as there are.
    KindChain any_chain() const
    {
        const auto [u0, c0] = *first_state();
        KindChain chain;
        std::size_t u = u0;
        int c = c0, first = 0;
        while (true) {
            chain.kind.push_back(c);
            const std::size_t rest = u - radix_[at(c)];
            const auto [end, next] = successor(rest, c, first);
            chain.end.push_back(end);
            if (end == layers_)
                break;
            u = rest;
            c = next;
            first = end;
        }
        return chain;
    }

    /// The chain of least total under the last reached limit; empty when time ran out or the table grows too large.
    std::optional<KindChain> cheapest_chain(const Control& control) const;

private:
    struct State {
        std::size_t use = 0;
        int kind = 0;
    };

    int used(std::size_t u, int kind) const
    {
        return static_cast<int>(u / radix_[at(kind)] % (at(costs_.count[at(kind)]) + 1));
    }
    std::uint64_t* row(std::size_t u, int kind) { return rows_.data() + (u * at(kinds_) + at(kind)) * words_; }
    const std::uint64_t* row(std::size_t u, int kind) const
    {
        return rows_.data() + (u * at(kinds_) + at(kind)) * words_;
    }
    static bool has(const std::uint64_t* bits, int i) { return bits[at(i) / 64] >> (at(i) % 64) & 1; }
    static void set(std::uint64_t* bits, int i) { bits[at(i) / 64] |= std::uint64_t{1} << (at(i) % 64); }
    void join(std::uint64_t* target, const std::uint64_t* source) const
    {
        for (std::size_t w = 0; w < words_; ++w)
            target[w] |= source[w];
    }
    double work(int kind, int first, int end) const
    {
        return costs_.work_s[at(kind)][at(end)] - costs_.work_s[at(kind)][at(first)];
    }
    double round_trip(int from, int to, int cut) const { return costs_.round_trip_s[at(from)][at(to)][at(cut)]; }

    std::size_t mask_index(int behind, int kind, int end) const
    {
        return ((at(behind) * at(kinds_) + at(kind)) * at(layers_ + 1) + at(end)) * words_;
    }
    /// First layers of a stage that ends before `end`.
    const std::uint64_t* mask(int behind, int kind, int end) const
    {
        return masks_.data() + mask_index(behind, kind, end);
    }

    /// Layers that the devices not used yet can hold at most under the limit.
    int most_layers(std::size_t u) const
    {
        int layers = 0;
        for (int k = 0; k < kinds_; ++k)
            layers += (costs_.count[at(k)] - used(u, k)) * longest_[at(k)];
        return layers;
    }

    /// Puts a stage of kind d in front of the suffixes (u, c). Those that the rest cannot complete are left out.
    void prepend(std::size_t u, int c, int d, std::uint64_t* target) const
    {
        const std::uint64_t* const reached = row(u, c);
        const std::uint64_t* const passable = passable_.data() + at(d * kinds_ + c) * words_;
        const std::size_t last = at(std::min(most_layers(u), layers_));
        for (std::size_t w = 0; w <= last / 64; ++w) {
            std::uint64_t bits = reached[w] & passable[w];
            if (w == last / 64 && last % 64 != 63)
                bits &= (std::uint64_t{2} << (last % 64)) - 1;
            for (; bits != 0; bits &= bits - 1)
                join(target, mask(stages_[u], d, static_cast<int>(w * 64) + std::countr_zero(bits)));
        }
    }

    void memory_masks()
    {
        fitting_.assign(at(most_stages_) * at(kinds_) * at(layers_ + 1) * words_, 0);
        for (int k = 0; k < kinds_; ++k) {
            for (int end = 1; end <= layers_; ++end) {
                for (int first = 0; first < end; ++first) {
                    const int fitting = behind_that_fit(k, first, end);
                    for (int behind = 0; behind < fitting; ++behind)
                        set(fitting_.data() + mask_index(behind, k, end), first);
                }
            }
        }
    }

    /// For how many numbers of stages behind, from 0 on, a stage fits.
    int behind_that_fit(int kind, int first, int end) const
    {
        if (!costs_.fits || costs_.fits(kind, most_stages_ - 1, first, end))
            return most_stages_;
        int low = 0, high = most_stages_ - 1;
        while (low < high) {
            const int middle = low + (high - low) / 2;
            if (costs_.fits(kind, middle, first, end))
                low = middle + 1;
            else
                high = middle;
        }
        return low;
    }

    void masks()
    {
        masks_ = fitting_;
        longest_.assign(at(kinds_), 0);
        for (int k = 0; k < kinds_; ++k) {
            int first = 0;
            for (int end = 1; end <= layers_; ++end) {
                while (first < end && work(k, first, end) > limit_)
                    ++first;
                longest_[at(k)] = std::max(longest_[at(k)], end - first);
                for (int behind = 0; behind < most_stages_; ++behind) {
                    std::uint64_t* const bits = masks_.data() + mask_index(behind, k, end);
                    std::fill(bits, bits + at(first) / 64, 0);
                    bits[at(first) / 64] &= ~((std::uint64_t{1} << (at(first) % 64)) - 1);
                }
            }
        }
        passable_.assign(at(kinds_ * kinds_) * words_, 0);
        for (int d = 0; d < kinds_; ++d) {
            for (int c = 0; c < kinds_; ++c) {
                for (int cut = 1; cut < layers_; ++cut)
                    if (round_trip(d, c, cut) <= limit_)
                        set(passable_.data() + at(d * kinds_ + c) * words_, cut);
            }
        }
    }

    /// Whole models that were reached, with the fewest stages.
    std::optional<State> first_state() const
    {
        std::optional<State> found;
        for (std::size_t u = 1; u < uses_; ++u) {
            if ((wanted_ && stages_[u] != *wanted_) || (found && stages_[u] >= stages_[found->use]))
                continue;
            for (int c = 0; c < kinds_; ++c) {
                if (has(row(u, c), 0)) {
                    found = State{u, c};
                    break;
                }
            }
        }
        return found;
    }

    /// Where a stage of kind c that begins at `first` may end, and the kind of the stage behind it.
    std::pair<int, int> successor(std::size_t rest, int c, int first) const
    {
        const int behind = stages_[rest];
        if (behind == 0)
            return {layers_, 0};
        for (int end = first + 1; end < layers_; ++end) {
            if (!has(mask(behind, c, end), first))
                continue;
            for (int next = 0; next < kinds_; ++next) {
                if (used(rest, next) > 0 && has(row(rest, next), end)
                    && has(passable_.data() + at(c * kinds_ + next) * words_, end))
                    return {end, next};
            }
        }
        return {layers_, 0};
    }

    const KindCosts& costs_;
    int kinds_;
    int layers_;
    std::size_t words_;
    int total_devices_;
    int most_stages_;
    std::optional<int> wanted_;
    std::size_t uses_ = 1;
    std::vector<std::size_t> radix_;       ///< [kind]
    std::vector<int> stages_;              ///< [use] devices used
    std::vector<std::uint64_t> fitting_;   ///< by memory, see mask()
    std::vector<std::uint64_t> masks_;     ///< by memory and limit
    std::vector<int> longest_;             ///< [kind] layers that one stage can hold under the limit
    std::vector<std::uint64_t> passable_;  ///< [from][to] cuts within the limit
    std::vector<std::uint64_t> rows_;      ///< [use][kind] first layers reached
    double limit_ = infinite;
};

std::optional<KindChain> SuffixSearch::cheapest_chain(const Control& control) const
{
    // Values are kept for reached states only, row by row.
    std::vector<std::size_t> offset(uses_ * at(kinds_) + 1, 0);
    for (std::size_t r = 0; r + 1 < offset.size(); ++r) {
        offset[r + 1] = offset[r];
        for (std::size_t w = 0; w < words_; ++w)
            offset[r + 1] += static_cast<std::size_t>(std::popcount(rows_[r * words_ + w]));
    }
    if (offset.back() > most_totals)
        return std::nullopt;
    const auto index = [&](std::size_t u, int c, int first) {
        const std::size_t r = u * at(kinds_) + at(c);
        std::size_t place = offset[r];
        for (std::size_t w = 0; w < at(first) / 64; ++w)
            place += static_cast<std::size_t>(std::popcount(rows_[r * words_ + w]));
        const std::uint64_t below = (std::uint64_t{1} << (at(first) % 64)) - 1;
        return place + static_cast<std::size_t>(std::popcount(rows_[r * words_ + at(first) / 64] & below));
    };
    std::vector<double> total(offset.back(), infinite);
    struct Choice {
        std::int16_t end = 0;
        std::int16_t kind = 0;
    };
    std::vector<Choice> choice(total.size());
    const auto extend = [&](std::size_t u, int d, int end, double behind_s, int next) {
        const std::uint64_t* const bits = mask(stages_[u], d, end);
        const std::size_t target = u + radix_[at(d)];
        for (int first = end - 1; first >= 0 && work(d, first, end) <= limit_; --first) {
            if (!has(bits, first))
                continue;
            const std::size_t cell = index(target, d, first);
            if (const double sum = behind_s + work(d, first, end); sum < total[cell]) {
                total[cell] = sum;
                choice[cell] = {static_cast<std::int16_t>(end), static_cast<std::int16_t>(next)};
            }
        }
    };
    for (std::size_t u = 0; u < uses_; ++u) {
        if (u % 64 == 0 && control.should_stop())
            return std::nullopt;
        if (stages_[u] >= most_stages_)
            continue;
        const int last = std::min(most_layers(u), layers_ - 1);
        for (int d = 0; d < kinds_; ++d) {
            if (used(u, d) == costs_.count[at(d)])
                continue;
            if (u == 0)
                extend(u, d, layers_, 0, 0);
            for (int c = 0; c < kinds_ && u > 0; ++c) {
                for (int cut = 1; cut <= last; ++cut) {
                    if (has(row(u, c), cut) && round_trip(d, c, cut) <= limit_)
                        extend(u, d, cut, total[index(u, c, cut)] + round_trip(d, c, cut), c);
                }
            }
        }
    }
    double least = infinite;
    State best;
    for (std::size_t u = 1; u < uses_; ++u) {
        for (int c = 0; c < kinds_ && (!wanted_ || stages_[u] == *wanted_); ++c) {
            if (has(row(u, c), 0) && total[index(u, c, 0)] < least) {
                least = total[index(u, c, 0)];
                best = {u, c};
            }
        }
    }
    if (least == infinite)
        return std::nullopt;
    KindChain chain;
    for (int first = 0; first < layers_;) {
        const Choice chosen = choice[index(best.use, best.kind, first)];
        chain.kind.push_back(best.kind);
        chain.end.push_back(chosen.end);
        best = {best.use - radix_[at(best.kind)], chosen.kind};
        first = chosen.end;
    }
    return chain;
}

/// Every value that a bottleneck can have, ascending.
std::vector<double> candidates_of(const KindCosts& costs)
{
    std::vector<double> values;
    for (int k = 0; k < costs.kinds(); ++k) {
        const auto& work = costs.work_s[at(k)];
        for (int first = 0; first < costs.layers; ++first) {
            for (int end = first + 1; end <= costs.layers; ++end)
                values.push_back(work[at(end)] - work[at(first)]);
        }
        for (int other = 0; other < costs.kinds(); ++other) {
            for (int cut = 1; cut < costs.layers; ++cut)
                values.push_back(costs.round_trip_s[at(k)][at(other)][at(cut)]);
        }
    }
    std::erase_if(values, [](double value) { return !std::isfinite(value); });
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    return values;
}

/// Whether stages of at most `limit` could hold all layers if they could be cut anywhere.
bool can_hold(const KindCosts& costs, double limit)
{
    int layers = 0;
    for (int k = 0; k < costs.kinds(); ++k) {
        const auto& work = costs.work_s[at(k)];
        int longest = 0;
        for (int first = 0, end = 0; first < costs.layers; ++first) {
            while (end < costs.layers && work[at(end + 1)] - work[at(first)] <= limit)
                ++end;
            longest = std::max(longest, end - first);
        }
        layers += costs.count[at(k)] * longest;
    }
    return layers >= costs.layers;
}

void add_figures(const KindCosts& costs, KindChain& chain)
{
    int first = 0;
    for (std::size_t s = 0; s < chain.kind.size(); ++s) {
        const auto& work = costs.work_s[at(chain.kind[s])];
        const double own = work[at(chain.end[s])] - work[at(first)];
        chain.total_s += own;
        chain.bottleneck_s = std::max(chain.bottleneck_s, own);
        if (s + 1 < chain.kind.size()) {
            const double trip = costs.round_trip_s[at(chain.kind[s])][at(chain.kind[s + 1])][at(chain.end[s])];
            chain.total_s += trip;
            chain.bottleneck_s = std::max(chain.bottleneck_s, trip);
        }
        first = chain.end[s];
    }
}

}  // namespace

double KindCosts::uses() const
{
    double product = 1;
    for (const int n : count)
        product *= n + 1;
    return product;
}

std::optional<KindChain> bottleneck_chain(const KindCosts& costs, std::optional<int> stages, const Control& control,
                                          bool* complete)
{
    if (complete)
        *complete = false;
    const std::vector<double> values = candidates_of(costs);
    SuffixSearch search(costs, stages);
    std::optional<KindChain> best;
    // Below `low` the devices could not hold the layers even if every cut were free.
    std::size_t low = 0;
    for (std::size_t above = values.size(); low < above;) {
        const std::size_t middle = low + (above - low) / 2;
        if (can_hold(costs, values[middle]))
            above = middle;
        else
            low = middle + 1;
    }
    if (low == values.size())
        return best;
    // Upwards in growing strides to a limit under which there is a chain, then between the last two.
    std::size_t high = low;
    for (double factor = 1.02; !best; factor = 1 + 2 * (factor - 1)) {
        if (search.reach(values[high], false, control)) {
            best = search.any_chain();
            break;
        }
        if (control.should_stop() || high + 1 == values.size())
            return best;
        low = high + 1;
        const auto next = std::lower_bound(values.begin(), values.end(), values[high] * factor) - values.begin();
        high = std::clamp(static_cast<std::size_t>(next), low, values.size() - 1);
    }
    while (low < high && !control.should_stop()) {
        const std::size_t middle = low + (high - low) / 2;
        if (search.reach(values[middle], false, control)) {
            high = middle;
            best = search.any_chain();
        } else if (!control.should_stop()) {
            low = middle + 1;
        }
    }
    if (search.reach(values[high], true, control)) {
        if (auto cheapest = search.cheapest_chain(control)) {
            best = std::move(cheapest);
            if (complete)
                *complete = low == high;
        }
    }
    add_figures(costs, *best);
    return best;
}

}  // namespace nnpiper
