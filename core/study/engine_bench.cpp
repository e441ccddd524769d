// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/study/engine_bench.h"

#include "core/planners/planner.h"
#include "core/problem/virtual_problem.h"
#include "core/simulator/evaluator.h"
#include "core/simulator/simulate.h"

#include <chrono>
#include <functional>

namespace nnpiper {

namespace {

constexpr double least_s = 0.15;

/// Seconds of one call, over as many calls as fill the time.
double seconds_of(const std::function<void()>& call)
{
    using Clock = std::chrono::steady_clock;
    const auto start = Clock::now();
    double passed = 0;
    long calls = 0;
    for (long batch = 1; passed < least_s; batch *= 2) {
        for (long i = 0; i < batch; ++i)
            call();
        calls += batch;
        passed = std::chrono::duration<double>(Clock::now() - start).count();
    }
    return passed / static_cast<double>(calls);
}

}  // namespace

std::vector<EngineSpeed> bench_engines(const Control& control)
{
    static constexpr struct {
        int stages, micro_batches;
    } shapes[] = {{4, 16}, {16, 64}, {48, 256}};
    std::vector<EngineSpeed> speeds;
    for (const auto& shape : shapes) {
        Problem problem =
            virtual_problem(evaluation_seed(1, 0), {2 * shape.stages, shape.stages, shape.stages, shape.micro_batches},
                            VirtualKind::mixed_devices);
        Plan plan = find_planner("greedy-speed").plan(problem, {}, control);
        const double ops = 2.0 * shape.stages * shape.micro_batches;
        double reference = 0;
        for (const ScheduleKind kind : {ScheduleKind::one_f_one_b, ScheduleKind::zb_h1}) {
            if (control.should_stop())
                return speeds;
            plan.schedule = kind;
            EngineSpeed speed{shape.stages, shape.micro_batches, std::string(name_of(kind)), "fast", 0, 1};
            if (kind == ScheduleKind::one_f_one_b) {
                const Pipeline pipeline = lay_out(problem, plan);
                Evaluator evaluator(shape.stages);
                std::vector<double> backward;
                for (int s = 0; s < shape.stages; ++s)
                    backward.push_back(pipeline.backward_s(s));
                const StageCosts costs{shape.stages,
                                       pipeline.forward_s.data(),
                                       backward.data(),
                                       pipeline.forward_occupancy_s.data(),
                                       pipeline.forward_latency_s.data(),
                                       pipeline.backward_occupancy_s.data(),
                                       pipeline.backward_latency_s.data()};
                speed.ops_per_s = ops / seconds_of([&] { evaluator.one_f_one_b(costs, shape.micro_batches); });
                reference = speed.ops_per_s;
            } else {
                Plan copy = plan;
                speed.engine = "fast, with laying out";
                speed.ops_per_s = 1.5 * ops / seconds_of([&] { predict_fast(problem, copy); });
            }
            speed.ratio = speed.ops_per_s / reference;
            speeds.push_back(speed);
            speed.engine = "detailed";
            const double per_pass = kind == ScheduleKind::one_f_one_b ? 1 : 1.5;  // forward, input and weight gradient
            speed.ops_per_s = per_pass * ops / seconds_of([&] { simulate(problem, plan); });
            speed.ratio = speed.ops_per_s / reference;
            speeds.push_back(speed);
        }
    }
    return speeds;
}

}  // namespace nnpiper
