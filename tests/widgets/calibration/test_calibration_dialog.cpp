// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/formats/files.h"
#include "core/problem/compile.h"
#include "core/study/calibrate.h"
#include "tests/widgets/sample_project.h"
#include "widgets/calibration/calibration_dialog.h"
#include "widgets/calibration/calibration_text.h"
#include "widgets/calibration/error_delegate.h"
#include "widgets/calibration/fit_summary.h"
#include "widgets/calibration/run_table_model.h"
#include "widgets/document/edits.h"
#include "widgets/inspector/quantity_text.h"
#include "widgets/results/figures.h"
#include "widgets/solver/plan_board.h"
#include "widgets/solver/solve_run.h"
#include "widgets/theme/theme.h"

#include <QAbstractItemModelTester>
#include <QCheckBox>
#include <QDropEvent>
#include <QLabel>
#include <QMimeData>
#include <QPainter>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableView>
#include <QTemporaryDir>
#include <QtTest>

#include <cmath>

using namespace nnpiper;

namespace {

/// What the devices of the sample project really do in these tests: a share of the peak, and seconds of every step.
constexpr double trueFraction = 0.31;
constexpr double trueFixedStepS = 0.05;

Project projectWith(int micro_batches)
{
    Project project = sampleProject();
    project.job.global_batch = *project.job.micro_batch * micro_batches;
    return project;
}

Plan planOf(const Project& project, const Problem& problem, int split)
{
    Plan plan;
    plan.planner = "given";
    plan.micro_batches = problem.variants.front().micro_batches;
    plan.stages.resize(2);
    plan.stages[0].devices = {project.cluster.devices[0].id};
    plan.stages[1].devices = {project.cluster.devices[2].id};
    plan.stages[0].end_layer = plan.stages[1].first_layer = split;
    plan.stages[1].end_layer = problem.layers();
    return plan;
}

/// A run whose measured time is the simulator's under the true constants.
MeasuredStep measured(int micro_batches, int split)
{
    PlannedRun run;
    run.project = projectWith(micro_batches);
    run.problem = compile(*run.project);
    run.plan = planOf(*run.project, run.problem, split);
    RunConstants truth;
    truth.achieved_fractions = {{"RTX 3090", trueFraction}};
    truth.fixed_step_s = trueFixedStepS;
    const double time = predict_run(run, truth).iteration_s;
    return {"batch of " + std::to_string(micro_batches), std::move(run), time};
}

std::vector<MeasuredStep> fourRuns()
{
    return {measured(4, 6), measured(8, 7), measured(16, 8), measured(32, 6)};
}

}  // namespace

class TestCalibrationDialog : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        applyTheme(*qApp, ThemeMode::light);
        QCOMPARE(sampleProject().cluster.devices[0].spec.type, std::string("RTX 3090"));
        csv_ = folder_.filePath("runs.csv");
        // The decimal point of the file does not depend on the locale.
        QString text = "name,project,plan,iteration_s\n";
        for (const MeasuredStep& step : fourRuns()) {
            const auto& run = std::get<PlannedRun>(step.run);
            const QString stem = "m" + QString::number(run.plan.micro_batches);
            write_text(file(stem + ".nnpiper.json"), write_project(*run.project));
            write_text(file(stem + ".plan.json"), write_plan(run.plan));
            text += QString("%1,%2.nnpiper.json,%2.plan.json,%3\n")
                        .arg(QString::fromStdString(step.name), stem, QLocale::c().toString(step.iteration_s, 'g', 12));
        }
        write_text(csv_.toStdString(), text.toStdString());
    }

    void init()
    {
        QLocale::setDefault(QLocale::c());
        document_ = std::make_unique<ProjectDocument>();
        board_ = std::make_unique<PlanBoard>(*document_);
        document_->replace(sampleProject());
        dialog_ = std::make_unique<CalibrationDialog>(*document_, *board_);
    }

    void cleanup()
    {
        dialog_.reset();
        board_.reset();
        document_.reset();
    }

    void startsEmpty()
    {
        QVERIFY(!button("fit")->isEnabled());
        QVERIFY(!button("apply")->isEnabled());
        QVERIFY(!button("addShownPlan")->isEnabled());
        QVERIFY(!button("remove")->isEnabled());
        QVERIFY(message().isEmpty());
    }

    void loadFitApplyUndo()
    {
        QCOMPARE(dialog_->load(csv_), QString());
        QCOMPARE(runs().rowCount(), 4);
        QCOMPARE(cell(1, RunTableModel::nameColumn), QString("batch of 8"));
        QCOMPARE(cell(1, RunTableModel::runColumn), QString("1F1B, 2 stages, 8 micro-batches"));
        QVERIFY(cell(1, RunTableModel::afterColumn).isEmpty());
        QVERIFY(!button("apply")->isEnabled());
        QVERIFY(fitted());

        const Calibration& fit = *runs().fit();
        QVERIFY(std::abs(fit.achieved_fractions.at("RTX 3090").after / trueFraction - 1) < 1e-3);
        QVERIFY(std::abs(fit.fixed_step_s.after / trueFixedStepS - 1) < 1e-2);
        QVERIFY(fit.before.mean > 0.05);
        QVERIFY(fit.left_out.largest < 1e-2);
        QVERIFY(cell(1, RunTableModel::beforeColumn).endsWith("%"));
        QVERIFY(!cell(1, RunTableModel::beforeColumn).endsWith(" 0.0\u00a0%"));
        QVERIFY2(cell(1, RunTableModel::afterColumn).endsWith("0.0\u00a0%"),
                 qPrintable(cell(1, RunTableModel::afterColumn)));
        QVERIFY(shows(formatPercent(trueFraction, QLocale())));

        const Project before = document_->project();
        QVERIFY(button("apply")->isEnabled());
        button("apply")->click();
        const Project& after = document_->project();
        for (const Device& device : after.cluster.devices) {
            QVERIFY(device.spec.calibrated);
            QCOMPARE(device.spec.achieved_fraction, fit.achieved_fractions.at("RTX 3090").after);
        }
        QCOMPARE(after.job.fixed_step_s, fit.fixed_step_s.after);
        QCOMPARE(after.assumptions.size(), before.assumptions.size() + 1);
        QCOMPARE(document_->undoStack().count(), 1);
        QVERIFY(message().contains("RTX 3090"));
        QVERIFY(!button("apply")->isEnabled());  // the project has it now

        // The project now predicts what was measured.
        Project run = after;
        run.job.global_batch = 4 * *run.job.micro_batch;
        const Problem problem = compile(run);
        const MeasuredStep step = measured(4, 6);
        QVERIFY(
            std::abs(predict_run(PlannedRun{run, problem, planOf(run, problem, 6)}, {}).iteration_s / step.iteration_s
                     - 1)
            < 1e-3);

        document_->undoStack().undo();
        QVERIFY(document_->project() == before);
        QVERIFY(!document_->isModified());
        QVERIFY(message().isEmpty() && button("apply")->isEnabled());
        document_->undoStack().redo();
        QVERIFY(document_->project().cluster.devices[3].spec.calibrated);
        dialog_->applyToProject();  // the same again is no edit
        QCOMPARE(document_->undoStack().count(), 1);
    }

    void documentTellsOfCalibration()
    {
        QSignalSpy devices(document_.get(), &ProjectDocument::elementChanged);
        QSignalSpy job(document_.get(), &ProjectDocument::jobChanged);
        QSignalSpy problem(document_.get(), &ProjectDocument::problemChanged);
        dialog_->load(csv_);
        QVERIFY(fitted());
        dialog_->applyToProject();
        QCOMPARE(devices.count(), 4);
        QCOMPARE(job.count(), 1);
        QCOMPARE(problem.count(), 1);
    }

    void openingAFileAgainReplacesItsRuns()
    {
        runs().add({measured(8, 3)});
        dialog_->load(csv_);
        dialog_->load(csv_);
        QCOMPARE(runs().rowCount(), 5);
        QCOMPARE(cell(0, RunTableModel::nameColumn), QString("batch of 8"));
    }

    void droppedFileIsRead()
    {
        QMimeData mime;
        mime.setUrls({QUrl::fromLocalFile(csv_)});
        QDragEnterEvent enter({20, 20}, Qt::CopyAction, &mime, Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(dialog_.get(), &enter);
        QVERIFY(enter.isAccepted());
        QDropEvent drop({20, 20}, Qt::CopyAction, &mime, Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(dialog_.get(), &drop);
        QCOMPARE(runs().rowCount(), 4);
    }

    void badFile_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("place");
        QTest::addColumn<QString>("found");
        QTest::newRow("no such plan") << "project,plan,iteration_s\nm4.nnpiper.json,none.plan.json,1\n"
                                      << "none.plan.json"
                                      << "no such file";
        QTest::newRow("comma") << "project,plan,iteration_s\nm4.nnpiper.json,m4.plan.json,\"1,5\"\n"
                               << "bad.csv:2"
                               << "\"1,5\"";
        QTest::newRow("column") << "projekt,iteration_s\nx,1\n"
                                << "bad.csv:1"
                                << "\"projekt\"";
        QTest::newRow("cells") << "project,plan,iteration_s\na,b\n"
                               << "bad.csv:2"
                               << "2 cells";
        QTest::newRow("empty") << ""
                               << "bad.csv"
                               << "empty";
        QTest::newRow("no run") << "name,iteration_s\na,2\n"
                                << "bad.csv:2"
                                << "nothing of what was run";
    }

    void badFile()
    {
        QFETCH(QString, text);
        QFETCH(QString, place);
        QFETCH(QString, found);
        dialog_->load(csv_);
        QVERIFY(fitted());
        const auto fit = runs().fit();
        const QString bad = folder_.filePath("bad.csv");
        write_text(bad.toStdString(), text.toStdString());
        const QString sentence = dialog_->load(bad);
        QCOMPARE(message(), sentence);
        QVERIFY2(sentence.contains(place) && sentence.contains(found), qPrintable(sentence));
        QVERIFY(!sentence.contains('\n'));
        QCOMPARE(runs().rowCount(), 4);  // nothing is lost
        QCOMPARE(runs().fit(), fit);
        QVERIFY(button("apply")->isEnabled());
    }

    void missingFileIsOneSentence()
    {
        QVERIFY(dialog_->load(folder_.filePath("absent.csv")).contains("absent.csv"));
        QVERIFY(message().contains("absent.csv"));
    }

    void shownPlanIsAdded()
    {
        showPlan();
        QVERIFY(button("addShownPlan")->isEnabled());
        button("addShownPlan")->click();
        QCOMPARE(runs().rowCount(), 1);
        QVERIFY(std::isnan(runs().runs()[0].iteration_s));
        QVERIFY(!button("fit")->isEnabled());
        QVERIFY(message().contains(QString::fromStdString(runs().runs()[0].name)));
        const auto& run = std::get<PlannedRun>(runs().runs()[0].run);
        QVERIFY(run.project && *run.project == document_->project());
        QVERIFY(run.plan.stages == board_->shown()->plan.stages);

        type(0, RunTableModel::measuredColumn, "1.7 s");
        QCOMPARE(runs().runs()[0].iteration_s, 1.7);
        QVERIFY(message().isEmpty());
        // One type of device and one run: a fit, but no fixed cost and nothing to check it on.
        QVERIFY(fitted());
        QVERIFY(!runs().fit()->fixed_cost_fitted);
        QVERIFY(std::abs(runs().fit()->after.largest) < 1e-4);
        QCOMPARE(dialog_->findChildren<QLabel*>("note").size(), 2);
        QCOMPARE(cell(0, RunTableModel::leftOutColumn), QString("–"));
    }

    void planThatNoLongerFitsIsRefused()
    {
        showPlan();
        edits::remove(*document_, {"node-b"});
        dialog_->addShownPlan();
        QCOMPARE(runs().rowCount(), 0);
        QVERIFY2(message().contains("node-b"), qPrintable(message()));
    }

    void tooFewRunsAreTold()
    {
        // Two types of device in one run.
        edits::change<Device>(*document_, {"node-b/gpu0", "node-b/gpu1"}, "x",
                              [](Device& device) { device.spec = find_device_entry("T4")->spec; });
        showPlan();
        dialog_->addShownPlan();
        type(0, RunTableModel::measuredColumn, "2");
        QVERIFY2(message().contains("Too few runs") && message().contains("2 device types"), qPrintable(message()));
        QVERIFY(!button("fit")->isEnabled());
        QCOMPARE(speedsOf(runs().runs()), 2);
        // The core is of the same opinion.
        QVERIFY_EXCEPTION_THROWN(calibrate(runs().runs(), {}, Control{}), std::exception);
        dialog_->addShownPlan();
        type(1, RunTableModel::measuredColumn, "2.1");
        QVERIFY(button("fit")->isEnabled());
        QVERIFY(calibrate(runs().runs(), {}, Control{}).achieved_fractions.size() == 2);
    }

    void fieldsTakeBackWhatTheyShow_data()
    {
        QTest::addColumn<QString>("locale");
        QTest::addColumn<QString>("typed");
        QTest::addColumn<double>("seconds");
        QTest::addColumn<QString>("shown");
        QTest::newRow("seconds") << "en_US"
                                 << "1.25 s" << 1.25 << "1.25 s";
        QTest::newRow("bare") << "en_US"
                              << "0.75" << 0.75 << "750 ms";
        QTest::newRow("milliseconds") << "en_US"
                                      << "412.5 ms" << 0.4125 << "412.5 ms";
        QTest::newRow("German") << "de_DE"
                                << "1,25 s" << 1.25 << "1,25 s";
        QTest::newRow("German, bare") << "de_DE"
                                      << "0,0425" << 0.0425 << "42,5 ms";
    }

    void fieldsTakeBackWhatTheyShow()
    {
        QFETCH(QString, locale);
        QFETCH(QString, typed);
        QFETCH(double, seconds);
        QFETCH(QString, shown);
        QLocale::setDefault(QLocale(locale));
        MeasuredStep step = measured(8, 6);
        step.iteration_s = std::nan("");
        runs().add({step});
        type(0, RunTableModel::measuredColumn, typed);
        QVERIFY(std::abs(runs().runs()[0].iteration_s / seconds - 1) < 1e-12);
        QCOMPARE(cell(0, RunTableModel::measuredColumn), shown);
        QSignalSpy changes(&runs(), &RunTableModel::runsChanged);
        type(0, RunTableModel::measuredColumn, shown);
        QCOMPARE(changes.count(), 0);
        QVERIFY(std::abs(runs().runs()[0].iteration_s / seconds - 1) < 1e-12);
    }

    void badTimeIsRefused_data()
    {
        QTest::addColumn<QString>("typed");
        for (const char* text : {"0", "-1 s", "soon", "3 GB", "1,2,3"})
            QTest::newRow(text) << text;
    }

    void badTimeIsRefused()
    {
        QFETCH(QString, typed);
        dialog_->load(csv_);
        const double before = runs().runs()[0].iteration_s;
        type(0, RunTableModel::measuredColumn, typed);
        QCOMPARE(runs().runs()[0].iteration_s, before);
        QVERIFY(!message().isEmpty());
    }

    void anotherTimeDropsTheFitAndANameDoesNot()
    {
        dialog_->load(csv_);
        QVERIFY(fitted());
        type(0, RunTableModel::nameColumn, "Monday");
        QVERIFY(runs().fit() && button("apply")->isEnabled());
        type(0, RunTableModel::measuredColumn, "9 s");
        QVERIFY(!runs().fit());
        QVERIFY(!button("apply")->isEnabled());
    }

    void lateResultsAreDropped()
    {
        dialog_->load(csv_);
        QSignalSpy answers(&dialog_->calibrator(), &Calibrator::fitted);
        dialog_->fit();
        QVERIFY(dialog_->calibrator().isRunning());
        type(0, RunTableModel::measuredColumn, "9 s");
        QVERIFY(!dialog_->calibrator().isRunning());
        QTest::qWait(300);
        QCOMPARE(answers.count(), 0);
        QVERIFY(!runs().fit());
        QVERIFY(button("fit")->isEnabled());
        QVERIFY2(fitted(), qPrintable(message()));
        QCOMPARE(answers.count(), 1);
        QCOMPARE(runs().fit()->steps[0].measured_s, 9.0);
    }

    void failuresAreTold()
    {
        Calibrator calibrator;
        QSignalSpy failures(&calibrator, &Calibrator::failed);
        calibrator.start({}, {});
        QVERIFY(failures.wait());
        QVERIFY(failures[0][0].toString().contains("at least one run"));
        QVERIFY(!calibrator.isRunning());
    }

    void withoutFixedCost()
    {
        dialog_->load(csv_);
        dialog_->findChild<QCheckBox*>("fixedCost")->click();
        QVERIFY(fitted());
        QVERIFY(!runs().fit()->fixed_cost_fitted);
        QVERIFY(dialog_->findChildren<QLabel*>("note").isEmpty());
        dialog_->applyToProject();
        QCOMPARE(document_->project().job.fixed_step_s, sampleProject().job.fixed_step_s);
    }

    void otherTypesAreNotApplied()
    {
        document_->replace(Project());
        dialog_->load(csv_);
        QVERIFY(fitted());
        QVERIFY(!button("apply")->isEnabled());
        QVERIFY(!message().isEmpty());
        dialog_->applyToProject();
        QCOMPARE(document_->undoStack().count(), 0);
        document_->replace(sampleProject());
        QVERIFY(button("apply")->isEnabled());
    }

    void selectedRunsAreRemoved()
    {
        dialog_->load(csv_);
        auto* table = dialog_->findChild<QTableView*>();
        table->selectRow(1);
        QVERIFY(button("remove")->isEnabled());
        button("remove")->click();
        QCOMPARE(runs().rowCount(), 3);
        QCOMPARE(cell(1, RunTableModel::nameColumn), QString("batch of 16"));
    }

    void modelKeepsItsPromises()
    {
        QAbstractItemModelTester tester(&runs(), QAbstractItemModelTester::FailureReportingMode::QtTest);
        dialog_->load(csv_);
        QVERIFY(fitted());
        runs().remove({0, 2});
        dialog_->load(csv_);
        runs().remove({0, 1, 2, 3});
        QCOMPARE(runs().rowCount(), 0);
    }

    /// Errors lie on one linear axis from the least to the greatest; a narrow range stays near the middle.
    void errorsShareOneAxis()
    {
        const QRectF cell(100, 0, 200, 28);
        const auto at = [&](double error) { return ErrorDelegate::position(cell, error, -0.3, 0.1); };
        QVERIFY(at(-0.3) > cell.left() && at(0.1) < cell.right());
        QCOMPARE(at(0) - at(-0.3), 3 * (at(0.1) - at(0)));
        QCOMPARE(at(9), at(0.1));
        QCOMPARE(ErrorDelegate::position(cell, 0, 0, 0), 200.0);
    }

    void errorsAreDrawn()
    {
        dialog_->load(csv_);
        QVERIFY(fitted());
        QImage picture(200, 28, QImage::Format_ARGB32);
        picture.fill(Qt::transparent);
        QStyleOptionViewItem option;
        option.rect = picture.rect();
        option.palette = qApp->palette();
        QPainter painter(&picture);
        ErrorDelegate().paint(&painter, option, runs().index(0, RunTableModel::errorColumn));
        painter.end();
        const CalibratedStep& step = runs().fit()->steps[0];
        const double least = runs().index(0, 0).data(RunTableModel::leastErrorRole).toDouble();
        const double greatest = runs().index(0, 0).data(RunTableModel::greatestErrorRole).toDouble();
        const auto at = [&](double predicted) {
            return picture.pixelColor(
                qRound(ErrorDelegate::position(option.rect, predicted / step.measured_s - 1, least, greatest)), 14);
        };
        QCOMPARE(at(step.after_s), roleColor(ColorRole::accent, option.palette));
        QCOMPARE(at(step.before_s), roleColor(ColorRole::bar, option.palette));
    }

private:
    std::string file(const QString& name) const { return folder_.filePath(name).toStdString(); }
    RunTableModel& runs() const { return dialog_->runs(); }
    QPushButton* button(const char* name) const { return dialog_->findChild<QPushButton*>(QString::fromLatin1(name)); }
    QString message() const { return dialog_->findChild<QLabel*>("message")->text(); }
    QString cell(int row, int column) const { return runs().index(row, column).data().toString(); }
    void type(int row, int column, const QString& text)
    {
        runs().setData(runs().index(row, column), text, Qt::EditRole);
    }

    /// Whether a label of the summary has that text.
    bool shows(const QString& text) const
    {
        const auto labels = dialog_->findChild<FitSummary*>()->findChildren<QLabel*>();
        return std::any_of(labels.begin(), labels.end(), [&](const QLabel* label) { return label->text() == text; });
    }

    bool fitted()
    {
        button("fit")->click();
        return QTest::qWaitFor([this] { return !dialog_->calibrator().isRunning(); }, 60000) && runs().fit();
    }

    void showPlan()
    {
        const auto problem = std::make_shared<const Problem>(compile(document_->project()));
        board_->beginRun(false);
        board_->add(solved(problem, planOf(document_->project(), *problem, 6)));
        board_->endRun();
        QVERIFY(board_->shown());
    }

    QTemporaryDir folder_;
    QString csv_;
    std::unique_ptr<ProjectDocument> document_;
    std::unique_ptr<PlanBoard> board_;
    std::unique_ptr<CalibrationDialog> dialog_;
};

QTEST_MAIN(TestCalibrationDialog)
#include "test_calibration_dialog.moc"
