// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/error.h"
#include "core/formats/chrome_trace.h"
#include "core/formats/files.h"
#include "widgets/calibration/calibration_dialog.h"
#include "widgets/canvas/canvas_scene.h"
#include "widgets/canvas/canvas_view.h"
#include "widgets/canvas/geometry.h"
#include "widgets/canvas/graphviz.h"
#include "widgets/document/clipboard.h"
#include "widgets/document/edits.h"
#include "widgets/document/selection.h"
#include "widgets/mainwindow/action_registry.h"
#include "widgets/mainwindow/main_window.h"
#include "widgets/mainwindow/project_files.h"
#include "widgets/mainwindow/recovery_bar.h"
#include "widgets/model/model_dialog.h"
#include "widgets/results/plan_strip.h"
#include "widgets/results/timeline_view.h"
#include "widgets/theme/icons.h"

#include <QApplication>
#include <QClipboard>
#include <QFileDialog>
#include <QFileInfo>
#include <QMessageBox>
#include <QMimeData>

namespace nnpiper {

namespace {

QString clipboardType()
{
    return QStringLiteral("application/x-nnpiper-cluster");
}

/// Empty where nothing that could be a project is there.
std::string clipboardText()
{
    const QMimeData* mime = QApplication::clipboard()->mimeData();
    if (!mime)
        return {};
    return (mime->hasFormat(clipboardType()) ? mime->data(clipboardType()) : mime->text().toUtf8()).toStdString();
}

}  // namespace

void MainWindow::copySelection()
{
    if (document_.selection().isEmpty())
        return;
    const QByteArray text = QByteArray::fromStdString(copyText(document_.project(), document_.selection().ids()));
    auto* mime = new QMimeData;
    mime->setData(clipboardType(), text);
    mime->setText(QString::fromUtf8(text));
    QApplication::clipboard()->setMimeData(mime);
    copied_ = text.toStdString();
    pastes_ = 0;
}

void MainWindow::paste()
{
    const std::string text = clipboardText();
    if (text.empty()) {
        say(tr("The clipboard holds nothing that could be pasted here."));
        return;
    }
    editPlan([&] {
        if (text != copied_) {
            const QPointF middle = canvas_->mapToScene(canvas_->viewport()->rect().center());
            document_.selection().set(pasteForeignText(document_, text, middle, tr("Paste")));
            canvas_->showSelection();
            return;
        }
        const double shift = 2 * geometry::grid * ++pastes_;
        document_.selection().set(pasteText(document_, text, {shift, shift}, tr("Paste")));
    });
}

void MainWindow::pasteAt(QPointF point)
{
    const std::string text = clipboardText();
    if (text.empty()) {
        say(tr("The clipboard holds nothing that could be pasted here."));
        return;
    }
    editPlan([&] {
        document_.selection().set(text == copied_ ? pasteTextAt(document_, text, point, tr("Paste"))
                                                  : pasteForeignText(document_, text, point, tr("Paste")));
    });
}

void MainWindow::duplicate()
{
    if (document_.selection().isEmpty())
        return;
    editPlan([&] {
        const std::string text = copyText(document_.project(), document_.selection().ids());
        const double shift = 2 * geometry::grid;
        document_.selection().set(pasteText(document_, text, {shift, shift}, tr("Duplicate")));
    });
}

void MainWindow::arrangeAll()
{
    arranger_->start(document_.project());
}

void MainWindow::takeArranged(const Project& project, const std::map<std::string, Placement>& places)
{
    // What was drawn in the meantime is not in it.
    const Project& now = document_.project();
    if (now.cluster != project.cluster || now.containers != project.containers || now.layout != project.layout)
        return;
    edits::place(document_, places, tr("Arrange"));
    canvas_->fitAll();
}

void MainWindow::changeModel()
{
    ModelDialog dialog(document_.project().model, this);
    if (dialog.exec() == QDialog::Accepted)
        edits::setModel(document_, dialog.model());
}

void MainWindow::showCalibration()
{
    if (!calibration_)
        calibration_ = new CalibrationDialog(document_, board_, this);
    calibration_->show();
    calibration_->raise();
    calibration_->activateWindow();
}

QString MainWindow::exportPath(const QString& title, const QString& suffix, const QString& filter)
{
    const QFileInfo project(document_.path());
    const QString stem =
        document_.path().isEmpty() ? tr("untitled") : project.fileName().section(QLatin1Char('.'), 0, 0);
    const QString start = document_.path().isEmpty() ? stem : project.absolutePath() + QLatin1Char('/') + stem;
    QString path = QFileDialog::getSaveFileName(this, title, start + suffix, filter);
    if (!path.isEmpty() && QFileInfo(path).suffix().isEmpty())
        path += suffix;
    return path;
}

void MainWindow::exportPlan()
{
    if (!board_.shown())
        return;
    const QString path = exportPath(tr("Export plan"), QStringLiteral(".plan.json"), tr("Plans (*.plan.json *.json)"));
    if (path.isEmpty())
        return;
    editPlan([&] {
        write_text(path.toStdString(), write_plan(board_.shown()->plan));
        say(tr("Saved %1").arg(path));
    });
}

void MainWindow::exportTrace()
{
    if (!board_.shown())
        return;
    const QString path =
        exportPath(tr("Export Chrome trace"), QStringLiteral(".trace.json"), tr("Chrome traces (*.trace.json *.json)"));
    if (path.isEmpty())
        return;
    editPlan([&] {
        const std::string title = document_.title().toStdString() + ", " + board_.shown()->plan.planner;
        write_text(path.toStdString(), chrome_trace(board_.shown()->timeline, title));
        say(tr("Saved %1").arg(path));
    });
}

void MainWindow::exportTimeline()
{
    if (!board_.shown())
        return;
    const QString path = exportPath(tr("Export timeline"), QStringLiteral(".png"), tr("Pictures (*.png)"));
    if (path.isEmpty())
        return;
    if (timeline_->exportPng(path, 2))
        say(tr("Saved %1").arg(path));
    else
        say(tr("%1 cannot be written").arg(path), true);
}

void MainWindow::exportCanvas()
{
    const QString path = exportPath(tr("Export topology"), QStringLiteral(".png"), tr("Pictures (*.png)"));
    if (path.isEmpty())
        return;
    if (canvas_->exportPng(path, 2))
        say(tr("Saved %1").arg(path));
    else
        say(tr("%1 cannot be written").arg(path), true);
}

void MainWindow::offerRecovery()
{
    recovery_bar_->look();
}

void MainWindow::restore(const Leftover& leftover)
{
    if (!files_->mayDiscard())
        return;
    try {
        recovery_->restore(leftover);
        showWorkbench();
    } catch (const Error& error) {
        showFailure(tr("The work cannot be restored"), QString::fromStdString(error.what()));
    }
}

void MainWindow::showStageMenu(int stage, const QPoint& position)
{
    const PlanBoard::Shared shown = board_.shown();
    if (!shown || stage < 0 || stage >= static_cast<int>(shown->plan.stages.size()))
        return;
    const Stage& part = shown->plan.stages[static_cast<std::size_t>(stage)];
    QMenu menu(this);
    menu.setObjectName(QStringLiteral("stageMenu"));
    menu.addAction(themedIcon(QStringLiteral("lock"), palette()), tr("&Keep stage %1 as it is").arg(stage), this,
                   [this, part] { edits::lockStage(document_, part); });
    QStringList ids;
    for (const std::string& id : part.devices) {
        ids.append(QString::fromStdString(id));
        menu.addAction(tr("Keep %1 on stage %2").arg(ids.back()).arg(stage), this,
                       [this, stage, id = ids.back()] { edits::lockDevice(document_, id, stage); });
    }
    menu.addSeparator();
    menu.addAction(tr("&Release stage %1").arg(stage), this, [this, ids] { edits::unlock(document_, ids); })
        ->setEnabled(strip_->isLocked(stage));
    menu.addAction(actions_->action(QStringLiteral("plan.unlock")));
    menu.exec(position);
}

void MainWindow::showAbout()
{
    QMessageBox box(this);
    box.setWindowTitle(tr("About NN-Piper Workbench"));
    box.setIconPixmap(windowIcon().pixmap(64, 64));
    box.setText(tr("<b>NN-Piper Workbench %1</b>").arg(QStringLiteral(NNPIPER_VERSION)));
    box.setInformativeText(
        tr("Draws a cluster of mixed accelerators, plans pipeline-parallel training on it with a neural solver and "
           "classic planners, and shows the predicted timeline of every plan.<br><br>"
           "Free software under the GNU General Public License, version 3 or later, without any warranty. It uses "
           "Qt %1 (LGPL-3.0), QCustomPlot (GPL-3.0), JSON for Modern C++ (MIT) and, for the neural planner, LibTorch "
           "(BSD-3-Clause).")
            .arg(QString::fromLatin1(qVersion())));
    box.exec();
}

}  // namespace nnpiper
