// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <nlohmann/json.hpp>

#include <initializer_list>
#include <optional>
#include <string>

namespace nnpiper {

/// A configuration with typed look-ups under all names that a key goes by. Every function throws Error at the key.
class ConfigDocument {
public:
    using Keys = std::initializer_list<const char*>;

    /// `place` is the file and, of a nested part, the JSON pointer to it ("config.json: /text_config").
    ConfigDocument(nlohmann::json document, std::string place);

    std::string at(const std::string& key) const;
    /// Also true of a null.
    bool contains(const char* key) const { return document_.contains(key); }
    bool has(const char* key) const;
    const nlohmann::json& operator[](const char* key) const { return document_.at(key); }

    /// A whole number of at least 1; names that contradict each other are an error.
    std::optional<int> find_size(Keys keys) const;
    int size(Keys keys) const;
    bool flag(const char* key, bool absent) const;
    /// Empty when absent.
    std::string text(const char* key) const;
    /// A nested object; empty when absent.
    ConfigDocument part(const char* key) const;

private:
    int size_at(const char* key) const;

    nlohmann::json document_;
    std::string place_;
    std::string pointer_;
};

}  // namespace nnpiper
