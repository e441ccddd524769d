// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/widgets/sample_project.h"
#include "widgets/document/edits.h"
#include "widgets/document/selection.h"
#include "widgets/palette/palette_model.h"
#include "widgets/solver/plan_board.h"
#include "widgets/tables/element_table_model.h"
#include "widgets/tables/layer_table_model.h"
#include "widgets/tables/table_pages.h"

#include <QAbstractItemModelTester>
#include <QMimeData>
#include <QSignalSpy>
#include <QTableView>
#include <QtTest>

using namespace nnpiper;

class TestTables : public QObject {
    Q_OBJECT

private slots:
    void init()
    {
        document_ = std::make_unique<ProjectDocument>();
        board_ = std::make_unique<PlanBoard>(*document_);
        document_->replace(sampleProject());
    }

    void cleanup()
    {
        board_.reset();
        document_.reset();
    }

    void modelsKeepTheirPromises()
    {
        ElementTableModel devices(*document_, ElementKind::device);
        ElementTableModel links(*document_, ElementKind::link);
        LayerTableModel layers(*document_, *board_);
        PaletteModel palette;
        using Tester = QAbstractItemModelTester;
        const Tester tests[] = {{&devices, Tester::FailureReportingMode::QtTest},
                                {&links, Tester::FailureReportingMode::QtTest},
                                {&layers, Tester::FailureReportingMode::QtTest},
                                {&palette, Tester::FailureReportingMode::QtTest}};
        QCOMPARE(devices.rowCount(), 4);
        QCOMPARE(links.rowCount(), 2);
        QCOMPARE(layers.rowCount(), 14);
        edits::addNode(*document_, {}, {find_device_entry("T4")->spec}, {0, 400});
        edits::addLink(*document_, {}, "node-a", "node-b");
        edits::remove(*document_, {"node-a"});
        QCOMPARE(devices.rowCount(), 3);
        QCOMPARE(links.rowCount(), 1);
        while (document_->undoStack().canUndo())
            document_->undoStack().undo();
        QCOMPARE(devices.rowCount(), 4);
        QCOMPARE(devices.idAt(0), QString("node-a/gpu0"));  // undo puts rows back where they were
        while (document_->undoStack().canRedo())
            document_->undoStack().redo();
        Model model = document_->project().model;
        model.architecture.blocks = 6;
        edits::setModel(*document_, model);
        QCOMPARE(layers.rowCount(), 8);
        palette.fill();
        document_->replace(Project());
        QCOMPARE(devices.rowCount(), 0);
        QCOMPARE(layers.rowCount(), 0);
    }

    void cellsTakeUnits()
    {
        ElementTableModel devices(*document_, ElementKind::device);
        QSignalSpy rejected(&devices, &ElementTableModel::rejected);
        const int memory = column(devices, "Memory");
        QVERIFY(devices.setData(devices.index(1, memory), "48 GB", Qt::EditRole));
        QCOMPARE(document_->project().cluster.devices[1].spec.memory_bytes, 48e9);
        QVERIFY(!devices.setData(devices.index(1, memory), "a lot", Qt::EditRole));
        QVERIFY(!devices.setData(devices.index(1, memory), "-1 GB", Qt::EditRole));
        QVERIFY(!devices.setData(devices.index(1, column(devices, "Achieved")), "120 %", Qt::EditRole));
        QCOMPARE(rejected.count(), 3);
        QCOMPARE(document_->undoStack().count(), 1);
        QVERIFY(!(devices.flags(devices.index(0, column(devices, "Type"))) & Qt::ItemIsEditable));
    }

    void selectionIsShared()
    {
        TablePage page(*document_);
        document_->selection().set({"node-b/gpu0", "node-a--switch"});
        QCOMPARE(page.devices().selectionModel()->selectedRows().size(), 1);
        QCOMPARE(page.links().selectionModel()->selectedRows().size(), 1);
        page.links().clearSelection();
        page.devices().selectRow(0);
        QCOMPARE(document_->selection().ids(), QStringList{"node-a/gpu0"});
    }

    void layersKnowTheirStage()
    {
        LayerTableModel layers(*document_, *board_);
        QCOMPARE(layers.data(layers.index(3, 0), LayerTableModel::stageRole).toInt(), -1);
        Plan plan;
        plan.planner = "hand-edited";
        plan.micro_batches = 8;
        plan.stages = {{{"node-a/gpu0"}, 0, 6, 1, {}, Recompute::none},
                       {{"node-b/gpu0"}, 6, 14, 1, {}, Recompute::none}};
        edits::keepPlan(*document_, plan, "Keep");
        QVERIFY(board_->shown());
        QCOMPARE(layers.data(layers.index(5, 0), LayerTableModel::stageRole).toInt(), 0);
        QCOMPARE(layers.data(layers.index(6, 0), LayerTableModel::stageRole).toInt(), 1);
    }

    void paletteDragsCarryTheirItem()
    {
        const PaletteModel palette;
        int dragged = 0;
        for (int section = 0; section < palette.rowCount(); ++section) {
            const QModelIndex parent = palette.index(section, 0);
            QVERIFY(!(palette.flags(parent) & Qt::ItemIsDragEnabled));
            for (int row = 0; row < palette.rowCount(parent); ++row) {
                const std::unique_ptr<QMimeData> mime(palette.mimeData({palette.index(row, 0, parent)}));
                QVERIFY(mime && PaletteItem::fromMime(mime->data(PaletteItem::mimeType())));
                ++dragged;
            }
        }
        QVERIFY(dragged > 60);
    }

private:
    static int column(const ElementTableModel& model, const QString& title)
    {
        for (int i = 0; i < model.columnCount(); ++i)
            if (model.headerData(i, Qt::Horizontal, Qt::DisplayRole).toString() == title)
                return i;
        return -1;
    }

    std::unique_ptr<ProjectDocument> document_;
    std::unique_ptr<PlanBoard> board_;
};

QTEST_MAIN(TestTables)
#include "test_tables.moc"
