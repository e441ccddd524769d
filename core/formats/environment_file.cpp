// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/formats/environment_file.h"

#include "core/base/error.h"
#include "core/base/resource.h"
#include "core/cluster/catalog.h"
#include "core/formats/json_text.h"
#include "core/formats/schema_check.h"

#include <algorithm>

namespace nnpiper {

using nlohmann::json;

namespace {

struct KnownLink {
    double nominal = 0;    ///< bytes per second
    double effective = 0;  ///< bytes per second
    double latency_s = 0;
};

KnownLink link_named(const json& name, const std::string& place)
{
    const auto text = name.get<std::string>();
    const LinkEntry* entry = find_link_entry(text);
    if (!entry)
        throw Error(place, "\"" + text + "\" is not known", "a name of nnpiper catalog links is expected");
    if (!entry->effective_bytes_per_s || !entry->latency_s)
        throw Error(place, "\"" + text + "\" has no known " + (entry->latency_s ? "speed" : "latency"),
                    "a link with both is expected");
    const double effective = *entry->effective_bytes_per_s;
    return {std::max(effective, entry->nominal_bytes_per_s), effective, *entry->latency_s};
}

class ClusterOf {
public:
    ClusterOf(const json& environment, std::string place)
        : place_(std::move(place))
    {
        const json& nodes = environment.at("nodes");
        for (std::size_t i = 0; i < nodes.size(); ++i)
            add_nodes(nodes[i], pointer_to(place_ + "/nodes", i));
        const auto between = environment.find("between_sites");
        for (std::size_t i = 0; between != environment.end() && i < between->size(); ++i)
            join((*between)[i], pointer_to(place_ + "/between_sites", i));
        check(cluster_, place_);
    }

    Cluster take() { return std::move(cluster_); }

private:
    void add_nodes(const json& item, const std::string& place)
    {
        const int count = item.value("count", 1);
        for (int i = 0; i < count; ++i) {
            Node node;
            node.id = item.at("id").get<std::string>() + (count == 1 ? "" : std::to_string(i));
            node.name = node.id;
            const KnownLink inside = link_named(item.at("interconnect"), place + "/interconnect");
            node.interconnect = item.at("interconnect").get<std::string>();
            node.interconnect_bytes_per_s = inside.effective;
            node.interconnect_latency_s = inside.latency_s;
            node.host_bytes_per_s = link_named(item.at("host"), place + "/host").effective;
            add_devices(item.at("devices"), node.id, place + "/devices");
            if (item.contains("network")) {
                const KnownLink network = link_named(item.at("network"), place + "/network");
                const std::string site = item.value("site", std::string("switch"));
                if (!find_switch(cluster_, site))
                    cluster_.switches.push_back({site, site, 0});
                // Half of the way to another node.
                cluster_.links.push_back({node.id + "-" + site,
                                          {},
                                          item.at("network").get<std::string>(),
                                          node.id,
                                          site,
                                          network.nominal,
                                          network.effective / network.nominal,
                                          network.latency_s / 2,
                                          {}});
            }
            cluster_.nodes.push_back(std::move(node));
        }
    }

    void add_devices(const json& kinds, const std::string& node, const std::string& place)
    {
        int number = 0;
        for (std::size_t i = 0; i < kinds.size(); ++i) {
            const auto type = kinds[i].at("type").get<std::string>();
            const DeviceEntry* entry = find_device_entry(type);
            if (!entry)
                throw Error(pointer_to(place, i) + "/type", "\"" + type + "\" is not known",
                            "a name of nnpiper catalog devices is expected");
            for (int k = 0; k < kinds[i].at("count").get<int>(); ++k, ++number)
                cluster_.devices.push_back(
                    {node + "/gpu" + std::to_string(number), "GPU " + std::to_string(number), node, entry->spec, 1});
        }
    }

    void join(const json& item, const std::string& place)
    {
        const KnownLink link = link_named(item.at("link"), place + "/link");
        Link drawn;
        drawn.from = item.at("from").get<std::string>();
        drawn.to = item.at("to").get<std::string>();
        drawn.id = drawn.from + "-" + drawn.to;
        drawn.type = item.at("link").get<std::string>();
        drawn.bandwidth_bytes_per_s = link.nominal;
        drawn.achieved_fraction = link.effective / link.nominal;
        drawn.latency_s = link.latency_s;
        cluster_.links.push_back(std::move(drawn));
    }

    std::string place_;
    Cluster cluster_;
};

Model model_of(const json& item, const std::string& place)
{
    const auto name = item.at("model").get<std::string>();
    const auto& catalog = model_catalog();
    const auto entry =
        std::find_if(catalog.begin(), catalog.end(), [&](const ModelEntry& e) { return e.name == name; });
    if (entry == catalog.end())
        throw Error(place + "/model", "\"" + name + "\" is not known", "a name of nnpiper catalog models is expected");
    Model model;
    model.architecture = entry->architecture;
    model.sequence_length = item.value("sequence_length", entry->architecture.positions);
    check_lengths(model, place);
    return model;
}

Job job_of(const json& item)
{
    Job job;
    job.global_batch = item.at("global_batch").get<int>();
    if (item.contains("micro_batch"))
        job.micro_batch = item.at("micro_batch").get<int>();
    job.precision = item.value("precision", std::string("bf16"));
    job.recompute = std::nullopt;
    if (item.contains("recompute"))
        job.recompute = recompute_from_name(item.at("recompute").get<std::string>());
    if (item.contains("stages"))
        job.stages = item.at("stages").get<int>();
    if (const auto degree = item.find("tensor_parallel"); degree != item.end())
        job.tensor_parallel = degree->is_null() ? std::nullopt : std::optional(degree->get<int>());
    return job;
}

void add_cases(const json& environment, const std::string& place, std::vector<EvaluationCase>& cases)
{
    const Cluster cluster = ClusterOf(environment, place).take();
    const json& jobs = environment.at("jobs");
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        const std::string here = pointer_to(place + "/jobs", i);
        EvaluationCase added;
        added.source = environment.at("source").get<std::string>();
        added.project.model = model_of(jobs[i], here);
        added.id = environment.at("id").get<std::string>() + ", " + added.project.model.architecture.name;
        if (std::any_of(cases.begin(), cases.end(), [&](const EvaluationCase& other) { return other.id == added.id; }))
            throw Error(here, "\"" + added.id + "\" stands twice", "an environment trains each model once");
        added.project.name = added.id;
        added.project.description = environment.value("title", std::string());
        added.project.assumptions = environment.value("assumptions", std::vector<std::string>());
        added.project.cluster = cluster;
        added.project.job = job_of(jobs[i]);
        cases.push_back(std::move(added));
    }
}

}  // namespace

std::vector<EvaluationCase> read_environments(std::string_view text, const std::string& place,
                                              std::vector<std::string>* warnings)
{
    const json document = parse_json(text, place);
    check_format(document, "nnpiper-environments", place);
    check_schema(document, "environments", place);
    std::vector<EvaluationCase> cases;
    const json& environments = document.at("environments");
    for (std::size_t i = 0; i < environments.size(); ++i)
        add_cases(environments[i], place + ": " + pointer_to("/environments", i), cases);
    if (warnings)
        for (std::string& sentence : unknown_fields(document, "environments"))
            warnings->push_back(place + ": " + std::move(sentence));
    return cases;
}

std::vector<EvaluationCase> shipped_environments()
{
    return read_environments(embedded_resource("evaluation/environments.json"), "evaluation/environments.json");
}

}  // namespace nnpiper
