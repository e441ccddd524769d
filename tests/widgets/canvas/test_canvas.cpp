// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/widgets/sample_project.h"
#include "widgets/canvas/align.h"
#include "widgets/canvas/arrange.h"
#include "widgets/canvas/canvas_scene.h"
#include "widgets/canvas/canvas_view.h"
#include "widgets/canvas/element_item.h"
#include "widgets/canvas/find_bar.h"
#include "widgets/canvas/geometry.h"
#include "widgets/canvas/label_places.h"
#include "widgets/canvas/type_names.h"
#include "widgets/document/edits.h"
#include "widgets/document/selection.h"
#include "widgets/palette/palette_item.h"
#include "widgets/solver/plan_board.h"

#include <QDropEvent>
#include <QLineEdit>
#include <QMimeData>
#include <QtTest>

using namespace nnpiper;

class TestCanvas : public QObject {
    Q_OBJECT

private slots:
    void init()
    {
        document_ = std::make_unique<ProjectDocument>();
        board_ = std::make_unique<PlanBoard>(*document_);
        view_ = std::make_unique<CanvasView>(*document_, *board_);
        view_->resize(900, 600);
        view_->show();
        QVERIFY(QTest::qWaitForWindowExposed(view_.get()));
        document_->replace(sampleProject());
    }

    void cleanup()
    {
        view_.reset();
        board_.reset();
        document_.reset();
    }

    void dropOnFreeCanvas()
    {
        drop({PaletteItem::Kind::device, "T4"}, {900, 420});
        const Cluster& cluster = document_->project().cluster;
        QCOMPARE(cluster.devices.size(), std::size_t(5));
        QCOMPARE(cluster.devices.back().spec.type, std::string("T4"));
        QVERIFY(cluster.devices.back().node.empty());
        const QRectF rect = geometry::elementRect(document_->project(), cluster.devices.back().id);
        QVERIFY(rect.contains(QPointF(900, 420)));
        QCOMPARE(geometry::snapped(rect.topLeft()), rect.topLeft());
        QCOMPARE(document_->selection().ids(), QStringList{QString::fromStdString(cluster.devices.back().id)});
        document_->undoStack().undo();
        QVERIFY(document_->project() == sampleProject());
    }

    void alignment_data()
    {
        QTest::addColumn<int>("alignment");
        QTest::addColumn<std::function<double(QRectF)>>("line");
        using Line = std::function<double(QRectF)>;
        QTest::newRow("left") << int(Alignment::left) << Line([](QRectF r) { return r.left(); });
        QTest::newRow("center") << int(Alignment::center) << Line([](QRectF r) { return r.center().x(); });
        QTest::newRow("right") << int(Alignment::right) << Line([](QRectF r) { return r.right(); });
        QTest::newRow("top") << int(Alignment::top) << Line([](QRectF r) { return r.top(); });
        QTest::newRow("middle") << int(Alignment::middle) << Line([](QRectF r) { return r.center().y(); });
        QTest::newRow("bottom") << int(Alignment::bottom) << Line([](QRectF r) { return r.bottom(); });
    }

    void alignment()
    {
        QFETCH(int, alignment);
        QFETCH(std::function<double(QRectF)>, line);
        // A card in a node and a link have no place of their own: they stay.
        const QStringList ids{"node-a", "switch", "node-b", "node-a/gpu0", "node-a--switch"};
        const QRectF all = rectOf("node-a") | rectOf("node-b") | rectOf("switch");
        const auto places = aligned(document_->project(), ids, static_cast<Alignment>(alignment));
        QCOMPARE(places.size(), std::size_t(3));
        edits::place(*document_, places, "Align");
        for (const char* id : {"node-a", "node-b", "switch"})
            QVERIFY2(std::abs(line(rectOf(id)) - line(all)) < 1e-9, id);
        QVERIFY(aligned(document_->project(), {"node-a"}, Alignment::left).empty());
        // Done again, there is nothing to do and nothing to undo.
        const int commands = document_->undoStack().count();
        edits::place(*document_, aligned(document_->project(), ids, static_cast<Alignment>(alignment)), "Align");
        QCOMPARE(document_->undoStack().count(), commands);
    }

    void distribution()
    {
        edits::place(*document_, {{"node-b", {1000, 40, 0, 0}}}, "Move");
        const QRectF first = rectOf("node-a");
        const QRectF last = rectOf("node-b");
        edits::place(*document_, distributed(document_->project(), {"switch", "node-b", "node-a"}, Qt::Horizontal),
                     "Distribute");
        QCOMPARE(rectOf("node-a"), first);
        QCOMPARE(rectOf("node-b"), last);
        QCOMPARE(rectOf("switch").left() - first.right(), last.left() - rectOf("switch").right());
        QVERIFY(distributed(document_->project(), {"switch", "node-b"}, Qt::Horizontal).empty());
    }

    void linksAndLabelsFollowWhatMoves()
    {
        edits::addLink(*document_, document_->project().cluster.links.front(), "node-a/gpu1", "node-b/gpu0");
        const auto ends = [&](const char* id, const char* from, const char* to) {
            const QPainterPath path = static_cast<LinkItem*>(view_->canvas().item(id))->path();
            return path == geometry::linkPath(rectOf(from), rectOf(to));
        };
        edits::place(*document_, {{"node-b", {1200, 700, 0, 0}}}, "Move");
        QVERIFY(ends("node-b--switch", "node-b", "switch"));
        QVERIFY(ends("node-a/gpu1--node-b/gpu0", "node-a/gpu1", "node-b/gpu0"));
        // A node that grows moves the foot of its link.
        edits::addDevice(*document_, find_device_entry("T4")->spec, "node-a", {});
        QVERIFY(ends("node-a--switch", "node-a", "switch"));
        edits::moveDevices(*document_, {"node-b/gpu0"}, "node-a", {});
        QVERIFY(ends("node-a/gpu1--node-b/gpu0", "node-a/gpu1", "node-b/gpu0"));
        QVERIFY(ends("node-b--switch", "node-b", "switch"));
        document_->undoStack().undo();
        QVERIFY(ends("node-a/gpu1--node-b/gpu0", "node-a/gpu1", "node-b/gpu0"));
    }

    void copiesTouchNothing()
    {
        const QStringList ids{"node-a", "switch"};
        const std::vector<QPointF> shifts = copyShifts(document_->project(), ids, 6);
        QCOMPARE(shifts.size(), std::size_t(6));
        std::vector<QRectF> taken{rectOf("node-a"), rectOf("node-b"), rectOf("switch")};
        for (const QPointF& shift : shifts) {
            QCOMPARE(geometry::snapped(shift), shift);
            for (const char* id : {"node-a", "switch"}) {
                const QRectF box = rectOf(id).translated(shift);
                for (const QRectF& other : taken)
                    QVERIFY(!box.intersects(other));
                taken.push_back(box);
            }
        }
        QCOMPARE(copyShifts(document_->project(), {"node-a/gpu0"}, 3), std::vector<QPointF>(3));
    }

    void findSelectsAndCentres()
    {
        FindBar bar(*document_, *view_);
        edits::place(*document_, {{"node-b", {9000, 5000, 0, 0}}}, "Move");
        bar.open();
        QVERIFY(bar.isVisible());
        auto* field = bar.findChild<QLineEdit*>();
        QTest::keyClicks(field, "node-b");
        QCOMPARE(document_->selection().ids(), QStringList{"node-b"});
        const QPointF middle = view_->mapToScene(view_->viewport()->rect().center());
        QVERIFY((middle - rectOf("node-b").center()).manhattanLength() < 3 / view_->zoom());
        QVERIFY(view_->zoom() >= 0.8);
        QTest::keyClick(field, Qt::Key_Return);
        QCOMPARE(document_->selection().ids(), QStringList{"node-b/gpu0"});
        QTest::keyClick(field, Qt::Key_Return, Qt::ShiftModifier);
        QTest::keyClick(field, Qt::Key_Return, Qt::ShiftModifier);
        QCOMPARE(document_->selection().ids(), QStringList{"node-b--switch"});  // round the corner
        edits::remove(*document_, {"node-b"});
        QTest::keyClick(field, Qt::Key_Return);  // what it showed is gone
        QVERIFY(document_->selection().isEmpty());
        QTest::keyClick(field, Qt::Key_Escape);
        QVERIFY(!bar.isVisible());
    }

    void dropIntoNodeMakesItGrow()
    {
        const QSizeF before = rectOf("node-a").size();
        drop({PaletteItem::Kind::device, "T4"}, rectOf("node-a").center());
        QCOMPARE(devicesOf(document_->project().cluster, "node-a").size(), std::size_t(3));
        QVERIFY(rectOf("node-a").width() > before.width());
        QCOMPARE(view_->canvas().item("node-a")->boundingRect().width(), rectOf("node-a").width() + 16);
    }

    void dropNodeAndSwitch()
    {
        drop({PaletteItem::Kind::node, "2x3090"}, {300, 600});
        drop({PaletteItem::Kind::network_switch, "switch"}, {600, 600});
        const Cluster& cluster = document_->project().cluster;
        QCOMPARE(cluster.nodes.size(), std::size_t(3));
        QCOMPARE(devicesOf(cluster, cluster.nodes.back().id).size(), std::size_t(2));
        QCOMPARE(cluster.switches.size(), std::size_t(2));
        check(cluster);
    }

    void dropLinkTypeOnLink()
    {
        const Link* link = find_link(document_->project().cluster, "node-a--switch");
        const auto* item = dynamic_cast<LinkItem*>(view_->canvas().item(link->id));
        drop({PaletteItem::Kind::link, "100 GbE RoCE"}, item->path().pointAtPercent(0.5));
        QCOMPARE(find_link(document_->project().cluster, "node-a--switch")->type, std::string("100 GbE RoCE"));
        QCOMPARE(find_link(document_->project().cluster, "node-a--switch")->bandwidth_bytes_per_s, 1.25e10);
        QCOMPARE(document_->undoStack().count(), 1);
    }

    void addedByDoubleClickTouchesNothing()
    {
        for (int i = 0; i < 6; ++i) {
            view_->addFromPalette(PaletteItem{PaletteItem::Kind::node, "2x3090"}.toMime());
            view_->addFromPalette(PaletteItem{PaletteItem::Kind::network_switch, {}}.toMime());
        }
        const Project& project = document_->project();
        QCOMPARE(project.cluster.nodes.size(), std::size_t(8));
        for (const auto& [id, placement] : project.layout)
            for (const auto& [other, ignored] : project.layout)
                QVERIFY2(id == other
                             || !geometry::elementRect(project, id).intersects(geometry::elementRect(project, other)),
                         qPrintable(QString::fromStdString(id + " and " + other)));
    }

    void addedDeviceGoesIntoTheSelectedNode()
    {
        document_->selection().set({"node-b"});
        for (int i = 0; i < 2; ++i)  // the second goes beside the first, which is selected then
            view_->addFromPalette(PaletteItem{PaletteItem::Kind::device, "T4"}.toMime());
        QCOMPARE(devicesOf(document_->project().cluster, "node-b").size(), std::size_t(4));
        document_->selection().clear();
        view_->addFromPalette(PaletteItem{PaletteItem::Kind::device, "T4"}.toMime());
        QVERIFY(document_->project().cluster.devices.back().node.empty());
    }

    void strangeDropIsIgnored()
    {
        QMimeData mime;
        mime.setText("hello");
        QDragEnterEvent enter(QPoint(10, 10), Qt::CopyAction, &mime, Qt::LeftButton, Qt::NoModifier);
        enter.ignore();
        QApplication::sendEvent(view_->viewport(), &enter);
        QVERIFY(!enter.isAccepted());
        view_->addFromPalette("not json", {0, 0});
        QCOMPARE(document_->undoStack().count(), 0);
    }

    void connectFromPort()
    {
        edits::remove(*document_, {"node-a--switch"});
        hover(rectOf("node-a").center());
        const QPointF port(rectOf("node-a").center().x(), rectOf("node-a").bottom());
        drag(port, rectOf("switch").center());
        const Cluster& cluster = document_->project().cluster;
        QCOMPARE(cluster.links.size(), std::size_t(2));
        QCOMPARE(cluster.links.back().from, std::string("node-a"));
        QCOMPARE(cluster.links.back().to, std::string("switch"));
        QCOMPARE(cluster.links.back().type, view_->newLink().type);
        QCOMPARE(rectOf("node-a").topLeft(), QPointF(0, 0));  // nothing was moved
    }

    void connectMode()
    {
        view_->setMode(CanvasView::Mode::connect);
        drag(rectOf("node-a").center(), rectOf("node-b").center());
        const Cluster& cluster = document_->project().cluster;
        QCOMPARE(cluster.links.size(), std::size_t(3));
        QTest::keyClick(view_.get(), Qt::Key_Escape);
        QCOMPARE(view_->mode(), CanvasView::Mode::select);
    }

    void dragMovesAndSnaps()
    {
        drag(rectOf("node-a").topLeft() + QPointF(30, 12), rectOf("node-a").topLeft() + QPointF(30 + 53, 12 + 28));
        QCOMPARE(rectOf("node-a").topLeft(), QPointF(60, 20));
        QCOMPARE(document_->undoStack().count(), 1);
        drag(rectOf("switch").center(), rectOf("switch").center() + QPointF(7, 9), Qt::AltModifier);
        QCOMPARE(rectOf("switch").topLeft(), QPointF(227, 269));
        document_->undoStack().undo();
        document_->undoStack().undo();
        QVERIFY(document_->project() == sampleProject());
        QCOMPARE(view_->canvas().item("node-a")->pos(), QPointF(0, 0));
    }

    void escapeTakesADragBack()
    {
        const QPoint from = at(rectOf("node-a").topLeft() + QPointF(30, 12));
        QTest::mousePress(view_->viewport(), Qt::LeftButton, {}, from);
        move(from + QPoint(80, 80));
        QVERIFY(rectOf("node-a").topLeft() != QPointF(0, 0));
        QTest::keyClick(view_.get(), Qt::Key_Escape);
        QCOMPARE(rectOf("node-a").topLeft(), QPointF(0, 0));
        QTest::mouseRelease(view_->viewport(), Qt::LeftButton, {}, from + QPoint(80, 80));
        QCOMPARE(document_->undoStack().count(), 0);
    }

    void cardsCanBeDraggedBetweenNodes()
    {
        drag(rectOf("node-a/gpu0").center(), rectOf("node-b").center());
        QCOMPARE(find_device(document_->project().cluster, "node-a/gpu0")->node, std::string("node-b"));
        drag(rectOf("node-a/gpu0").center(), {700, 480});
        const Device* device = find_device(document_->project().cluster, "node-a/gpu0");
        QVERIFY(device->node.empty());
        QVERIFY(rectOf("node-a/gpu0").contains(QPointF(700, 480)));
        drag(rectOf("node-a/gpu0").center(), rectOf("node-a").topLeft() + QPointF(20, 15));
        QCOMPARE(find_device(document_->project().cluster, "node-a/gpu0")->node, std::string("node-a"));
        QCOMPARE(document_->undoStack().count(), 3);
        while (document_->undoStack().canUndo())
            document_->undoStack().undo();
        QVERIFY(document_->project() == sampleProject());
    }

    void rubberBandSelects()
    {
        drag(rectOf("node-a").topLeft() - QPointF(20, 20), rectOf("switch").bottomRight() + QPointF(20, 20));
        const QStringList ids = document_->selection().ids();
        QVERIFY(ids.contains("node-a") && ids.contains("switch") && ids.contains("node-a--switch"));
        QVERIFY(!ids.contains("node-a/gpu0"));
        QTest::mouseClick(view_->viewport(), Qt::LeftButton, {}, at({-60, -60}));
        QVERIFY(document_->selection().isEmpty());
    }

    void shiftClickExtends()
    {
        click(rectOf("node-a").topLeft() + QPointF(30, 12));
        click(rectOf("switch").center(), Qt::ShiftModifier);
        QCOMPARE(document_->selection().ids(), (QStringList{"node-a", "switch"}));
        click(rectOf("switch").center(), Qt::ShiftModifier);
        QCOMPARE(document_->selection().ids(), QStringList{"node-a"});
    }

    void arrowsNudge()
    {
        document_->selection().set({"switch"});
        QTest::keyClick(view_.get(), Qt::Key_Right);
        QTest::keyClick(view_.get(), Qt::Key_Right);
        QCOMPARE(rectOf("switch").left(), 260.0);
        QCOMPARE(document_->undoStack().count(), 1);
    }

    void wheelZoomsAtCursor()
    {
        const QPoint cursor(200, 150);
        const QPointF under = view_->mapToScene(cursor);
        const double before = view_->zoom();
        QWheelEvent wheel(QPointF(cursor), view_->viewport()->mapToGlobal(QPointF(cursor)), {}, {0, 120}, Qt::NoButton,
                          Qt::NoModifier, Qt::NoScrollPhase, false);
        QApplication::sendEvent(view_->viewport(), &wheel);
        QVERIFY(view_->zoom() > before);
        const QPointF away = view_->mapToScene(cursor) - under;
        QVERIFY(std::hypot(away.x(), away.y()) < 2);
    }

    void spacePansWhileHeld()
    {
        const QPointF before = view_->mapToScene(QPoint(0, 0));
        QTest::keyPress(view_.get(), Qt::Key_Space);
        QTest::mousePress(view_->viewport(), Qt::LeftButton, {}, QPoint(300, 300));
        move(QPoint(340, 330));
        QTest::mouseRelease(view_->viewport(), Qt::LeftButton, {}, QPoint(340, 330));
        QTest::keyRelease(view_.get(), Qt::Key_Space);
        QVERIFY(view_->mapToScene(QPoint(0, 0)).x() < before.x());
        QCOMPARE(document_->undoStack().count(), 0);
    }

    void fitShowsEverything()
    {
        view_->zoomBy(3, {10, 10});
        view_->fitAll();
        const QRectF seen = view_->mapToScene(view_->viewport()->rect()).boundingRect();
        QVERIFY(seen.contains(geometry::contentRect(document_->project())));
    }

    void itemsFollowUndoOfRemoval()
    {
        edits::remove(*document_, {"node-a", "switch"});
        QVERIFY(!view_->canvas().item("node-a/gpu0"));
        QVERIFY(!view_->canvas().item("node-b--switch"));
        document_->undoStack().undo();
        QVERIFY(view_->canvas().item("node-a--switch"));
        QCOMPARE(view_->canvas().item("node-a/gpu1")->parentItem(),
                 static_cast<QGraphicsItem*>(view_->canvas().item("node-a")));
    }

    void arrangedElementsDoNotOverlap_data()
    {
        QTest::addColumn<int>("nodes");
        QTest::addColumn<int>("switches");
        QTest::newRow("one row") << 3 << 1;
        QTest::newRow("two sides") << 9 << 1;
        QTest::newRow("many") << 40 << 4;
        QTest::newRow("no switch") << 12 << 0;
    }

    void arrangedElementsDoNotOverlap()
    {
        QFETCH(int, nodes);
        QFETCH(int, switches);
        Project project;
        for (int s = 0; s < switches; ++s)
            project.cluster.switches.push_back({"s" + std::to_string(s), "", 0});
        for (int n = 0; n < nodes; ++n) {
            Node node;
            node.id = "n" + std::to_string(n);
            project.cluster.nodes.push_back(node);
            for (int d = 0; d <= n % 8; ++d) {
                Device device;
                device.id = node.id + "/" + std::to_string(d);
                device.node = node.id;
                project.cluster.devices.push_back(device);
            }
            if (switches)
                project.cluster.links.push_back(
                    {node.id + "l", "", "", node.id, "s" + std::to_string(n % switches), 1e9, 1, 0, {}});
        }
        QVERIFY(placeMissing(project));
        QVERIFY(!placeMissing(project));
        std::vector<QRectF> boxes;
        for (const auto& [id, placement] : project.layout)
            boxes.push_back(geometry::elementRect(project, id));
        QCOMPARE(boxes.size(), static_cast<std::size_t>(nodes + switches));
        for (std::size_t i = 0; i < boxes.size(); ++i)
            for (std::size_t j = i + 1; j < boxes.size(); ++j)
                QVERIFY2(!boxes[i].intersects(boxes[j]), qPrintable(QString("%1 and %2").arg(i).arg(j)));
    }

    void labelsAvoidBoxes()
    {
        QPainterPath path(QPointF(0, 0));
        path.lineTo(400, 0);
        const QSizeF size(60, 18);
        const std::vector<QRectF> taken{QRectF(150, -30, 100, 60)};
        const QPointF centre = freeLabelCenter(path, size, taken);
        QRectF label(QPointF(), size);
        label.moveCenter(centre);
        QVERIFY(!label.intersects(taken.front()));
        QCOMPARE(freeLabelCenter(path, size, {}), QPointF(200, 0));
    }

    void shortNames()
    {
        Cluster cluster = sampleProject().cluster;
        cluster.devices[1].spec.type = "A100 SXM4 80GB";
        QCOMPARE(summaryOf(cluster, {"node-a/gpu0", "node-b/gpu0"}), QString("2×%1").arg(shortTypeName("RTX 3090")));
        QCOMPARE(summaryOf(cluster, {"node-a/gpu0", "node-a/gpu1"}).count('+'), 1);
        QCOMPARE(summaryOf(cluster, {}), QString());
        QCOMPARE(shortLinkName("NVLink3 A100 (per link; 12 links)"), QString("NVLink3 A100"));
    }

private:
    QRectF rectOf(const std::string& id) const { return geometry::elementRect(document_->project(), id); }
    QPoint at(QPointF scene) const { return view_->mapFromScene(scene); }
    void move(QPoint to, Qt::KeyboardModifiers modifiers = {})
    {
        QMouseEvent event(QEvent::MouseMove, QPointF(to), view_->viewport()->mapToGlobal(QPointF(to)), Qt::NoButton,
                          Qt::LeftButton, modifiers);
        QApplication::sendEvent(view_->viewport(), &event);
    }
    void hover(QPointF scene)
    {
        const QPoint to = at(scene);
        QMouseEvent event(QEvent::MouseMove, QPointF(to), view_->viewport()->mapToGlobal(QPointF(to)), Qt::NoButton,
                          Qt::NoButton, {});
        QApplication::sendEvent(view_->viewport(), &event);
    }
    void click(QPointF scene, Qt::KeyboardModifiers modifiers = {})
    {
        QTest::mouseClick(view_->viewport(), Qt::LeftButton, modifiers, at(scene));
    }
    /// Positions are rounded to pixels, so the zoom is 100 % while dragging.
    void drag(QPointF from, QPointF to, Qt::KeyboardModifiers modifiers = {})
    {
        view_->resetZoom();
        view_->centerOn(300, 250);
        QTest::mousePress(view_->viewport(), Qt::LeftButton, modifiers, at(from));
        move(at((from + to) / 2), modifiers);
        move(at(to), modifiers);
        QTest::mouseRelease(view_->viewport(), Qt::LeftButton, modifiers, at(to));
    }
    void drop(const PaletteItem& item, QPointF scene)
    {
        view_->resetZoom();
        view_->centerOn(scene);
        QMimeData mime;
        mime.setData(PaletteItem::mimeType(), item.toMime());
        const QPoint to = at(scene);
        QDragEnterEvent enter(to, Qt::CopyAction, &mime, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(view_->viewport(), &enter);
        QVERIFY(enter.isAccepted());
        QDragMoveEvent moved(to, Qt::CopyAction, &mime, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(view_->viewport(), &moved);
        QDropEvent dropped(QPointF(to), Qt::CopyAction, &mime, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(view_->viewport(), &dropped);
    }

    std::unique_ptr<ProjectDocument> document_;
    std::unique_ptr<PlanBoard> board_;
    std::unique_ptr<CanvasView> view_;
};

QTEST_MAIN(TestCanvas)
#include "test_canvas.moc"
