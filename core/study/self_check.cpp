// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/study/self_check.h"

#include "core/base/error.h"
#include "core/base/random.h"
#include "core/planners/nn_piper.h"
#include "core/planners/order_network.h"
#include "core/planners/planner.h"
#include "core/schedule/schedule.h"
#include "core/simulator/evaluator.h"
#include "core/simulator/order_evaluator.h"
#include "core/simulator/simulate.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>

namespace nnpiper {

namespace {

constexpr ScheduleKind kinds[] = {ScheduleKind::gpipe, ScheduleKind::one_f_one_b};

std::string text(double value)
{
    char buffer[64];
    const auto end = std::to_chars(buffer, buffer + sizeof buffer, value);
    return std::string(buffer, end.ptr);
}

/// What a check does when it finds a fault.
[[noreturn]] void fail(const std::string& message)
{
    throw Error({}, message);
}

/// Why a check cannot be done here.
struct Skip {
    std::string reason;
};

void expect_equal(double found, double expected, double tolerance, const std::string& what)
{
    if (!(std::abs(found - expected) <= tolerance * std::max(1.0, std::abs(expected))))
        fail(what + " is " + text(found) + ", expected " + text(expected));
}

Pipeline even_pipeline(int stages, int micro_batches, double forward, double backward, double delay)
{
    const auto n = static_cast<std::size_t>(stages);
    Pipeline p;
    p.map = straight_map(stages);
    p.micro_batches = micro_batches;
    p.forward_s.assign(n, forward);
    p.backward_input_s.assign(n, backward / 2);
    p.backward_weight_s.assign(n, backward / 2);
    p.forward_occupancy_s.assign(n - 1, 0);
    p.backward_occupancy_s.assign(n - 1, 0);
    p.forward_latency_s.assign(n - 1, delay);
    p.backward_latency_s.assign(n - 1, delay);
    p.all_reduce_s.assign(n, 0);
    p.optimizer_s.assign(n, 0);
    p.samples = micro_batches;
    return p;
}

Pipeline random_pipeline(Random& random, bool messages)
{
    const int stages = 1 + random.below(12);
    Pipeline p = even_pipeline(stages, 1 + random.below(24), 1, 2, 0);
    for (auto* list : {&p.forward_s, &p.backward_input_s, &p.backward_weight_s})
        for (double& value : *list)
            value = random.log_uniform(0.1, 3);
    if (messages)
        for (auto* list :
             {&p.forward_occupancy_s, &p.backward_occupancy_s, &p.forward_latency_s, &p.backward_latency_s})
            for (double& value : *list)
                value = random.below(4) == 0 ? 0 : random.log_uniform(0.01, 4);
    return p;
}

/// Layers of unlike size on devices of unlike speed and memory in a few nodes; every device reaches every other.
Problem random_problem(Random& random, int layers, int devices, int stages, int micro_batches)
{
    Problem problem;
    problem.name = "random";
    problem.raw = true;
    problem.samples_known = false;
    problem.stages = stages;
    problem.schedule = ScheduleKind::one_f_one_b;
    Variant variant;
    variant.micro_batches = micro_batches;
    variant.forward_s = Matrix(layers, devices);
    variant.backward_input_s = variant.forward_s;
    variant.backward_weight_s = variant.forward_s;
    problem.bandwidth_bytes_per_s = Matrix(devices, devices);
    problem.latency_s = problem.bandwidth_bytes_per_s;
    std::vector<double> speed, size;
    std::vector<int> node;
    double state = 0;
    for (int l = 0; l < layers; ++l) {
        size.push_back(random.log_uniform(0.5, 2));
        problem.layer_names.push_back("layer " + std::to_string(l));
        problem.state_bytes.push_back(1e9 * size.back());
        state += problem.state_bytes.back();
        variant.stored_bytes.push_back(1e8 * random.log_uniform(0.5, 2));
        variant.transient_bytes.push_back(0);
        variant.buffer_bytes.push_back(0);
        variant.output_bytes.push_back(1e7 * random.log_uniform(0.5, 2));
    }
    for (int d = 0; d < devices; ++d) {
        problem.device_ids.push_back("node" + std::to_string(d / 2) + "/gpu" + std::to_string(d));
        problem.device_types.emplace_back();
        problem.device_nodes.emplace_back();
        problem.device_price_per_h.push_back(std::nan(""));
        // Together they hold the model about three times, alone they need not.
        problem.device_memory_bytes.push_back(random.uniform(2, 4) * (state + 1e8 * layers * stages) / stages);
        speed.push_back(random.log_uniform(0.5, 3));
        node.push_back(d / 2);
    }
    for (int l = 0; l < layers; ++l)
        for (int d = 0; d < devices; ++d) {
            const double time = 1e-3 * size[static_cast<std::size_t>(l)] / speed[static_cast<std::size_t>(d)];
            variant.forward_s(l, d) = time;
            variant.backward_input_s(l, d) = time;
            variant.backward_weight_s(l, d) = time;
        }
    for (int a = 0; a < devices; ++a)
        for (int b = 0; b < devices; ++b)
            if (a != b) {
                const bool near = node[static_cast<std::size_t>(a)] == node[static_cast<std::size_t>(b)];
                problem.bandwidth_bytes_per_s(a, b) = (near ? 2e10 : 2e9) * random.uniform(0.8, 1.2);
                problem.latency_s(a, b) = near ? 5e-6 : 5e-5;
            }
    problem.variants.push_back(std::move(variant));
    return problem;
}

std::string closed_forms()
{
    int cases = 0;
    for (const ScheduleKind kind : kinds)
        for (const int stages : {1, 2, 3, 4, 8, 16})
            for (const int micro_batches : {1, 2, 4, 7, 32}) {
                const OpOrder order = op_order(kind, stages, micro_batches);
                const Timeline timeline = run(even_pipeline(stages, micro_batches, 1, 2, 0), order);
                const std::string what =
                    std::string(name_of(kind)) + " p=" + std::to_string(stages) + " m=" + std::to_string(micro_batches);
                expect_equal(timeline.makespan_s, (micro_batches + stages - 1) * 3.0, 1e-12, what + ": length");
                expect_equal(timeline.bubble_fraction, (stages - 1.0) / (micro_batches + stages - 1), 1e-12,
                             what + ": bubble");
                for (int s = 0; s < stages; ++s)
                    expect_equal(timeline.metrics[static_cast<std::size_t>(s)].peak_in_flight,
                                 kind == ScheduleKind::gpipe ? micro_batches : std::min(micro_batches, stages - s), 0,
                                 what + ": peak of stage " + std::to_string(s));
                ++cases;
            }
    // Latency: 1F1B hides none of it, GPipe all but the filling and draining.
    expect_equal(run(even_pipeline(4, 8, 1, 2, 1), op_order(ScheduleKind::one_f_one_b, 4, 8)).makespan_s, 49, 1e-12,
                 "1f1b with delay 1");
    expect_equal(run(even_pipeline(4, 8, 1, 2, 1), op_order(ScheduleKind::gpipe, 4, 8)).makespan_s, 39, 1e-12,
                 "gpipe with delay 1");
    return std::to_string(cases + 2) + " cases";
}

std::string unequal_gpipe(Random random)
{
    constexpr int cases = 200;
    for (int i = 0; i < cases; ++i) {
        const Pipeline p = random_pipeline(random, false);
        double sum = 0, most_forward = 0, most_backward = 0;
        for (int s = 0; s < p.stages(); ++s) {
            sum += p.forward_s[static_cast<std::size_t>(s)] + p.backward_s(s);
            most_forward = std::max(most_forward, p.forward_s[static_cast<std::size_t>(s)]);
            most_backward = std::max(most_backward, p.backward_s(s));
        }
        expect_equal(makespan(ScheduleKind::gpipe, p), sum + (p.micro_batches - 1) * (most_forward + most_backward),
                     1e-9, "gpipe on unequal stages");
    }
    return std::to_string(cases) + " random pipelines";
}

/// Every schedule's order is sound, and both engines give it the same length, with unlike stages and links.
std::string every_schedule(Random random)
{
    int cases = 0;
    for (const ScheduleEntry& entry : schedule_catalog()) {
        if (entry.kind == ScheduleKind::custom || entry.kind == ScheduleKind::zb_auto || is_inference(entry.kind))
            continue;
        for (const int devices : {2, 4, 6}) {
            const ScheduleShape shape{entry.kind, devices, 2 * devices, default_chunks(entry.kind), {}, 1};
            const OpOrder order = op_order(shape);
            const StageMap map = stage_map(shape.kind, shape.devices, shape.chunks);
            Pipeline p = even_pipeline(map.all_stages(), shape.micro_batches, 1, 2, 0);
            p.map = map;
            for (auto* list : {&p.forward_s, &p.backward_input_s, &p.forward_occupancy_s, &p.backward_latency_s})
                for (double& value : *list)
                    value = random.log_uniform(0.1, 2);
            expect_equal(makespan(p, order), run(p, order).makespan_s, 1e-9,
                         entry.name + " on " + std::to_string(devices) + " devices");
            ++cases;
        }
    }
    return std::to_string(cases) + " orders";
}

std::string engines_agree(Random random)
{
    constexpr int cases = 300;
    for (int i = 0; i < cases; ++i) {
        const Pipeline p = random_pipeline(random, true);
        for (const ScheduleKind kind : kinds)
            expect_equal(makespan(kind, p), run(p, op_order(kind, p.stages(), p.micro_batches)).makespan_s, 1e-9,
                         "fast engine, " + std::string(name_of(kind)) + ", " + std::to_string(p.stages()) + " stages, "
                             + std::to_string(p.micro_batches) + " micro-batches");
    }
    return std::to_string(2 * cases) + " random pipelines";
}

std::string lower_bound(Random random)
{
    constexpr int cases = 300;
    for (int i = 0; i < cases; ++i) {
        const Pipeline p = random_pipeline(random, true);
        double bound = 0, before = 0;
        for (int s = 0; s < p.stages(); ++s) {
            const double stage = p.forward_s[static_cast<std::size_t>(s)] + p.backward_s(s);
            bound = std::max(bound, before + p.micro_batches * stage);
            before += stage;
            if (s + 1 < p.stages()) {
                const auto b = static_cast<std::size_t>(s);
                before += p.forward_occupancy_s[b] + p.forward_latency_s[b] + p.backward_occupancy_s[b]
                          + p.backward_latency_s[b];
            }
        }
        const double length = makespan(ScheduleKind::one_f_one_b, p);
        if (length < bound * (1 - 1e-9))
            fail("1f1b takes " + text(length) + ", less than its lower bound " + text(bound));
    }
    return std::to_string(cases) + " random pipelines";
}

std::string planner_valid(const PlannerEntry& entry, Random random, const Control& control)
{
    constexpr int cases = 6;
    int planned = 0;
    std::string reason;
    for (int i = 0; i < cases && !control.should_stop(); ++i) {
        const int devices = 3 + random.below(4);
        const int layers = devices + 3 + random.below(6);
        const Problem problem =
            random_problem(random, layers, devices, 2 + random.below(devices - 1), 2 + random.below(10));
        PlanRequest request;
        request.budget_ms = 60;
        request.device = "cpu";
        request.seed = 1 + static_cast<std::uint64_t>(i);
        const Plan plan = run_planner(entry, problem, request, Control{control.stop, Deadline::never(), {}});
        if (plan.status == "skipped") {
            if (plan.reason.empty())
                fail("skipped without a reason");
            reason = plan.reason;
            continue;
        }
        if (plan.stages.empty() && !plan.feasible && !plan.reason.empty()) {
            ++planned;  // an honest "it does not fit"
            continue;
        }
        if (const auto faults = validate(problem, plan); !faults.empty())
            fail("an invalid plan: " + faults.front());
        const Timeline timeline = simulate(problem, plan);
        expect_equal(plan.makespan_s, timeline.makespan_s, 1e-9, "predicted makespan");
        if (plan.feasible != timeline.fits)
            fail(plan.feasible ? "a plan called feasible: " + timeline.shortfall
                               : "a plan that fits is called infeasible");
        if (plan.bound_s && *plan.bound_s > plan.makespan_s * (1 + 1e-9))
            fail("a lower bound of " + text(*plan.bound_s) + " above the makespan " + text(plan.makespan_s));
        ++planned;
    }
    if (planned == 0)
        throw Skip{reason.empty() ? "stopped" : reason};
    return std::to_string(planned) + " random problems";
}

std::string same_seed(const PlannerEntry& entry, Random random)
{
    const Problem problem = random_problem(random, 10, 4, 3, 6);
    PlanRequest request;
    request.budget_ms = 1e7;  // closed procedures only: a search would run that long
    const Plan first = run_planner(entry, problem, request, {});
    if (first.status == "skipped")
        throw Skip{first.reason};
    if (run_planner(entry, problem, request, {}).stages != first.stages)
        fail("two runs give two plans");
    return "the same plan twice";
}

std::string exact_is_best(Random random, const Control& control)
{
    const auto& registry = planner_registry();
    const auto exact =
        std::find_if(registry.begin(), registry.end(), [](const PlannerEntry& e) { return e.name == "exact"; });
    if (exact == registry.end())
        throw Skip{"no planner of that name"};
    constexpr int cases = 4;
    int compared = 0;
    for (int i = 0; i < cases && !control.should_stop(); ++i) {
        const Problem problem = random_problem(random, 7, 4, 3, 5);
        PlanRequest request;
        request.budget_ms = 3000;
        request.schedule = ScheduleKind::one_f_one_b;
        const Plan best = run_planner(*exact, problem, request, {control.stop, Deadline::never(), {}});
        if (best.status != "ok" || !best.feasible)
            continue;
        request.budget_ms = 60;
        for (const PlannerEntry& entry : registry) {
            const Plan plan = run_planner(entry, problem, request, {control.stop, Deadline::never(), {}});
            if (!plan.feasible || plan.stages.size() != best.stages.size())
                continue;
            if (plan.makespan_s < best.makespan_s * (1 - 1e-9))
                fail(entry.name + " finds " + text(plan.makespan_s) + " where exact finds " + text(best.makespan_s));
            ++compared;
        }
    }
    if (compared == 0)
        throw Skip{"nothing to compare"};
    return std::to_string(compared) + " plans compared";
}

std::string network_on_both_devices(Random random)
{
    TorchModule* module = nullptr;
    std::unique_ptr<OrderNetwork> on_cpu;
    try {
        module = &torch_module();
        on_cpu = module->open_network(default_weights(), "cpu");
    } catch (const Error& error) {
        throw Skip{error.what()};
    }
    const bool cuda = module->cuda_available();
    std::unique_ptr<OrderNetwork> on_cuda = cuda ? module->open_network(default_weights(), "cuda") : nullptr;
    constexpr int cases = 8;
    int same_order = 0;
    for (int i = 0; i < cases; ++i) {
        const int devices = 4 + random.below(12);
        const Problem problem =
            random_problem(random, 2 * devices + random.below(16), devices, 2 + random.below(devices - 1), 8);
        NetworkQuestion question;
        question.problem = &problem;
        question.stages = *problem.stages;
        question.samples = 1;
        const auto once = on_cpu->answer(question);
        if (once.empty() || static_cast<int>(once.front().devices.size()) != question.stages)
            fail("the network does not name a device for every stage");
        const auto again = (on_cuda ? on_cuda : on_cpu)->answer(question);
        if (again.empty())
            fail("the network gives no answer the second time");
        if (!on_cuda && once.front().devices != again.front().devices)
            fail("two greedy answers on the CPU differ");
        if (once.front().devices == again.front().devices) {
            expect_equal(again.front().log_probability, once.front().log_probability, 1e-4, "mean log-probability");
            ++same_order;
        }
    }
    // Rounding may tip a near tie; it may not change most answers.
    if (2 * same_order < cases)
        fail("CPU and CUDA agree on " + std::to_string(same_order) + " of " + std::to_string(cases) + " orders only");
    return cuda ? "CPU and CUDA, " + std::to_string(same_order) + " of " + std::to_string(cases) + " orders equal"
                : std::to_string(cases) + " answers on the CPU; no CUDA device here";
}

}  // namespace

std::vector<CheckResult> self_check(std::uint64_t seed, const Control& control,
                                    const std::function<void(const CheckResult&)>& report)
{
    std::vector<CheckResult> results;
    const auto check_one = [&](const std::string& name, const auto& body) {
        if (control.should_stop())
            return;
        CheckResult result{name, CheckOutcome::passed, {}};
        try {
            result.message = body();
        } catch (const Skip& skip) {
            result.outcome = CheckOutcome::skipped;
            result.message = skip.reason;
        } catch (const std::exception& error) {
            result.outcome = CheckOutcome::failed;
            result.message = error.what();
        }
        if (report)
            report(result);
        results.push_back(std::move(result));
    };

    check_one("closed forms of gpipe and 1f1b", [] { return closed_forms(); });
    check_one("closed form of gpipe on unequal stages", [&] { return unequal_gpipe(Random(seed)); });
    check_one("fast engine equals detailed engine", [&] { return engines_agree(Random(seed + 1)); });
    check_one("every schedule on both engines", [&] { return every_schedule(Random(seed + 7)); });
    check_one("lower bound of 1f1b", [&] { return lower_bound(Random(seed + 2)); });
    prepare_nn_piper({});
    for (const PlannerEntry& entry : planner_registry())
        check_one("plans of " + entry.name, [&] { return planner_valid(entry, Random(seed + 3), control); });
    for (const PlannerEntry& entry : planner_registry())
        if (entry.name == "uniform" || entry.name == "greedy-speed" || entry.name == "pipedream"
            || entry.name == "subset-dp")
            check_one(entry.name + " plans alike twice", [&] { return same_seed(entry, Random(seed + 4)); });
    check_one("nothing beats exact", [&] { return exact_is_best(Random(seed + 5), control); });
    check_one("network", [&] { return network_on_both_devices(Random(seed + 6)); });
    return results;
}

}  // namespace nnpiper
