// SPDX-License-Identifier: GPL-3.0-or-later
// Structural validation of a plan against its problem.
#include "core/problem/pipeline.h"

#include "core/base/error.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

namespace nnpiper {

namespace {

class Checker {
public:
    Checker(const Problem& problem, const Plan& plan) : problem_(problem), plan_(plan) {}

    std::vector<std::string> faults()
    {
        if (plan_.stages.empty()) {
            fault("/stages", "there is no stage", "at least one");
            return std::move(faults_);
        }
        if (is_inference(plan_.schedule))
            fault("/schedule", std::string(name_of(plan_.schedule)) + " runs forward passes only",
                  "a schedule that trains");
        variant();
        layers();
        if (!placement())
            return std::move(faults_);
        devices();
        if (faults_.empty())
            inside();
        if (faults_.empty())
            boundaries();
        if (faults_.empty())
            locks();
        return std::move(faults_);
    }

private:
    static std::string at(std::size_t stage, const std::string& field = {})
    {
        return "/stages/" + std::to_string(stage) + (field.empty() ? "" : "/" + field);
    }

    void fault(const std::string& place, const std::string& found, const std::string& allowed)
    {
        faults_.push_back(Error(place, found, allowed).what());
    }

    void variant()
    {
        // A degree or policy that is not priced is told at its stage.
        Stage first = plan_.stages.front();
        if (degrees().count(first.tensor_parallel) == 0)
            first.tensor_parallel = problem_.variants.front().tensor_parallel;
        if (policies().count(first.recompute) == 0)
            first.recompute = problem_.variants.front().recompute;
        try {
            samples_ = variant_of(problem_, plan_, first).micro_batch_samples;
        } catch (const Error& error) {
            faults_.push_back(error.what());
        }
    }

    void layers()
    {
        int expected = 0;
        for (std::size_t s = 0; s < plan_.stages.size(); ++s) {
            const Stage& stage = plan_.stages[s];
            if (stage.first_layer != expected) {
                fault(at(s, "first_layer"), "it is " + std::to_string(stage.first_layer),
                      "the end of the stage before, " + std::to_string(expected));
                return;
            }
            if (stage.end_layer <= stage.first_layer) {
                fault(at(s, "end_layer"), "the stage holds no layer", "more than " + std::to_string(stage.first_layer));
                return;
            }
            tensor_parallel(s, stage);
            recompute(s, stage);
            expected = stage.end_layer;
        }
        if (expected != problem_.layers())
            fault(at(plan_.stages.size() - 1, "end_layer"), "the stages end at layer " + std::to_string(expected),
                  "all " + std::to_string(problem_.layers()) + " layers");
    }

    std::set<int> degrees() const
    {
        std::set<int> all;
        for (const Variant& variant : problem_.variants)
            all.insert(variant.tensor_parallel);
        return all;
    }

    std::set<Recompute> policies() const
    {
        std::set<Recompute> all;
        for (const Variant& variant : problem_.variants)
            all.insert(variant.recompute);
        return all;
    }

    void recompute(std::size_t s, const Stage& stage)
    {
        if (policies().count(stage.recompute) > 0)
            return;
        std::string known;
        for (const Recompute policy : policies())
            known += (known.empty() ? "" : ", ") + std::string(name_of(policy));
        fault(at(s, "recompute"), "it is " + std::string(name_of(stage.recompute)),
              "the policies that the problem prices: " + known);
    }

    void tensor_parallel(std::size_t s, const Stage& stage)
    {
        const int t = stage.tensor_parallel;
        if (degrees().count(t) == 0) {
            std::string known;
            for (const int degree : degrees())
                known += (known.empty() ? "" : ", ") + std::to_string(degree);
            fault(at(s, "tensor_parallel"), "it is " + std::to_string(t), "the degrees that the problem prices: " + known);
        } else if (stage.devices.size() % static_cast<std::size_t>(t) != 0) {
            fault(at(s, "devices"), std::to_string(stage.devices.size()) + " devices do not make groups of "
                                        + std::to_string(t),
                  "a multiple of tensor_parallel");
        }
    }

    /// Chunks and directions where the schedule puts them.
    bool placement()
    {
        try {
            map_ = map_of(plan_);
        } catch (const Error& error) {
            faults_.push_back(error.what());
            return false;
        }
        std::vector<int> first(static_cast<std::size_t>(map_.devices), -1);
        for (int k = 0; k < map_.stages; ++k) {
            int& owner = first[static_cast<std::size_t>(map_.device(k))];
            if (owner < 0) {
                owner = k;
                continue;
            }
            const Stage& stage = plan_.stages[static_cast<std::size_t>(k)];
            const Stage& held = plan_.stages[static_cast<std::size_t>(owner)];
            if (stage.devices != held.devices || stage.shares != held.shares
                || stage.tensor_parallel != held.tensor_parallel)
                fault(at(static_cast<std::size_t>(k), "devices"),
                      "they differ from those of stage " + std::to_string(owner),
                      "the same devices and shares, since " + std::string(name_of(plan_.schedule))
                          + " puts both stages on one group");
        }
        return true;
    }

    void devices()
    {
        std::map<std::string, std::size_t> user;
        for (std::size_t s = 0; s < plan_.stages.size(); ++s) {
            const Stage& stage = plan_.stages[s];
            if (stage.devices.empty())
                fault(at(s, "devices"), "the stage has no device", "at least one");
            for (std::size_t i = 0; i < stage.devices.size(); ++i) {
                const std::string& id = stage.devices[i];
                const std::string place = at(s, "devices/" + std::to_string(i));
                if (problem_.device_index(id) < 0)
                    fault(place, "there is no device \"" + id + "\"", "an id of the problem's devices");
                else if (const auto [first, fresh] = user.emplace(id, s);
                         !fresh && (first->second == s || group_of(first->second) != group_of(s)))
                    fault(place, "device \"" + id + "\" is already in stage " + std::to_string(first->second),
                          "one stage a device");
            }
            replicas(s, stage);
        }
    }

    int group_of(std::size_t stage) const { return map_.device(static_cast<int>(stage)); }

    void replicas(std::size_t s, const Stage& stage)
    {
        const std::size_t replicas = stage.devices.size() / static_cast<std::size_t>(std::max(1, stage.tensor_parallel));
        if (replicas < 2 && stage.shares.empty())
            return;
        if (replicas > 1 && !problem_.replicas_allowed()) {
            fault(at(s, "devices"), "the stage is replicated on " + std::to_string(stage.devices.size()) + " devices",
                  "one device, since the problem gives no gradient_bytes and micro_batch_samples");
            return;
        }
        if (stage.shares.empty()) {
            if (static_cast<int>(replicas) > samples_ && samples_ > 0)
                fault(at(s, "devices"),
                      std::to_string(replicas) + " replicas share micro-batches of "
                          + std::to_string(samples_) + " samples",
                      "at most one replica a sample");
            return;
        }
        const int sum = std::accumulate(stage.shares.begin(), stage.shares.end(), 0);
        if (stage.shares.size() != replicas || sum != samples_
            || *std::min_element(stage.shares.begin(), stage.shares.end()) < 1)
            fault(at(s, "shares"), "the shares do not fit", "one positive number a replica that sum to "
                                                                + std::to_string(samples_) + " samples");
    }

    /// Devices of one stage talk to each other: slices of a layer, replicas of a slice.
    void inside()
    {
        for (std::size_t s = 0; s < plan_.stages.size(); ++s) {
            const auto& devices = plan_.stages[s].devices;
            for (std::size_t i = 0; i < devices.size(); ++i) {
                for (std::size_t k = i + 1; k < devices.size(); ++k)
                    routed(at(s, "devices"), devices[i], devices[k]);
            }
        }
    }

    void routed(const std::string& place, const std::string& from, const std::string& to)
    {
        const int a = problem_.device_index(from);
        const int b = problem_.device_index(to);
        if (problem_.bandwidth_bytes_per_s(a, b) <= 0 || problem_.bandwidth_bytes_per_s(b, a) <= 0)
            fault(place, "there is no route between \"" + from + "\" and \"" + to + "\"", "devices that a link connects");
    }

    void boundaries()
    {
        for (std::size_t s = 0; s + 1 < plan_.stages.size(); ++s) {
            if (!map_.crosses(static_cast<int>(s)))
                continue;
            for (const auto& from : plan_.stages[s].devices) {
                for (const auto& to : plan_.stages[s + 1].devices)
                    routed(at(s + 1, "devices"), from, to);
            }
        }
    }

    void locks()
    {
        for (std::size_t l = 0; l < problem_.locks.size(); ++l) {
            const Lock& lock = problem_.locks[l];
            for (const std::string& id : lock.devices) {
                const auto stage = std::find_if(plan_.stages.begin(), plan_.stages.end(), [&](const Stage& candidate) {
                    return std::find(candidate.devices.begin(), candidate.devices.end(), id) != candidate.devices.end();
                });
                const std::string place = "/locks/" + std::to_string(l);
                if (lock.idle) {
                    if (stage != plan_.stages.end())
                        fault(place, "device \"" + id + "\" is used", "it is locked idle");
                    continue;
                }
                if (stage == plan_.stages.end()) {
                    fault(place, "device \"" + id + "\" is not used", "it is locked to a stage");
                    continue;
                }
                const auto index = static_cast<int>(stage - plan_.stages.begin());
                if ((lock.stage && *lock.stage != index) || (lock.first_layer && *lock.first_layer != stage->first_layer)
                    || (lock.end_layer && *lock.end_layer != stage->end_layer))
                    fault(place,
                          "device \"" + id + "\" has stage " + std::to_string(index) + " with layers "
                              + std::to_string(stage->first_layer) + " to " + std::to_string(stage->end_layer),
                          "what the lock says");
            }
        }
    }

    const Problem& problem_;
    const Plan& plan_;
    StageMap map_;
    int samples_ = 0;
    std::vector<std::string> faults_;
};

}  // namespace

std::vector<std::string> validate(const Problem& problem, const Plan& plan)
{
    return Checker(problem, plan).faults();
}

}  // namespace nnpiper
