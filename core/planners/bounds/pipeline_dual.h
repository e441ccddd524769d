// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>
#include <vector>

namespace nnpiper {

/// Least costs of any plan with one size of micro-batch, as the bound needs them. Seconds of one micro-batch.
struct LeastCosts {
    int devices = 0;                       ///< D that may be used
    int micro_batches = 1;                 ///< M
    std::vector<double> time;              ///< [row][device] device-seconds of one layer, forward and backward
    std::vector<double> count;             ///< [row] layers that cost so
    std::vector<double> pass;              ///< [row] shortest time in which one micro-batch goes there and back
    bool single_devices = true;            ///< no replicas, no tensor parallelism: a stage is one device
    std::vector<double> transfers;         ///< [stages] least sum of all transfers there and back; infinite: no such chain
    std::vector<double> largest_transfer;  ///< [stages] there and back at the boundary where that is most, at least
    std::vector<double> largest_occupancy; ///< [stages] of one direction of a boundary, at least
    double transfer = 0;                   ///< least transfer there and back at one boundary

    int rows() const { return static_cast<int>(count.size()); }
    std::span<const double> row(int r) const
    {
        return {time.data() + static_cast<std::size_t>(r) * static_cast<std::size_t>(devices),
                static_cast<std::size_t>(devices)};
    }
};

/// What a schedule makes sure of, S stages.
struct ScheduleRules {
    double fill = 0;                  ///< stage s starts and ends with the transfers and this part of the time of all stages before it
    bool round_trip = false;          ///< the backward pass is whole and a device has one stage, so the rules below hold
    std::vector<double> remaining;    ///< [stage] stage times that its device still works outside of one micro-batch's round trip
    double rounds = 1;                ///< round trips through the whole pipeline that follow each other
    double boundary_rounds = 1;       ///< round trips over any one boundary that follow each other
};

/// How much the stages' weights can take of the makespan: sum_s w_s T_s <= H x this, by the rules `start` and, behind a
/// round trip's time, `trip` of pipeline_dual.cpp. Stages heaviest first.
double start_room(std::span<const double> stage_weights, double fill, int micro_batches);
double trip_room(std::span<const double> stage_weights, std::span<const double> remaining);

/// Lower bound of the makespan of every plan with a fixed number of stages, by weak duality (see pipeline_dual.cpp).
class PipelineDual {
public:
    PipelineDual(const LeastCosts& costs, int stages, ScheduleRules rules);

    /// Best bound so far; starts with weights in proportion to device speed.
    double bound() const { return best_; }
    /// Weights that gave it, one a device.
    const std::vector<double>& weights() const { return best_weights_; }
    /// Whether more steps may still help.
    bool open() const { return open_; }
    /// `steps` subgradient steps on the devices' weights.
    void improve(int steps);
    /// Multiply-adds spent so far.
    double work() const { return work_; }

private:
    double evaluate(std::span<const double> weights, double pass_weight, std::vector<double>* gradient);
    double pass_bound() const;
    double layer_bound(double trip) const;
    void sort_stages(std::span<const double> weights);
    double start_bound(double total, double pass_weight, bool use_transfers, std::vector<double>* slope) const;
    double trip_bound(double total, double pass_weight, std::vector<double>* slope) const;

    const LeastCosts& costs_;
    int stages_;
    ScheduleRules rules_;
    std::vector<double> weights_, best_weights_;
    double pass_weight_ = 0;
    std::vector<int> order_;            ///< devices, heaviest first
    std::vector<double> stage_weight_;  ///< [stage] heaviest first
    double best_ = 0;
    double work_ = 0;
    double step_ = 0.5;
    int stuck_ = 0;
    bool open_ = true;
};

}  // namespace nnpiper
