// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/error.h"
#include "core/nnpiper/network_shape.h"
#include "core/nnpiper/torch_solver.h"
#include "core/nnpiper/training_data.h"
#include "core/problem/virtual_problem.h"

#include <QTemporaryDir>
#include <QTest>

using namespace nnpiper;

class TestTorchTrainer : public QObject {
    Q_OBJECT
private:
    std::unique_ptr<TorchModule> module_;

    TensorFile train(const std::filesystem::path& out, int steps, bool resume, std::uint64_t seed = 3)
    {
        TrainRequest request;
        request.out = out;
        request.steps = steps;
        request.resume = resume;
        request.seed = seed;
        request.device = "cpu";
        module_->train(request, Control{});
        return read_tensors(out);
    }

private slots:
    void initTestCase() { module_ = make_torch_module(); }

    void lessons_are_the_same_for_the_same_seed()
    {
        const auto a = make_batch(4, 11, true);
        const auto b = make_batch(4, 11, true);
        const auto c = make_batch(4, 12, false);
        QCOMPARE(a.lessons.size(), b.lessons.size());
        for (std::size_t i = 0; i < a.lessons.size(); ++i) {
            QCOMPARE(a.lessons[i].features.device, b.lessons[i].features.device);
            QCOMPARE(a.lessons[i].label->chain, b.lessons[i].label->chain);
            QCOMPARE(a.lessons[i].features.stages, a.lessons[0].features.stages);
            QCOMPARE(a.lessons[i].features.devices, a.lessons[0].features.devices);
        }
        QVERIFY(!c.lessons.front().label);
        QVERIFY(a.lessons.front().problem->name != c.lessons.front().problem->name);
    }

    void labels_beat_their_heuristic_starts()
    {
        for (std::uint64_t i = 0; i < 4; ++i) {
            const auto batch = make_batch(9, i, true);
            for (const auto& lesson : batch.lessons)
                QVERIFY(lesson.label->score
                        <= split_orders(*lesson.costs, heuristic_orders(*lesson.costs), Control{}, 2).front().score * (1 + 1e-9));
        }
    }

    void trains_resumes_and_repeats()
    {
        QTemporaryDir folder;
        const std::filesystem::path out = folder.filePath("w.safetensors").toStdString();
        const std::filesystem::path again = folder.filePath("v.safetensors").toStdString();
        const auto first = train(out, 6, false);  // a quarter imitates, the rest contrasts
        check_weights(first, "w");
        QCOMPARE(first.metadata.at("steps"), std::string("6"));
        QCOMPARE(first.metadata.at("seed"), std::string("3"));
        QVERIFY(first.metadata.at("command").find("nnpiper train --out w.safetensors --seed 3 --steps 6") == 0);
        QVERIFY(first.metadata.at("evaluation").find("best of 16") != std::string::npos);

        const auto same = train(again, 6, false);
        QCOMPARE(first.tensors, same.tensors);

        const auto more = train(out, 2, true);
        QCOMPARE(more.metadata.at("steps"), std::string("8"));
        QVERIFY(more.tensors != first.tensors);
        QVERIFY(more.metadata.at("command").find("--steps 6 --device cpu; nnpiper train --out w.safetensors --resume --steps 2") != std::string::npos);

        const auto network = open_order_network(out, "cpu");
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
        QVERIFY_EXCEPTION_THROWN(module_->train(request, Control{}), Error);
    }
};

QTEST_GUILESS_MAIN(TestTorchTrainer)
#include "test_torch_trainer.moc"
