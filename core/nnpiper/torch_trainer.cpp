// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nnpiper/torch_trainer.h"

#include "core/base/error.h"
#include "core/nnpiper/torch_losses.h"
#include "core/nnpiper/torch_network.h"
#include "core/nnpiper/torch_optimiser.h"
#include "core/nnpiper/torch_rollout.h"
#include "core/nnpiper/training_log.h"
#include "core/nnpiper/validation.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <numbers>

namespace nnpiper {

namespace {

constexpr std::int64_t block = RolloutSource::block;
constexpr double imitation_rate = 8e-4;
constexpr double judged_rate = 4e-4;
constexpr double last_rate = 0.03;            ///< of it, at the end of a run with a limit
constexpr double falling_from = 0.3;          ///< of the run
constexpr double checkpoint_s = 120;
constexpr int checkpoints_per_validation = 3; ///< judging takes seconds
constexpr double load_weight = 1;

std::filesystem::path state_path(const std::filesystem::path& weights)
{
    auto path = weights;
    path.replace_extension(".state.safetensors");
    return path;
}

/// Tells before the hours of a run, not behind them, that its weights cannot be written.
void require_writable(const std::filesystem::path& weights)
{
    auto part = weights;
    part += ".part";
    const bool opened = std::ofstream(part, std::ios::app).is_open();
    std::error_code error;
    std::filesystem::remove(part, error);
    if (!opened)
        throw Error(weights.string(), "cannot be written", "a file in a folder that exists and may be written to");
}

class Run {
public:
    Run(const TrainRequest& request, const std::string& device, const Control& control)
        : request_(request)
        , control_(control)
        , device_(device)
        , network_(shape_, torch::Device(device))
        , log_(request.log)
    {
        network_.initialise(request.seed);
        optimiser_.emplace(network_);
        acting_ = network_.flat().clone();
        if (request.resume)
            resume();
        for (const auto& parameter : network_.parameters())
            parameter.requires_grad_(true);
    }

    void go()
    {
        RolloutSettings settings;
        settings.seed = request_.seed;
        settings.reward = request_.reward;
        settings.search_anchor = request_.search_anchor;
        settings.samples = request_.samples;
        settings.max_devices = request_.max_devices;
        settings.imitation_steps = request_.imitation_steps;
        const int threads = request_.threads > 0 ? request_.threads : static_cast<int>(std::thread::hardware_concurrency());
        RolloutSource source(shape_, settings, step_, threads - 1);
        source.publish(step_ / block, acting_);
        start_ = std::chrono::steady_clock::now();
        begin_minutes_ = minutes_;
        auto last_checkpoint = start_;
        while (!finished()) {
            if (step_ % block == 0)
                source.publish(step_ / block + 1, network_.flat());
            const auto before = step_ % block == 0 ? network_.flat().detach().clone() : torch::Tensor();
            for (std::int64_t end = step_ + block; step_ < end;)
                learn(source.next(step_));
            acting_ = before;
            const auto now = std::chrono::steady_clock::now();
            minutes_ = begin_minutes_ + std::chrono::duration<double>(now - start_).count() / 60;
            record();
            if (std::chrono::duration<double>(now - last_checkpoint).count() > checkpoint_s) {
                last_checkpoint = now;
                checkpoint(checkpoints_++ % checkpoints_per_validation == 0);
            }
        }
        checkpoint(!control_.should_stop());  // who stops a run does not want to wait for its judgement
        control_.report(1, summary());
    }

private:
    /// 0..1 of the whole run; negative when it has no limit.
    double fraction() const
    {
        double part = -1;
        if (request_.steps > 0)
            part = static_cast<double>(step_) / static_cast<double>(request_.steps);
        if (request_.minutes > 0)
            part = std::max(part, minutes_ / request_.minutes);
        return part;
    }

    bool finished() const
    {
        return control_.should_stop() || fraction() >= 1
               || (request_.patience > 0 && validations_without_gain_ >= request_.patience);
    }

    double rate(bool imitation) const
    {
        const double warm = std::min(1.0, static_cast<double>(step_ + 1) / 100);
        const double late = std::clamp((fraction() - falling_from) / (1 - falling_from), 0.0, 1.0);
        const double fall = last_rate + (1 - last_rate) * 0.5 * (1 + std::cos(std::numbers::pi * late));
        return (imitation ? imitation_rate : judged_rate) * warm * fall;
    }

    void learn(const Rollout& rollout)
    {
        const auto& device = network_.device();
        const auto here = [&](const torch::Tensor& tensor) { return tensor.to(device); };
        const FeatureBatch features{here(rollout.features.device),   here(rollout.features.edge),
                                    here(rollout.features.global),   here(rollout.features.position),
                                    here(rollout.features.candidate), here(rollout.features.alike)};
        const OrderBatch orders{here(rollout.orders.devices), here(rollout.orders.progress), here(rollout.orders.options),
                                here(rollout.orders.allowed)};
        const auto scores = network_.score(features, network_.encode(features), orders);
        const auto loss = order_loss(rollout.imitation ? TrainRequest::Loss::imitation : request_.loss,
                                     scores.log_probability.mean(2), here(rollout.ratio));
        const auto loads = load_loss(scores.log_load.select(1, 0), here(rollout.load_bounds));
        const double value = descend(loss + load_weight * loads, rate(rollout.imitation));
        imitation_ = rollout.imitation;
        recent_.add(value, rollout);
        ++step_;
    }

    double descend(const torch::Tensor& loss, double rate)
    {
        const auto gradients = torch::autograd::grad({loss}, network_.parameters(), {}, false, false, true);
        std::vector<torch::Tensor> defined;
        for (std::size_t i = 0; i < gradients.size(); ++i)
            defined.push_back(gradients[i].defined() ? gradients[i] : torch::zeros_like(network_.parameters()[i]));
        optimiser_->step(defined, rate, step_);
        return loss.item<double>();
    }

    /// What the last block was like.
    struct Recent {
        double loss = 0, greedy_gap = 0, best_gap = 0;
        int steps = 0, instances = 0, samples = 0;

        void add(double value, const Rollout& rollout)
        {
            loss += value;
            greedy_gap += rollout.greedy_gap;
            best_gap += rollout.best_gap;
            ++steps;
            instances += rollout.instances;
            samples += rollout.samples;
        }
    };

    void record()
    {
        const double n = std::max(1, recent_.steps);
        const double seconds = std::max(1e-9, (minutes_ - recorded_minutes_) * 60);
        loss_ = recent_.loss / n;
        log_.write({{"step", step_},
                    {"minutes", minutes_},
                    {"phase", imitation_ ? "imitation" : "judged"},
                    {"loss", loss_},
                    {"rate", rate(imitation_)},
                    {"greedy_gap", std::expm1(recent_.greedy_gap / n)},
                    {"best_gap", std::expm1(recent_.best_gap / n)},
                    {"instances_per_s", recent_.instances / seconds},
                    {"samples_per_s", recent_.samples / seconds}});
        recorded_minutes_ = minutes_;
        recent_ = {};
        control_.report(std::max(0.0, fraction()), summary());
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
            judge_weights(file, averaged);
        file.metadata = {{"architecture", describe(shape_)},
                         {"seed", std::to_string(request_.seed)},
                         {"steps", std::to_string(step_)},
                         {"minutes", number_text(minutes_)},
                         {"evaluation", evaluation_},
                         {"command", command()},
                         {"program", "nnpiper " NNPIPER_VERSION ", LibTorch " TORCH_VERSION}};
        TensorFile state;
        state.tensors = optimiser_->state();
        const auto acting = acting_.detach().to(torch::kCPU).contiguous();
        state.tensors["acting"] = {acting.sizes().vec(), {acting.data_ptr<float>(), acting.data_ptr<float>() + acting.numel()}};
        state.metadata = file.metadata;
        write_tensors(state_path(request_.out), state);
        write_tensors(request_.out, file);
    }

    void judge_weights(const TensorFile& weights, const TorchNetwork& network)
    {
        if (!validation_)
            validation_.emplace();
        const Decoder decoder(shape_, weights);
        const auto figures = validation_->measure(decoder, [&](const Features& features) {
            torch::NoGradGuard no_grad;
            return tables_of(network.encode(stack({&features}, network.device(), false)), 0);
        });
        evaluation_ = "step " + std::to_string(step_) + ": " + figures.text();
        auto line = figures.json();
        line["step"] = step_;
        line["minutes"] = minutes_;
        log_.write(line);
        const double gap = figures.mean_best_gap();
        validations_without_gain_ = gap < best_gap_ ? 0 : validations_without_gain_ + 1;
        best_gap_ = std::min(best_gap_, gap);
    }

    /// What made these weights. Steps count from the start of the run, so that a resumed run is the same as one command.
    std::string command() const
    {
        constexpr const char* losses[] = {"contrast", "preference", "reinforce", "imitation"};
        const TrainRequest usual;
        std::string text = "nnpiper train --out " + request_.out.filename().string() + " --seed " + std::to_string(request_.seed);
        if (request_.loss != usual.loss)
            text += std::string(" --loss ") + losses[static_cast<int>(request_.loss)];
        if (request_.reward != usual.reward)
            text += " --reward probe";
        if (!request_.search_anchor)
            text += " --no-search-anchor";
        if (request_.samples != usual.samples)
            text += " --samples " + std::to_string(request_.samples);
        if (request_.max_devices != usual.max_devices)
            text += " --max-devices " + std::to_string(request_.max_devices);
        if (request_.imitation_steps != usual.imitation_steps)
            text += " --imitation-steps " + std::to_string(request_.imitation_steps);
        if (request_.minutes > 0)
            text += " --minutes " + number_text(request_.minutes);
        text += " --steps " + std::to_string(request_.steps > 0 && step_ >= request_.steps ? request_.steps : step_);
        return text + " --device " + device_;
    }

    void resume()
    {
        const auto path = state_path(request_.out);
        const auto file = read_tensors(path);
        const auto number = [&](const std::string& key) {
            const auto found = file.metadata.find(key);
            const auto value = found == file.metadata.end() ? std::nullopt : number_of(found->second);
            if (!value || !(*value >= 0))
                throw Error(path.string() + ": /__metadata__/" + key, "missing or not a number of at least 0");
            return *value;
        };
        optimiser_->restore(file, path.string());
        const auto acting = file.tensors.find("acting");
        if (acting == file.tensors.end() || static_cast<std::int64_t>(acting->second.values.size()) != acting_.numel())
            throw Error(path.string() + ": /acting", "missing or of another size", std::to_string(acting_.numel()) + " numbers");
        acting_ = torch::tensor(acting->second.values, torch::kFloat32).to(network_.device());
        step_ = static_cast<std::int64_t>(number("steps"));
        if (step_ % block != 0)
            throw Error(path.string() + ": /__metadata__/steps", std::to_string(step_), "a multiple of " + std::to_string(block));
        minutes_ = recorded_minutes_ = number("minutes");
        if (const double seed = number("seed"); seed != static_cast<double>(request_.seed))
            request_.seed = static_cast<std::uint64_t>(seed);
    }

    std::string summary() const
    {
        const std::string text = "step " + std::to_string(step_) + ", " + (imitation_ ? "imitation" : "judged") + ", loss "
                                 + number_text(loss_);
        return evaluation_.empty() ? text : text + "; " + evaluation_;
    }

    NetworkShape shape_;
    TrainRequest request_;
    const Control& control_;
    std::string device_;
    TorchNetwork network_;
    TrainingLog log_;
    std::optional<Optimiser> optimiser_;
    std::optional<Validation> validation_;
    torch::Tensor acting_;  ///< flat weights that the coming block's rollouts are drawn with
    std::int64_t step_ = 0; ///< a multiple of the block between blocks
    double minutes_ = 0, begin_minutes_ = 0, recorded_minutes_ = 0;
    bool imitation_ = true;
    Recent recent_;
    int checkpoints_ = 0;
    int validations_without_gain_ = 0;
    double best_gap_ = std::numeric_limits<double>::infinity();
    double loss_ = 0;
    std::string evaluation_;
    std::chrono::steady_clock::time_point start_;
};

}  // namespace

void train_network(const TrainRequest& request, const std::string& device, const Control& control)
{
    if (request.out.empty())
        throw Error("train", "no weights file to write", "give --out");
    if (request.minutes < 0 || request.steps < 0)
        throw Error("train", "a negative limit", "minutes and steps of at least 0");
    if (request.samples < 2 || request.max_devices < 2 || request.max_devices > 64)
        throw Error("train", std::to_string(request.samples) + " samples and " + std::to_string(request.max_devices) + " devices",
                    "at least 2 samples and 2 to 64 devices");
    require_writable(request.out);
    Run(request, device, control).go();
}

}  // namespace nnpiper
