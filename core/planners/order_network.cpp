// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/planners/order_network.h"

#include "core/base/error.h"

#include <dlfcn.h>

#include <atomic>
#include <cstdlib>
#include <map>
#include <mutex>
#include <system_error>
#include <tuple>

namespace nnpiper {

namespace {

namespace fs = std::filesystem;

constexpr const char* module_file = "nnpiper_torch.so";
constexpr const char* weights_file = "nnpiper/weights/nn-piper.safetensors";

fs::path executable_folder()
{
    std::error_code error;
    const auto executable = fs::read_symlink("/proc/self/exe", error);
    return error ? fs::path() : executable.parent_path();
}

/// Where this library itself lies.
fs::path library_folder()
{
    Dl_info info{};
    if (dladdr(reinterpret_cast<const void*>(&executable_folder), &info) == 0 || info.dli_fname == nullptr)
        return {};
    std::error_code error;
    const auto library = fs::canonical(info.dli_fname, error);
    return error ? fs::path() : library.parent_path();
}

std::vector<fs::path> module_places()
{
    std::vector<fs::path> places;
    const auto executable = executable_folder();
    const auto library = library_folder();
    places.push_back(executable / module_file);
    places.push_back(executable.parent_path() / "lib" / "nnpiper" / module_file);
    if (!library.empty()) {
        places.push_back(library / "nnpiper" / module_file);
        places.push_back(library / module_file);
    }
    return places;
}

TorchModule* open_module()
{
    std::string failure;
    const auto open = [&](const std::string& name) {
        void* const handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
        if (handle == nullptr)
            failure = dlerror();
        return handle;
    };
    void* handle = nullptr;
    std::error_code error;
    if (const char* wanted = std::getenv("NNPIPER_MODULE"); wanted != nullptr && *wanted != '\0') {
        handle = open(wanted);
    } else {
        for (const auto& place : module_places()) {
            if (fs::exists(place, error)) {
                handle = open(place.string());
                break;
            }
        }
    }
    if (handle == nullptr && failure.empty())
        handle = open(module_file);
    if (handle == nullptr)
        throw Error("nn-piper", "the part of the program that needs LibTorch cannot be opened (" + failure + ")",
                    "install LibTorch, or build with it; all other planners work without");
    const auto factory = reinterpret_cast<TorchFactory>(dlsym(handle, torch_factory_symbol));
    if (factory == nullptr)
        throw Error("nn-piper", std::string(module_file) + " is of another version of the program",
                    "install module and program together");
    return factory();
}

std::mutex module_mutex;
std::atomic<TorchModule*> opened_module{nullptr};

}  // namespace

TorchModule& torch_module()
{
    const std::lock_guard lock(module_mutex);
    if (opened_module == nullptr)
        opened_module = open_module();
    return *opened_module;
}

bool torch_module_is_open()
{
    return opened_module != nullptr;
}

fs::path default_weights()
{
    if (const char* wanted = std::getenv("NNPIPER_WEIGHTS"); wanted != nullptr && *wanted != '\0')
        return wanted;
    const auto executable = executable_folder();
    const auto library = library_folder();
    const std::vector<fs::path> places{executable.parent_path() / "share" / weights_file,
                                       library.parent_path() / "share" / weights_file,
                                       library.parent_path().parent_path() / "share" / weights_file};
    std::error_code error;
    for (const auto& place : places)
        if (fs::exists(place, error))
            return place;
    return places.front();
}

std::shared_ptr<OrderNetwork> borrow_network(const std::string& device)
{
    // Networks at rest, by what they were opened from; new weights under the old name make a new entry.
    using Key = std::tuple<std::string, fs::file_time_type, std::string>;
    struct Rest {
        std::mutex mutex;
        std::multimap<Key, std::unique_ptr<OrderNetwork>> networks;
    };
    static const auto rest = std::make_shared<Rest>();

    TorchModule& module = torch_module();
    const auto weights = default_weights();
    std::error_code error;
    const Key key{weights.string(), fs::last_write_time(weights, error), device};
    std::unique_ptr<OrderNetwork> network;
    {
        const std::lock_guard lock(rest->mutex);
        std::erase_if(rest->networks, [&](const auto& entry) {  // the file has been replaced
            return std::get<0>(entry.first) == std::get<0>(key) && std::get<1>(entry.first) != std::get<1>(key);
        });
        if (const auto found = rest->networks.find(key); found != rest->networks.end()) {
            network = std::move(found->second);
            rest->networks.erase(found);
        }
    }
    if (network == nullptr)
        network = module.open_network(weights, device);
    return {network.release(), [key, keep = rest](OrderNetwork* back) {
                std::unique_ptr<OrderNetwork> owned(back);
                const std::lock_guard lock(keep->mutex);
                keep->networks.emplace(key, std::move(owned));
            }};
}

}  // namespace nnpiper
