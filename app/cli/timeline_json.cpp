// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/timeline_json.h"

#include "core/formats/json_text.h"

namespace nnpiper::cli {

nlohmann::ordered_json bubble_json(const Bubble& bubble)
{
    nlohmann::ordered_json item;
    item["warm_up_s"] = json_number(bubble.warm_up_s);
    item["drain_s"] = json_number(bubble.drain_s);
    item["dependency_s"] = json_number(bubble.dependency_s);
    item["link_s"] = json_number(bubble.link_s);
    item["imbalance_s"] = json_number(bubble.imbalance_s);
    return item;
}

}  // namespace nnpiper::cli
