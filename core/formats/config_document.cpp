// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/formats/config_document.h"

#include "core/base/error.h"
#include "core/formats/json_text.h"

#include <limits>

namespace nnpiper {

using nlohmann::json;

ConfigDocument::ConfigDocument(json document, std::string place)
    : document_(std::move(document))
    , place_(std::move(place))
{
}

std::string ConfigDocument::at(const std::string& key) const
{
    return place_ + ": " + pointer_ + "/" + key;
}

bool ConfigDocument::has(const char* key) const
{
    const auto found = document_.find(key);
    return found != document_.end() && !found->is_null();
}

std::optional<int> ConfigDocument::find_size(Keys keys) const
{
    std::optional<int> value;
    const char* first = nullptr;
    for (const char* key : keys) {
        if (!has(key))
            continue;
        const int here = size_at(key);
        if (value && *value != here)
            throw Error(at(key), std::to_string(here) + " contradicts " + first + " " + std::to_string(*value),
                        "both must be the same");
        if (!value)
            first = key;
        value = here;
    }
    return value;
}

int ConfigDocument::size(Keys keys) const
{
    if (const auto value = find_size(keys))
        return *value;
    std::string names;
    for (const char* key : keys)
        names += (names.empty() ? "" : " or ") + std::string(key);
    throw Error(at(*keys.begin()), "missing", names + " is needed");
}

bool ConfigDocument::flag(const char* key, bool absent) const
{
    if (!has(key))
        return absent;
    const json& value = document_.at(key);
    if (!value.is_boolean())
        throw Error(at(key), shown(value), "true or false is expected");
    return value.get<bool>();
}

std::string ConfigDocument::text(const char* key) const
{
    if (!has(key))
        return {};
    const json& value = document_.at(key);
    if (!value.is_string())
        throw Error(at(key), shown(value), "a text is expected");
    return value.get<std::string>();
}

ConfigDocument ConfigDocument::part(const char* key) const
{
    json nested = has(key) ? document_.at(key) : json::object();
    if (!nested.is_object())
        throw Error(at(key), shown(nested), "an object is expected");
    ConfigDocument part(std::move(nested), place_);
    part.pointer_ = pointer_ + "/" + key;
    return part;
}

int ConfigDocument::size_at(const char* key) const
{
    const json& value = document_.at(key);
    const auto wrong = [&] { return Error(at(key), shown(value), "a whole number of at least 1 is expected"); };
    if (!value.is_number_integer())
        throw wrong();
    const double number = value.get<double>();
    if (number < 1 || number > std::numeric_limits<int>::max())
        throw wrong();
    return value.get<int>();
}

}  // namespace nnpiper
