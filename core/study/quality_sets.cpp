// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/study/quality_sets.h"

#include "core/base/error.h"

#include <array>
#include <charconv>

namespace nnpiper {

namespace {

constexpr std::array kinds{VirtualKind::any, VirtualKind::mixed_devices, VirtualKind::equal_devices,
                           VirtualKind::slow_wan, VirtualKind::unlike_layers};

std::string plain(std::string_view name)
{
    std::string text;
    for (const char c : name)
        text += c == '-' || c == '_' ? ' ' : c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    return text;
}

}  // namespace

const std::vector<QualitySet>& standard_quality_sets()
{
    using enum VirtualKind;
    static const std::vector<QualitySet> sets{
        {{16, 4, 4, {}}, any, 200},
        {{32, 8, 8, {}}, any, 200},
        {{48, 16, 12, {}}, any, 200},
        {{64, 16, 16, {}}, any, 200},
        {{96, 32, 24, {}}, any, 50},
        {{128, 64, 48, {}}, any, 50},
        {{96, 32, 24, {}}, equal_devices, 20},
        {{96, 32, 24, {}}, slow_wan, 20},
        {{96, 32, 24, {}}, unlike_layers, 20},
        {{96, 32, 24, 1}, any, 20},
        {{96, 64, 24, {}}, any, 20},
        {{192, 128, 96, {}}, any, 20},
        {{200, 32, 24, {}}, any, 20},
    };
    return sets;
}

std::string text_of(const VirtualSize& size)
{
    std::string text =
        std::to_string(size.layers) + "x" + std::to_string(size.devices) + "x" + std::to_string(size.stages);
    return size.micro_batches ? text + "x" + std::to_string(*size.micro_batches) : text;
}

VirtualSize virtual_size_from_text(std::string_view text, const std::string& place)
{
    std::vector<int> parts;
    const char* at = text.data();
    const char* const end = at + text.size();
    while (at != end) {
        int value = 0;
        const auto [next, error] = std::from_chars(at, end, value);
        if (error != std::errc() || value < 1)
            break;
        parts.push_back(value);
        at = next;
        if (at != end && *at == 'x' && at + 1 != end)
            ++at;
        else
            break;
    }
    const bool shaped = at == end && (parts.size() == 3 || parts.size() == 4);
    if (!shaped || parts[2] > parts[0] || parts[2] > parts[1])
        throw Error(
            place, "\"" + std::string(text) + "\" is given",
            "layers x devices x stages are expected, e.g. 64x16x12, with stages at most the layers and the devices; "
            "micro-batches may follow (64x16x12x1)");
    VirtualSize size{parts[0], parts[1], parts[2], {}};
    if (parts.size() == 4)
        size.micro_batches = parts[3];
    return size;
}

VirtualKind virtual_kind_from_name(std::string_view name, const std::string& place)
{
    std::string known;
    for (const auto kind : kinds) {
        if (plain(name) == plain(name_of(kind)))
            return kind;
        known += (known.empty() ? "" : ", ") + std::string(name_of(kind));
    }
    throw Error(place, "\"" + std::string(name) + "\" is not known", "one of " + known);
}

std::string group_name(const VirtualSize& size, VirtualKind kind)
{
    return kind == VirtualKind::any ? text_of(size) : text_of(size) + ", " + std::string(name_of(kind));
}

}  // namespace nnpiper
