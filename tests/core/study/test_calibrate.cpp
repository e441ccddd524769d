// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/error.h"
#include "core/base/random.h"
#include "core/cluster/catalog.h"
#include "core/formats/files.h"
#include "core/formats/measured_csv.h"
#include "core/problem/compile.h"
#include "core/study/calibrate.h"
#include "core/study/least_squares.h"
#include "core/study/uniform_training.h"

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <cmath>

using namespace nnpiper;

namespace {

/// Two A100 and two T4, a stage on each pair; what is measured on it depends on what the devices really achieve.
Project two_types(int global_batch, int micro_batch)
{
    Project project;
    project.model.architecture =
        std::find_if(model_catalog().begin(), model_catalog().end(), [](const ModelEntry& entry) {
            return entry.name == "GPT-2 small";
        })->architecture;
    project.model.sequence_length = 512;
    project.job.global_batch = global_batch;
    project.job.micro_batch = micro_batch;
    project.job.precision = "fp16";
    for (const char* type : {"A100 SXM4 80GB", "T4"}) {
        UniformCluster uniform;
        uniform.device = find_device_entry(type)->spec;
        uniform.devices_per_node = 2;
        Cluster part = cluster_of(uniform);
        part.nodes.front().id = type;
        for (Device& device : part.devices) {
            device.id = std::string(type) + device.id;
            device.node = type;
            project.cluster.devices.push_back(device);
        }
        project.cluster.nodes.push_back(part.nodes.front());
    }
    Link link;
    link.id = "link";
    link.from = "A100 SXM4 80GB";
    link.to = "T4";
    link.bandwidth_bytes_per_s = 10e9;
    project.cluster.links.push_back(link);
    return project;
}

MeasuredStep step_of(const Project& project, int split, const RunConstants& truth, double noise)
{
    PlannedRun run;
    run.project = project;
    run.problem = compile(project);
    run.plan.planner = "given";
    run.plan.micro_batches = run.problem.variants.front().micro_batches;
    const auto& devices = project.cluster.devices;
    run.plan.stages.resize(2);
    run.plan.stages[0].devices = {devices[0].id};
    run.plan.stages[1].devices = {devices[2].id};
    run.plan.stages[0].end_layer = run.plan.stages[1].first_layer = split;
    run.plan.stages[1].end_layer = run.problem.layers();
    return {"split " + std::to_string(split) + ", " + std::to_string(run.plan.micro_batches), run,
            predict_run(run, truth).iteration_s * (1 + noise)};
}

std::vector<MeasuredStep> measured(const RunConstants& truth, double noise)
{
    Random random(7);
    std::vector<MeasuredStep> steps;
    for (const int micro_batches : {4, 8, 32})
        for (const int split : {4, 8, 12})
            steps.push_back(step_of(two_types(4 * micro_batches, 4), split, truth, noise * random.uniform(-1, 1)));
    return steps;
}

RunConstants truth()
{
    RunConstants constants;
    constants.achieved_fractions = {{"A100 SXM4 80GB", 0.31}, {"T4", 0.22}};
    constants.fixed_step_s = 0.05;
    return constants;
}

}  // namespace

class TestCalibrate : public QObject {
    Q_OBJECT
private slots:
    void leastSquares()
    {
        // y = a x + b through (1, 3), (2, 5), (4, 9).
        const auto line = least_squares({{}, {0, false, 1, 1e9}}, [](std::span<const double> v) {
            return std::vector<double>{v[0] + v[1] - 3, 2 * v[0] + v[1] - 5, 4 * v[0] + v[1] - 9};
        });
        QVERIFY(std::abs(line[0] - 2) < 1e-5 && std::abs(line[1] - 1) < 1e-5);
        // The free minimum is at -1; a cost stays at zero.
        const auto cost = least_squares({{3, false, 1, 1e9}},
                                        [](std::span<const double> v) { return std::vector<double>{v[0] + 1}; });
        QVERIFY(std::abs(cost[0]) < 1e-9);
        // What nothing depends on stays where it is.
        const auto idle =
            least_squares({{0.7, true, 1, 1}}, [](std::span<const double>) { return std::vector<double>{1.0}; });
        QCOMPARE(idle[0], 0.7);
    }

    /// A run in a tenth of the possible time cannot be explained by any device.
    void staysBelowThePeak()
    {
        auto steps = measured(truth(), 0);
        for (MeasuredStep& step : steps)
            step.iteration_s /= 10;
        const Calibration result = calibrate(steps, {}, Control{});
        for (const auto& [type, fraction] : result.achieved_fractions)
            QVERIFY2(fraction.after <= 1 && fraction.after > 0.99, type.c_str());
        QCOMPARE(result.notes.size(), 2U);
        QVERIFY(result.notes.front().find("comes out at 1") != std::string::npos);
    }

    void findsTheTruth()
    {
        const Calibration result = calibrate(measured(truth(), 0), {}, Control{});
        QCOMPARE(result.achieved_fractions.size(), 2U);
        for (const auto& [type, fraction] : truth().achieved_fractions) {
            const double found = result.achieved_fractions.at(type).after;
            QVERIFY2(std::abs(found / fraction - 1) < 1e-3, type.c_str());
            QVERIFY(std::abs(result.achieved_fractions.at(type).before / fraction - 1) > 0.1);
        }
        QVERIFY(result.fixed_cost_fitted);
        QVERIFY(std::abs(result.fixed_step_s.after - 0.05) < 1e-3);
        QVERIFY(result.before.mean > 0.1);
        QVERIFY(result.after.largest < 1e-3);
        QVERIFY(result.left_out.largest < 1e-2);
    }

    /// On noise the runs that were left out must err more than those that were fitted on, and about as much as the
    /// noise.
    void crossValidationIsHonest()
    {
        const double noise = 0.1;
        const Calibration result = calibrate(measured(truth(), noise), {}, Control{});
        QVERIFY(result.left_out.mean > result.after.mean);
        QVERIFY(result.left_out.mean > noise / 4);
        QVERIFY(result.left_out.largest < 3 * noise);
        for (const CalibratedStep& step : result.steps)
            QVERIFY(step.left_out_s != step.after_s);
    }

    void tooFewRuns()
    {
        const auto steps = measured(truth(), 0);
        QVERIFY_EXCEPTION_THROWN(calibrate({steps[0]}, {}, Control{}), Error);
        QVERIFY_EXCEPTION_THROWN(calibrate({}, {}, Control{}), Error);
        const Calibration two = calibrate({steps[0], steps[2]}, {}, Control{});
        QVERIFY(!two.fixed_cost_fitted);
        QVERIFY(std::isnan(two.left_out.mean));
        QVERIFY(two.notes.size() >= 2);
    }

    /// A fit stops at its next prediction, not at its end.
    void stopsInTheMiddleOfAFit()
    {
        std::stop_source stop;
        stop.request_stop();
        int reports = 0;
        const Control control{stop.get_token(), Deadline::never(), [&](double, std::string_view) { ++reports; }};
        QVERIFY_EXCEPTION_THROWN(calibrate(measured(truth(), 0), {}, control), Error);
        QCOMPARE(reports, 0);
    }

    void constantsGoIntoAProject()
    {
        const Calibration result = calibrate(measured(truth(), 0), {}, Control{});
        Project project = two_types(64, 4);
        project.assumptions = {"Mine.", "Calibrated: long ago."};
        QCOMPARE(apply(result, project).size(), 2U);
        QCOMPARE(project.cluster.devices[3].spec.achieved_fraction, result.achieved_fractions.at("T4").after);
        QVERIFY(project.cluster.devices[3].spec.calibrated);
        QCOMPARE(project.job.fixed_step_s, result.fixed_step_s.after);
        QCOMPARE(project.assumptions.size(), 2U);
        QVERIFY(project.assumptions[1].starts_with(
            "Calibrated: the achieved fraction of A100 SXM4 80GB, T4 and the fixed"));
        Project other;
        QVERIFY(apply(result, other).empty());
        QVERIFY(other.assumptions.empty());
    }

    /// GPipe on two equal stages lasts 3 (m + 1) units; here three of them are a second, and a step costs two more.
    void textbookRunsFromATable()
    {
        const auto steps =
            read_measured_csv("# my measurements\r\n"
                              "schedule,stages,micro_batches,forward_s,backward_input_s,iteration_s,name\r\n"
                              "gpipe,2,1,1,2 2,4,\"one, \"\"small\"\"\"\r\n"
                              "\r\n"
                              "gpipe,2,3,1,2,6,\n"
                              "gpipe,2,7,1 1,2,10,\n"
                              "gpipe,2,15,1,2,18,large",
                              "m.csv", {});
        QCOMPARE(steps.size(), 4U);
        QCOMPARE(steps[0].name, std::string("one, \"small\""));
        QCOMPARE(steps[1].name, std::string("line 5"));
        const Calibration result = calibrate(steps, {}, Control{});
        QVERIFY(std::abs(result.time_scales.at("").after - 1.0 / 3) < 1e-5);
        QVERIFY(std::abs(result.fixed_step_s.after - 2) < 1e-4);
        QVERIFY(result.left_out.largest < 1e-3);
    }

    void projectsFromATable()
    {
        QTemporaryDir folder;
        const std::filesystem::path path(folder.path().toStdString());
        const auto steps = measured(truth(), 0);
        std::string table = "project,plan,iteration_s\n";
        for (std::size_t i = 0; i < 4; ++i) {
            Project project = *std::get<PlannedRun>(steps[i].run).project;
            const Plan& plan = std::get<PlannedRun>(steps[i].run).plan;
            const std::string name = "run" + std::to_string(i);
            if (i == 0)
                project.plans = {plan};
            else
                write_text(path / (name + ".plan.json"), write_plan(plan));
            write_text(path / (name + ".nnpiper.json"), write_project(project));
            table += name + ".nnpiper.json," + (i == 0 ? "" : name + ".plan.json") + ","
                     + QByteArray::number(steps[i].iteration_s, 'g', 17).toStdString() + "\n";
        }
        const auto read = read_measured_csv(table, "m.csv", path);
        QCOMPARE(read.size(), 4U);
        for (std::size_t i = 0; i < read.size(); ++i) {
            QCOMPARE(read[i].iteration_s, steps[i].iteration_s);
            QVERIFY(std::abs(predict_run(read[i].run, truth()).iteration_s / steps[i].iteration_s - 1) < 1e-9);
        }
        QVERIFY_EXCEPTION_THROWN(read_measured_csv("project,iteration_s\nrun1.nnpiper.json,1", "m.csv", path), Error);
    }

    void badTables_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("says");
        const QByteArray heading = "schedule,stages,micro_batches,forward_s,iteration_s\n";
        QTest::newRow("empty") << QByteArray() << "m.csv: is empty";
        QTest::newRow("heading only") << heading << "m.csv: has a heading only";
        QTest::newRow("column") << QByteArray("speed,iteration_s\n1,2") << "m.csv:1: the column \"speed\" is not known";
        QTest::newRow("column twice") << QByteArray("stages,stages\n1,2")
                                      << "m.csv:1: the column \"stages\" stands twice";
        QTest::newRow("cells") << heading + "gpipe,2,3,1\n"
                               << "m.csv:2: has 4 cells; the heading has 5";
        QTest::newRow("comma") << heading + "gpipe,2,3,\"1,5\",4\n"
                               << "m.csv:2: forward_s is \"1,5\"; a number of at least 0 with a decimal point";
        QTest::newRow("no time") << heading + "gpipe,2,3,1,4\n#\ngpipe,2,3,1,\n"
                                 << "m.csv:4: iteration_s is missing";
        QTest::newRow("zero") << heading + "gpipe,2,3,1,0\n"
                              << "m.csv:2: iteration_s is 0";
        QTest::newRow("nan") << heading + "gpipe,2,3,1,nan\n"
                             << "m.csv:2: iteration_s is \"nan\"";
        QTest::newRow("schedule") << heading + "2f2b,2,3,1,4\n"
                                  << "m.csv:2/schedule/name: \"2f2b\" is not known";
        QTest::newRow("list") << heading + "gpipe,4,3,1 1 1,4\n"
                              << "m.csv:2/schedule";
        QTest::newRow("stages") << heading + "gpipe,2.5,3,1,4\n"
                                << "m.csv:2: stages is \"2.5\"";
        QTest::newRow("nothing") << QByteArray("iteration_s\n4\n") << "m.csv:2: says nothing of what was run";
        QTest::newRow("half") << QByteArray("schedule,iteration_s\ngpipe,4\n") << "m.csv:2: stages is missing";
        QTest::newRow("file") << QByteArray("project,iteration_s\nnowhere.json,4\n") << "nowhere.json: no such file";
        QTest::newRow("quote") << heading + "\"gpipe,2,3,1,4\n"
                               << "m.csv:2: a quotation mark is not closed";
        QTest::newRow("blocking") << QByteArray("problem,plan,blocking,iteration_s\na,b,maybe,4\n")
                                  << "m.csv:2: blocking is \"maybe\"; yes or no";
    }
    void badTables()
    {
        QFETCH(QByteArray, text);
        QFETCH(QString, says);
        try {
            read_measured_csv(text.toStdString(), "m.csv", {});
            QFAIL("no error");
        } catch (const Error& error) {
            QVERIFY2(QString(error.what()).contains(says), error.what());
        }
    }
};

QTEST_APPLESS_MAIN(TestCalibrate)
#include "test_calibrate.moc"
