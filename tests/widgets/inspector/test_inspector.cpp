// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/error.h"
#include "tests/widgets/sample_project.h"
#include "widgets/document/edits.h"
#include "widgets/document/selection.h"
#include "widgets/inspector/element_pages.h"
#include "widgets/inspector/inspector_panel.h"
#include "widgets/inspector/job_page.h"
#include "widgets/solver/plan_board.h"

#include <QSlider>
#include <QtTest>

using namespace nnpiper;

class TestInspector : public QObject {
    Q_OBJECT

private slots:
    void init()
    {
        document_ = std::make_unique<ProjectDocument>();
        board_ = std::make_unique<PlanBoard>(*document_);
        panel_ = std::make_unique<InspectorPanel>(*document_, *board_);
        document_->replace(sampleProject());
        panel_->resize(320, 700);
        panel_->show();
        QVERIFY(QTest::qWaitForWindowExposed(panel_.get()));
    }

    void cleanup()
    {
        panel_.reset();
        board_.reset();
        document_.reset();
    }

    void entryWithUnit_data()
    {
        QTest::addColumn<QString>("entry");
        QTest::addColumn<double>("bytes");
        QTest::newRow("as shown") << "32 GB" << 32e9;
        QTest::newRow("other scale") << "16000 MB" << 16e9;
        QTest::newRow("binary") << "16 GiB" << 16.0 * 1024 * 1024 * 1024;
        QTest::newRow("bare number takes the unit shown") << "12" << 12e9;
    }

    void entryWithUnit()
    {
        QFETCH(QString, entry);
        QFETCH(double, bytes);
        document_->selection().set({"node-a/gpu0"});
        auto* memory = field("Memory");
        QCOMPARE(memory->text(), QString("24 GB"));
        type(memory, entry);
        QCOMPARE(find_device(document_->project().cluster, "node-a/gpu0")->spec.memory_bytes, bytes);
        QCOMPARE(document_->undoStack().count(), 1);
        document_->undoStack().undo();
        QCOMPARE(memory->text(), QString("24 GB"));
        QVERIFY(document_->project() == sampleProject());
    }

    void nonsenseChangesNothing_data()
    {
        QTest::addColumn<QString>("field_name");
        QTest::addColumn<QString>("entry");
        QTest::newRow("word") << "Memory"
                              << "plenty";
        QTest::newRow("wrong unit") << "Memory"
                                    << "3 W";
        QTest::newRow("negative") << "Memory"
                                  << "-3 GB";
        QTest::newRow("zero") << "Memory"
                              << "0 GB";
        QTest::newRow("empty") << "Memory"
                               << "";
        QTest::newRow("above one") << "Achieved"
                                   << "140 %";
    }

    void nonsenseChangesNothing()
    {
        QFETCH(QString, field_name);
        QFETCH(QString, entry);
        document_->selection().set({"node-a/gpu0"});
        auto* edit = field(field_name);
        type(edit, entry);
        QCOMPARE(document_->undoStack().count(), 0);
        QVERIFY(edit->isRejected());
        auto* form = qobject_cast<FieldForm*>(panel_->currentPage());
        QVERIFY(!form->errorOf(edit).isEmpty());
        QCOMPARE(form->errorOf(edit).count('\n'), 0);
        QTest::keyClick(edit, Qt::Key_Escape);
        QVERIFY(!edit->isRejected());
        QVERIFY(form->errorOf(edit).isEmpty());
    }

    void unknownPriceCanBeSetAndCleared()
    {
        document_->selection().set({"node-a/gpu0"});
        auto* price = field("Price");
        type(price, "0.30 $/h");
        QCOMPARE(*find_device(document_->project().cluster, "node-a/gpu0")->spec.price_dollars_per_h, 0.3);
        type(price, "");
        QVERIFY(!find_device(document_->project().cluster, "node-a/gpu0")->spec.price_dollars_per_h);
        QVERIFY(!price->placeholderText().isEmpty());
    }

    void severalAtOnce()
    {
        edits::change<Device>(*document_, {"node-a/gpu0"}, "x", [](Device& d) { d.spec.memory_bytes = 8e9; });
        document_->selection().set({"node-a/gpu0", "node-b/gpu1"});
        auto* memory = field("Memory");
        QVERIFY(memory->text().isEmpty());
        QVERIFY(!memory->placeholderText().isEmpty());
        type(memory, "48 GB");
        QCOMPARE(find_device(document_->project().cluster, "node-a/gpu0")->spec.memory_bytes, 48e9);
        QCOMPARE(find_device(document_->project().cluster, "node-b/gpu1")->spec.memory_bytes, 48e9);
        QCOMPARE(document_->undoStack().count(), 2);
    }

    void typeComesFromTheCatalogue()
    {
        document_->selection().set({"node-a/gpu0"});
        auto* box = panel_->currentPage()->findChild<ChoiceBox*>("Type");
        box->setCurrentIndex(box->findData("T4"));
        emit box->activated(box->currentIndex());
        QCOMPARE(find_device(document_->project().cluster, "node-a/gpu0")->spec, find_device_entry("T4")->spec);
    }

    void jobFieldsWhenNothingIsSelected()
    {
        document_->selection().clear();
        auto* micro = field("Micro-batch");
        QCOMPARE(micro->text(), QString("4"));
        type(micro, "auto");
        QVERIFY(!document_->project().job.micro_batch);
        type(micro, "8");
        QCOMPARE(*document_->project().job.micro_batch, 8);
        type(micro, "many");
        QCOMPARE(*document_->project().job.micro_batch, 8);
        QVERIFY(micro->isRejected());
        auto* sequence = field("Sequence length");
        type(sequence, "256");
        QCOMPARE(document_->project().model.sequence_length, 256);
    }

    void onePullOfASliderIsOneCommand()
    {
        document_->selection().set({"node-a/gpu0"});
        auto* slider = panel_->currentPage()->findChild<QSlider*>();
        slider->setSliderDown(true);
        for (const int position : {120, 140, 160}) {
            slider->setSliderPosition(position);
            slider->triggerAction(QAbstractSlider::SliderMove);
        }
        slider->setSliderDown(false);
        QVERIFY(find_device(document_->project().cluster, "node-a/gpu0")->speed_factor > 1.5);
        QCOMPARE(document_->undoStack().count(), 1);
    }

    void wheelWithoutFocusChangesNothing()
    {
        document_->selection().clear();
        auto* box = panel_->currentPage()->findChild<ChoiceBox*>("Precision");
        panel_->setFocus();
        QWheelEvent wheel({5, 5}, box->mapToGlobal(QPointF(5, 5)), {}, {0, -120}, Qt::NoButton, Qt::NoModifier,
                          Qt::NoScrollPhase, false);
        QApplication::sendEvent(box, &wheel);
        QCOMPARE(document_->project().job.precision, std::string("fp16"));
        QCOMPARE(box->currentData().toString(), QString("fp16"));
    }

    void decimalCommaByLocale()
    {
        const QLocale german(QLocale::German);
        QCOMPARE(readQuantity("2,5 GB", Unit::bytes, {}, german), 2.5e9);
        QCOMPARE(readQuantity("1.250,5 MB", Unit::bytes, {}, german), 1250.5e6);
        QCOMPARE(readQuantity("0,5", Unit::seconds, "3 ms", german), 0.5e-3);
        QCOMPARE(quantityText(2.5e9, Unit::bytes, german), QString("2,5 GB"));
        const QLocale english(QLocale::English);
        QCOMPARE(readQuantity("1,250 MB", Unit::bytes, {}, english), 1250e6);
        QVERIFY_EXCEPTION_THROWN(readQuantity("2,5 GB", Unit::bytes, {}, english), Error);
    }

    void typedTextSurvivesOtherEdits()
    {
        document_->selection().set({"node-a/gpu0"});
        auto* memory = field("Memory");
        memory->setFocus();
        memory->selectAll();
        QTest::keyClicks(memory, "3");
        edits::change<Node>(*document_, {"node-b"}, "x", [](Node& n) { n.name = "other"; });
        QCOMPARE(memory->text(), QString("3"));
    }

private:
    ValueEdit* field(const QString& name) const { return panel_->currentPage()->findChild<ValueEdit*>(name); }
    void type(ValueEdit* edit, const QString& text)
    {
        edit->setFocus();
        edit->selectAll();
        QTest::keyClick(edit, Qt::Key_Delete);
        QTest::keyClicks(edit, text);
        QTest::keyClick(edit, Qt::Key_Return);
    }

    std::unique_ptr<ProjectDocument> document_;
    std::unique_ptr<PlanBoard> board_;
    std::unique_ptr<InspectorPanel> panel_;
};

QTEST_MAIN(TestInspector)
#include "test_inspector.moc"
