// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/decisions_json.h"

#include "core/formats/json_text.h"

#include <algorithm>
#include <numeric>

namespace nnpiper::cli {

std::string decisions_json(const Problem& problem, const std::vector<OrderDecision>& decisions)
{
    nlohmann::ordered_json document;
    document["decisions"] = nlohmann::ordered_json::array();
    for (std::size_t s = 0; s < decisions.size(); ++s) {
        const auto& decision = decisions[s];
        std::vector<std::size_t> devices(decision.probability.size());
        std::iota(devices.begin(), devices.end(), std::size_t{0});
        std::stable_sort(devices.begin(), devices.end(), [&](std::size_t a, std::size_t b) {
            return decision.probability[a] > decision.probability[b];
        });
        nlohmann::ordered_json item{{"stage", s}, {"device", problem.device_ids[static_cast<std::size_t>(decision.device)]}};
        item["candidates"] = nlohmann::ordered_json::array();
        for (const std::size_t d : devices)
            if (decision.probability[d] > 0)
                item["candidates"].push_back({{"device", problem.device_ids[d]}, {"probability", decision.probability[d]}});
        document["decisions"].push_back(std::move(item));
    }
    return print_json(document);
}

}  // namespace nnpiper::cli
