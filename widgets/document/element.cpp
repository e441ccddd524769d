// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/document/element.h"

#include <algorithm>
#include <cctype>

namespace nnpiper {

namespace {

template <class T>
std::optional<ElementRecord> recordIn(const std::vector<T>& list, const std::string& id)
{
    const auto at = std::find_if(list.begin(), list.end(), [&](const T& item) { return item.id == id; });
    if (at == list.end())
        return std::nullopt;
    return ElementRecord{*at, static_cast<int>(at - list.begin()), std::nullopt};
}

std::optional<ElementRecord> recordIn(const Cluster& cluster, const std::string& id)
{
    if (auto record = recordIn(cluster.nodes, id))
        return record;
    if (auto record = recordIn(cluster.devices, id))
        return record;
    if (auto record = recordIn(cluster.switches, id))
        return record;
    return recordIn(cluster.links, id);
}

std::optional<ElementRecord> recordIn(const Project& project, const std::string& id)
{
    if (auto record = recordIn(project.cluster, id))
        return record;
    return recordIn(project.containers, id);
}

/// "gpu3" is counted on as a number, "node-a" as a letter, anything else gets a number.
std::string successor(const std::string& id)
{
    std::size_t digits = id.size();
    while (digits > 0 && std::isdigit(static_cast<unsigned char>(id[digits - 1])))
        --digits;
    if (digits < id.size() && id.size() - digits < 9)
        return id.substr(0, digits) + std::to_string(std::stoi(id.substr(digits)) + 1);
    if (id.size() >= 2 && id[id.size() - 2] == '-' && id.back() >= 'a' && id.back() < 'z')
        return id.substr(0, id.size() - 1) + static_cast<char>(id.back() + 1);
    return id + "-2";
}

}  // namespace

ElementKind kindOf(const Element& element)
{
    return static_cast<ElementKind>(element.index());
}

const std::string& idOf(const Element& element)
{
    return std::visit([](const auto& item) -> const std::string& { return item.id; }, element);
}

QString displayName(const Element& element)
{
    return std::visit([](const auto& item) { return QString::fromStdString(item.name.empty() ? item.id : item.name); },
                      element);
}

std::optional<ElementRecord> recordOf(const Project& project, const std::string& id)
{
    auto record = recordIn(project, id);
    if (record) {
        const auto placement = project.layout.find(id);
        if (placement != project.layout.end())
            record->placement = placement->second;
    }
    return record;
}

std::optional<Element> findElement(const Cluster& cluster, const std::string& id)
{
    auto record = recordIn(cluster, id);
    if (!record)
        return std::nullopt;
    return std::move(record->value);
}

std::optional<Element> findElement(const Project& project, const std::string& id)
{
    auto record = recordIn(project, id);
    if (!record)
        return std::nullopt;
    return std::move(record->value);
}

bool contains(const Project& project, const std::string& id)
{
    return recordIn(project, id).has_value();
}

bool contains(const Cluster& cluster, const std::string& id)
{
    return recordIn(cluster, id).has_value();
}

std::vector<std::string> devicesOf(const Cluster& cluster, const std::string& node)
{
    std::vector<std::string> ids;
    for (const Device& device : cluster.devices)
        if (!node.empty() && device.node == node)
            ids.push_back(device.id);
    return ids;
}

std::vector<std::string> linksOf(const Cluster& cluster, const std::vector<std::string>& ids)
{
    const auto named = [&](const std::string& id) { return std::find(ids.begin(), ids.end(), id) != ids.end(); };
    std::vector<std::string> links;
    for (const Link& link : cluster.links)
        if (named(link.from) || named(link.to))
            links.push_back(link.id);
    return links;
}

std::string freshId(const Project& project, const std::string& stem, const std::vector<std::string>& taken)
{
    std::string id = stem;
    while (contains(project, id) || std::find(taken.begin(), taken.end(), id) != taken.end())
        id = successor(id);
    return id;
}

}  // namespace nnpiper
