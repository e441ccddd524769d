// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/formats/json_text.h"

#include "core/base/error.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace nnpiper {

using nlohmann::json;
using nlohmann::ordered_json;

namespace {

constexpr std::size_t deepest = 100;
constexpr std::size_t line_width = 100;
constexpr double largest_exact = 9007199254740992.0;  // 2^53

std::string line_and_column(std::string_view text, std::size_t position)
{
    position = std::min(position, text.size());
    std::size_t line = 1;
    std::size_t column = 1;
    for (std::size_t i = 0; i < position; ++i) {
        if (text[i] == '\n') {
            ++line;
            column = 1;
        } else if ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80) {  // count characters, not UTF-8 bytes
            ++column;
        }
    }
    return "line " + std::to_string(line) + ", column " + std::to_string(column);
}

/// Builds the document from parser events, so that it sees what the library's own builder forgets.
class Builder : public nlohmann::json_sax<json> {
public:
    Builder(std::string_view text, const std::string& place)
        : text_(text)
        , place_(place)
    {
    }

    json take() { return std::move(root_); }

    bool null() override { return put(nullptr); }
    bool boolean(bool value) override { return put(value); }
    bool number_integer(number_integer_t value) override { return put(value); }
    bool number_unsigned(number_unsigned_t value) override { return put(value); }
    bool number_float(number_float_t value, const string_t&) override
    {
        if (std::nearbyint(value) == value && std::abs(value) <= largest_exact)
            return put(static_cast<std::int64_t>(value));
        return put(value);
    }
    bool string(string_t& value) override { return put(std::move(value)); }
    bool binary(binary_t& value) override { return put(std::move(value)); }

    bool start_object(std::size_t) override { return open(json::object()); }
    bool start_array(std::size_t) override { return open(json::array()); }
    bool end_object() override { return close(); }
    bool end_array() override { return close(); }

    bool key(string_t& value) override
    {
        Level& level = levels_.back();
        if (level.container->contains(value))
            throw Error(place_ + ": " + pointer_to(pointer(levels_.size() - 1), value),
                        "the key \"" + value + "\" stands twice in one object", "write it once");
        level.key = std::move(value);
        return true;
    }

    bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception& error) override
    {
        std::string found = error.what();
        if (error.id == 406)
            throw Error(place_ + ": " + line_and_column(text_, position == 0 ? 0 : position - 1),
                        "a number beyond the range of a double", "finite numbers are allowed");
        for (const std::string_view start : {" - ", ": "}) {
            if (const auto at = found.find(start, found.find("column")); at != std::string::npos) {
                found = found.substr(at + start.size());
                break;
            }
        }
        std::string allowed;
        if (const auto at = found.find("; expected "); at != std::string::npos) {
            allowed = found.substr(at + 2);
            found.resize(at);
        }
        throw Error(place_ + ": " + line_and_column(text_, position == 0 ? 0 : position - 1),
                    "not valid JSON: " + found, allowed);
    }

private:
    struct Level {
        json* container;
        std::string key;
    };

    std::string pointer(std::size_t depth) const
    {
        std::string result;
        for (std::size_t i = 0; i < depth; ++i) {
            const Level& level = levels_[i];
            result = level.container->is_array() ? pointer_to(result, level.container->size() - 1)
                                                 : pointer_to(result, level.key);
        }
        return result;
    }

    json* add(json&& value)
    {
        if (levels_.empty()) {
            root_ = std::move(value);
            return &root_;
        }
        Level& level = levels_.back();
        if (level.container->is_array()) {
            level.container->push_back(std::move(value));
            return &level.container->back();
        }
        return &((*level.container)[level.key] = std::move(value));
    }

    template <class T>
    bool put(T&& value)
    {
        add(json(std::forward<T>(value)));
        return true;
    }

    bool open(json&& container)
    {
        if (levels_.size() >= deepest)
            throw Error(place_ + ": " + pointer(levels_.size()), "nested deeper than 100 levels", "");
        levels_.push_back({add(std::move(container)), {}});
        return true;
    }

    bool close()
    {
        levels_.pop_back();
        return true;
    }

    std::string_view text_;
    const std::string& place_;
    json root_;
    std::vector<Level> levels_;
};

std::string compact(const ordered_json& value)
{
    if (value.is_object()) {
        std::string text = "{";
        for (const auto& [key, member] : value.items())
            text += (text.size() > 1 ? ", " : "")
                    + ordered_json(key).dump(-1, ' ', false, json::error_handler_t::replace) + ": " + compact(member);
        return text + "}";
    }
    if (value.is_array()) {
        std::string text = "[";
        for (const auto& member : value)
            text += (text.size() > 1 ? ", " : "") + compact(member);
        return text + "]";
    }
    return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

void print(const ordered_json& value, std::size_t indent, std::size_t used, std::string& out)
{
    const bool plain = !value.is_structured() || value.empty()
                       || (value.is_array() && std::none_of(value.begin(), value.end(), [](const ordered_json& v) {
                               return v.is_structured() || v.is_string();
                           }));
    // Wide values are not rendered twice: only small containers are tried on one line.
    if (plain || (indent > 0 && value.size() <= 24)) {
        std::string line = compact(value);
        if (plain || indent + used + line.size() <= line_width) {
            out += line;
            return;
        }
    }
    const bool object = value.is_object();
    const std::string margin(indent + 2, ' ');
    out += object ? "{" : "[";
    bool first = true;
    for (const auto& [key, member] : value.items()) {
        out += first ? "\n" : ",\n";
        first = false;
        out += margin;
        std::size_t prefix = 1;
        if (object) {
            const std::string name = ordered_json(key).dump(-1, ' ', false, json::error_handler_t::replace) + ": ";
            prefix += name.size();
            out += name;
        }
        print(member, indent + 2, prefix, out);
    }
    out += "\n" + std::string(indent, ' ') + (object ? "}" : "]");
}

}  // namespace

json parse_json(std::string_view text, const std::string& place)
{
    if (text.starts_with("\xEF\xBB\xBF"))
        text.remove_prefix(3);
    if (text.find_first_not_of(" \t\r\n") == std::string_view::npos)
        throw Error(place, "the file is empty", "a JSON document is expected");
    Builder builder(text, place);
    json::sax_parse(text.begin(), text.end(), &builder);
    return builder.take();
}

std::string print_json(const ordered_json& document)
{
    std::string out;
    print(document, 0, 0, out);
    return out + "\n";
}

ordered_json json_number(double value)
{
    if (!std::isfinite(value))
        return nullptr;
    if (std::nearbyint(value) == value && std::abs(value) <= largest_exact)
        return static_cast<std::int64_t>(value);
    return value;
}

std::string pointer_to(const std::string& pointer, std::string_view key)
{
    std::string result = pointer + "/";
    for (const char c : key) {
        if (c == '~')
            result += "~0";
        else if (c == '/')
            result += "~1";
        else
            result += c;
    }
    return result;
}

std::string pointer_to(const std::string& pointer, std::size_t index)
{
    return pointer + "/" + std::to_string(index);
}

std::string shown(const json& value)
{
    if (value.is_object())
        return value.empty() ? "an empty object" : "an object";
    if (value.is_array())
        return value.empty() ? "an empty list" : "a list of " + std::to_string(value.size());
    std::string text = value.dump(-1, ' ', false, json::error_handler_t::replace);
    if (text.size() > 60) {
        text.resize(57);
        while (!text.empty() && (static_cast<unsigned char>(text.back()) & 0xC0) == 0x80)
            text.pop_back();
        if (!text.empty() && static_cast<unsigned char>(text.back()) >= 0xC0)
            text.pop_back();
        text += "...";
    }
    return text;
}

}  // namespace nnpiper
