// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nnpiper/torch_rollout.h"

#include "core/nnpiper/lesson.h"

#include <algorithm>
#include <cmath>

namespace nnpiper {

namespace {

constexpr long label_moves_per_stage = 400;
constexpr long anchor_moves_per_stage = 150;
constexpr double anchor_temperature = 5e-3;
constexpr double tie = 1e-4;  ///< relative difference of makespans that counts

/// Devices in use while a run is young: small problems teach the first lessons faster.
int devices_at(std::int64_t step, const RolloutSettings& settings)
{
    const int most = step < 2000 ? 24 : step < 4000 ? 40 : settings.max_devices;
    return std::min(most, settings.max_devices);
}

/// The best known plan and worse orders of one lesson.
struct Judged {
    ScoredChain best;
    std::vector<std::vector<int>> worse;
    std::vector<float> ratio;   ///< of `worse`
    double greedy_gap = 0, best_gap = 0;
};

double capped_log(double ratio)
{
    return std::log(std::clamp(ratio, 1.0, 2.0));
}

Judged judge_samples(const Lesson& lesson, std::vector<DecodedOrder> drawn, const RolloutSettings& settings, std::uint64_t seed)
{
    std::vector<std::vector<int>> orders;
    for (auto& order : drawn)
        orders.push_back(std::move(order.devices));
    const auto greedy = orders.front();
    const auto reward = settings.reward == TrainRequest::Reward::split ? Reward::split : Reward::probe;
    auto judged = judge(lesson, orders, reward);
    const double best_score = judged.front().score;
    Judged result;
    result.best = settings.reward == TrainRequest::Reward::split
                      ? judged.front()
                      : split_orders(*lesson.costs, {judged.front().chain.device}, Control{}, 1).front();
    double improved = 1;  // best drawn over best known
    if (settings.search_anchor) {
        Random random(seed);
        auto found = anneal(*lesson.costs, result.best, random, anchor_moves_per_stage * lesson.features.stages,
                            anchor_temperature, Control{});
        found.score = shift_boundaries(*lesson.costs, found.chain, found.score, Control{});
        found.chain.device = canonical(lesson.features, found.chain.device);
        const bool other = found.chain.device != result.best.chain.device;
        if (found.score < result.best.score * (1 - tie)) {
            // A better cut of the same order is no better order.
            improved = other ? result.best.score / found.score : 1;
            result.best = std::move(found);
        }
    }
    std::size_t from = improved > 1 + tie ? 0 : 1;
    std::vector<std::size_t> worse;
    for (std::size_t k = from; k < judged.size(); ++k)
        if (judged[k].score * improved > best_score * (1 + tie) && judged[k].chain.device != result.best.chain.device)
            worse.push_back(k);
    const auto wanted = static_cast<std::size_t>(settings.compared - 1);
    for (std::size_t j = 0; j < wanted && !worse.empty(); ++j) {
        const auto& other = judged[worse[(2 * j + 1) * worse.size() / (2 * wanted)]];
        result.worse.push_back(other.chain.device);
        result.ratio.push_back(static_cast<float>(std::min(2.0, other.score / best_score * improved)));
    }
    for (const auto& chain : judged)
        if (chain.chain.device == greedy)
            result.greedy_gap = capped_log(chain.score / best_score * improved);
    result.best_gap = capped_log(improved);
    return result;
}

}  // namespace

OrderBatch pack_orders(const std::vector<const Features*>& lessons, const std::vector<std::vector<std::vector<int>>>& orders)
{
    const auto questions = static_cast<std::int64_t>(lessons.size());
    const auto each = static_cast<std::int64_t>(orders.front().size());
    const std::int64_t stages = lessons.front()->stages;
    const std::int64_t devices = lessons.front()->devices;
    const auto rows = static_cast<std::size_t>(questions * each * stages);
    const auto width = static_cast<std::size_t>(devices);
    std::vector<std::int64_t> ids;
    ids.reserve(rows);
    std::vector<float> progress(rows * FeatureSizes::progress), options(rows * FeatureSizes::option * width);
    std::vector<std::uint8_t> allowed(rows * width);
    for (std::size_t b = 0; b < lessons.size(); ++b) {
        for (const auto& order : orders[b]) {
            OrderState state(*lessons[b]);
            for (const int d : order) {
                const std::size_t row = ids.size();
                const auto mask = std::span(allowed).subspan(row * width, width);
                state.progress(std::span(progress).subspan(row * FeatureSizes::progress, FeatureSizes::progress));
                state.options(std::span(options).subspan(row * FeatureSizes::option * width, FeatureSizes::option * width));
                state.allowed(mask);
                mask[static_cast<std::size_t>(d)] = 1;  // a label may know better than the optimistic rule
                ids.push_back(d);
                state.take(d);
            }
        }
    }
    const auto copy = [&](auto& values, torch::IntArrayRef shape, torch::ScalarType type) {
        return torch::from_blob(values.data(), shape, type).clone();
    };
    OrderBatch packed;
    packed.devices = copy(ids, {questions, each, stages}, torch::kInt64);
    packed.progress = copy(progress, {questions, each, stages, FeatureSizes::progress}, torch::kFloat32);
    packed.options = copy(options, {questions, each, stages, FeatureSizes::option, devices}, torch::kFloat32);
    packed.allowed = copy(allowed, {questions, each, stages, devices}, torch::kUInt8) > 0;
    return packed;
}

RolloutSource::RolloutSource(const NetworkShape& shape, const RolloutSettings& settings, std::int64_t first_step, int threads)
    : shape_(shape)
    , settings_(settings)
    , next_step_(first_step)
{
    for (int i = 0; i < std::max(1, threads); ++i)
        threads_.emplace_back([this](std::stop_token stop) { work(stop); });
}

RolloutSource::~RolloutSource()
{
    for (auto& thread : threads_)
        thread.request_stop();
    changed_.notify_all();
}

void RolloutSource::publish(std::int64_t number, const torch::Tensor& weights)
{
    const torch::NoGradGuard no_grad;
    auto network = std::make_shared<TorchNetwork>(shape_, torch::Device(torch::kCPU));
    network->flat().copy_(weights.detach());
    const std::lock_guard lock(mutex_);
    published_[number] = std::move(network);
    published_.erase(published_.begin(), published_.lower_bound(number - 1));
    changed_.notify_all();
}

Rollout RolloutSource::next(std::int64_t step)
{
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return ready_.contains(step) || failure_; });
    if (!ready_.contains(step))
        std::rethrow_exception(failure_);
    auto rollout = std::move(ready_.extract(step).mapped());
    changed_.notify_all();
    return rollout;
}

void RolloutSource::work(std::stop_token stop)
{
    torch::set_num_threads(1);  // of this thread; others learn and draw beside it
    const torch::NoGradGuard no_grad;
    try {
        std::int64_t known = -1;
        std::shared_ptr<const TorchNetwork> network;
        std::unique_ptr<Decoder> decoder;
        while (!stop.stop_requested()) {
            std::int64_t step = 0;
            {
                std::unique_lock lock(mutex_);
                step = next_step_++;
                if (!changed_.wait(lock, stop, [&] { return published_.contains(step / block); }))
                    return;
                if (known != step / block) {
                    known = step / block;
                    network = published_.at(known);
                    decoder.reset();
                }
            }
            if (!decoder)
                decoder = std::make_unique<Decoder>(shape_, TensorFile{{}, network->tensors()});
            auto rollout = make(step, *network, *decoder);
            const std::lock_guard lock(mutex_);
            ready_[step] = std::move(rollout);
            changed_.notify_all();
        }
    } catch (...) {
        const std::lock_guard lock(mutex_);
        failure_ = std::current_exception();
        changed_.notify_all();
    }
}

Rollout RolloutSource::make(std::int64_t step, const TorchNetwork& network, const Decoder& decoder) const
{
    const auto index = static_cast<std::uint64_t>(step);
    const auto lessons = make_lessons(settings_.seed, index, devices_at(step, settings_));
    std::vector<const Features*> features;
    for (const auto& lesson : lessons)
        features.push_back(&lesson.features);
    Rollout rollout;
    rollout.imitation = step < settings_.imitation_steps;
    rollout.features = stack(features, torch::kCPU, true);
    rollout.instances = static_cast<int>(lessons.size());

    std::vector<std::vector<std::vector<int>>> orders;
    std::vector<float> ratio, bounds;
    const auto compared = rollout.imitation ? 1U : static_cast<unsigned>(settings_.compared);
    const Encoded encoded = rollout.imitation ? Encoded{} : network.encode(rollout.features);
    for (std::size_t b = 0; b < lessons.size(); ++b) {
        const auto& lesson = lessons[b];
        const std::uint64_t seed = index * 64 + b;
        Judged judged;
        if (rollout.imitation) {
            judged.best = improved_plan(*lesson.costs, seed, label_moves_per_stage);
            judged.best.chain.device = canonical(lesson.features, judged.best.chain.device);
        } else {
            auto drawn = decoder.decode(lesson.features, tables_of(encoded, static_cast<int>(b)), settings_.samples,
                                        decode_uniforms(seed, settings_.samples, lesson.features.stages));
            rollout.samples += settings_.samples;
            judged = judge_samples(lesson, std::move(drawn), settings_, seed);
        }
        rollout.greedy_gap += judged.greedy_gap / static_cast<double>(lessons.size());
        rollout.best_gap += judged.best_gap / static_cast<double>(lessons.size());
        auto& own = orders.emplace_back();
        own.push_back(judged.best.chain.device);
        ratio.push_back(1);
        for (unsigned j = 1; j < compared; ++j) {
            const bool there = j <= judged.worse.size();
            own.push_back(there ? judged.worse[j - 1] : judged.best.chain.device);
            ratio.push_back(there ? judged.ratio[j - 1] : 1);
        }
        const auto [low, high] = load_bounds(*lesson.costs, judged.best.chain);
        bounds.insert(bounds.end(), low.begin(), low.end());
        bounds.insert(bounds.end(), high.begin(), high.end());
    }
    rollout.orders = pack_orders(features, orders);
    const auto count = static_cast<std::int64_t>(lessons.size());
    rollout.ratio = torch::from_blob(ratio.data(), {count, static_cast<std::int64_t>(compared)}, torch::kFloat32).clone();
    rollout.load_bounds = torch::from_blob(bounds.data(), {count, 2, features.front()->stages}, torch::kFloat32).clone();
    return rollout;
}

}  // namespace nnpiper
