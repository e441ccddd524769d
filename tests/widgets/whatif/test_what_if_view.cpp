// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/widgets/sample_project.h"
#include "widgets/document/edits.h"
#include "widgets/whatif/what_if_view.h"

#include <QAbstractItemModelTester>
#include <QLabel>
#include <QSignalSpy>
#include <QTableView>
#include <QtTest>

using namespace nnpiper;

class TestWhatIfView : public QObject {
    Q_OBJECT

private slots:
    void init()
    {
        document_ = std::make_unique<ProjectDocument>();
        document_->replace(sampleProject());
        view_ = std::make_unique<WhatIfView>(*document_);
        view_->setBudget(15);
    }

    void cleanup()
    {
        view_.reset();
        document_.reset();
    }

    void everyChangeBecomesARowInOrder()
    {
        const QAbstractItemModelTester tester(&view_->model(), QAbstractItemModelTester::FailureReportingMode::QtTest);
        QCOMPARE(view_->model().rowCount(), 0);
        view_->show();  // what is seen is planned
        QVERIFY(view_->runner().isRunning());
        QTRY_VERIFY_WITH_TIMEOUT(!view_->runner().isRunning(), 120000);
        QCOMPARE(view_->model().rowCount(), static_cast<int>(what_ifs(document_->project()).size()));
        for (int row = 1; row < view_->model().rowCount(); ++row)
            QVERIFY(!pays_more(*view_->model().effect(row), *view_->model().effect(row - 1)));
        for (int row = 0; row < view_->model().rowCount(); ++row)
            for (int column = 0; column < WhatIfModel::ColumnCount; ++column)
                QVERIFY(!view_->model().index(row, column).data().toString().isEmpty());
        QVERIFY(view_->status()->text().contains(QLocale().decimalPoint())
                || view_->status()->text().contains(QRegularExpression(QStringLiteral("\\d"))));
        QCOMPARE(document_->undoStack().count(), 0);
    }

    void anEditDropsTheRowsAndLaterOnesDoNotCome()
    {
        view_->setBudget(200);
        view_->show();
        QTRY_VERIFY_WITH_TIMEOUT(view_->model().rowCount() > 0, 120000);
        QVERIFY(view_->runner().isRunning());
        view_->hide();
        edits::change<Device>(*document_, {"node-a/gpu0"}, "x", [](Device& d) { d.speed_factor = 0.5; });
        QVERIFY(!view_->runner().isRunning());
        QCOMPARE(view_->model().rowCount(), 0);
        QTest::qWait(900);
        QCOMPARE(view_->model().rowCount(), 0);
        // Seen again, the present project is planned.
        view_->setBudget(10);
        view_->show();
        QTRY_VERIFY_WITH_TIMEOUT(!view_->runner().isRunning() && view_->model().rowCount() > 0, 120000);
        for (int row = 0; row < view_->model().rowCount(); ++row) {
            const Device* device = find_device(view_->model().effect(row)->change.after.cluster, "node-a/gpu0");
            QVERIFY(device && device->speed_factor == 0.5);
        }
    }

    void whileVisibleItFollowsEditsWhenTheHandRests()
    {
        view_->show();
        QTRY_VERIFY_WITH_TIMEOUT(!view_->runner().isRunning(), 120000);
        edits::change<Device>(*document_, {"node-a/gpu0"}, "x", [](Device& d) { d.speed_factor = 2; });
        QVERIFY(!view_->runner().isRunning());
        QTRY_VERIFY_WITH_TIMEOUT(view_->runner().isRunning(), 120000);
        QTRY_VERIFY_WITH_TIMEOUT(!view_->runner().isRunning(), 120000);
        QVERIFY(view_->model().rowCount() > 0);
    }

    void cancelKeepsTheRowsSoFar()
    {
        view_->setBudget(200);
        view_->show();
        QTRY_VERIFY_WITH_TIMEOUT(view_->model().rowCount() > 0, 120000);
        view_->cancel();
        const int rows = view_->model().rowCount();
        QTest::qWait(500);
        QCOMPARE(view_->model().rowCount(), rows);
        QVERIFY(!view_->runner().isRunning());
    }

    void everyChangeIsAppliedAsOneUndoableEdit()
    {
        view_->show();
        QTRY_VERIFY_WITH_TIMEOUT(!view_->runner().isRunning(), 120000);
        const Project before = document_->project();
        std::vector<WhatIfModel::Shared> effects;
        for (int row = 0; row < view_->model().rowCount(); ++row)
            effects.push_back(view_->model().effect(row));
        for (const auto& effect : effects) {
            edits::applyProject(*document_, effect->change.after, "Change");
            QCOMPARE(document_->undoStack().count(), 1);
            QVERIFY(document_->project().cluster == effect->change.after.cluster);
            QVERIFY(document_->project().job == effect->change.after.job);
            document_->undoStack().undo();
            QVERIFY(document_->project() == before);
            document_->undoStack().clear();
        }
        edits::applyProject(*document_, before, "Nothing");
        QCOMPARE(document_->undoStack().count(), 0);
    }

    void enterAndDoubleClickApply()
    {
        view_->resize(900, 400);
        view_->show();
        QTRY_VERIFY_WITH_TIMEOUT(!view_->runner().isRunning(), 120000);
        QTableView& table = view_->table();
        const auto expected = view_->model().effect(0);
        table.setCurrentIndex(table.model()->index(0, 0));
        table.setFocus();
        QTest::keyClick(&table, Qt::Key_Return);
        QCOMPARE(document_->undoStack().count(), 1);
        QVERIFY(document_->project().cluster == expected->change.after.cluster);
        QVERIFY(document_->project().job == expected->change.after.job);

        QTRY_VERIFY_WITH_TIMEOUT(view_->runner().isRunning(), 120000);
        QTRY_VERIFY_WITH_TIMEOUT(!view_->runner().isRunning(), 120000);
        // Sorted by another column, a double-click still applies the row that one sees.
        table.sortByColumn(WhatIfModel::ChangeColumn, Qt::AscendingOrder);
        const QModelIndex shown = table.model()->index(1, 0);
        WhatIfModel::Shared chosen;
        for (int row = 0; row < view_->model().rowCount(); ++row)
            if (view_->model().index(row, 0).data() == shown.data())
                chosen = view_->model().effect(row);
        const QPoint place = table.visualRect(shown).center();
        QTest::mouseClick(table.viewport(), Qt::LeftButton, {}, place);
        QTest::mouseDClick(table.viewport(), Qt::LeftButton, {}, place);
        QCOMPARE(document_->undoStack().count(), 2);
        QVERIFY(document_->project().cluster == chosen->change.after.cluster);
        QVERIFY(document_->project().job == chosen->change.after.job);
    }

private:
    std::unique_ptr<ProjectDocument> document_;
    std::unique_ptr<WhatIfView> view_;
};

QTEST_MAIN(TestWhatIfView)
#include "test_what_if_view.moc"
