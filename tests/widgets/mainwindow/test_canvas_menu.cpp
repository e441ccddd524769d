// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/widgets/lab_plan.h"
#include "tests/widgets/sample_project.h"
#include "widgets/canvas/canvas_scene.h"
#include "widgets/canvas/canvas_view.h"
#include "widgets/canvas/element_item.h"
#include "widgets/canvas/geometry.h"
#include "widgets/document/clipboard.h"
#include "widgets/document/edits.h"
#include "widgets/document/selection.h"
#include "widgets/i18n/language.h"
#include "widgets/mainwindow/action_registry.h"
#include "widgets/mainwindow/canvas_menu.h"
#include "widgets/mainwindow/main_window.h"

#include <QInputDialog>
#include <QSettings>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTimer>
#include <QtTest>

using namespace nnpiper;

class TestCanvasMenu : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        QCoreApplication::setOrganizationName("NN-Piper-test");
        QCoreApplication::setApplicationName("Canvas-menu-test");
        QStandardPaths::setTestModeEnabled(true);
        QSettings::setDefaultFormat(QSettings::IniFormat);
        QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, settings_.path());
    }

    void init()
    {
        window_ = std::make_unique<MainWindow>(language_);
        window_->resize(1280, 800);
        window_->show();
        QVERIFY(QTest::qWaitForWindowExposed(window_.get()));
        document().replace(sampleProject());
        window_->showWorkbench();
    }

    void cleanup()
    {
        document().undoStack().setClean();
        window_.reset();
    }

    void offersWhatFitsTheElement_data()
    {
        QTest::addColumn<QString>("element");
        QTest::addColumn<QString>("offered");
        QTest::addColumn<QString>("notOffered");
        QTest::newRow("device") << "node-a/gpu0" << "Put into &node" << "&Interconnect";
        QTest::newRow("node") << "node-a" << "&Interconnect" << "Put into &node";
        QTest::newRow("switch") << "switch" << "Select what it &joins" << "&Interconnect";
        QTest::newRow("link") << "node-a--switch" << "Put a &switch into it" << "Leave &idle";
        QTest::newRow("canvas") << "" << "&Paste here" << "&Release";
    }

    void offersWhatFitsTheElement()
    {
        QFETCH(QString, element);
        QFETCH(QString, offered);
        QFETCH(QString, notOffered);
        const auto menu = menuOf(element);
        QVERIFY(find(*menu, {offered}));
        QVERIFY(!find(*menu, {notOffered}));
        for (const QAction* action : menu->actions())
            QVERIFY(action->isSeparator() || action->menu() || !action->text().isEmpty());
    }

    void actsOnAllSelectedOfTheKind()
    {
        document().selection().set({"node-a/gpu0", "switch", "node-b/gpu1"});
        trigger("node-b/gpu1", {"&Type", "T4"});
        QCOMPARE(device("node-a/gpu0").spec.type, std::string("T4"));
        QCOMPARE(device("node-b/gpu1").spec.type, std::string("T4"));
        QCOMPARE(device("node-a/gpu1").spec.type, std::string("RTX 3090"));
        QCOMPARE(document().undoStack().count(), 1);
        trigger("node-a/gpu0", {"Put into &node", "node-b"});
        QCOMPARE(device("node-a/gpu0").node, std::string("node-b"));
        trigger("node-b/gpu1", {"Select all T4"});
        QCOMPARE(document().selection().ids(), (QStringList{"node-a/gpu0", "node-b/gpu1"}));
    }

    void locksShowOnTheCanvas()
    {
        const auto& canvas = window_->canvas().canvas();
        QVERIFY(!canvas.lockOf("node-a/gpu0"));
        trigger("node-a", {"Leave &idle"});
        QVERIFY(canvas.lockOf("node-a/gpu0") && canvas.lockOf("node-a/gpu0")->idle);
        QVERIFY(canvas.lockOf("node-a/gpu1") && !canvas.lockOf("node-b/gpu0"));
        QVERIFY(canvas.item("node-a/gpu0")->toolTip().contains("not to be used"));
        const QImage locked = picture();
        trigger("node-a/gpu1", {"&Release"});
        QVERIFY(canvas.lockOf("node-a/gpu0") && !canvas.lockOf("node-a/gpu1"));
        QVERIFY(picture() != locked);
        document().undoStack().undo();
        QVERIFY(canvas.lockOf("node-a/gpu1"));
        QCOMPARE(picture(), locked);
    }

    void keepsDevicesOnTheirStages()
    {
        QVERIFY(!find(*menuOf("node-a/gpu0"), {"&Keep on their stages"})->isEnabled());
        window_->solver().solve();
        QTRY_VERIFY_WITH_TIMEOUT(!window_->solver().isRunning() && window_->board().shown(), 60000);
        const Plan plan = window_->board().shown()->plan;
        document().selection().set({"node-a", "node-b"});
        trigger("node-a", {"&Keep on their stages"});
        std::size_t devices = 0;
        for (const Lock& lock : document().project().job.locks) {
            QCOMPARE(lock.devices.size(), std::size_t(1));
            QVERIFY(lock.stage);
            const auto& stage = plan.stages.at(static_cast<std::size_t>(*lock.stage)).devices;
            QVERIFY(std::find(stage.begin(), stage.end(), lock.devices.front()) != stage.end());
            ++devices;
        }
        QVERIFY(devices > 0);
        document().undoStack().undo();
        QVERIFY(document().project().job.locks.empty());
    }

    void aSwitchJoinsWhatIsFree()
    {
        const QString added = edits::addDevice(document(), find_device_entry("T4")->spec, {}, {700, 300});
        trigger("switch", {"Connect every &node to it by 10 GbE TCP socket"});
        QCOMPARE(document().project().cluster.links.size(), std::size_t(3));
        QCOMPARE(document().project().cluster.links.back().from, added.toStdString());
        QVERIFY(!find(*menuOf("switch"), {"Connect every &node to it by 10 GbE TCP socket"})->isEnabled());
    }

    void aLinkIsSplitByASwitch()
    {
        const double latency = find_link(cluster(), "node-a--switch")->latency_s;
        trigger("node-a--switch", {"Put a &switch into it"});
        QCOMPARE(cluster().switches.size(), std::size_t(2));
        const std::string middle = cluster().switches.back().id;
        QVERIFY(!find_link(cluster(), "node-a--switch"));
        double sum = 0;
        std::set<std::string> ends;
        for (const Link& link : cluster().links)
            if (link.from == middle || link.to == middle) {
                sum += link.latency_s;
                ends.insert(link.from == middle ? link.to : link.from);
                QCOMPARE(link.bandwidth_bytes_per_s, 1.25e9);
            }
        QCOMPARE(ends, (std::set<std::string>{"node-a", "switch"}));
        QCOMPARE(sum, latency);
        document().undoStack().undo();
        QVERIFY(document().project() == sampleProject());
    }

    void pastesUnderThePointer()
    {
        document().selection().set({"node-a"});
        window_->actionRegistry().action("edit.copy")->trigger();
        QMenu* none = nullptr;
        CanvasMenu menu(document(), window_->board(), window_->canvas(), window_->actionRegistry(), none, {},
                        {1003, 801});
        connect(&menu, &CanvasMenu::pasteRequested, this, [&](QPointF point) {
            pasteTextAt(document(), copyText(document().project(), {"node-a"}), point, "Paste");
        });
        find(menu, {"&Paste here"})->trigger();
        QCOMPARE(cluster().nodes.size(), std::size_t(3));
        const QRectF rect = geometry::elementRect(document().project(), cluster().nodes.back().id);
        QVERIFY(rect.contains(QPointF(1003, 801)));
        QCOMPARE(geometry::snapped(rect.topLeft()), rect.topLeft());
    }

    void renamesByKey()
    {
        document().selection().set({"switch"});
        QTimer::singleShot(0, this, [] {
            auto* dialog = qobject_cast<QInputDialog*>(QApplication::activeModalWidget());
            QVERIFY(dialog);
            QCOMPARE(dialog->textValue(), QString("Switch"));
            dialog->setTextValue("Spine");
            dialog->accept();
        });
        window_->canvas().setFocus();
        window_->actionRegistry().action("edit.rename")->trigger();
        QCOMPARE(cluster().switches.front().name, std::string("Spine"));
        edits::rename(document(), "switch", "  ");
        QCOMPARE(document().undoStack().count(), 1);
    }

    void theMenuKeyOpensTheMenuOfTheSelection()
    {
        document().selection().set({"node-a"});
        bool shown = false;
        QTimer::singleShot(0, this, [&] {
            auto* menu = qobject_cast<CanvasMenu*>(QApplication::activePopupWidget());
            QVERIFY(menu);
            shown = find(*menu, {"&Interconnect"}) != nullptr;
            menu->close();
        });
        QContextMenuEvent event(QContextMenuEvent::Keyboard, QPoint(5, 5), window_->mapToGlobal(QPoint(5, 5)));
        QApplication::sendEvent(window_->canvas().viewport(), &event);
        QVERIFY(shown);
    }

private:
    ProjectDocument& document() { return window_->document(); }
    const Cluster& cluster() { return document().project().cluster; }
    const Device& device(const char* id) { return *find_device(cluster(), id); }

    std::unique_ptr<CanvasMenu> menuOf(const QString& element)
    {
        return std::make_unique<CanvasMenu>(document(), window_->board(), window_->canvas(), window_->actionRegistry(),
                                            nullptr, element.toStdString(), QPointF(300, 200));
    }
    /// nullptr where the way through the menus does not exist.
    static QAction* find(const QMenu& menu, const QStringList& way)
    {
        for (QAction* action : menu.actions())
            if (action->text() == way.front())
                return way.size() == 1 ? action : action->menu() ? find(*action->menu(), way.mid(1)) : nullptr;
        return nullptr;
    }
    void trigger(const char* element, const QStringList& way)
    {
        const auto menu = menuOf(element);
        QAction* action = find(*menu, way);
        QVERIFY2(action && action->isEnabled(), qPrintable(way.join('/')));
        action->trigger();
    }
    QImage picture() { return window_->canvas().grab().toImage(); }

    QTemporaryDir settings_;
    LanguageSwitcher language_;
    std::unique_ptr<MainWindow> window_;
};

QTEST_MAIN(TestCanvasMenu)
#include "test_canvas_menu.moc"
