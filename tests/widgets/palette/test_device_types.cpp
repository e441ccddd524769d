// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cluster/catalog.h"
#include "core/formats/files.h"
#include "tests/widgets/sample_project.h"
#include "widgets/document/edits.h"
#include "widgets/document/selection.h"
#include "widgets/inspector/element_pages.h"
#include "widgets/inspector/fields.h"
#include "widgets/palette/device_type_dialog.h"
#include "widgets/palette/palette_item.h"
#include "widgets/palette/palette_model.h"
#include "widgets/palette/palette_panel.h"

#include <QAbstractItemModelTester>
#include <QLineEdit>
#include <QMenu>
#include <QTimer>
#include <QTreeView>
#include <QtTest>

using namespace nnpiper;

class TestDeviceTypes : public QObject {
    Q_OBJECT

private slots:
    void init()
    {
        document_ = std::make_unique<ProjectDocument>();
        document_->replace(sampleProject());
    }

    void madeInThePaletteAndUndone()
    {
        PalettePanel panel(*document_);
        const QAbstractItemModelTester tester(panel.view().model());
        panel.search().setText("T4");
        QTimer::singleShot(0, this, [] {
            auto* dialog = dialogShown();
            fillIn(*dialog, "Name", "Lab card");
            fillIn(*dialog, "BF16", "250");  // meant in TFLOP/s
            fillIn(*dialog, "Size", "48 GB");
            fillIn(*dialog, "Speed", "1000 GB/s");
            fillIn(*dialog, "Price", "0");
            dialog->accept();
        });
        panel.makeType();
        const auto& types = document_->project().device_types;
        QCOMPARE(types.size(), std::size_t(1));
        QCOMPARE(types[0].type, std::string("Lab card"));
        QCOMPARE(types[0].peak_flop_per_s, (std::map<std::string, double>{{"bf16", 250e12}}));
        QCOMPARE(types[0].memory_bytes, 48e9);
        QCOMPARE(types[0].memory_bandwidth_bytes_per_s, 1e12);
        QCOMPARE(types[0].price_dollars_per_h.value(), 0.0);
        QVERIFY(!types[0].power_w);
        // It is found in the palette, saved with the project and gone with undo.
        QCOMPARE(panel.view().currentIndex().data().toString(), QString("Lab card"));
        panel.search().setText("lab");
        QCOMPARE(panel.view().model()->rowCount(), 1);
        QVERIFY(read_project(write_project(document_->project()), "p") == document_->project());
        document_->undoStack().undo();
        QCOMPARE(panel.view().model()->rowCount(), 0);
        QVERIFY(document_->project() == sampleProject());
    }

    void dropsOntoTheDrawing()
    {
        edits::addDeviceType(*document_, labCard());
        const PaletteItem item{PaletteItem::Kind::device, "Lab card"};
        const QString id = item.addTo(*document_, "node-a", {}, {0, 0});
        const Device* device = find_device(document_->project().cluster, id.toStdString());
        QVERIFY(device && device->spec == labCard());
        QCOMPARE(device->node, std::string("node-a"));
    }

    void devicesFollowTheirType()
    {
        edits::addDeviceType(*document_, labCard());
        const PaletteItem item{PaletteItem::Kind::device, "Lab card"};
        const std::string plain = item.addTo(*document_, "node-a", {}, {}).toStdString();
        const std::string tuned = item.addTo(*document_, "node-a", {}, {}).toStdString();
        edits::change<Device>(*document_, {QString::fromStdString(tuned)}, "Tune",
                              [](Device& d) { d.spec.achieved_fraction = 0.9; });
        const Project before = document_->project();
        DeviceSpec better = labCard();
        better.type = "Lab card B";
        better.memory_bytes = 96e9;
        edits::changeDeviceType(*document_, "Lab card", better);
        const Cluster& cluster = document_->project().cluster;
        QVERIFY(find_device(cluster, plain)->spec == better);
        QCOMPARE(find_device(cluster, tuned)->spec.type, std::string("Lab card B"));
        QCOMPARE(find_device(cluster, tuned)->spec.memory_bytes, 48e9);
        document_->undoStack().undo();
        QVERIFY(document_->project() == before);
    }

    void aUsedTypeStays()
    {
        edits::addDeviceType(*document_, labCard());
        const QString id = PaletteItem{PaletteItem::Kind::device, "Lab card"}.addTo(*document_, "node-a", {}, {});
        QVERIFY(!edits::removeDeviceType(*document_, "Lab card"));
        edits::remove(*document_, {id});
        QVERIFY(edits::removeDeviceType(*document_, "Lab card"));
        QVERIFY(document_->project().device_types.empty());
        QVERIFY(!edits::removeDeviceType(*document_, "Lab card"));
        // The same name again is no edit.
        document_->undoStack().undo();
        const int commands = document_->undoStack().index();
        edits::addDeviceType(*document_, labCard());
        QCOMPARE(document_->undoStack().index(), commands);
    }

    void faultsKeepTheDialogOpen_data()
    {
        QTest::addColumn<QString>("field");
        QTest::addColumn<QString>("text");
        QTest::newRow("catalogue name") << "Name" << "t4";
        QTest::newRow("no number") << "BF16" << "fast";
        QTest::newRow("negative") << "Size" << "-1 GB";
        QTest::newRow("no memory") << "Size" << "";
        QTest::newRow("above all") << "Achieved" << "140 %";
    }

    void faultsKeepTheDialogOpen()
    {
        QFETCH(QString, field);
        QFETCH(QString, text);
        DeviceTypeDialog dialog(labCard(), {"T4"});
        dialog.show();
        fillIn(dialog, field, text);
        dialog.accept();
        QVERIFY(dialog.isVisible());
        DeviceTypeDialog good(labCard(), {"T4"});
        good.show();
        good.accept();
        QVERIFY(!good.isVisible());
        QVERIFY(good.type() == labCard());
    }

    void theInspectorOffersThem()
    {
        DevicePage page(*document_);
        page.setIds({"node-a/gpu0"});
        auto* types = page.findChild<ChoiceBox*>("Type");
        QCOMPARE(types->findData("Lab card"), -1);
        edits::addDeviceType(*document_, labCard());
        const int row = types->findData("Lab card");
        QVERIFY(row >= 0);
        QCOMPARE(types->currentData().toString(), QString("RTX 3090"));
        emit types->activated(row);
        QVERIFY(find_device(document_->project().cluster, "node-a/gpu0")->spec == labCard());
    }

    void keysChangeAndRemove()
    {
        PalettePanel panel(*document_);
        panel.show();
        edits::addDeviceType(*document_, labCard());
        const QAbstractItemModel& model = *panel.view().model();
        const QModelIndex own = model.index(0, 0, model.index(0, 0));
        QCOMPARE(own.data().toString(), QString("Lab card"));
        panel.view().setCurrentIndex(own);
        QTest::keyClick(&panel.view(), Qt::Key_Delete);
        QVERIFY(document_->project().device_types.empty());
    }

private:
    static DeviceSpec labCard()
    {
        DeviceSpec spec = find_device_entry("A100 SXM4 40GB")->spec;
        spec.type = "Lab card";
        spec.memory_bytes = 48e9;
        return spec;
    }
    static DeviceTypeDialog* dialogShown() { return qobject_cast<DeviceTypeDialog*>(QApplication::activeModalWidget()); }
    static void fillIn(DeviceTypeDialog& dialog, const QString& field, const QString& text)
    {
        auto* edit = dialog.findChild<ValueEdit*>(field);
        QVERIFY2(edit, qPrintable(field));
        edit->setFocus();
        edit->selectAll();
        QTest::keyClick(edit, Qt::Key_Backspace);
        QTest::keyClicks(edit, text);
    }

    std::unique_ptr<ProjectDocument> document_;
};

QTEST_MAIN(TestDeviceTypes)
#include "test_device_types.moc"
