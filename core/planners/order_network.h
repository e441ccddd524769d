// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/control.h"
#include "core/problem/problem.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace nnpiper {

/// One answer of the network: devices of the stages in order (indices into the problem) and how much load it would give
/// each stage, from which its own layers follow (SplitSearch::balance); `log_probability` is the mean over its decisions.
struct NetworkAnswer {
    std::vector<int> devices;
    std::vector<float> log_load;      ///< [S]
    double log_probability = 0;
    std::vector<float> probability;   ///< [S][D of the problem] of every device at every decision, where asked for
};

/// What the network is asked: a problem's variant, schedule and number of stages.
struct NetworkQuestion {
    const Problem* problem = nullptr;
    int variant = 0;
    ScheduleKind schedule = ScheduleKind::one_f_one_b;
    int stages = 1;
    int samples = 16;          ///< the first answer is greedy, the others are drawn
    std::uint64_t seed = 1;
    bool explain = false;      ///< whether answers come with the probabilities of their decisions
};

/// The neural solver as the torch-free part of the program sees it. Not thread-safe; one per thread.
class OrderNetwork {
public:
    virtual ~OrderNetwork() = default;
    /// Where it runs: "cpu" or "cuda".
    virtual std::string device() const = 0;
    /// Answers of several questions, encoded together where their numbers of devices agree. Throws Error when a question
    /// has more stages than usable devices or layers.
    virtual std::vector<std::vector<NetworkAnswer>> answer_all(const std::vector<NetworkQuestion>& questions) = 0;
    std::vector<NetworkAnswer> answer(const NetworkQuestion& question) { return answer_all({question}).front(); }
};

/// What `nnpiper train` asks for. Steps and minutes are those of the whole run, parts before a resume included.
struct TrainRequest {
    enum class Loss { contrast, preference, reinforce, imitation };
    enum class Reward { split, probe };

    std::filesystem::path out;                 ///< weights file
    bool resume = false;
    double minutes = 0;                        ///< 0: no limit
    std::int64_t steps = 0;                    ///< 0: no limit
    std::string device = "auto";
    int threads = 0;                           ///< 0: one a processor
    std::uint64_t seed = 1;
    Loss loss = Loss::contrast;                ///< behind the steps of imitation
    Reward reward = Reward::split;
    bool search_anchor = true;                 ///< whether the best order drawn is improved by a short search
    int samples = 24;                          ///< orders drawn a problem
    int max_devices = 64;
    std::int64_t imitation_steps = 2000;
    int patience = 0;                          ///< stop after so many validations without a better one; 0: never
    std::filesystem::path log;                 ///< JSON Lines, appended to; empty: none
};

/// The module `nnpiper_torch`, opened when first needed.
class TorchModule {
public:
    virtual ~TorchModule() = default;
    virtual std::string torch_version() const = 0;
    virtual bool cuda_available() const = 0;
    /// Throws Error when the weights cannot be read or the device is not there.
    virtual std::unique_ptr<OrderNetwork> open_network(const std::filesystem::path& weights, const std::string& device) = 0;
    virtual void train(const TrainRequest& request, const Control& control) = 0;
};

/// Opens the module ($NNPIPER_MODULE, else beside the executable, ../lib/nnpiper, the library path) once; throws Error saying
/// that LibTorch's part is not there when it cannot. Thread-safe.
TorchModule& torch_module();
/// Whether torch_module() has been opened already.
bool torch_module_is_open();
/// The trained weights shipped with the program: $NNPIPER_WEIGHTS, else found relative to the executable.
std::filesystem::path default_weights();

/// A network of the shipped weights on `device` ("auto", "cpu", "cuda"), opened or taken from those that others gave
/// back; it goes back when the last pointer is dropped. Throws Error as `torch_module` and `open_network` do. Thread-safe.
std::shared_ptr<OrderNetwork> borrow_network(const std::string& device);

/// The module's one exported symbol; the suffix is the interface version.
inline constexpr const char* torch_factory_symbol = "nnpiper_torch_factory_3";
using TorchFactory = TorchModule* (*)();

}  // namespace nnpiper
