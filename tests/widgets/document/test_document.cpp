// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/error.h"
#include "core/formats/files.h"
#include "tests/widgets/sample_project.h"
#include "widgets/canvas/geometry.h"
#include "widgets/document/clipboard.h"
#include "widgets/document/container_edits.h"
#include "widgets/document/containers.h"
#include "widgets/document/copies.h"
#include "widgets/document/edits.h"
#include "widgets/document/find.h"
#include "widgets/document/selection.h"

#include <QSignalSpy>
#include <QTemporaryDir>
#include <QtTest>

using namespace nnpiper;

namespace {

QString text(const Project& project)
{
    return QString::fromStdString(write_project(project));
}

}  // namespace

class TestDocument : public QObject {
    Q_OBJECT

private slots:
    void init()
    {
        document_ = std::make_unique<ProjectDocument>();
        document_->replace(sampleProject());
    }

    void everyEditIsUndone_data()
    {
        using Edit = std::function<void(ProjectDocument&)>;
        QTest::addColumn<Edit>("edit");
        QTest::newRow("add device to node")
            << Edit([](ProjectDocument& d) { edits::addDevice(d, find_device_entry("T4")->spec, "node-a", {}); });
        QTest::newRow("add single device") << Edit([](ProjectDocument& d) {
            edits::addDevice(d, find_device_entry("T4")->spec, {}, {40, 60});
        });
        QTest::newRow("add node") << Edit([](ProjectDocument& d) {
            edits::addNode(d, {}, {find_device_entry("T4")->spec, find_device_entry("L4")->spec}, {0, 400});
        });
        QTest::newRow("add switch") << Edit([](ProjectDocument& d) { edits::addSwitch(d, {}, {0, 0}); });
        QTest::newRow("connect") << Edit(
            [](ProjectDocument& d) { edits::addLink(d, d.project().cluster.links.front(), "node-a", "node-b"); });
        QTest::newRow("remove node") << Edit([](ProjectDocument& d) { edits::remove(d, {"node-a"}); });
        QTest::newRow("remove many") << Edit([](ProjectDocument& d) {
            edits::remove(d, {"switch", "node-b/gpu0", "node-a--switch"});
        });
        QTest::newRow("remove locked device") << Edit([](ProjectDocument& d) { edits::remove(d, {"node-a/gpu1"}); });
        QTest::newRow("take out") << Edit([](ProjectDocument& d) {
            edits::moveDevices(d, {"node-a/gpu0", "node-a/gpu1"}, {}, {500, 500});
        });
        QTest::newRow("into other node") << Edit(
            [](ProjectDocument& d) { edits::moveDevices(d, {"node-a/gpu0"}, "node-b", {}); });
        QTest::newRow("move") << Edit([](ProjectDocument& d) {
            edits::place(d, {{"node-a", {10, 20, 0, 0}}, {"switch", {1, 2, 0, 0}}}, "Move");
        });
        QTest::newRow("rename") << Edit([](ProjectDocument& d) {
            edits::change<Node>(d, {"node-a"}, "Rename", [](Node& n) { n.name = "other"; });
        });
        QTest::newRow("several devices") << Edit([](ProjectDocument& d) {
            edits::change<Device>(d, {"node-a/gpu0", "node-b/gpu1"}, "Memory",
                                  [](Device& device) { device.spec.memory_bytes = 1e9; });
        });
        QTest::newRow("link") << Edit([](ProjectDocument& d) {
            edits::change<Link>(d, {"node-a--switch"}, "Link", [](Link& l) { l.bandwidth_bytes_per_s = 1; });
        });
        QTest::newRow("switch") << Edit([](ProjectDocument& d) {
            edits::change<Switch>(d, {"switch"}, "Switch", [](Switch& s) { s.latency_s = 1; });
        });
        QTest::newRow("job") << Edit([](ProjectDocument& d) {
            Job job = d.project().job;
            job.stages = 3;
            edits::setJob(d, job, "Job");
        });
        QTest::newRow("model") << Edit([](ProjectDocument& d) {
            Model model = d.project().model;
            model.sequence_length = 100;
            edits::setModel(d, model);
        });
        QTest::newRow("name") << Edit([](ProjectDocument& d) { edits::setName(d, "Other"); });
        QTest::newRow("description") << Edit([](ProjectDocument& d) { edits::setDescription(d, "Other"); });
        QTest::newRow("keep plan") << Edit([](ProjectDocument& d) {
            Plan plan;
            plan.planner = "hand-edited";
            plan.stages = {{{"node-a/gpu0"}, 0, 14, 1, {}, Recompute::none}};
            edits::keepPlan(d, plan, "Keep");
        });
        QTest::newRow("make several") << Edit([](ProjectDocument& d) {
            edits::multiply(d, {"node-a", "node-b/gpu1"}, {{0, 400}, {0, 800}});
        });
        QTest::newRow("paste") << Edit([](ProjectDocument& d) {
            pasteText(d, copyText(d.project(), {"node-a", "switch"}), {40, 40}, "Paste");
        });
    }

    void everyEditIsUndone()
    {
        using Edit = std::function<void(ProjectDocument&)>;
        QFETCH(Edit, edit);
        Project start = sampleProject();
        start.job.locks.push_back({{"node-a/gpu1"}, 0, {}, {}, false});
        document_->replace(start);
        const QString before = text(document_->project());
        edit(*document_);
        const QString after = text(document_->project());
        QVERIFY(before != after);
        QCOMPARE(document_->undoStack().count(), 1);
        QVERIFY(document_->isModified());
        document_->undoStack().undo();
        QCOMPARE(text(document_->project()), before);
        QVERIFY(document_->project() == start);
        QVERIFY(!document_->isModified());
        document_->undoStack().redo();
        QCOMPARE(text(document_->project()), after);
        check(document_->project().cluster);  // nothing hangs in the air
    }

    void editWithoutChangeLeavesNothing()
    {
        edits::place(*document_, {{"node-a", {0, 0, 0, 0}}}, "Move");
        edits::setJob(*document_, document_->project().job, "Job");
        edits::setName(*document_, "Sample");
        edits::change<Node>(*document_, {"node-a"}, "Rename", [](Node& n) { n.name = "node-a"; });
        edits::remove(*document_, {"no such thing"});
        edits::moveDevices(*document_, {"node-a/gpu0"}, "node-a", {});
        QCOMPARE(document_->undoStack().count(), 0);
        QVERIFY(!document_->isModified());
    }

    void oneDragMergesAndBackToStartVanishes()
    {
        const QString key = document_->newMergeKey();
        for (const double x : {10.0, 20.0, 30.0})
            edits::place(*document_, {{"node-a", {x, 0, 0, 0}}}, "Move", key);
        QCOMPARE(document_->undoStack().count(), 1);
        edits::place(*document_, {{"node-a", {0, 0, 0, 0}}}, "Move", key);
        QCOMPARE(document_->undoStack().count(), 0);
        QVERIFY(!document_->isModified());
        edits::place(*document_, {{"node-a", {5, 0, 0, 0}}}, "Move", document_->newMergeKey());
        edits::place(*document_, {{"node-a", {6, 0, 0, 0}}}, "Move", document_->newMergeKey());
        QCOMPARE(document_->undoStack().count(), 2);
    }

    void removingANodeTakesItsDevicesLinksAndLocks()
    {
        Project project = sampleProject();
        project.job.locks.push_back({{"node-a/gpu1"}, {}, {}, {}, true});
        document_->replace(project);
        QSignalSpy removed(document_.get(), &ProjectDocument::elementRemoved);
        edits::remove(*document_, {"node-a"});
        QCOMPARE(removed.count(), 4);
        const Project& now = document_->project();
        QCOMPARE(now.cluster.devices.size(), std::size_t(2));
        QCOMPARE(now.cluster.links.size(), std::size_t(1));
        QVERIFY(now.job.locks.empty());
        QVERIFY(!now.layout.count("node-a"));
        document_->undoStack().undo();
        QVERIFY(document_->project() == project);
    }

    void copiesKeepLinksAndMembership()
    {
        const std::string copied = copyText(document_->project(), {"node-a", "node-b", "switch"});
        const QStringList made = pasteText(*document_, copied, {40, 80}, "Paste");
        const Cluster& cluster = document_->project().cluster;
        QCOMPARE(cluster.nodes.size(), std::size_t(4));
        QCOMPARE(cluster.devices.size(), std::size_t(8));
        QCOMPARE(cluster.links.size(), std::size_t(4));
        QCOMPARE(made.size(), 5);  // two nodes, a switch, two links
        check(cluster);
        for (std::size_t i = 2; i < 4; ++i) {
            QVERIFY(cluster.links[i].from != cluster.links[i - 2].from);
            QVERIFY(made.contains(QString::fromStdString(cluster.links[i].from)));
            QVERIFY(made.contains(QString::fromStdString(cluster.links[i].to)));
            QCOMPARE(cluster.links[i].bandwidth_bytes_per_s, 1.25e9);
        }
        QCOMPARE(devicesOf(cluster, cluster.nodes[2].id).size(), std::size_t(2));
        QCOMPARE(document_->project().layout.at(cluster.nodes[2].id).y, 80.0);
    }

    void rackOfFourHangsOnTheSameSwitch()
    {
        const QStringList made = edits::multiply(*document_, {"node-a"}, {{0, 400}, {0, 600}, {0, 800}});
        QCOMPARE(made, (QStringList{"node-c", "node-d", "node-e"}));
        const Project& project = document_->project();
        QCOMPARE(document_->undoStack().count(), 1);
        for (const QString& id : made) {
            const std::string node = id.toStdString();
            QCOMPARE(devicesOf(project.cluster, node).size(), std::size_t(2));
            const auto links = linksOf(project.cluster, {node});
            QCOMPARE(links.size(), std::size_t(1));
            const Link* link = find_link(project.cluster, links.front());
            QCOMPARE(link->to, std::string("switch"));
            QCOMPARE(link->bandwidth_bytes_per_s, 1.25e9);
        }
        QCOMPARE(project.layout.at("node-d").y, project.layout.at("node-a").y + 600);
        check(project.cluster);  // throws on double ids or a link to nothing
    }

    void nodeOfEightFromOneCard()
    {
        edits::multiply(*document_, {"node-a/gpu0"}, std::vector<QPointF>(7));
        const auto cards = devicesOf(document_->project().cluster, "node-a");
        QCOMPARE(cards.size(), std::size_t(9));
        for (std::size_t i = 0; i < cards.size(); ++i) {
            const Device* card = find_device(document_->project().cluster, cards[i]);
            QCOMPARE(card->id, "node-a/gpu" + std::to_string(i));
            QCOMPARE(card->name, "gpu" + std::to_string(i));
            QVERIFY(!document_->project().layout.count(card->id));
        }
    }

    void namesOfCopiesDiffer()
    {
        edits::change<Node>(*document_, {"node-a"}, "Name", [](Node& n) { n.name = "T4 server"; });
        edits::multiply(*document_, {"node-a", "switch"}, {{0, 400}, {0, 800}});
        pasteText(*document_, copyText(document_->project(), {"node-a", "node-d"}), {0, 1200}, "Paste");
        QStringList names;
        for (const Node& node : document_->project().cluster.nodes)
            names.append(QString::fromStdString(node.name));
        QCOMPARE(names, (QStringList{"T4 server", "node-b", "T4 server 2", "T4 server 3", "T4 server 4",
                                     "T4 server 5"}));
        QCOMPARE(document_->project().cluster.switches.back().name, std::string("Switch 3"));
    }

    void multiplyKeepsInnerLinks()
    {
        edits::multiply(*document_, {"node-a", "switch"}, {{0, 500}});
        const Cluster& cluster = document_->project().cluster;
        // The copy of the switch is joined to the copied node and, as its original is, to node-b.
        QStringList ends;
        for (const Link& link : cluster.links)
            ends.append(QString::fromStdString(link.from + ' ' + link.to));
        ends.sort();
        QCOMPARE(ends, (QStringList{"node-a switch", "node-b switch", "node-b switch-2", "node-c switch-2"}));
    }

    void find_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QStringList>("ids");
        QTest::newRow("nothing") << "" << QStringList{};
        QTest::newRow("blank") << "  " << QStringList{};
        QTest::newRow("unknown") << "infiniband" << QStringList{};
        QTest::newRow("by name, its cards and link behind it")
            << "NODE-B" << QStringList{"node-b", "node-b/gpu0", "node-b/gpu1", "node-b--switch"};
        QTest::newRow("exact before those that contain it")
            << "switch" << QStringList{"switch", "node-a--switch", "node-b--switch"};
        QTest::newRow("by type and node") << "3090 node-b" << QStringList{"node-b/gpu0", "node-b/gpu1"};
        QTest::newRow("by link type") << "10 gbe" << QStringList{"node-a--switch", "node-b--switch"};
    }

    void find()
    {
        QFETCH(QString, text);
        QFETCH(QStringList, ids);
        QCOMPARE(findElements(document_->project(), text), ids);
    }

    void copyOfACardGoesBesideIt()
    {
        const QStringList made =
            pasteText(*document_, copyText(document_->project(), {"node-a/gpu0"}), {40, 40}, "Paste");
        QCOMPARE(made.size(), 1);
        QCOMPARE(find_device(document_->project().cluster, made.front().toStdString())->node, std::string("node-a"));
    }

    void pastingNonsenseIsOneSentence()
    {
        QVERIFY_EXCEPTION_THROWN(pasteText(*document_, "{\"colour\": 3}", {}, "Paste"), Error);
        QVERIFY_EXCEPTION_THROWN(pasteText(*document_, "good morning", {}, "Paste"), Error);
        QCOMPARE(document_->undoStack().count(), 0);
    }

    void linksThatMakeNoSenseAreRefused_data()
    {
        QTest::addColumn<QString>("from");
        QTest::addColumn<QString>("to");
        QTest::newRow("itself") << "node-a"
                                << "node-a";
        QTest::newRow("node and its device") << "node-a"
                                             << "node-a/gpu0";
        QTest::newRow("already joined") << "switch"
                                        << "node-a";
        QTest::newRow("a link") << "node-a"
                                << "node-b--switch";
        QTest::newRow("nothing") << "node-a"
                                 << "";
    }

    void linksThatMakeNoSenseAreRefused()
    {
        QFETCH(QString, from);
        QFETCH(QString, to);
        QVERIFY(edits::addLink(*document_, {}, from, to).isEmpty());
        QCOMPARE(document_->undoStack().count(), 0);
    }

    void saveAndReopenIsEqual()
    {
        const QTemporaryDir folder;
        const QString path = folder.filePath("copy.nnpiper.json");
        edits::addDevice(*document_, find_device_entry("H100 SXM5")->spec, {}, {300, 500});
        document_->save(path);
        QVERIFY(!document_->isModified());
        QCOMPARE(document_->title(), QString("copy.nnpiper.json"));
        ProjectDocument second;
        second.open(path);
        QVERIFY(second.project() == document_->project());
        QVERIFY(!second.isModified());
        QCOMPARE(text(second.project()), text(document_->project()));
    }

    void failedLoadLeavesTheOpenProject()
    {
        const QTemporaryDir folder;
        const QString path = folder.filePath("broken.nnpiper.json");
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("{\"format\": \"nnpiper-project\", \"version\": 1}");
        file.close();
        edits::setName(*document_, "Kept");
        QSignalSpy reset(document_.get(), &ProjectDocument::reset);
        QVERIFY_EXCEPTION_THROWN(document_->open(path), Error);
        QVERIFY_EXCEPTION_THROWN(document_->open(folder.filePath("missing.nnpiper.json")), Error);
        QCOMPARE(reset.count(), 0);
        QCOMPARE(document_->project().name, std::string("Kept"));
        QVERIFY(document_->isModified());
        QVERIFY(document_->undoStack().canUndo());
    }

    void failedSaveStaysModified()
    {
        edits::setName(*document_, "Kept");
        QVERIFY_EXCEPTION_THROWN(document_->save("/no/such/folder/x.nnpiper.json"), Error);
        QVERIFY(document_->isModified());
        QVERIFY(document_->path().isEmpty());
    }

    void namesAndPlacesDoNotMakePlansStale()
    {
        QSignalSpy stale(document_.get(), &ProjectDocument::problemChanged);
        edits::place(*document_, {{"node-a", {10, 20, 0, 0}}}, "Move");
        edits::change<Node>(*document_, {"node-a"}, "Rename", [](Node& n) { n.name = "other"; });
        QCOMPARE(stale.count(), 0);
        edits::change<Node>(*document_, {"node-a"}, "Speed", [](Node& n) { n.interconnect_bytes_per_s = 1e9; });
        QCOMPARE(stale.count(), 1);
        document_->undoStack().undo();
        QCOMPARE(stale.count(), 2);
    }

    void selectionForgetsWhatIsRemoved()
    {
        document_->selection().set({"node-a", "switch"});
        edits::remove(*document_, {"node-a"});
        QCOMPARE(document_->selection().ids(), QStringList{"switch"});
    }

    void foreignPartsMeanNothingByTheirIds()
    {
        // Another window's project: the same ids, another cluster.
        Project other = sampleProject();
        other.containers.push_back({"rack-1", "", ContainerKind::rack, {"switch"}, {}, {}, {}, {}});
        edits::group(*document_, ContainerKind::rack, {"switch"});
        const std::size_t cards = devicesOf(document_->project().cluster, "node-a").size();
        const QStringList card =
            pasteForeignText(*document_, copyText(other, {"node-a/gpu0"}), {100, 100}, "Paste");
        const Device* pasted = find_device(document_->project().cluster, card.front().toStdString());
        QVERIFY(pasted && pasted->node.empty());
        QCOMPARE(devicesOf(document_->project().cluster, "node-a").size(), cards);
        const QStringList made = pasteForeignText(*document_, copyText(other, {"switch"}), {100, 100}, "Paste");
        QVERIFY(!containerOf(document_->project(), made.front().toStdString()));
        // It lies on nothing that was there.
        const Project& now = document_->project();
        const QRectF box = geometry::elementRect(now, made.front().toStdString());
        for (const char* id : {"node-a", "node-b", "switch"})
            QVERIFY(!box.intersects(geometry::elementRect(now, id)));
        // The project's own copies stay with their originals.
        const QStringList beside = pasteText(*document_, copyText(now, {"node-a/gpu0"}), {40, 40}, "Paste");
        QCOMPARE(find_device(now.cluster, beside.front().toStdString())->node, std::string("node-a"));
    }

    void freshIdsCountOn()
    {
        QCOMPARE(freshId(document_->project(), "node-a"), std::string("node-c"));
        QCOMPARE(freshId(document_->project(), "node-a/gpu0"), std::string("node-a/gpu2"));
        QCOMPARE(freshId(document_->project(), "switch"), std::string("switch-2"));
        QCOMPARE(freshId(document_->project(), "x", {"x"}), std::string("x-2"));
    }

private:
    std::unique_ptr<ProjectDocument> document_;
};

QTEST_MAIN(TestDocument)
#include "test_document.moc"
