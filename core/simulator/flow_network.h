// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/problem/flows.h"

#include <functional>
#include <limits>
#include <queue>
#include <span>
#include <vector>

namespace nnpiper {

/// Flows over links that they share max-min fairly (Bertsekas and Gallager, Data Networks, section 6.5.2): all rates
/// grow together until a link is full or a flow is at its own limit. Time only moves forward.
class FlowNetwork {
public:
    explicit FlowNetwork(std::vector<double> capacity_bytes_per_s);

    /// A flow of `bytes` that alone would run at `limit_bytes_per_s`. Returns its id, which finish() frees.
    int start(double now_s, double bytes, double limit_bytes_per_s, std::span<const BoundaryFlow::Use> uses);

    /// When the next flow ends if nothing starts before; infinite when none runs.
    double next_end_s();
    /// Ends that flow and returns its id.
    int finish();

    double rate_bytes_per_s(int flow) const { return flows_[static_cast<std::size_t>(flow)].rate; }
    /// Some flow has run below its own limit.
    bool throttled() const { return throttled_; }

private:
    struct Flow {
        double remaining = 0;
        double limit = 0;
        double rate = 0;
        double updated_s = 0;
        int version = 0;
        std::span<const BoundaryFlow::Use> uses;
        bool marked = false;
        bool fixed = false;
    };
    struct Link {
        double capacity = 0;
        double wanted = 0;        ///< by the flows on it at their own limits
        std::vector<int> flows;
        double left = 0;          ///< scratch of share()
        double growing = 0;
        bool marked = false;
    };
    struct End {
        double time_s;
        int flow;
        int version;
        bool operator>(const End& other) const
        {
            return time_s != other.time_s ? time_s > other.time_s : flow > other.flow;
        }
    };

    bool binds(const Link& link) const { return link.wanted > link.capacity * (1 + 1e-12); }
    void gather(std::span<const BoundaryFlow::Use> uses);
    void share(double now_s);

    std::vector<Link> links_;
    std::vector<Flow> flows_;
    std::vector<int> unused_;
    std::priority_queue<End, std::vector<End>, std::greater<>> ends_;
    std::vector<int> touched_flows_, touched_links_;
    std::vector<double> new_rates_;
    bool throttled_ = false;
};

}  // namespace nnpiper
