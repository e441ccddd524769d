// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nnpiper/torch_trainer.h"

#include "core/base/error.h"
#include "core/nnpiper/torch_network.h"
#include "core/nnpiper/torch_optimiser.h"
#include "core/nnpiper/training_data.h"
#include "core/nnpiper/validation.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <numbers>

namespace nnpiper {

namespace {

constexpr int samples_per_lesson = 32;
constexpr int worse_per_lesson = 6;
constexpr double imitation_share = 0.25;      ///< of the run
constexpr int imitation_steps = 2500;         ///< when the run has no limit
constexpr double imitation_rate = 8e-4;
constexpr double contrast_rate = 4e-4;
constexpr double checkpoint_s = 120;
constexpr int checkpoints_per_validation = 4;  ///< judging takes seconds

/// Where a run stands; written beside the weights.
struct Progress {
    std::int64_t step = 0;
    std::uint64_t next_batch = 0;
    double minutes = 0;
    std::uint64_t seed = 1;
};

std::filesystem::path state_path(const std::filesystem::path& weights)
{
    auto path = weights;
    path.replace_extension(".state.safetensors");
    return path;
}

/// Given orders of every lesson of a batch (the same number each) as tensors.
OrderBatch pack(const LessonBatch& batch, const std::vector<std::vector<std::vector<int>>>& orders, const torch::Device& device)
{
    const auto questions = static_cast<std::int64_t>(batch.lessons.size());
    const auto each = static_cast<std::int64_t>(orders.front().size());
    const auto& first = batch.lessons.front().features;
    const std::int64_t stages = first.stages;
    const std::int64_t devices = first.devices;
    std::vector<std::int64_t> ids;
    std::vector<float> progress;
    std::vector<std::uint8_t> allowed;
    for (std::size_t b = 0; b < batch.lessons.size(); ++b)
        for (const auto& order : orders[b]) {
            OrderState state(batch.lessons[b].features);
            for (const int d : order) {
                ids.push_back(d);
                progress.resize(progress.size() + FeatureSizes::progress);
                state.progress(progress.data() + progress.size() - FeatureSizes::progress);
                allowed.resize(allowed.size() + static_cast<std::size_t>(devices));
                const std::span mask(allowed.data() + allowed.size() - static_cast<std::size_t>(devices), static_cast<std::size_t>(devices));
                state.allowed(mask);
                mask[static_cast<std::size_t>(d)] = 1;  // a label may know better than the optimistic rule
                state.take(d);
            }
        }
    OrderBatch packed;
    packed.devices = torch::from_blob(ids.data(), {questions, each, stages}, torch::kInt64).clone().to(device);
    packed.progress = torch::from_blob(progress.data(), {questions, each, stages, FeatureSizes::progress}, torch::kFloat32).clone().to(device);
    packed.allowed = torch::from_blob(allowed.data(), {questions, each, stages, devices}, torch::kUInt8).clone().to(device) > 0;
    return packed;
}

torch::Tensor share_targets(const LessonBatch& batch, const std::vector<ScoredChain>& chains, const torch::Device& device)
{
    std::vector<float> shares;
    for (std::size_t b = 0; b < batch.lessons.size(); ++b) {
        const auto own = work_shares(batch.lessons[b].features, chains[b].chain);
        shares.insert(shares.end(), own.begin(), own.end());
    }
    return torch::from_blob(shares.data(), {static_cast<std::int64_t>(chains.size()), batch.lessons.front().features.stages},
                            torch::kFloat32).clone().to(device);
}

class Run {
public:
    Run(const TrainRequest& request, const std::string& device, const Control& control)
        : request_(request)
        , control_(control)
        , device_(device)
        , network_(shape_, torch::Device(device))
    {
        progress_.seed = request.seed;
        network_.initialise(request.seed);
        optimiser_.emplace(network_);
        if (request.resume)
            resume();
        for (const auto& parameter : network_.parameters())
            parameter.requires_grad_(true);
        begin_minutes_ = progress_.minutes;
        begin_step_ = progress_.step;
    }

    void go()
    {
        start_ = std::chrono::steady_clock::now();
        auto last_checkpoint = start_;
        bool imitating = imitation();
        auto source = std::make_unique<BatchSource>(progress_.seed, progress_.next_batch, imitating);
        while (!finished()) {
            if (imitating && !imitation()) {
                imitating = false;
                source = std::make_unique<BatchSource>(progress_.seed, progress_.next_batch, false);
            }
            const auto batch = source->next();
            const double loss = imitating ? imitate(batch) : contrast(batch);
            loss_ = loss_ == 0 ? loss : 0.98 * loss_ + 0.02 * loss;
            ++progress_.step;
            ++progress_.next_batch;
            const auto now = std::chrono::steady_clock::now();
            progress_.minutes = begin_minutes_ + std::chrono::duration<double>(now - start_).count() / 60;
            if (std::chrono::duration<double>(now - last_checkpoint).count() > checkpoint_s) {
                last_checkpoint = now;
                checkpoint(checkpoints_++ % checkpoints_per_validation == 0);
            }
            if (progress_.step % 20 == 0)
                control_.report(std::max(0.0, fraction()), summary(imitating));
        }
        checkpoint(!control_.should_stop());  // who stops a run does not want to wait for its judgement
        control_.report(1, summary(imitating));
    }

private:
    /// 0..1 of the whole run, resumed parts included; negative when it has no limit.
    double fraction() const
    {
        double part = -1;
        if (request_.steps > 0)
            part = static_cast<double>(progress_.step) / static_cast<double>(begin_step_ + request_.steps);
        if (request_.minutes > 0)
            part = std::max(part, progress_.minutes / (begin_minutes_ + request_.minutes));
        return part;
    }

    bool finished() const
    {
        return control_.should_stop() || (request_.steps > 0 && progress_.step - begin_step_ >= request_.steps)
               || (request_.minutes > 0 && progress_.minutes - begin_minutes_ >= request_.minutes);
    }

    bool imitation() const
    {
        const double part = fraction();
        return part < 0 ? progress_.step < imitation_steps : part < imitation_share;
    }

    double rate(bool imitating) const
    {
        const double part = std::max(0.0, fraction());
        const double warm = std::min(1.0, static_cast<double>(progress_.step + 1) / 100);
        if (imitating)
            return imitation_rate * warm;
        const double late = std::clamp((part - 0.5) / 0.5, 0.0, 1.0);  // cosine over the second half
        return contrast_rate * warm * (0.1 + 0.9 * 0.5 * (1 + std::cos(std::numbers::pi * late)));
    }

    double imitate(const LessonBatch& batch)
    {
        std::vector<std::vector<std::vector<int>>> orders;
        std::vector<ScoredChain> chains;
        for (const auto& lesson : batch.lessons) {
            orders.push_back({lesson.label->chain.device});
            chains.push_back(*lesson.label);
        }
        const auto features = stacked(batch);
        const auto scores = network_.score(features, network_.encode(features), pack(batch, orders, network_.device()));
        const auto shares = (share_targets(batch, chains, network_.device()) * scores.log_share.select(1, 0)).sum(1);
        return descend(-scores.log_probability.mean() - 0.5 * shares.mean(), true);
    }

    double contrast(const LessonBatch& batch)
    {
        const auto features = stacked(batch);
        const auto encoded = network_.encode(features);
        std::vector<std::vector<std::vector<int>>> orders;
        std::vector<ScoredChain> anchors;
        std::vector<float> weights;  // [B][worse]: J_j / J*, 0 where there is no worse order
        const TensorFile now{{}, network_.tensors()};
        const Decoder decoder(shape_, now);
        for (std::size_t b = 0; b < batch.lessons.size(); ++b) {
            const auto& lesson = batch.lessons[b];
            const auto uniforms = decode_uniforms(progress_.next_batch * 64 + b, samples_per_lesson, lesson.features.stages);
            auto judged = judge(lesson, decoder.decode(lesson.features, tables_of(encoded, static_cast<int>(b)), samples_per_lesson, uniforms));
            if (b % 3 == 0)
                improve_anchor(lesson, judged);
            const auto& best = judged.front();
            std::vector<std::size_t> worse;
            for (std::size_t k = 1; k < judged.size(); ++k)
                if (judged[k].score > best.score * (1 + 1e-4))
                    worse.push_back(k);
            auto& own = orders.emplace_back();
            own.push_back(best.chain.device);
            for (int j = 0; j < worse_per_lesson; ++j) {
                if (worse.empty()) {
                    own.push_back(best.chain.device);
                    weights.push_back(0);
                    continue;
                }
                const std::size_t rank = (2 * static_cast<std::size_t>(j) + 1) * worse.size() / (2 * worse_per_lesson);
                const auto& other = judged[worse[rank]];
                own.push_back(other.chain.device);
                weights.push_back(static_cast<float>(std::min(2.0, other.score / best.score)));
            }
            anchors.push_back(best);
        }
        const auto scores = network_.score(features, encoded, pack(batch, orders, network_.device()));
        const auto f = scores.log_probability.mean(2);  // [B][1 + worse]
        const auto ratio = torch::from_blob(weights.data(), {static_cast<std::int64_t>(batch.lessons.size()), worse_per_lesson},
                                            torch::kFloat32).clone().to(network_.device());
        const auto apart = f.narrow(1, 0, 1) - f.narrow(1, 1, worse_per_lesson);
        const auto has_worse = (ratio > 0).to(torch::kFloat32);
        const auto terms = (torch::softplus(-4 * ratio * apart) * has_worse).mean(1) - 0.5 * f.select(1, 0) * has_worse.select(1, 0);
        const auto shares = (share_targets(batch, anchors, network_.device()) * scores.log_share.select(1, 0)).sum(1);
        return descend(terms.mean() - 0.5 * shares.mean(), false);
    }

    /// A short annealing from the best order: where it finds a better one, that becomes y*.
    static void improve_anchor(const Lesson& lesson, std::vector<ScoredChain>& judged)
    {
        Random random(static_cast<std::uint64_t>(lesson.features.devices) * 977 + judged.size());
        auto better = anneal(*lesson.costs, judged.front(), random, 100L * lesson.features.stages, 2e-3, Control{});
        if (better.score < judged.front().score * (1 - 1e-3) && better.chain.device != judged.front().chain.device)
            judged.insert(judged.begin(), std::move(better));
    }

    double descend(const torch::Tensor& loss, bool imitating)
    {
        const auto gradients = torch::autograd::grad({loss}, network_.parameters(), {}, false, false, true);
        std::vector<torch::Tensor> defined;
        for (std::size_t i = 0; i < gradients.size(); ++i)
            defined.push_back(gradients[i].defined() ? gradients[i] : torch::zeros_like(network_.parameters()[i]));
        optimiser_->step(defined, rate(imitating), progress_.step);
        return loss.item<double>();
    }

    FeatureBatch stacked(const LessonBatch& batch) const
    {
        std::vector<const Features*> all;
        for (const auto& lesson : batch.lessons)
            all.push_back(&lesson.features);
        return stack(all, network_.device(), true);
    }

    void checkpoint(bool validate)
    {
        TorchNetwork averaged(shape_, network_.device());
        {
            torch::NoGradGuard no_grad;
            averaged.flat().copy_(optimiser_->mean());
        }
        TensorFile file;
        file.tensors = averaged.tensors();
        if (validate)
            evaluation_ = evaluate(file);
        file.metadata = {{"architecture", describe(shape_)},
                         {"seed", std::to_string(progress_.seed)},
                         {"steps", std::to_string(progress_.step)},
                         {"minutes", std::to_string(progress_.minutes)},
                         {"evaluation", evaluation_},
                         {"command", command()},
                         {"program", "nnpiper " NNPIPER_VERSION ", LibTorch " TORCH_VERSION}};
        TensorFile state;
        state.tensors = optimiser_->state();
        state.metadata = file.metadata;
        state.metadata["next_batch"] = std::to_string(progress_.next_batch);
        write_tensors(state_path(request_.out), state);
        write_tensors(request_.out, file);
    }

    std::string evaluate(const TensorFile& weights)
    {
        if (!validation_)
            validation_.emplace();
        TorchNetwork network(shape_, network_.device());
        network.load(weights.tensors);
        const Decoder decoder(shape_, weights);
        const auto figures = validation_->measure(decoder, [&](const Features& features) {
            torch::NoGradGuard no_grad;
            return tables_of(network.encode(stack({&features}, network.device(), false)), 0);
        });
        return "step " + std::to_string(progress_.step) + ": " + figures.text();
    }

    /// What made these weights; parts of a resumed run one after the other.
    std::string command() const
    {
        std::string text = earlier_commands_.empty() ? "" : earlier_commands_ + "; ";
        text += "nnpiper train --out " + request_.out.filename().string()
                + (request_.resume ? " --resume" : " --seed " + std::to_string(progress_.seed));
        char number[32];
        std::snprintf(number, sizeof number, "%g", request_.minutes);
        if (request_.minutes > 0)
            text += std::string(" --minutes ") + number;
        if (request_.steps > 0)
            text += " --steps " + std::to_string(request_.steps);
        return text + " --device " + device_;
    }

    void resume()
    {
        const auto path = state_path(request_.out);
        const auto file = read_tensors(path);
        const auto number = [&](const std::string& key) {
            const auto found = file.metadata.find(key);
            char* end = nullptr;
            const double value = found == file.metadata.end() ? -1 : std::strtod(found->second.c_str(), &end);
            if (found == file.metadata.end() || end == found->second.c_str() || !(value >= 0))
                throw Error(path.string() + ": /__metadata__/" + key, "missing or not a number of at least 0");
            return value;
        };
        optimiser_->restore(file, path.string());
        if (const auto found = file.metadata.find("command"); found != file.metadata.end())
            earlier_commands_ = found->second;
        progress_.step = static_cast<std::int64_t>(number("steps"));
        progress_.next_batch = static_cast<std::uint64_t>(number("next_batch"));
        progress_.minutes = number("minutes");
        progress_.seed = static_cast<std::uint64_t>(number("seed"));
    }

    std::string summary(bool imitating) const
    {
        char text[160];
        std::snprintf(text, sizeof text, "step %lld, %s, loss %.3f", static_cast<long long>(progress_.step),
                      imitating ? "imitation" : "contrast", loss_);
        return evaluation_.empty() ? text : std::string(text) + "; " + evaluation_;
    }

    NetworkShape shape_;
    TrainRequest request_;
    const Control& control_;
    std::string device_;
    TorchNetwork network_;
    std::optional<Optimiser> optimiser_;
    std::optional<Validation> validation_;
    Progress progress_;
    double begin_minutes_ = 0;
    std::int64_t begin_step_ = 0;
    int checkpoints_ = 0;
    double loss_ = 0;
    std::string evaluation_;
    std::string earlier_commands_;
    std::chrono::steady_clock::time_point start_;
};

}  // namespace

void train_network(const TrainRequest& request, const std::string& device, const Control& control)
{
    if (request.out.empty())
        throw Error("train", "no weights file to write", "give --out");
    if (request.minutes < 0 || request.steps < 0)
        throw Error("train", "a negative limit", "minutes and steps of at least 0");
    Run(request, device, control).go();
}

}  // namespace nnpiper
