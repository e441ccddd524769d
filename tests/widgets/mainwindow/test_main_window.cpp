// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/formats/files.h"
#include "tests/widgets/sample_project.h"
#include "widgets/calibration/calibration_dialog.h"
#include "widgets/calibration/run_table_model.h"
#include "widgets/canvas/canvas_scene.h"
#include "widgets/canvas/canvas_view.h"
#include "widgets/document/edits.h"
#include "widgets/document/selection.h"
#include "widgets/i18n/language.h"
#include "widgets/mainwindow/action_registry.h"
#include "widgets/mainwindow/main_window.h"
#include "widgets/mainwindow/project_files.h"
#include "widgets/mainwindow/recovery.h"
#include "widgets/model/model_dialog.h"
#include "widgets/palette/palette_panel.h"
#include "widgets/problems/problems_view.h"
#include "widgets/results/plan_strip.h"
#include "widgets/theme/theme.h"
#include "widgets/whatif/what_if_view.h"

#include <QDragEnterEvent>
#include <QInputDialog>
#include <QLineEdit>
#include <QMenu>
#include <QMessageBox>
#include <QMimeData>
#include <QPushButton>
#include <QSettings>
#include <QStandardPaths>
#include <QTabWidget>
#include <QTableView>
#include <QTemporaryDir>
#include <QTimer>
#include <QTreeView>
#include <QtTest>

using namespace nnpiper;

class TestMainWindow : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        QCoreApplication::setOrganizationName("NN-Piper-test");
        QCoreApplication::setApplicationName("Workbench-test");
        QStandardPaths::setTestModeEnabled(true);
        QSettings::setDefaultFormat(QSettings::IniFormat);
        QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, settings_.path());
        applyTheme(*qApp, ThemeMode::light);
        path_ = settings_.filePath("sample.nnpiper.json");
        write_text(path_.toStdString(), write_project(sampleProject()));
    }

    void init()
    {
        QSettings().clear();
        window_ = std::make_unique<MainWindow>(language_);
        window_->resize(1280, 800);
        window_->show();
        QVERIFY(QTest::qWaitForWindowExposed(window_.get()));
    }

    void cleanup() { window_.reset(); }

    void whatIfIsAskedByKeyAndStagesAreLockedByMenu()
    {
        window_->files().open(path_);
        window_->actionRegistry().action("plan.whatIf")->trigger();
        auto* view = window_->findChild<WhatIfView*>();
        QVERIFY(view && view->isVisible());
        auto* tabs = qobject_cast<QTabWidget*>(view->parentWidget()->parentWidget());
        QVERIFY(tabs);
        QCOMPARE(tabs->tabText(tabs->indexOf(view)), QStringLiteral("What if"));
        QVERIFY(view->runner().isRunning());
        view->cancel();

        window_->solver().solve({"uniform"});
        QTRY_VERIFY_WITH_TIMEOUT(!window_->solver().isRunning(), 120000);
        QVERIFY(!window_->actionRegistry().action("plan.unlock")->isEnabled());
        const Stage second = window_->board().shown()->plan.stages[1];
        QTimer::singleShot(0, this, [] {
            auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
            QVERIFY(menu);
            menu->actions().front()->trigger();
            menu->close();
        });
        emit window_->strip().menuRequested(1, window_->mapToGlobal(QPoint(300, 300)));
        const std::vector<Lock>& locks = window_->document().project().job.locks;
        QCOMPARE(locks.size(), std::size_t(1));
        QVERIFY(locks.front().devices == second.devices && locks.front().end_layer == second.end_layer);
        QVERIFY(window_->strip().isLocked(1) && !window_->strip().isLocked(0));
        window_->actionRegistry().action("plan.unlock")->trigger();
        QVERIFY(window_->document().project().job.locks.empty());
        QVERIFY(!window_->strip().isLocked(1));
        window_->document().undoStack().setClean();
    }

    void startsWithTheStartPage()
    {
        QVERIFY(window_->isStartPageShown());
        QVERIFY(!action("plan.solve")->isEnabled());
        action("file.new")->trigger();
        QVERIFY(!window_->isStartPageShown());
        QVERIFY(!window_->document().isModified());
    }

    void openEditSaveReopen()
    {
        QVERIFY(window_->files().open(path_));
        QCOMPARE(window_->files().recentFiles(), QStringList{path_});
        QVERIFY(window_->windowTitle().startsWith("sample.nnpiper.json[*]"));
        QVERIFY(!window_->isWindowModified());
        edits::addDevice(window_->document(), find_device_entry("T4")->spec, "node-a", {});
        QVERIFY(window_->isWindowModified());
        const QString copy = settings_.filePath("copy.nnpiper.json");
        QVERIFY(window_->files().saveTo(copy));
        QVERIFY(!window_->isWindowModified());
        const Project saved = window_->document().project();
        action("file.new")->trigger();
        QVERIFY(window_->files().open(copy));
        QVERIFY(window_->document().project() == saved);
        QCOMPARE(window_->files().recentFiles(), (QStringList{copy, path_}));
    }

    void failedOpenTellsOneSentence()
    {
        QVERIFY(window_->files().open(path_));
        edits::setName(window_->document(), "Kept");
        const QString broken = settings_.filePath("broken.nnpiper.json");
        write_text(broken.toStdString(), "{\"format\": \"nnpiper-project\", \"version\": 1, \"cluster\": 3}");
        QString sentence;
        answer("unsavedChanges", QMessageBox::Discard);
        // However long it takes until the box is there: a timer that fires once would leave it open for ever.
        QTimer poll;
        connect(&poll, &QTimer::timeout, this, [&] {
            auto* box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget());
            if (box && box->objectName() != "unsavedChanges") {
                sentence = box->informativeText();
                box->accept();
            }
        });
        poll.start(10);
        QVERIFY(!window_->files().open(broken));
        QVERIFY2(sentence.contains("broken.nnpiper.json"), qPrintable(sentence));
        QCOMPARE(window_->document().project().name, std::string("Kept"));
    }

    void closePrompt_data()
    {
        QTest::addColumn<int>("button");
        QTest::addColumn<bool>("closes");
        QTest::addColumn<bool>("saved");
        QTest::newRow("cancel") << int(QMessageBox::Cancel) << false << false;
        QTest::newRow("discard") << int(QMessageBox::Discard) << true << false;
        QTest::newRow("save") << int(QMessageBox::Save) << true << true;
    }

    void closePrompt()
    {
        QFETCH(int, button);
        QFETCH(bool, closes);
        QFETCH(bool, saved);
        const QString file = settings_.filePath("closing.nnpiper.json");
        write_text(file.toStdString(), write_project(sampleProject()));
        QVERIFY(window_->files().open(file));
        edits::setName(window_->document(), "Changed");
        answer("unsavedChanges", static_cast<QMessageBox::StandardButton>(button));
        QCOMPARE(window_->close(), closes);
        QCOMPARE(window_->isVisible(), !closes);
        QCOMPARE(read_project(read_text(file.toStdString()), "x").name, std::string(saved ? "Changed" : "Sample"));
    }

    void unchangedClosesWithoutAsking()
    {
        QVERIFY(window_->files().open(path_));
        QVERIFY(window_->close());
    }

    void everyActionHasIdTextAndTip()
    {
        QStringList ids;
        QStringList keys;
        for (const QAction* entry : window_->actionRegistry().actions()) {
            QVERIFY(!entry->objectName().isEmpty() && !ids.contains(entry->objectName()));
            ids.append(entry->objectName());
            QVERIFY2(!entry->text().isEmpty(), qPrintable(entry->objectName()));
            if (!entry->shortcut().isEmpty()) {
                QVERIFY(entry->toolTip().contains(entry->shortcut().toString(QKeySequence::NativeText)));
                for (const QKeySequence& key : entry->shortcuts()) {
                    QVERIFY2(!keys.contains(key.toString()), qPrintable(entry->objectName() + ' ' + key.toString()));
                    keys.append(key.toString());
                }
            }
        }
    }

    void copyPasteDeleteByActions()
    {
        QVERIFY(window_->files().open(path_));
        action("edit.selectAll")->trigger();
        action("edit.copy")->trigger();
        action("edit.paste")->trigger();
        const Cluster& cluster = window_->document().project().cluster;
        QCOMPARE(cluster.devices.size(), std::size_t(8));
        QCOMPARE(cluster.links.size(), std::size_t(4));
        action("edit.delete")->trigger();  // the copies are selected
        QCOMPARE(cluster.devices.size(), std::size_t(4));
        QVERIFY(cluster == sampleProject().cluster);
        action("edit.undo")->trigger();
        action("edit.undo")->trigger();
        QVERIFY(window_->document().project() == sampleProject());
        QVERIFY(!window_->isWindowModified());
    }

    void duplicateAndCut()
    {
        QVERIFY(window_->files().open(path_));
        window_->document().selection().set({"node-a"});
        action("edit.duplicate")->trigger();
        QCOMPARE(window_->document().project().cluster.nodes.size(), std::size_t(3));
        action("edit.cut")->trigger();
        QCOMPARE(window_->document().project().cluster.nodes.size(), std::size_t(2));
        action("edit.paste")->trigger();
        QCOMPARE(window_->document().project().cluster.nodes.size(), std::size_t(3));
    }

    void makeSeveralAsks()
    {
        QVERIFY(window_->files().open(path_));
        QVERIFY(!action("edit.multiply")->isEnabled());
        window_->document().selection().set({"node-a--switch"});
        QVERIFY(!action("edit.multiply")->isEnabled());
        window_->document().selection().set({"node-a"});
        QTimer poll;
        connect(&poll, &QTimer::timeout, this, [] {
            if (auto* dialog = qobject_cast<QInputDialog*>(QApplication::activeModalWidget())) {
                dialog->setIntValue(4);
                dialog->accept();
            }
        });
        poll.start(10);
        action("edit.multiply")->trigger();
        QCOMPARE(window_->document().project().cluster.nodes.size(), std::size_t(5));
        QCOMPARE(window_->document().project().cluster.links.size(), std::size_t(5));
        QCOMPARE(window_->document().selection().ids().size(), qsizetype(4));
        action("edit.undo")->trigger();
        QVERIFY(window_->document().project() == sampleProject());
    }

    void alignNeedsTwoDistributeThree()
    {
        QVERIFY(window_->files().open(path_));
        window_->document().selection().set({"node-a", "node-a/gpu0"});
        QVERIFY(!action("align.left")->isEnabled());
        window_->document().selection().set({"node-a", "switch"});
        QVERIFY(action("align.left")->isEnabled());
        QVERIFY(!action("distribute.across")->isEnabled());
        action("align.left")->trigger();
        QCOMPARE(window_->document().project().layout.at("switch").x, 0.0);
        window_->document().selection().set({"node-a", "node-b", "switch"});
        QVERIFY(action("distribute.across")->isEnabled());
    }

    void problemsAreCountedOnTheirTab()
    {
        QVERIFY(window_->files().open(path_));
        auto* problems = window_->findChild<ProblemsView*>();
        auto* tabs = qobject_cast<QTabWidget*>(problems->parentWidget()->parentWidget());
        const int tab = tabs->indexOf(problems);
        QCOMPARE(tabs->tabText(tab), QString("Problems"));
        edits::remove(window_->document(), {"node-b--switch"});
        QTRY_COMPARE(tabs->tabText(tab), QString("Problems (1)"));
        QVERIFY(!tabs->tabIcon(tab).isNull());
        action("edit.undo")->trigger();
        QTRY_COMPARE(tabs->tabText(tab), QString("Problems"));
        QVERIFY(tabs->tabIcon(tab).isNull());
    }

    void doubleClickInThePaletteAdds()
    {
        action("file.new")->trigger();
        QTreeView& palette = window_->palettePanel().view();
        emit palette.activated(palette.model()->index(0, 0, palette.model()->index(0, 0)));
        const Cluster& cluster = window_->document().project().cluster;
        QCOMPARE(cluster.devices.size(), std::size_t(1));
        emit palette.activated(palette.model()->index(1, 0, palette.model()->index(1, 0)));
        QCOMPARE(cluster.nodes.size(), std::size_t(1));
        QCOMPARE(cluster.devices.size(), std::size_t(3));
    }

    void searchNarrowsThePalette()
    {
        action("file.new")->trigger();
        QTreeView& palette = window_->palettePanel().view();
        window_->palettePanel().search().setText("MI300");
        QCOMPARE(palette.model()->rowCount(), 1);
        QCOMPARE(palette.model()->rowCount(palette.model()->index(0, 0)), 1);
        window_->palettePanel().search().clear();
        QVERIFY(palette.model()->rowCount() >= 4);
    }

    void solveShowsThePlanEverywhere()
    {
        QVERIFY(window_->files().open(path_));
        window_->solver().solve({"uniform", "pipedream"});
        QTRY_VERIFY_WITH_TIMEOUT(!window_->solver().isRunning(), 120000);
        QVERIFY(window_->board().shown());
        QVERIFY(window_->canvas().canvas().overlay().present);
        QCOMPARE(window_->board().planList().size(), std::size_t(2));
        QVERIFY(action("file.exportPlan")->isEnabled());
        emit window_->strip().boundaryMoved(0, 3);
        QCOMPARE(window_->board().shown()->plan.stages[0].end_layer, 3);
        QVERIFY(window_->isWindowModified());
        action("edit.undo")->trigger();
        QVERIFY(!window_->isWindowModified());
        edits::remove(window_->document(), {"node-b"});
        QVERIFY(window_->canvas().canvas().overlay().outdated);
    }

    void modelFromConfigFile()
    {
        ModelDialog dialog(Model(), nullptr);
        const QString config = settings_.filePath("config.json");
        write_text(config.toStdString(),
                   R"({"model_type": "llama", "hidden_size": 256, "num_hidden_layers": 5, "num_attention_heads": 8,
                       "intermediate_size": 688, "vocab_size": 1000, "max_position_embeddings": 512})");
        QCOMPARE(dialog.readConfig(config), QString());
        QCOMPARE(dialog.model().architecture.blocks, 5);
        QVERIFY(dialog.model().sequence_length <= 512);
        write_text(config.toStdString(), R"({"model_type": "toaster"})");
        QVERIFY(dialog.readConfig(config).contains("toaster"));
        QCOMPARE(dialog.model().architecture.blocks, 5);
    }

    void droppedConfigIsTheModel()
    {
        const QString config = settings_.filePath("dropped.json");
        write_text(config.toStdString(),
                   R"({"model_type": "gpt2", "_name_or_path": "tiny", "n_embd": 256, "n_layer": 5, "n_head": 8,
                       "vocab_size": 1000, "n_positions": 512})");
        drop(config);  // on the start page: a project of its own
        QVERIFY(!window_->isStartPageShown());
        QCOMPARE(window_->document().project().model.architecture.blocks, 5);
        QCOMPARE(window_->document().project().model.sequence_length, 512);

        drop(path_);  // our own file: opened, not read as a model
        const Project opened = window_->document().project();
        QCOMPARE(opened, sampleProject());
        drop(config);
        QCOMPARE(window_->document().project().model.architecture.blocks, 5);
        QCOMPARE(window_->document().project().cluster, opened.cluster);
        QCOMPARE(window_->document().undoStack().count(), 1);
        window_->document().undoStack().undo();
        QCOMPARE(window_->document().project(), opened);
    }

    void droppedConfigOfAnUnknownModel()
    {
        QVERIFY(window_->files().open(path_));
        const QString config = settings_.filePath("toaster.json");
        write_text(config.toStdString(), R"({"model_type": "toaster"})");
        QSignalSpy failed(&window_->files(), &ProjectFiles::failed);
        drop(config);
        QCOMPARE(failed.size(), 1);
        QVERIFY(failed.front().at(1).toString().contains("toaster"));
        QCOMPARE(window_->document().project(), sampleProject());
    }

    void arrangeIsOneStep()
    {
        QVERIFY(window_->files().open(path_));
        const int commands = window_->document().undoStack().count();
        action("cluster.arrange")->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(window_->document().undoStack().count() > commands, 30000);
        QCOMPARE(window_->document().undoStack().count(), 1);
        action("edit.undo")->trigger();
        QVERIFY(window_->document().project() == sampleProject());
    }

    void toolBarFitsSmallWindows_data()
    {
        QTest::addColumn<int>("width");
        QTest::newRow("1280") << 1280;
        QTest::newRow("1680") << 1680;
    }

    void toolBarFitsSmallWindows()
    {
        QFETCH(int, width);
        QVERIFY(window_->files().open(path_));
        window_->resize(width, 800);
        QCOMPARE(window_->width(), width);
        auto* solve = window_->findChild<QWidget*>("toolBar");
        for (const QWidget* part : solve->findChildren<QWidget*>()) {
            if (!part->isVisible())
                continue;
            const QRect place(part->mapTo(window_.get(), QPoint()), part->size());
            QVERIFY2(window_->rect().contains(place), qPrintable(part->objectName()));
        }
    }

    void calibrationKeepsItsRuns()
    {
        QVERIFY(!action("plan.calibrate")->isEnabled());
        QVERIFY(window_->files().open(path_));
        action("plan.calibrate")->trigger();
        auto* dialog = window_->findChild<CalibrationDialog*>();
        QVERIFY(dialog && dialog->isVisible());
        window_->solver().solve({"uniform"});
        QTRY_VERIFY_WITH_TIMEOUT(!window_->solver().isRunning(), 20000);
        dialog->addShownPlan();
        QCOMPARE(dialog->runs().rowCount(), 1);
        dialog->close();
        action("plan.calibrate")->trigger();
        QVERIFY(dialog->isVisible());
        QCOMPARE(window_->findChildren<CalibrationDialog*>().size(), 1);
        QCOMPARE(dialog->runs().rowCount(), 1);
    }

    void unsavedWorkOfADeadSessionIsFound()
    {
        const QString folder = settings_.filePath("recovery");
        ProjectDocument document;
        document.replace(sampleProject(), path_);
        Recovery living(document, folder);
        edits::setName(document, "Unsaved");
        living.flush();
        ProjectDocument other_document;
        Recovery other(other_document, folder);
        QVERIFY(other.leftovers().isEmpty());  // its session is alive

        // What a killed process leaves: the copy and a lock whose owner is gone.
        const QStringList copies = QDir(folder).entryList({"*.recovery.json"});
        QCOMPARE(copies.size(), 1);
        QVERIFY(QFile::copy(folder + "/" + copies.front(), folder + "/dead.recovery.json"));
        write_text((folder + "/dead.origin").toStdString(), path_.toStdString());
        const auto found = other.leftovers();
        QCOMPARE(found.size(), 1);
        QCOMPARE(found.front().origin, path_);
        other.restore(found.front());
        QCOMPARE(other_document.project().name, std::string("Unsaved"));
        QCOMPARE(other_document.path(), path_);
        QVERIFY(other_document.isModified());
        QVERIFY(other.leftovers().isEmpty());

        document.undoStack().undo();  // as saved: nothing is left to restore
        QCOMPARE(QDir(folder).entryList({"*.recovery.json"}).size(), 1);
    }

private:
    QAction* action(const char* id) const { return window_->actionRegistry().action(QString::fromLatin1(id)); }

    /// Lets go of a file over the middle of the window, and closes the box that tells what is wrong with it.
    void drop(const QString& path)
    {
        QMimeData mime;
        mime.setUrls({QUrl::fromLocalFile(path)});
        const QPoint middle = window_->rect().center();
        QDragEnterEvent enter(middle, Qt::CopyAction, &mime, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(window_.get(), &enter);
        QVERIFY(enter.isAccepted());
        QTimer poll;
        connect(&poll, &QTimer::timeout, this, [] {
            if (auto* box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget()))
                box->accept();
        });
        poll.start(10);
        QDropEvent event(middle, Qt::CopyAction, &mime, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(window_.get(), &event);
    }

    /// Presses a button of the message box of that name as soon as it opens.
    void answer(const QString& name, QMessageBox::StandardButton button)
    {
        auto* timer = new QTimer(this);
        connect(timer, &QTimer::timeout, this, [timer, name, button] {
            auto* box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget());
            if (!box || box->objectName() != name)
                return;
            timer->deleteLater();
            box->button(button)->click();
        });
        timer->start(10);
    }

    QTemporaryDir settings_;
    QString path_;
    LanguageSwitcher language_;
    std::unique_ptr<MainWindow> window_;
};

QTEST_MAIN(TestMainWindow)
#include "test_main_window.moc"
