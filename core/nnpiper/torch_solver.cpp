// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nnpiper/torch_solver.h"

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/nnpiper/faster_network.h"
#include "core/nnpiper/torch_network.h"
#include "core/nnpiper/torch_trainer.h"

#include <malloc.h>

#include <map>

namespace nnpiper {

namespace {

/// LibTorch's own exceptions never leave the module.
template <class Work>
auto guarded(const std::string& place, Work&& work)
{
    try {
        return work();
    } catch (const c10::Error& e) {
        throw Error(place, "LibTorch failed: " + std::string(e.what_without_backtrace()));
    }
}

/// [S][D usable] to [S][D of the problem], 0 for devices that may not be used.
std::vector<float> by_problem(const Problem& problem, const Features& features, const std::vector<float>& probability)
{
    const auto usable = static_cast<std::size_t>(features.devices), all = static_cast<std::size_t>(problem.devices());
    std::vector<float> result(static_cast<std::size_t>(features.stages) * all, 0.0F);
    for (std::size_t i = 0; i < probability.size(); ++i)
        result[i / usable * all + static_cast<std::size_t>(features.device_index[i % usable])] = probability[i];
    return result;
}

/// Small matrices: a second thread costs more than it brings. OpenMP counts threads for each calling thread.
void use_one_thread()
{
    thread_local const bool done = [] {
        torch::set_num_threads(1);
        return true;
    }();
    static_cast<void>(done);
}

class TorchOrderNetwork : public OrderNetwork {
public:
    TorchOrderNetwork(const std::filesystem::path& weights, const std::string& device, DecodeWith decode)
        : TorchOrderNetwork(read_tensors(weights), weights.string(), device, decode)
    {
    }

    std::string device() const override { return network_.device().is_cuda() ? "cuda" : "cpu"; }

    std::vector<std::vector<NetworkAnswer>> answer_all(const std::vector<NetworkQuestion>& questions) override
    {
        return guarded("nn-piper", [&] {
            use_one_thread();
            const c10::InferenceMode inference;
            return answer_inside(questions);
        });
    }

private:
    TorchOrderNetwork(const TensorFile& file, const std::string& place, const std::string& device, DecodeWith decode)
        : network_(check_weights(file, place), torch::Device(device))
        , decoder_(network_.shape(), file)
        , on_host_(decode == DecodeWith::host || (decode == DecodeWith::automatic && device == "cpu"))
    {
        network_.load(file.tensors);
    }

    std::vector<std::vector<NetworkAnswer>> answer_inside(const std::vector<NetworkQuestion>& questions)
    {
        std::vector<Features> features;
        std::map<int, std::vector<std::size_t>> by_devices;  // the encoder takes equal numbers of devices at once
        for (std::size_t i = 0; i < questions.size(); ++i) {
            features.push_back(features_of(questions[i]));
            by_devices[features.back().devices].push_back(i);
        }
        std::vector<std::vector<NetworkAnswer>> answers(questions.size());
        for (const auto& [devices, group] : by_devices) {
            std::vector<const Features*> batch;
            for (const auto i : group)
                batch.push_back(&features[i]);
            const auto encoded = network_.encode(stack(batch, network_.device(), false));
            for (std::size_t k = 0; k < group.size(); ++k)
                answers[group[k]] = decode_one(questions[group[k]], features[group[k]], encoded, static_cast<int>(k));
        }
        return answers;
    }

    std::vector<NetworkAnswer> decode_one(const NetworkQuestion& question, const Features& features, const Encoded& encoded,
                                          int index) const
    {
        const auto uniforms = decode_uniforms(question.seed, question.samples, question.stages);
        std::vector<DecodedOrder> orders;
        if (on_host_) {
            orders = decoder_.decode(features, tables_of(encoded, index), question.samples, uniforms, question.explain,
                                      processors());
        } else {
            orders = network_.decode(features, encoded.row(index), question.samples, uniforms, question.explain);
        }
        std::vector<NetworkAnswer> answers;
        for (const auto& order : orders) {
            NetworkAnswer answer;
            answer.log_probability = order.log_probability;
            answer.log_load = order.log_load;
            for (const int device : order.devices)
                answer.devices.push_back(features.device_index[static_cast<std::size_t>(device)]);
            if (question.explain)
                answer.probability = by_problem(*question.problem, features, order.probability);
            answers.push_back(std::move(answer));
        }
        return answers;
    }

    TorchNetwork network_;
    Decoder decoder_;
    bool on_host_;
};

class Module : public TorchModule {
public:
    Module()
    {
        use_one_thread();
        // Tensors come and go by the thousand; given back to the system each time, their pages cost more than the sums.
        mallopt(M_MMAP_THRESHOLD, 1 << 25);  // the most that is allowed
        mallopt(M_TRIM_THRESHOLD, 1 << 28);
    }

    std::string torch_version() const override { return TORCH_VERSION; }
    bool cuda_available() const override { return torch::cuda::is_available(); }
    std::unique_ptr<OrderNetwork> open_network(const std::filesystem::path& weights, const std::string& device) override
    {
        auto network = open_order_network(weights, resolve_device(device));
        if (device != "auto" || network->device() == "cpu")
            return network;
        return faster_network(open_order_network(weights, "cpu"), std::move(network));
    }
    void train(const TrainRequest& request, const Control& control) override
    {
        guarded("train", [&] {
            train_network(request, resolve_device(request.device), control);
        });
    }
};

}  // namespace

std::unique_ptr<TorchModule> make_torch_module()
{
    return std::make_unique<Module>();
}

std::string resolve_device(const std::string& wanted)
{
    if (wanted == "auto")
        return torch::cuda::is_available() ? "cuda" : "cpu";
    if (wanted == "cpu")
        return wanted;
    if (wanted != "cuda")
        throw Error("device", "\"" + wanted + "\"", "\"auto\", \"cpu\" or \"cuda\"");
    if (!torch::cuda::is_available())
        throw Error("device", "\"cuda\" is asked for, but LibTorch " TORCH_VERSION " finds no CUDA device here",
                    "\"cpu\" or \"auto\" work");
    return wanted;
}

std::unique_ptr<OrderNetwork> open_order_network(const std::filesystem::path& weights, const std::string& device, DecodeWith decode)
{
    return guarded(weights.string(), [&] { return std::make_unique<TorchOrderNetwork>(weights, device, decode); });
}

}  // namespace nnpiper
