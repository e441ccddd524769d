// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cluster/catalog.h"
#include "core/formats/files.h"
#include "core/problem/compile.h"
#include "tests/widgets/sample_project.h"
#include "widgets/canvas/align.h"
#include "widgets/canvas/canvas_scene.h"
#include "widgets/canvas/canvas_view.h"
#include "widgets/canvas/element_item.h"
#include "widgets/canvas/geometry.h"
#include "widgets/document/clipboard.h"
#include "widgets/document/container_edits.h"
#include "widgets/document/containers.h"
#include "widgets/document/copies.h"
#include "widgets/document/edits.h"
#include "widgets/document/selection.h"
#include "widgets/inspector/element_pages.h"
#include "widgets/palette/palette_item.h"
#include "widgets/solver/plan_board.h"

#include <QSignalSpy>
#include <QtTest>

using namespace nnpiper;

class TestContainers : public QObject {
    Q_OBJECT

private slots:
    void init()
    {
        document_ = std::make_unique<ProjectDocument>();
        board_ = std::make_unique<PlanBoard>(*document_);
        view_ = std::make_unique<CanvasView>(*document_, *board_);
        view_->resize(1200, 800);
        view_->show();
        QVERIFY(QTest::qWaitForWindowExposed(view_.get()));
        document_->replace(sampleProject());
    }

    void cleanup()
    {
        // Whatever was done leaves a file that can be opened, and undo leads back to the start.
        const Project now = project();
        QVERIFY(read_project(write_project(now), "p") == now);
        while (document_->undoStack().canUndo())
            document_->undoStack().undo();
        QVERIFY(project() == sampleProject());
        view_.reset();
        board_.reset();
        document_.reset();
    }

    void groupingPlansNothingAnew()
    {
        QSignalSpy planned(document_.get(), &ProjectDocument::problemChanged);
        const std::string rack = group(ContainerKind::rack, {"node-a", "switch", "node-a/gpu0", "node-a--switch"});
        QCOMPARE(document_->undoStack().count(), 1);
        QCOMPARE(find_container(project().containers, rack)->members, (std::vector<std::string>{"node-a", "switch"}));
        const QRectF box = rectOf(rack);
        QVERIFY(box.contains(rectOf("node-a")) && box.contains(rectOf("switch")));
        const std::string site = group(ContainerKind::site, {QString::fromStdString(rack), "node-b"});
        QVERIFY(rectOf(site).contains(rectOf(rack)) && rectOf(site).contains(rectOf("node-b")));
        // A rack made inside the site stays in it; a rack takes no rack.
        const std::string inner = group(ContainerKind::rack, {"node-b"});
        QCOMPARE(containerOf(project(), inner)->id, site);
        QVERIFY(edits::group(*document_, ContainerKind::rack, {QString::fromStdString(inner)}).isEmpty());
        QVERIFY(edits::group(*document_, ContainerKind::site, {"node-a/gpu0"}).isEmpty());
        edits::setCollapsed(*document_, {QString::fromStdString(site)}, true);
        edits::dissolve(*document_, {QString::fromStdString(inner)});
        QCOMPARE(containerOf(project(), "node-b")->id, site);
        QCOMPARE(planned.count(), 0);
    }

    void collapsedOneCardStandsForAll()
    {
        const std::string rack = group(ContainerKind::rack, {"node-a", "node-b"});
        document_->selection().set({"node-a/gpu0", "switch"});
        edits::setCollapsed(*document_, {QString::fromStdString(rack)}, true);
        const CanvasScene& canvas = view_->canvas();
        for (const char* id : {"node-a", "node-a/gpu0", "node-b/gpu1"}) {
            QVERIFY2(!canvas.item(id)->isVisible() && canvas.isHidden(id), id);
            QCOMPARE(rectOf(id), rectOf(rack));
        }
        QVERIFY(canvas.item(rack)->isVisible() && canvas.item("switch")->isVisible());
        QCOMPARE(rectOf(rack).size(), geometry::collapsedSize);
        QCOMPARE(document_->selection().ids(), (QStringList{QString::fromStdString(rack), "switch"}));
        // Both uplinks are one line from the card, and it says so.
        QCOMPARE(canvas.bundleOf("node-a--switch"), (std::vector<std::string>{"node-a--switch", "node-b--switch"}));
        QVERIFY(canvas.bundleOf("node-b--switch").empty());
        QVERIFY(!canvas.item("node-b--switch")->isVisible());
        const auto* line = static_cast<LinkItem*>(canvas.item("node-a--switch"));
        QVERIFY(line->isVisible());
        QCOMPARE(line->path(), geometry::linkPath(rectOf(rack), rectOf("switch")));
        QVERIFY(canvas.item(rack)->toolTip().contains(summaryOfDevices(project(), rack)));
        QVERIFY(summaryOfDevices(project(), rack).startsWith("4×"));
        // Open again, everything is as before.
        edits::setCollapsed(*document_, {QString::fromStdString(rack)}, false);
        QVERIFY(canvas.item("node-a/gpu0")->isVisible() && canvas.item("node-b--switch")->isVisible());
        QCOMPARE(canvas.bundleOf("node-b--switch"), (std::vector<std::string>{"node-b--switch"}));
        QCOMPARE(static_cast<LinkItem*>(canvas.item("node-b--switch"))->path(),
                 geometry::linkPath(rectOf("node-b"), rectOf("switch")));
    }

    void aCollapsedNodeIsACardToo()
    {
        edits::addLink(*document_, project().cluster.links.front(), "node-a/gpu1", "node-b/gpu0");
        edits::setCollapsed(*document_, {"node-a"}, true);
        const CanvasScene& canvas = view_->canvas();
        QVERIFY(!canvas.item("node-a/gpu1")->isVisible() && canvas.item("node-a")->isVisible());
        QCOMPARE(static_cast<LinkItem*>(canvas.item("node-a/gpu1--node-b/gpu0"))->path(),
                 geometry::linkPath(rectOf("node-a"), rectOf("node-b/gpu0")));
        edits::setCollapsed(*document_, {"node-a"}, true);
        QCOMPARE(document_->undoStack().count(), 2);
    }

    void opensCollapsedFromAFile()
    {
        const std::string rack = group(ContainerKind::rack, {"node-a", "node-b"});
        edits::setCollapsed(*document_, {QString::fromStdString(rack)}, true);
        ProjectDocument other;
        PlanBoard board(other);
        CanvasView view(other, board);
        other.replace(read_project(write_project(project()), "p"));
        QVERIFY(!view.canvas().item("node-b")->isVisible());
        QVERIFY(!view.canvas().item("node-b--switch")->isVisible());
        edits::setCollapsed(other, {QString::fromStdString(rack)}, false);
        QVERIFY(view.canvas().item("node-b/gpu1")->isVisible());
        QCOMPARE(view.canvas().item("node-b/gpu1")->scenePos(),
                 geometry::elementRect(other.project(), "node-b/gpu1").topLeft());
        other.undoStack().setClean();
    }

    void theMarkAndADoubleClickFold()
    {
        const std::string rack = group(ContainerKind::rack, {"node-a", "node-b"});
        atFullSize();
        QTest::mouseClick(view_->viewport(), Qt::LeftButton, {}, at(rectOf(rack).topLeft() + geometry::foldMark.center()));
        QVERIFY(isCollapsed(project(), rack));
        QTest::mouseDClick(view_->viewport(), Qt::LeftButton, {}, at(rectOf(rack).center()));
        QVERIFY(!isCollapsed(project(), rack));
    }

    void movesWithItsContents_data()
    {
        QTest::addColumn<bool>("collapsed");
        QTest::newRow("open") << false;
        QTest::newRow("collapsed") << true;
    }

    void movesWithItsContents()
    {
        QFETCH(bool, collapsed);
        const std::string rack = group(ContainerKind::rack, {"node-a"});
        edits::setCollapsed(*document_, {QString::fromStdString(rack)}, collapsed);
        const QRectF before = rectOf(rack);
        const Placement node = project().layout.at("node-a");
        const int commands = document_->undoStack().count();
        drag(before.topLeft() + QPointF(100, 14), before.topLeft() + QPointF(100, 14) + QPointF(-200, 300));
        QCOMPARE(rectOf(rack).size(), before.size());
        QCOMPARE(project().layout.at("node-a").x - node.x, rectOf(rack).left() - before.left());
        QVERIFY(rectOf(rack).top() > before.top() + 250);
        QCOMPARE(document_->undoStack().count(), commands + 1);
        // Keys and alignment move it as a whole too.
        const QRectF now = rectOf(rack);
        document_->selection().set({QString::fromStdString(rack)});
        QTest::keyClick(view_.get(), Qt::Key_Right);
        QCOMPARE(rectOf(rack).left(), now.left() + geometry::grid);
        edits::place(*document_, aligned(project(), {QString::fromStdString(rack), "node-a", "switch"}, Alignment::top), "Align");
        QCOMPARE(rectOf(rack).top(), rectOf("switch").top());
        QCOMPARE(rectOf(rack).size(), before.size());
    }

    void draggingChangesTheContainer()
    {
        const std::string rack = group(ContainerKind::rack, {"node-a", "switch"});
        const QRectF box = rectOf(rack);
        int commands = document_->undoStack().count();
        // Out: the box does not follow.
        drag(rectOf("node-a").topLeft() + QPointF(60, 12), box.topLeft() + QPointF(60, -200));
        QVERIFY(!containerOf(project(), "node-a"));
        QCOMPARE(document_->undoStack().count(), ++commands);
        QVERIFY(!rectOf(rack).intersects(rectOf("node-a")));
        QCOMPARE(view_->canvas().item(rack)->scenePos(), rectOf(rack).topLeft());
        // In again, onto the box that is there.
        drag(rectOf("node-a").topLeft() + QPointF(60, 12), rectOf(rack).topLeft() + QPointF(60, 14));
        QCOMPARE(containerOf(project(), "node-a")->id, rack);
        QCOMPARE(document_->undoStack().count(), ++commands);
        // Inside nothing changes hands, and the place is kept.
        drag(rectOf("node-a").topLeft() + QPointF(60, 12), rectOf("node-a").topLeft() + QPointF(80, 32));
        QCOMPARE(containerOf(project(), "node-a")->id, rack);
        QCOMPARE(document_->undoStack().count(), ++commands);
    }

    void aDeviceInANodeIsInNoContainer()
    {
        const QString card = edits::addDevice(*document_, find_device_entry("T4")->spec, {}, {800, 300});
        const std::string rack = group(ContainerKind::rack, {card, "switch"});
        edits::moveDevices(*document_, {card}, "node-a", {});
        QCOMPARE(find_container(project().containers, rack)->members, std::vector<std::string>{"switch"});
        document_->undoStack().undo();
        QCOMPARE(containerOf(project(), card.toStdString())->id, rack);
    }

    void dropsJoinTheContainerBelow()
    {
        const QString rack = edits::addContainer(*document_, ContainerKind::rack, {1000, 0});
        const QPointF middle = rectOf(rack.toStdString()).center();
        const int commands = document_->undoStack().count();
        view_->addFromPalette(PaletteItem{PaletteItem::Kind::node, "2x3090"}.toMime(), middle);
        QCOMPARE(document_->undoStack().count(), commands + 1);
        const std::string node = project().cluster.nodes.back().id;
        QCOMPARE(containerOf(project(), node)->id, rack.toStdString());
        view_->addFromPalette(PaletteItem{PaletteItem::Kind::container, "site"}.toMime(), middle);
        QVERIFY(!containerOf(project(), project().containers.back().id));
    }

    void aRackOfFour()
    {
        const std::string rack = group(ContainerKind::rack, {"node-a"});
        const QStringList ids{QString::fromStdString(rack)};
        const QStringList made = edits::multiply(*document_, ids, copyShifts(project(), ids, 3));
        QCOMPARE(project().containers.size(), std::size_t(4));
        QCOMPARE(project().cluster.nodes.size(), std::size_t(5));
        QCOMPARE(project().cluster.links.size(), std::size_t(5));  // each hangs on the switch
        std::vector<QRectF> boxes;
        for (const Container& container : project().containers) {
            QCOMPARE(container.members.size(), std::size_t(1));
            for (const QRectF& other : boxes)
                QVERIFY(!other.intersects(rectOf(container.id)));
            boxes.push_back(rectOf(container.id));
        }
        // More nodes of the same rack stand in it.
        edits::multiply(*document_, {"node-a"}, {{0, 200}, {0, 400}});
        QCOMPARE(find_container(project().containers, rack)->members.size(), std::size_t(3));
    }

    void copiesKeepTheirContainers()
    {
        const std::string rack = group(ContainerKind::rack, {"node-a"});
        const std::string site = group(ContainerKind::site, {QString::fromStdString(rack)});
        const std::string text = copyText(project(), {QString::fromStdString(site)});
        pasteText(*document_, text, {40, 400}, "Paste");
        QCOMPARE(project().containers.size(), std::size_t(4));
        const std::string node = project().cluster.nodes.back().id;
        const Container* inner = containerOf(project(), node);
        QVERIFY(inner && inner->id != rack && inner->kind == ContainerKind::rack);
        QVERIFY(containerOf(project(), inner->id)->id != site);
        QCOMPARE(rectOf(inner->id).size(), rectOf(rack).size());
    }

    void removedWithAllItHolds()
    {
        const std::string rack = group(ContainerKind::rack, {"node-a", "switch"});
        edits::lockIdle(*document_, {"node-a/gpu0"});
        edits::remove(*document_, {QString::fromStdString(rack)});
        QVERIFY(project().containers.empty() && project().cluster.switches.empty());
        QCOMPARE(project().cluster.nodes.size(), std::size_t(1));
        QVERIFY(project().cluster.links.empty() && project().job.locks.empty());
        document_->undoStack().undo();
        QVERIFY(view_->canvas().item(rack));
        edits::remove(*document_, {"switch"});
        QCOMPARE(find_container(project().containers, rack)->members, std::vector<std::string>{"node-a"});
    }

    void newLinksTakeItsDefaults()
    {
        const QString site = QString::fromStdString(group(ContainerKind::site, {"node-a", "node-b", "switch"}));
        ContainerPage page(*document_);
        page.setIds({site});
        auto* type = page.findChild<ChoiceBox*>("Link type");
        emit type->activated(type->findData("100 GbE RoCE"));
        const Link wide = linkBetween(project(), "node-a", "node-b", view_->newLink());
        QCOMPARE(wide.type, std::string("100 GbE RoCE"));
        QCOMPARE(wide.bandwidth_bytes_per_s, 12.5e9);
        auto* latency = page.findChild<ValueEdit*>("Latency");
        latency->setText("7 µs");
        latency->setModified(true);
        emit latency->editingFinished();
        QCOMPARE(linkBetween(project(), "node-a/gpu0", "node-b", view_->newLink()).latency_s, 7e-6);
        // A link that leaves it is as usual.
        edits::addDevice(*document_, find_device_entry("T4")->spec, {}, {900, 900});
        const Link out = linkBetween(project(), "node-a", project().cluster.devices.back().id, view_->newLink());
        QVERIFY(out == view_->newLink());
        const QStringList made = edits::addLinks(*document_, view_->newLink(), {"node-a"}, "node-b");
        QCOMPARE(find_link(project().cluster, made.front().toStdString())->latency_s, 7e-6);
    }

private:
    const Project& project() const { return document_->project(); }
    QRectF rectOf(const std::string& id) const { return geometry::elementRect(project(), id); }
    std::string group(ContainerKind kind, const QStringList& ids)
    {
        return edits::group(*document_, kind, ids).toStdString();
    }
    void atFullSize()
    {
        view_->resetZoom();
        view_->centerOn(300, 150);
    }
    QPoint at(QPointF scene) const { return view_->mapFromScene(scene); }
    void drag(QPointF from, QPointF to)
    {
        atFullSize();
        const auto move = [&](QPointF point) {
            const QPointF to_point = at(point);
            QMouseEvent event(QEvent::MouseMove, to_point, view_->viewport()->mapToGlobal(to_point), Qt::NoButton,
                              Qt::LeftButton, Qt::NoModifier);
            QApplication::sendEvent(view_->viewport(), &event);
        };
        QTest::mousePress(view_->viewport(), Qt::LeftButton, {}, at(from));
        move((from + to) / 2);
        move(to);
        QTest::mouseRelease(view_->viewport(), Qt::LeftButton, {}, at(to));
    }

    std::unique_ptr<ProjectDocument> document_;
    std::unique_ptr<PlanBoard> board_;
    std::unique_ptr<CanvasView> view_;
};

QTEST_MAIN(TestContainers)
#include "test_containers.moc"
