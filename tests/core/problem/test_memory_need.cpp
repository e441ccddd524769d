// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/problem/compile.h"
#include "core/problem/memory_need.h"
#include "core/simulator/simulate.h"

#include <QtTest>

#include <algorithm>
#include <cmath>
#include <string>

using namespace nnpiper;

namespace {

Project project_of(const char* model, int devices)
{
    Project project;
    for (const ModelEntry& entry : model_catalog())
        if (entry.name == model)
            project.model.architecture = entry.architecture;
    project.model.sequence_length = 512;
    project.job.global_batch = 8;
    project.job.micro_batch = 8;
    Node node;
    node.id = "n";
    node.interconnect_bytes_per_s = 1e11;
    project.cluster.nodes.push_back(node);
    for (int i = 0; i < devices; ++i) {
        Device device;
        device.id = "n/" + std::to_string(i);
        device.node = "n";
        device.spec.memory_bytes = 1e15;
        device.spec.memory_bandwidth_bytes_per_s = 1e12;
        device.spec.peak_flop_per_s = {{"bf16", 1e14}, {"fp32", 1e13}};
        project.cluster.devices.push_back(device);
    }
    return project;
}

bool close(double a, double b)
{
    return std::abs(a - b) <= 1e-9 * std::max(a, b);
}

}  // namespace

class TestMemoryNeed : public QObject {
    Q_OBJECT

private slots:
    /// 6 738 415 616 parameters of LLaMA-2 7B: 2 + 2 + 12 bytes each with mixed Adam; 16 in fp32 as 4 + 4 + 8; SGD
    /// 2 + 2 + 4.
    void bytes_a_parameter_data()
    {
        QTest::addColumn<QString>("optimizer");
        QTest::addColumn<QString>("precision");
        QTest::addColumn<double>("weight");
        QTest::addColumn<double>("gradient");
        QTest::addColumn<double>("rest");
        QTest::newRow("mixed Adam") << "adam" << "bf16" << 2.0 << 2.0 << 12.0;
        QTest::newRow("fp32 gradients") << "adam-fp32-grads" << "bf16" << 2.0 << 4.0 << 12.0;
        QTest::newRow("fp32 Adam") << "adam" << "fp32" << 4.0 << 4.0 << 8.0;
        QTest::newRow("mixed SGD") << "sgd" << "bf16" << 2.0 << 2.0 << 4.0;
    }
    void bytes_a_parameter()
    {
        QFETCH(QString, optimizer);
        QFETCH(QString, precision);
        QFETCH(double, weight);
        QFETCH(double, gradient);
        QFETCH(double, rest);
        Project project = project_of("LLaMA-2 7B", 1);
        project.job.optimizer = optimizer.toStdString();
        project.job.precision = precision.toStdString();
        const MemoryNeed need = memory_need(compile(project));
        const double parameters = 6'738'415'616.0;
        QCOMPARE(need.weight_bytes, weight * parameters);
        QCOMPARE(need.gradient_bytes, gradient * parameters);
        QCOMPARE(need.optimizer_bytes, rest * parameters);
    }

    /// What the simulator charges a device that holds everything, with one micro-batch in flight.
    void agrees_with_the_simulator_data()
    {
        QTest::addColumn<QString>("model");
        QTest::addColumn<int>("degree");
        QTest::addColumn<int>("recompute");
        QTest::addColumn<bool>("edited");
        for (const char* model : {"GPT-2 small", "LLaMA-2 7B", "Mixtral 8x7B", "T5 base"})
            for (const int degree : {1, 2})
                for (const int recompute : {0, 1, 2})
                    QTest::addRow("%s, %d devices, recompute %d", model, degree, recompute)
                        << model << degree << recompute << (recompute == 1);
    }
    void agrees_with_the_simulator()
    {
        QFETCH(QString, model);
        QFETCH(int, degree);
        QFETCH(int, recompute);
        QFETCH(bool, edited);
        Project project = project_of(qPrintable(model), degree);
        project.job.tensor_parallel = degree;
        project.job.flash_attention = false;
        project.job.recompute = static_cast<Recompute>(recompute);
        if (edited)
            project.model.layer_edits = {{2, 1e9, {}, 3e9, {}}};
        const Problem problem = compile(project);
        const MemoryNeed need = memory_need(problem);
        QCOMPARE(need.micro_batch_samples, 8);
        QCOMPARE(need.tensor_parallel, degree);
        QVERIFY(need.recompute == project.job.recompute);

        Plan plan;
        plan.micro_batches = 1;
        Stage stage;
        stage.devices = problem.device_ids;
        stage.end_layer = problem.layers();
        stage.tensor_parallel = degree;
        stage.recompute = *project.job.recompute;
        plan.stages = {stage};
        const Timeline timeline = simulate(problem, plan);
        const DeviceMemory& memory = timeline.memory.front();
        QCOMPARE(memory.in_flight, 1.0);
        QVERIFY(close(need.weight_bytes + need.gradient_bytes + need.optimizer_bytes, memory.state_bytes));
        QVERIFY(close(need.activation_bytes, memory.stored_bytes));
        QVERIFY(close(need.transient_bytes, memory.transient_bytes));
        QVERIFY(close(need.total_bytes(), memory.needed_bytes()));
    }
};

QTEST_APPLESS_MAIN(TestMemoryNeed)
#include "test_memory_need.moc"
