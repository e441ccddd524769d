// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/formats/timeline_csv.h"
#include "core/simulator/textbook.h"

#include <QtTest>

using namespace nnpiper;

class TestTimelineCsv : public QObject {
    Q_OBJECT

private slots:
    /// Two stages, one micro-batch, forwards of 1 s and backwards of 2 s, messages of 0.5 s with 0.25 s latency: the forward
    /// of stage 1 starts at 1.75, its backward ends at 4.75, that of stage 0 starts at 5.5.
    void every_op_and_message_is_a_row()
    {
        TextbookPipeline textbook;
        textbook.devices = 2;
        textbook.occupancy_s = {0.5};
        textbook.delay_s = {0.25};
        Timeline timeline = draw(textbook);
        timeline.devices = {{"node-a/gpu0", "node-a/gpu1"}, {"node \"b\", left"}};
        QCOMPARE(QString::fromStdString(timeline_csv(timeline)),
                 QString("what,device_group,devices,stage,to_stage,micro_batch,start_s,end_s,arrive_s,waited_for\n"
                         "forward,0,node-a/gpu0 node-a/gpu1,0,,0,0,1,,nothing\n"
                         "backward,0,node-a/gpu0 node-a/gpu1,0,,0,5.5,7.5,,transfer\n"
                         "forward,1,\"node \"\"b\"\", left\",1,,0,1.75,2.75,,transfer\n"
                         "backward,1,\"node \"\"b\"\", left\",1,,0,2.75,4.75,,device\n"
                         "send-activation,0,node-a/gpu0 node-a/gpu1,0,1,0,1,1.5,1.75,nothing\n"
                         "send-gradient,1,\"node \"\"b\"\", left\",1,0,0,4.75,5.25,5.5,nothing\n"));
    }

    void rows_count_for_every_schedule()
    {
        for (const ScheduleKind kind : {ScheduleKind::zb_h1, ScheduleKind::chimera, ScheduleKind::interleaved}) {
            TextbookPipeline textbook;
            textbook.kind = kind;
            textbook.devices = 4;
            textbook.micro_batches = 8;
            const Timeline timeline = draw(textbook);
            const QString text = QString::fromStdString(timeline_csv(timeline));
            QCOMPARE(text.count('\n'), static_cast<qsizetype>(1 + timeline.ops.size() + timeline.transfers.size()));
            for (const QString& line : text.split('\n', Qt::SkipEmptyParts))
                QCOMPARE(line.count(','), qsizetype(9));
        }
    }
};

QTEST_APPLESS_MAIN(TestTimelineCsv)
#include "test_timeline_csv.moc"
