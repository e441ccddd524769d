// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cluster/device_types.h"

#include "core/base/error.h"
#include "core/cluster/catalog.h"

#include <algorithm>

namespace nnpiper {

void check(const std::vector<DeviceSpec>& types, const std::string& place)
{
    for (std::size_t i = 0; i < types.size(); ++i) {
        const std::string here = place + "/" + std::to_string(i);
        if (types[i].type.empty())
            throw Error(here + "/type", "the name is empty", "a text that no other type has is expected");
        const auto same = [&](const DeviceSpec& other) { return other.type == types[i].type; };
        if (std::count_if(types.begin(), types.end(), same) > 1)
            throw Error(here + "/type", "\"" + types[i].type + "\" is there twice", "names must differ");
        check(types[i], here);
    }
}

const DeviceSpec* find_device_type(const std::vector<DeviceSpec>& own, std::string_view name)
{
    const auto found = std::find_if(own.begin(), own.end(), [&](const DeviceSpec& type) { return type.type == name; });
    if (found != own.end())
        return &*found;
    const DeviceEntry* entry = find_device_entry(name);
    return entry ? &entry->spec : nullptr;
}

}  // namespace nnpiper
