// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nnpiper/network_shape.h"

#include "core/base/error.h"
#include "core/nnpiper/features.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace nnpiper {

namespace {

constexpr const char* architecture_name = "nn-piper-order-pointer";
constexpr int architecture_version = 2;

struct SizeField {
    const char* name;
    int NetworkShape::*member;
    int most;
};
constexpr SizeField size_fields[] = {
    {"width", &NetworkShape::width, 2048},           {"layers", &NetworkShape::layers, 32},
    {"heads", &NetworkShape::heads, 64},             {"feed_forward", &NetworkShape::feed_forward, 8192},
    {"edge_hidden", &NetworkShape::edge_hidden, 512}, {"edge_out", &NetworkShape::edge_out, 64},
    {"option_hidden", &NetworkShape::option_hidden, 512}, {"load_hidden", &NetworkShape::load_hidden, 512},
};

nlohmann::ordered_json feature_sizes()
{
    return {{"device", FeatureSizes::device},     {"edge", FeatureSizes::edge},
            {"global", FeatureSizes::global},     {"position", FeatureSizes::position},
            {"candidate", FeatureSizes::candidate}, {"option", FeatureSizes::option},
            {"progress", FeatureSizes::progress}};
}

std::string dimensions(const std::vector<std::int64_t>& shape)
{
    std::string text = "[";
    for (std::size_t i = 0; i < shape.size(); ++i)
        text += (i ? ", " : "") + std::to_string(shape[i]);
    return text + "]";
}

}  // namespace

std::vector<ParameterShape> parameter_layout(const NetworkShape& shape)
{
    const std::int64_t d = shape.width;
    std::vector<ParameterShape> all;
    const auto linear = [&](const std::string& name, std::int64_t out, std::int64_t in, bool bias = true) {
        all.push_back({name + ".weight", {out, in}});
        if (bias)
            all.push_back({name + ".bias", {out}});
    };
    linear("encoder.device", d, FeatureSizes::device);
    linear("encoder.global0", d, FeatureSizes::global);
    linear("encoder.global1", d, d);
    linear("encoder.edge0", shape.edge_hidden, FeatureSizes::edge);
    linear("encoder.edge1", shape.layers * shape.heads + shape.edge_out, shape.edge_hidden);
    for (int l = 0; l < shape.layers; ++l) {
        const std::string prefix = "encoder.layer" + std::to_string(l);
        linear(prefix + ".film", 4 * d, d);
        linear(prefix + ".qkv", 3 * d, d);
        linear(prefix + ".out", d, d);
        linear(prefix + ".forward0", shape.feed_forward, d);
        linear(prefix + ".forward1", d, shape.feed_forward);
    }
    linear("decoder.last", d, d, false);
    linear("decoder.used", d, d, false);
    linear("decoder.key", d, d, false);
    linear("decoder.context", d, d);
    all.push_back({"decoder.start", {d}});
    linear("decoder.step", d, FeatureSizes::position + FeatureSizes::progress, false);
    // One matrix from the hidden vector to: query, edge query, candidate query, option query, load query.
    constexpr std::int64_t candidate = FeatureSizes::candidate + FeatureSizes::option;
    linear("decoder.query", d + shape.edge_out + candidate + shape.option_hidden + shape.load_hidden, d);
    linear("option.key", shape.option_hidden, d, false);
    linear("option.edge", shape.option_hidden, shape.edge_out, false);
    linear("option.candidate", shape.option_hidden, candidate, false);
    linear("option.out", 1, shape.option_hidden, false);
    linear("load.device", shape.load_hidden, d, false);
    linear("load.edges", shape.load_hidden, 2 * shape.edge_out, false);
    linear("load.out", 1, shape.load_hidden);
    return all;
}

std::string describe(const NetworkShape& shape)
{
    nlohmann::ordered_json json{{"name", architecture_name}, {"version", architecture_version}};
    for (const auto& field : size_fields)
        json[field.name] = shape.*field.member;
    json["features"] = feature_sizes();
    return json.dump();
}

NetworkShape check_weights(const TensorFile& file, const std::string& place)
{
    const auto found = file.metadata.find("architecture");
    if (found == file.metadata.end())
        throw Error(place + ": /__metadata__/architecture", "missing", "weights made by \"nnpiper train\" have it");
    const auto json = nlohmann::json::parse(found->second, nullptr, false);
    const std::string where = place + ": /__metadata__/architecture";
    if (!json.is_object() || !json.contains("name") || json["name"] != architecture_name || !json.contains("version")
        || json["version"] != architecture_version)
        throw Error(where, "not the network of this program",
                    std::string("\"") + architecture_name + "\" version " + std::to_string(architecture_version));
    if (!json.contains("features") || json["features"] != nlohmann::json(feature_sizes()))
        throw Error(where + "/features", "other features than those of this program", feature_sizes().dump());
    NetworkShape shape;
    for (const auto& field : size_fields) {
        const auto value = json.find(field.name);
        if (value == json.end() || !value->is_number_integer() || *value < 1 || *value > field.most)
            throw Error(where + "/" + field.name, "missing or out of range", "1 to " + std::to_string(field.most));
        shape.*field.member = value->get<int>();
    }
    if (shape.width % shape.heads != 0)
        throw Error(where + "/heads", std::to_string(shape.heads), "a divisor of the width " + std::to_string(shape.width));

    const auto layout = parameter_layout(shape);
    for (const auto& parameter : layout) {
        const auto tensor = file.tensors.find(parameter.name);
        if (tensor == file.tensors.end())
            throw Error(place + ": /" + parameter.name, "missing");
        if (tensor->second.shape != parameter.shape)
            throw Error(place + ": /" + parameter.name + "/shape", dimensions(tensor->second.shape),
                        dimensions(parameter.shape) + " for this architecture");
        if (!std::all_of(tensor->second.values.begin(), tensor->second.values.end(), [](float v) { return std::isfinite(v); }))
            throw Error(place + ": /" + parameter.name, "holds a value that is not a finite number");
    }
    if (file.tensors.size() != layout.size())
        throw Error(place, std::to_string(file.tensors.size()) + " tensors",
                    std::to_string(layout.size()) + " for this architecture");
    return shape;
}

}  // namespace nnpiper
