// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/error.h"
#include "core/schedule/order_text.h"
#include "core/schedule/schedule.h"

#include <QtTest>

using namespace nnpiper;

class TestOrderText : public QObject {
    Q_OBJECT

private slots:
    void every_schedule_comes_back()
    {
        for (const ScheduleEntry& entry : schedule_catalog()) {
            if (entry.kind == ScheduleKind::custom || entry.kind == ScheduleKind::zb_auto)
                continue;
            ScheduleShape shape;
            shape.kind = entry.kind;
            shape.devices = 4;
            shape.micro_batches = 8;
            shape.chunks = default_chunks(entry.kind);
            const OpOrder order = op_order(shape);
            const std::string text = write_order_csv(order);
            QVERIFY(read_order_csv(text, "order.csv") == order);
            if (!is_bidirectional(entry.kind))
                QVERIFY(map_of_order(order, "order.csv") == stage_map(entry.kind, 4, shape.chunks));
            QCOMPARE(micro_batches_of(order), 8);
        }
    }

    void spreadsheets_are_read()
    {
        const OpOrder order = read_order_csv("\xEF\xBB\xBF# first device\r\n\"0F0\", ,0F1,\"0I0\",0W0,0BW1\r\n\r\n1F0\t1F1\t1B0\t(1F2;1B1)OVERLAP_F_B\n", "o.csv");
        QCOMPARE(order.size(), std::size_t{2});
        QCOMPARE(order_cells(order[0]), (std::vector<std::string>{"0F0", "0F1", "0I0", "0W0", "0B1"}));
        QCOMPARE(order_cells(order[1]), (std::vector<std::string>{"1F0", "1F1", "1B0", "(1F2;1B1)"}));
    }

    void bad_cells_are_told_with_their_place_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("sentence");
        QTest::newRow("letter") << "0F0,0X1" << "o.csv: line 1, cell 2: \"0X1\" is not an op; a stage, F, B, I or W, and a micro-batch are expected, for example 0F3";
        QTest::newRow("number") << "0F0\nF1" << "o.csv: line 2, cell 1: \"F1\" is not an op";
        QTest::newRow("minus") << "0F-1" << "\"0F-1\" is not an op";
        QTest::newRow("huge") << "0F99999999999" << "is not an op";
        QTest::newRow("pair") << "(0F1,0B1)" << "\"(0F1\" is not a pair";
        QTest::newRow("empty") << "\n,,\n" << "o.csv: there is no op in it";
    }
    void bad_cells_are_told_with_their_place()
    {
        QFETCH(QString, text);
        QFETCH(QString, sentence);
        try {
            read_order_csv(text.toStdString(), "o.csv");
            QFAIL("no error");
        } catch (const Error& error) {
            QVERIFY2(QString::fromUtf8(error.what()).contains(sentence), error.what());
        }
    }

    void stages_must_sit_on_one_device()
    {
        const auto fault = [](const char* text) {
            try {
                map_of_order(read_order_csv(text, "o.csv"), "o.csv");
            } catch (const Error& error) {
                return QString::fromUtf8(error.what());
            }
            return QString();
        };
        QVERIFY(fault("0F0\n0F1\n").contains("stage 0 stands in the rows of devices 0 and 1"));
        QVERIFY(fault("0F0\n2F0\n").contains("stage 1 has no op"));
        QVERIFY(fault("0F0,1F0\n2F0\n").contains("device 0 holds 2 of 3 stages"));
    }
};

QTEST_APPLESS_MAIN(TestOrderText)
#include "test_order_text.moc"
