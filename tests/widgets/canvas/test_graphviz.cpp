// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/widgets/sample_project.h"
#include "widgets/canvas/arrange.h"
#include "widgets/canvas/geometry.h"
#include "widgets/canvas/graphviz.h"
#include "widgets/document/container_edits.h"
#include "widgets/document/containers.h"
#include "widgets/document/edits.h"

#include <QSignalSpy>
#include <QtTest>

using namespace nnpiper;

namespace {

/// `racks` racks of `nodes` nodes on a switch of their own, those on one spine.
Project leafAndSpine(int racks, int nodes, bool grouped)
{
    Project project;
    project.cluster.switches.push_back({"spine", "", 0});
    const auto link = [&](const std::string& from, const std::string& to) {
        project.cluster.links.push_back({from + "--" + to, "", "", from, to, 1e9, 1, 0, {}});
    };
    for (int r = 0; r < racks; ++r) {
        const std::string leaf = "leaf-" + std::to_string(r);
        project.cluster.switches.push_back({leaf, "", 0});
        link(leaf, "spine");
        Container rack;
        rack.id = "rack-" + std::to_string(r);
        rack.members.push_back(leaf);
        for (int n = 0; n < nodes; ++n) {
            Node node;
            node.id = rack.id + "-node-" + std::to_string(n);
            project.cluster.nodes.push_back(node);
            for (int d = 0; d < 4; ++d) {
                Device device;
                device.id = node.id + "/" + std::to_string(d);
                device.node = node.id;
                project.cluster.devices.push_back(device);
            }
            rack.members.push_back(node.id);
            link(node.id, leaf);
        }
        if (grouped)
            project.containers.push_back(rack);
    }
    placeMissing(project);
    return project;
}

Project star(int nodes, bool with_switch)
{
    Project project = leafAndSpine(1, nodes, false);
    if (!with_switch) {
        project.cluster.switches.clear();
        project.cluster.links.clear();
        for (int n = 1; n < nodes; ++n)
            project.cluster.links.push_back({"l" + std::to_string(n), "", "", project.cluster.nodes[0].id,
                                             project.cluster.nodes[static_cast<std::size_t>(n)].id, 1e9, 1, 0, {}});
        project.layout.erase("spine");
        project.layout.erase("leaf-0");
    }
    return project;
}

}  // namespace

Q_DECLARE_METATYPE(Project)

class TestGraphviz : public QObject {
    Q_OBJECT

private slots:
    void nothingOverlaps_data()
    {
        QTest::addColumn<Project>("project");
        QTest::newRow("sample") << sampleProject();
        QTest::newRow("star") << star(9, true);
        QTest::newRow("large star") << star(40, true);
        QTest::newRow("no switch") << star(7, false);
        QTest::newRow("leaf and spine") << leafAndSpine(4, 6, false);
        QTest::newRow("racks") << leafAndSpine(4, 6, true);
        Project collapsed = leafAndSpine(3, 4, true);
        collapsed.layout["rack-1"].collapsed = true;
        QTest::newRow("a collapsed rack") << collapsed;
        Project unlinked = leafAndSpine(2, 3, true);
        unlinked.cluster.links.clear();
        QTest::newRow("no links") << unlinked;
    }

    void nothingOverlaps()
    {
        QFETCH(Project, project);
        Project after = project;
        for (const auto& [id, placement] : arranged(project))
            after.layout[id] = placement;
        std::vector<std::string> boxes;
        for (const Node& node : after.cluster.nodes)
            boxes.push_back(node.id);
        for (const Switch& item : after.cluster.switches)
            boxes.push_back(item.id);
        std::erase_if(boxes, [&](const std::string& id) { return shownAs(after, id) != id; });
        for (const Container& container : after.containers)
            if (isCollapsed(after, container.id))
                boxes.push_back(container.id);
        const auto rect = [&](const std::string& id) { return geometry::elementRect(after, id); };
        for (std::size_t i = 0; i < boxes.size(); ++i) {
            QCOMPARE(geometry::snapped(rect(boxes[i]).topLeft()), rect(boxes[i]).topLeft());
            for (std::size_t j = i + 1; j < boxes.size(); ++j)
                QVERIFY2(!rect(boxes[i]).intersects(rect(boxes[j])), (boxes[i] + " and " + boxes[j]).c_str());
        }
        // Racks keep clear of each other and of what is not theirs.
        for (const Container& container : after.containers) {
            const std::vector<std::string> held = contentsOf(after, container.id);
            for (const std::string& id : boxes)
                if (id != container.id && std::find(held.begin(), held.end(), id) == held.end())
                    QVERIFY2(!rect(container.id).intersects(rect(id)), (container.id + " and " + id).c_str());
        }
    }

    void coreAboveNodes()
    {
        Project project = leafAndSpine(3, 4, true);
        for (const auto& [id, placement] : arranged(project))
            project.layout[id] = placement;
        const auto y = [&](const std::string& id) { return geometry::elementRect(project, id).center().y(); };
        for (const Link& link : project.cluster.links)
            QVERIFY2(y(link.to) < y(link.from), link.id.c_str());
    }

    void manyOnOneSwitchFold()
    {
        Project project = star(40, true);
        for (const auto& [id, placement] : arranged(project))
            project.layout[id] = placement;
        const QRectF all = geometry::contentRect(project);
        QVERIFY2(all.width() < 6 * all.height(), qPrintable(QString("%1 x %2").arg(all.width()).arg(all.height())));
    }

    void whatACollapsedRackHoldsMovesWithIt()
    {
        Project project = leafAndSpine(3, 4, true);
        project.layout["rack-1"].collapsed = true;
        Project after = project;
        const auto places = arranged(project);
        for (const auto& [id, placement] : places)
            after.layout[id] = placement;
        QVERIFY(after.layout.at("rack-1").collapsed);
        const auto offset = [](const Project& p) {
            return geometry::elementRect(p, "rack-1").topLeft()
                   - QPointF(p.layout.at("rack-1-node-2").x, p.layout.at("rack-1-node-2").y);
        };
        QCOMPARE(offset(after), offset(project));
    }

    void withoutTheProgramRowsServe()
    {
        Arranger arranger;
        std::map<std::string, Placement> places;
        connect(&arranger, &Arranger::arranged, this, [&](const Project&, const auto& found) { places = found; });
        arranger.start(sampleProject(), "no-such-program");
        QTRY_VERIFY_WITH_TIMEOUT(!places.empty(), 30000);
        QVERIFY(places == arrange(sampleProject()));
        QVERIFY(placesFromGraphviz(sampleProject(), "graph 1 2 2\nnode n0 1 1 1 1").empty());
        QVERIFY(placesFromGraphviz(sampleProject(), "stop\n").empty());
    }

    void aSecondRunEndsTheFirst()
    {
        Arranger arranger;
        QSignalSpy runs(&arranger, &Arranger::arranged);
        arranger.start(leafAndSpine(6, 8, true));
        arranger.start(sampleProject());
        QTRY_COMPARE_WITH_TIMEOUT(runs.count(), 1, 30000);
        QVERIFY(!arranger.isRunning());
    }

private:
    /// By the program itself: an answer is there, and it is not the fallback's.
    std::map<std::string, Placement> arranged(const Project& project)
    {
        QProcess dot;
        dot.start("dot", {"-K" + graphvizEngine(project), "-Tplain"});
        dot.write(graphvizText(project));
        dot.closeWriteChannel();
        if (!dot.waitForFinished(60000))
            return {};
        return placesFromGraphviz(project, dot.readAllStandardOutput());
    }
};

QTEST_MAIN(TestGraphviz)
#include "test_graphviz.moc"
