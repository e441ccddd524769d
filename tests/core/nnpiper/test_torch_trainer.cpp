// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/error.h"
#include "core/nnpiper/network_shape.h"
#include "core/nnpiper/torch_solver.h"
#include "core/nnpiper/lesson.h"
#include "core/planners/chains/split.h"
#include "core/problem/virtual_problem.h"

#include <nlohmann/json.hpp>

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <set>

using namespace nnpiper;

class TestTorchTrainer : public QObject {
    Q_OBJECT
private:
    std::unique_ptr<TorchModule> module_;

    static TrainRequest small(const std::filesystem::path& out, std::int64_t steps)
    {
        TrainRequest request;
        request.out = out;
        request.steps = steps;
        request.seed = 3;
        request.device = "cpu";
        request.max_devices = 6;
        request.samples = 6;
        request.imitation_steps = 64;
        return request;
    }

    TensorFile train(const TrainRequest& request)
    {
        module_->train(request, Control{});
        return read_tensors(request.out);
    }

private slots:
    void initTestCase() { module_ = make_torch_module(); }

    void lessons_are_the_same_for_the_same_seed()
    {
        const auto a = make_lessons(4, 11, 64);
        const auto b = make_lessons(4, 11, 64);
        const auto c = make_lessons(4, 12, 64);
        QCOMPARE(a.size(), b.size());
        for (std::size_t i = 0; i < a.size(); ++i) {
            QCOMPARE(a[i].features.device, b[i].features.device);
            QCOMPARE(a[i].features.stages, a[0].features.stages);
            QCOMPARE(a[i].features.devices, a[0].features.devices);
        }
        QVERIFY(a.front().problem->name != c.front().problem->name);
        for (std::uint64_t i = 0; i < 30; ++i)
            QVERIFY(make_lessons(4, i, 6).front().features.devices <= 6);
    }

    void labels_beat_their_heuristic_starts()
    {
        for (std::uint64_t i = 0; i < 4; ++i) {
            for (const auto& lesson : make_lessons(9, i, 24))
                QVERIFY(improved_plan(*lesson.costs, i, 100).score
                        <= split_orders(*lesson.costs, start_orders(*lesson.costs, Look::quick), Control{}, 2).front().score * (1 + 1e-9));
        }
    }

    void load_bounds_are_those_of_the_plan()
    {
        const auto lessons = make_lessons(2, 5, 16);
        const auto& lesson = lessons.front();
        const auto plan = improved_plan(*lesson.costs, 1, 100);
        const auto bounds = load_bounds(*lesson.costs, plan.chain);
        QCOMPARE(bounds.low.size(), static_cast<std::size_t>(lesson.features.stages));
        QCOMPARE(*std::max_element(bounds.low.begin(), bounds.low.end()), 0.0F);
        for (std::size_t s = 0; s < bounds.low.size(); ++s)
            QVERIFY(bounds.low[s] <= bounds.high[s] && bounds.high[s] <= 0);
        // Loads within the bounds bring the plan back, or one whose highest load is no higher.
        SplitSearch cuts(*lesson.costs);
        Chain again;
        QVERIFY(cuts.balance(plan.chain.device, bounds.low, again));
        const auto highest = [&](const Chain& chain) {
            double most = 0;
            for (int s = 0; s < chain.stages(); ++s)
                most = std::max(most, cuts.load(s, chain.first(s), chain.end[static_cast<std::size_t>(s)])
                                          / std::exp(bounds.low[static_cast<std::size_t>(s)]));
            return most;
        };
        QVERIFY(highest(again) <= highest(plan.chain) * 1.2);
    }

    void judges_by_split_or_probe()
    {
        const auto lessons = make_lessons(2, 5, 16);
        const auto& lesson = lessons.front();
        const auto orders = heuristic_orders(*lesson.costs);
        auto twice = orders;
        twice.insert(twice.end(), orders.begin(), orders.end());
        for (const auto reward : {Reward::split, Reward::probe}) {
            const auto judged = judge(lesson, twice, reward);
            QCOMPARE(judged.size(), std::set<std::vector<int>>(orders.begin(), orders.end()).size());
            for (std::size_t i = 1; i < judged.size(); ++i)
                QVERIFY(judged[i - 1].score <= judged[i].score);
        }
    }

    void repeats_and_resumes_exactly()
    {
        QTemporaryDir folder;
        const auto path = [&](const char* name) { return std::filesystem::path(folder.filePath(name).toStdString()); };
        auto request = small(path("w.safetensors"), 64);
        request.log = path("w.jsonl");
        const auto first = train(request);
        check_weights(first, "w");
        QCOMPARE(first.metadata.at("steps"), std::string("64"));
        QCOMPARE(first.metadata.at("command"),
                 std::string("nnpiper train --out w.safetensors --seed 3 --samples 6 --max-devices 6 --imitation-steps 64"
                             " --steps 64 --device cpu"));
        QVERIFY(first.metadata.at("evaluation").find("best of 16") != std::string::npos);

        // In one piece or two, with one thread that draws or three: the same weights. The rate falls with the share of all
        // steps, so the first piece is stopped, not asked for less.
        auto whole = small(path("v.safetensors"), 192);
        whole.threads = 4;
        const auto straight = train(whole);
        auto stopped = small(path("u.safetensors"), 192);
        std::stop_source source;
        Control control;
        control.stop = source.get_token();
        control.progress = [&](double, std::string_view) { source.request_stop(); };  // after the first block
        module_->train(stopped, control);
        QCOMPARE(read_tensors(stopped.out).metadata.at("steps"), std::string("64"));
        stopped.resume = true;
        const auto pieces = train(stopped);
        QCOMPARE(pieces.metadata.at("steps"), std::string("192"));
        QCOMPARE(pieces.tensors, straight.tensors);
        QVERIFY(straight.tensors != first.tensors);

        std::ifstream log(request.log);
        std::string line;
        int blocks = 0, validations = 0;
        while (std::getline(log, line)) {
            const auto figures = nlohmann::json::parse(line);
            blocks += figures.contains("loss") ? 1 : 0;
            validations += figures.contains("validation") ? 1 : 0;
        }
        QCOMPARE(blocks, 1);
        QCOMPARE(validations, 1);

        const auto network = open_order_network(request.out, "cpu");
        const auto problem = virtual_problem(evaluation_seed(1, 1), {20, 6, 5, {}});
        QCOMPARE(network->answer({&problem, 0, ScheduleKind::one_f_one_b, 5, 3, 1}).size(), 3U);
    }

    void stops_when_told()
    {
        QTemporaryDir folder;
        const std::filesystem::path out = folder.filePath("w.safetensors").toStdString();
        std::stop_source source;
        source.request_stop();
        TrainRequest request;
        request.out = out;
        request.device = "cpu";
        request.max_devices = 6;
        Control control;
        control.stop = source.get_token();
        module_->train(request, control);
        QCOMPARE(read_tensors(out).metadata.at("steps"), std::string("0"));
    }

    void tells_what_it_cannot_do()
    {
        TrainRequest request;
        request.device = "cpu";
        QVERIFY_EXCEPTION_THROWN(module_->train(request, Control{}), Error);
        QTemporaryDir folder;
        request.out = folder.filePath("none.safetensors").toStdString();
        request.resume = true;  // nothing to resume
        QVERIFY_EXCEPTION_THROWN(module_->train(request, Control{}), Error);
        request.resume = false;
        request.steps = 1;
        request.out = folder.filePath("no/such/folder.safetensors").toStdString();
        Control control;
        bool learned = false;
        control.progress = [&](double, std::string_view) { learned = true; };
        QVERIFY_EXCEPTION_THROWN(module_->train(request, control), Error);
        QVERIFY(!learned);  // told before the work, not behind it
    }
};

QTEST_GUILESS_MAIN(TestTorchTrainer)
#include "test_torch_trainer.moc"
