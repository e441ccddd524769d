// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/results/bar_runs.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace nnpiper {
namespace {

/// Collects ops narrower than a pixel that fall into one pixel column, joining equal neighbours.
class ColumnMerger {
public:
    explicit ColumnMerger(std::vector<BarRun>& runs)
        : runs_(runs)
    {
    }

    void add(double left, double right, OpKind kind, int index)
    {
        const double column = std::floor(left);
        if (count_ > 0 && column != column_)
            flush();
        if (count_ == 0) {
            column_ = column;
            first_ = index;
            busy_ = {};
        }
        busy_[static_cast<std::size_t>(kind)] += right - left;
        ++count_;
    }

    void flush()
    {
        if (count_ == 0)
            return;
        const auto longest = std::max_element(busy_.begin(), busy_.end());
        const auto kind = static_cast<OpKind>(longest - busy_.begin());
        BarRun* last = runs_.empty() ? nullptr : &runs_.back();
        const double busy = std::accumulate(busy_.begin(), busy_.end(), 0.0);
        const double filled = std::clamp(std::round(busy * 8), 1.0, 8.0) / 8;
        const bool joins =
            last && last->count > 1 && last->kind == kind && last->filled == filled && last->right >= column_;
        if (joins) {
            last->right = column_ + 1;
            last->count += count_;
        } else {
            runs_.push_back({column_, column_ + 1, kind, first_, count_, filled});
        }
        count_ = 0;
    }

private:
    std::vector<BarRun>& runs_;
    double column_ = 0;
    int first_ = -1;
    int count_ = 0;
    std::array<double, 4> busy_{};
};

}  // namespace

std::vector<BarRun> barRuns(std::span<const TimelineOp> row, const TimeScale& scale)
{
    std::vector<BarRun> runs;
    const auto begin =
        std::partition_point(row.begin(), row.end(), [&](const TimelineOp& op) { return op.end_s < scale.startS; });
    ColumnMerger merger(runs);
    for (auto it = begin; it != row.end() && it->start_s <= scale.endS(); ++it) {
        const double left = scale.toPixel(it->start_s);
        const double right = scale.toPixel(it->end_s);
        const int index = static_cast<int>(it - row.begin());
        if (right - left >= 1) {
            merger.flush();
            runs.push_back({left, right, it->kind, index, 1, 1});
        } else {
            merger.add(left, right, it->kind, index);
        }
    }
    merger.flush();
    return runs;
}

std::vector<TickRun> tickRuns(const Timeline& timeline, std::span<const int> row, const TimeScale& scale,
                              double minimumWidth)
{
    std::vector<TickRun> runs;
    const auto transfer = [&](int i) -> const TimelineTransfer& {
        return timeline.transfers[static_cast<std::size_t>(i)];
    };
    // Starts are sorted, ends are nearly so: look a little further back than the first start on screen.
    const double reach = scale.spanS;
    const auto begin =
        std::partition_point(row.begin(), row.end(), [&](int i) { return transfer(i).start_s < scale.startS - reach; });
    for (auto it = begin; it != row.end() && transfer(*it).start_s <= scale.endS(); ++it) {
        const TimelineTransfer& t = transfer(*it);
        if (t.sent_s < scale.startS)
            continue;
        const double left = scale.toPixel(t.start_s);
        const double right = std::max(scale.toPixel(t.sent_s), left + minimumWidth);
        TickRun* last = runs.empty() ? nullptr : &runs.back();
        const bool narrow = last && last->right - last->left <= minimumWidth * 2;
        if (last && left < last->right && (narrow || last->count > 1) && right - left <= minimumWidth * 2) {
            last->right = std::max(last->right, right);
            ++last->count;
        } else {
            runs.push_back({left, right, t.backward, *it, 1});
        }
    }
    return runs;
}

}  // namespace nnpiper
