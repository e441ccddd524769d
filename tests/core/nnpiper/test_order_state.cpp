// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/random.h"
#include "core/nnpiper/order_state.h"
#include "core/planners/chains/local_search.h"
#include "core/problem/virtual_problem.h"

#include <QTest>

#include <algorithm>
#include <numeric>

using namespace nnpiper;

namespace {

NetworkQuestion question_of(const Problem& problem)
{
    return {&problem, 0, ScheduleKind::one_f_one_b, *problem.stages, 1, 1};
}

/// Walks an order, each time taking the allowed device that `random` draws.
std::vector<int> walk(const Features& features, Random& random)
{
    OrderState state(features);
    std::vector<std::uint8_t> mask(static_cast<std::size_t>(features.devices));
    std::vector<int> order;
    for (int s = 0; s < features.stages; ++s) {
        state.allowed(mask);
        std::vector<int> open;
        for (int d = 0; d < features.devices; ++d)
            if (mask[static_cast<std::size_t>(d)])
                open.push_back(d);
        order.push_back(open[static_cast<std::size_t>(random.below(static_cast<int>(open.size())))]);
        state.take(order.back());
    }
    return order;
}

/// Whether some cut of the layers keeps memory, by trying all ends stage by stage.
bool some_cut_fits(const ChainCosts& costs, const std::vector<int>& order)
{
    std::vector<std::uint8_t> reached(static_cast<std::size_t>(costs.layers()) + 1, 0);
    reached[0] = 1;
    for (int s = 0; s < costs.stages(); ++s) {
        std::vector<std::uint8_t> next(reached.size(), 0);
        for (int first = 0; first < costs.layers(); ++first) {
            if (!reached[static_cast<std::size_t>(first)])
                continue;
            for (int end = first + 1; end <= costs.layers(); ++end)
                if (costs.memory(s, first, end) <= costs.capacity(order[static_cast<std::size_t>(s)]))
                    next[static_cast<std::size_t>(end)] = 1;
        }
        reached = std::move(next);
    }
    return reached.back() != 0;
}

}  // namespace

class TestOrderState : public QObject {
    Q_OBJECT
private slots:
    /// Whatever is drawn, an order can be cut so that it fits, wherever the rule sees a completion at the start.
    void orders_can_be_cut_to_fit()
    {
        Random random(3);
        int tight = 0, seen = 0;
        for (std::uint64_t seed = 0; seed < 200; ++seed) {
            const auto size = random_virtual_size(random, 20);
            auto problem = virtual_problem(evaluation_seed(3, seed), size);
            for (auto& bytes : problem.device_memory_bytes)
                bytes *= random.uniform(0.5, 1);
            const ChainCosts costs(problem, {0, size.stages, problem.variants[0].micro_batches, ScheduleKind::one_f_one_b});
            const auto features = features_of(question_of(problem));
            OrderState start(features);
            std::vector<float> options(static_cast<std::size_t>(FeatureSizes::option * features.devices));
            start.options(options);
            const auto slack = std::span(options).subspan(static_cast<std::size_t>(5 * features.devices));
            if (*std::max_element(slack.begin(), slack.end()) < 0)
                continue;
            ++seen;
            tight += *std::min_element(slack.begin(), slack.end()) < 0 ? 1 : 0;
            for (int k = 0; k < 5; ++k)
                QVERIFY2(some_cut_fits(costs, walk(features, random)), problem.name.c_str());
        }
        QVERIFY(seen > 100);
        QVERIFY(tight > 10);  // of problems where a device chosen blindly can spoil the order
    }

    void figures_stay_in_range()
    {
        Random random(5);
        for (std::uint64_t seed = 0; seed < 40; ++seed) {
            const auto size = random_virtual_size(random, 32);
            const auto problem = virtual_problem(seed, size);
            const auto features = features_of(question_of(problem));
            OrderState state(features);
            std::vector<float> options(static_cast<std::size_t>(FeatureSizes::option * features.devices));
            for (const int d : walk(features, random)) {
                float progress[FeatureSizes::progress];
                state.progress(progress);
                state.options(options);
                for (const float v : progress)
                    QVERIFY(v >= -2 && v <= 2);
                for (const float v : options)
                    QVERIFY(v >= -1 && v <= 2);
                state.take(d);
            }
        }
    }

    void locked_devices_take_their_places()
    {
        auto problem = virtual_problem(evaluation_seed(3, 8), {30, 8, 5, {}});
        problem.locks.push_back({{problem.device_ids[6]}, 2, {}, {}, false});
        problem.locks.push_back({{problem.device_ids[3]}, {}, {}, {}, false});
        problem.locks.push_back({{problem.device_ids[0]}, {}, {}, {}, true});
        const auto features = features_of(question_of(problem));
        const auto index = [&](int device) {
            return static_cast<int>(std::find(features.device_index.begin(), features.device_index.end(), device)
                                    - features.device_index.begin());
        };
        Random random(1);
        for (int k = 0; k < 50; ++k) {
            const auto order = walk(features, random);
            QCOMPARE(order[2], index(6));
            QCOMPARE(std::count(order.begin(), order.end(), index(6)), 1);
            QCOMPARE(std::count(order.begin(), order.end(), index(3)), 1);
        }
    }

    void twins_are_taken_in_order()
    {
        const auto problem = virtual_problem(evaluation_seed(3, 4), {30, 16, 12, {}}, VirtualKind::equal_devices);
        const auto features = features_of(question_of(problem));
        QVERIFY(*std::max_element(features.alike.begin(), features.alike.end()) < features.devices - 1);
        Random random(2);
        for (int k = 0; k < 20; ++k) {
            const auto order = walk(features, random);
            const auto tidy = canonical(features, order);
            QCOMPARE(canonical(features, tidy), tidy);
            std::vector<int> last(static_cast<std::size_t>(features.devices), -1);
            for (std::size_t s = 0; s < order.size(); ++s) {
                const auto alike = static_cast<std::size_t>(features.alike[static_cast<std::size_t>(tidy[s])]);
                QCOMPARE(static_cast<int>(alike), features.alike[static_cast<std::size_t>(order[s])]);
                QVERIFY(tidy[s] > last[alike]);
                last[alike] = tidy[s];
            }
        }
    }
};

QTEST_APPLESS_MAIN(TestOrderState)
#include "test_order_state.moc"
