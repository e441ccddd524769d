// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nnpiper/torch_network.h"

#include "core/base/random.h"

#include <cmath>
#include <cstring>

namespace nnpiper {

namespace {

torch::Tensor upload(std::vector<float>& values, torch::IntArrayRef shape, const torch::Device& device)
{
    return torch::from_blob(values.data(), shape, torch::kFloat32).clone().to(device);
}

std::vector<float> download(const torch::Tensor& tensor)
{
    const auto host = tensor.detach().to(torch::kCPU).contiguous();
    const float* data = host.data_ptr<float>();
    return std::vector<float>(data, data + host.numel());
}

/// rows [B][D][n] at index [B][...] -> [B][...][n].
torch::Tensor rows_at(const torch::Tensor& rows, const torch::Tensor& index)
{
    const auto batch = rows.size(0);
    const auto width = rows.size(2);
    const auto flat = index.reshape({batch, -1, 1}).expand({batch, -1, width});
    auto shape = index.sizes().vec();
    shape.push_back(width);
    return rows.gather(1, flat).reshape(shape);
}

}  // namespace

FeatureBatch stack(const std::vector<const Features*>& questions, const torch::Device& device, bool with_positions)
{
    const auto batch = static_cast<std::int64_t>(questions.size());
    const std::int64_t devices = questions.front()->devices;
    const std::int64_t stages = questions.front()->stages;
    const auto gather = [&](std::vector<float> Features::*member, std::vector<std::int64_t> shape) {
        std::vector<float> all;
        for (const auto* question : questions)
            all.insert(all.end(), (question->*member).begin(), (question->*member).end());
        shape.insert(shape.begin(), batch);
        return upload(all, shape, device);
    };
    FeatureBatch result;
    result.device = gather(&Features::device, {devices, FeatureSizes::device});
    result.edge = gather(&Features::edge, {devices, devices, FeatureSizes::edge});
    result.global = gather(&Features::global, {FeatureSizes::global});
    if (with_positions) {
        result.position = gather(&Features::position, {stages, FeatureSizes::position});
        result.candidate = gather(&Features::candidate, {stages, devices, FeatureSizes::candidate});
        std::vector<std::uint8_t> alike;
        for (const auto* question : questions)
            for (const int a : question->alike)
                for (const int b : question->alike)
                    alike.push_back(a == b);
        result.alike = torch::from_blob(alike.data(), {batch, devices, devices}, torch::kUInt8).to(device) > 0;
    }
    return result;
}

TorchNetwork::TorchNetwork(const NetworkShape& shape, torch::Device device)
    : shape_(shape)
    , device_(device)
{
    const auto layout = parameter_layout(shape);
    std::int64_t total = 0;
    std::vector<std::int64_t> sizes;
    for (const auto& parameter : layout) {
        std::int64_t size = 1;
        for (const auto n : parameter.shape)
            size *= n;
        sizes.push_back(size);
        total += size;
    }
    flat_ = torch::zeros({total}, torch::TensorOptions().dtype(torch::kFloat32).device(device));
    std::int64_t offset = 0;
    for (std::size_t i = 0; i < layout.size(); ++i) {
        auto view = flat_.narrow(0, offset, sizes[i]).view(layout[i].shape).detach();
        ordered_.push_back(view);
        named_[layout[i].name] = view;
        offset += sizes[i];
    }
}

void TorchNetwork::initialise(std::uint64_t seed)
{
    Random random(seed);
    std::map<std::string, Tensor> all;
    for (const auto& parameter : parameter_layout(shape_)) {
        Tensor tensor;
        tensor.shape = parameter.shape;
        std::size_t size = 1;
        for (const auto n : parameter.shape)
            size *= static_cast<std::size_t>(n);
        tensor.values.resize(size, 0);
        const auto named = [&](const char* part) { return parameter.name.find(part) != std::string::npos; };
        if (parameter.shape.size() == 2) {
            double bound = std::sqrt(3.0 / static_cast<double>(parameter.shape[1]));
            if (named("film") || named("load.out"))
                bound *= 0.1;  // starts near plain norms and near equal loads
            else if (named(".out") || named("forward1"))
                bound *= 0.5;
            for (auto& value : tensor.values)
                value = static_cast<float>(random.uniform(-bound, bound));
        } else if (named("start")) {
            for (auto& value : tensor.values)
                value = static_cast<float>(random.uniform(-0.1, 0.1));
        }
        all[parameter.name] = std::move(tensor);
    }
    load(all);
}

void TorchNetwork::load(const std::map<std::string, Tensor>& tensors)
{
    torch::NoGradGuard no_grad;
    for (auto& [name, target] : named_) {
        auto values = tensors.at(name).values;
        target.copy_(upload(values, target.sizes(), device_));
    }
}

std::map<std::string, Tensor> TorchNetwork::tensors() const
{
    std::map<std::string, Tensor> all;
    for (const auto& [name, source] : named_)
        all[name] = {source.sizes().vec(), download(source)};
    return all;
}

torch::Tensor TorchNetwork::linear(const torch::Tensor& x, const std::string& name, bool bias) const
{
    return bias ? torch::linear(x, parameter(name + ".weight"), parameter(name + ".bias"))
                : torch::linear(x, parameter(name + ".weight"));
}

Encoded TorchNetwork::encode(const FeatureBatch& batch) const
{
    const auto count = batch.device.size(0);
    const auto devices = batch.device.size(1);
    const std::int64_t width = shape_.width;
    const std::int64_t heads = shape_.heads;
    const double scale = 1 / std::sqrt(static_cast<double>(width / heads));

    const auto global = torch::relu(linear(torch::relu(linear(batch.global, "encoder.global0")), "encoder.global1"));
    auto h = linear(batch.device, "encoder.device") + global.unsqueeze(1);
    const auto edges = linear(torch::relu(linear(batch.edge, "encoder.edge0")), "encoder.edge1");  // [B][D][D][.]
    for (int l = 0; l < shape_.layers; ++l) {
        const std::string prefix = "encoder.layer" + std::to_string(l);
        const auto film = linear(global, prefix + ".film").unsqueeze(1).chunk(4, -1);
        auto x = torch::layer_norm(h, {width}) * (1 + film[0]) + film[1];
        const auto parts = linear(x, prefix + ".qkv").view({count, devices, 3, heads, width / heads}).permute({2, 0, 3, 1, 4});
        const auto bias = edges.narrow(3, l * heads, heads).permute({0, 3, 1, 2});  // [B][heads][D][D]
        const auto attention = torch::softmax(torch::matmul(parts[0] * scale, parts[1].transpose(2, 3)) + bias, -1);
        const auto mixed = torch::matmul(attention, parts[2]).transpose(1, 2).reshape({count, devices, width});
        h = h + linear(mixed, prefix + ".out");
        x = torch::layer_norm(h, {width}) * (1 + film[2]) + film[3];
        h = h + linear(torch::relu(linear(x, prefix + ".forward0")), prefix + ".forward1");
    }
    h = torch::layer_norm(h, {width});
    Encoded result;
    result.last = linear(h, "decoder.last", false);
    result.used = linear(h, "decoder.used", false);
    result.key = linear(h, "decoder.key", false);
    result.context = linear(global + h.mean(1), "decoder.context");
    result.edge = edges.narrow(3, shape_.layers * heads, shape_.edge_out);
    result.option_key = linear(h, "option.key", false);
    result.load_device = linear(h, "load.device", false);
    return result;
}

Encoded Encoded::row(std::int64_t index) const
{
    const auto one = [&](const torch::Tensor& tensor) { return tensor.narrow(0, index, 1); };
    return {one(last), one(used), one(key), one(context), one(edge), one(option_key), one(load_device)};
}

torch::Tensor TorchNetwork::logits(const torch::Tensor& hidden, const torch::Tensor& query, const Encoded& encoded,
                                   const torch::Tensor& edges, const torch::Tensor& candidates) const
{
    // hidden [B][R][d], query [B][R][q], edges [B][R][D][e], candidates [B][R][D][candidate + option]
    const std::int64_t width = shape_.width;
    const std::int64_t edge = shape_.edge_out;
    constexpr std::int64_t numbers = FeatureSizes::candidate + FeatureSizes::option;
    const auto pointer = query.narrow(2, 0, width) + hidden;
    auto result = torch::matmul(pointer, encoded.key.transpose(1, 2)) / std::sqrt(static_cast<double>(width));
    result = result + torch::matmul(edges, query.narrow(2, width, edge).unsqueeze(3)).squeeze(3);
    result = result + torch::matmul(candidates, query.narrow(2, width + edge, numbers).unsqueeze(3)).squeeze(3);
    const auto z = torch::relu(query.narrow(2, width + edge + numbers, shape_.option_hidden).unsqueeze(2)
                               + encoded.option_key.unsqueeze(1) + linear(edges, "option.edge", false)
                               + linear(candidates, "option.candidate", false));
    return result + linear(z, "option.out", false).squeeze(3);
}

Scores TorchNetwork::score(const FeatureBatch& batch, const Encoded& encoded, const OrderBatch& orders) const
{
    const auto questions = orders.devices.size(0);
    const auto each = orders.devices.size(1);
    const auto stages = orders.devices.size(2);
    const auto devices = encoded.last.size(1);
    const std::int64_t width = shape_.width;
    const std::int64_t edge = shape_.edge_out;
    const std::int64_t loads = shape_.load_hidden;

    const auto before = torch::cat({torch::zeros_like(orders.devices.narrow(2, 0, 1)), orders.devices.narrow(2, 0, stages - 1)}, 2);
    auto last = rows_at(encoded.last, before);  // [B][N][S][d]
    const auto start = parameter("decoder.start").view({1, 1, 1, width}).expand({questions, each, 1, width});
    last = torch::cat({start, last.narrow(2, 1, stages - 1)}, 2);
    const auto own = rows_at(encoded.used, orders.devices);
    const auto used = (own.cumsum(2) - own) / static_cast<double>(stages);
    const auto step = linear(torch::cat({batch.position.unsqueeze(1).expand({questions, each, stages, FeatureSizes::position}),
                                         orders.progress}, 3),
                             "decoder.step", false);
    const auto hidden = torch::relu(last + used + step + encoded.context.view({questions, 1, 1, width}));
    const auto query = linear(hidden, "decoder.query");
    // The edge term: rows of the last device, none before the first step.
    const auto rows = rows_at(encoded.edge.reshape({questions, devices, devices * edge}), before)
                          .view({questions, each, stages, devices, edge});
    const auto edge_rows = torch::cat({torch::zeros_like(rows.narrow(2, 0, 1)), rows.narrow(2, 1, stages - 1)}, 2);
    const auto candidates =
        torch::cat({batch.candidate.unsqueeze(1).expand({questions, each, stages, devices, FeatureSizes::candidate}),
                    orders.options.transpose(3, 4)}, 4);
    const auto flat = [&](const torch::Tensor& tensor, std::initializer_list<std::int64_t> tail) {
        std::vector<std::int64_t> shape{questions, each * stages};
        shape.insert(shape.end(), tail);
        return tensor.reshape(shape);
    };
    const auto scores = logits(flat(hidden, {width}), flat(query, {query.size(3)}), encoded, flat(edge_rows, {devices, edge}),
                               flat(candidates, {devices, candidates.size(4)}))
                            .view({questions, each, stages, devices})
                            .masked_fill(orders.allowed.logical_not(), -1e9);
    const auto alike = rows_at(batch.alike.to(torch::kFloat32), orders.devices) > 0;  // [B][N][S][D]
    Scores result;
    result.log_probability = scores.masked_fill(alike.logical_not(), -1e9).logsumexp(3) - scores.logsumexp(3);

    const auto pair_rows = encoded.edge.reshape({questions, devices * devices, edge});
    const auto from_last = rows_at(pair_rows, before * devices + orders.devices).narrow(2, 1, stages - 1);
    const auto none = torch::zeros({questions, each, 1, edge}, from_last.options());
    const auto edges = torch::cat({torch::cat({none, from_last}, 2), torch::cat({from_last, none}, 2)}, 3);
    const auto z = torch::relu(query.narrow(3, query.size(3) - loads, loads)
                               + rows_at(encoded.load_device, orders.devices) + linear(edges, "load.edges", false));
    result.log_load = linear(z, "load.out").squeeze(3);
    return result;
}

DecoderTables tables_of(const Encoded& encoded, int index)
{
    DecoderTables tables;
    tables.last = download(encoded.last[index]);
    tables.used = download(encoded.used[index]);
    tables.key = download(encoded.key[index]);
    tables.context = download(encoded.context[index]);
    tables.edge = download(encoded.edge[index]);
    tables.option_key = download(encoded.option_key[index]);
    tables.load_device = download(encoded.load_device[index]);
    return tables;
}

}  // namespace nnpiper
