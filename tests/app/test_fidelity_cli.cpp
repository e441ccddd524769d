// SPDX-License-Identifier: GPL-3.0-or-later
// The verbs that compare with measurements, driven as a user does, also where numbers have a decimal comma.
#include "call.h"

#include <nlohmann/json.hpp>

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <cmath>

using nlohmann::json;

namespace {

/// Everything here runs where numbers have a decimal comma.
Result call_german(const QStringList& arguments)
{
    return call(arguments, {"LC_ALL=de_DE.UTF-8"});
}

}  // namespace

class TestFidelityCli : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;
    QString file(const QString& name) const { return folder_.filePath(name); }

    void write(const QString& name, const QByteArray& text) const
    {
        QFile out(file(name));
        QVERIFY(out.open(QIODevice::WriteOnly));
        QCOMPARE(out.write(text), text.size());
    }

private slots:
    void shippedRecords()
    {
        const Result table = call_german({"evaluate", "--suite", "fidelity"});
        QVERIFY2(table.status == 0, table.err.constData());
        QVERIFY(table.err.isEmpty());
        QVERIFY(table.out.contains("unequal-stages-ratio"));
        QVERIFY(table.out.contains(" 0 missed, "));
        const Result result = call_german({"evaluate", "--suite", "fidelity", "--format", "json"});
        QCOMPARE(result.status, 0);
        const json document = json::parse(result.out.toStdString());
        bool found = false;
        for (const json& group : document.at("groups")) {
            QVERIFY(group.at("passed").get<bool>() || group.at("stretch").get<bool>());
            if (group.at("group") == "unequal-stages") {
                found = true;
                QCOMPARE(group.at("rows").size(), 8U);
                QVERIFY(group.at("mean_error").get<double>() < 0.01);
            }
        }
        QVERIFY(found);
    }

    void aFolderNeverSeen()
    {
        QTemporaryDir folder;
        QCOMPARE(call_german({"evaluate", "--suite", "fidelity", "--data", folder.path()}).status, 2);
        const auto records = [&](const char* measured) {
            QFile out(folder.filePath("mine.fidelity.json"));
            QVERIFY(out.open(QIODevice::WriteOnly));
            out.write(QByteArray(R"({"format": "nnpiper-fidelity", "version": 1, "records": [{"id": "a", "schedule":
                {"name": "gpipe", "stages": 2, "micro_batches": 3, "forward_s": 0.5, "backward_input_s": 1},
                "measured": {"iteration_s": )")
                      + measured + R"(}}], "groups": [{"id": "g", "records": ["a"],
                "figure": "iteration_s", "tolerance": {"each": 0.05}}]})");
        };
        records("6.2");
        const Result good = call_german({"evaluate", "--suite", "fidelity", "--data", folder.path()});
        QVERIFY2(good.status == 0, good.err.constData());
        QVERIFY(good.out.contains("-3.23 %"));
        records("9");
        const Result missed = call_german({"evaluate", "--suite", "fidelity", "--data", folder.path()});
        QCOMPARE(missed.status, 1);
        QVERIFY(missed.out.contains("MISSED"));
        records("\"fast\"");
        const Result bad = call_german({"evaluate", "--suite", "fidelity", "--data", folder.path()});
        QCOMPARE(bad.status, 2);
        QVERIFY(bad.err.contains("mine.fidelity.json: /records/0/measured/iteration_s"));
        QCOMPARE(call_german({"evaluate", "--suite", "fidelity", "--data", file("nowhere")}).status, 2);
    }

    void calibrates()
    {
        // GPipe on two stages lasts 3 (m + 1) units of which each took half a second, and a step one second more.
        write("m.csv", "schedule,stages,micro_batches,forward_s,backward_input_s,iteration_s\n"
                       "gpipe,2,1,1,2,4\ngpipe,2,3,1,2,7\ngpipe,2,7,1,2,13\ngpipe,2,15,1,2,25\n");
        const Result table = call_german({"calibrate", file("m.csv"), "-o", file("out.json")});
        QVERIFY2(table.status == 0, table.err.constData());
        QVERIFY(table.out.contains("left out"));
        QVERIFY(table.out.contains("0.5000"));
        QFile out(file("out.json"));
        QVERIFY(out.open(QIODevice::ReadOnly));
        const json document = json::parse(out.readAll().toStdString());
        QVERIFY(std::abs(document.at("time_scale").at("").at("after").get<double>() - 0.5) < 1e-5);
        QVERIFY(std::abs(document.at("fixed_step_s").at("after").get<double>() - 1) < 1e-4);
        QVERIFY(document.at("error").at("before").at("mean").get<double>() > 0.3);
        QVERIFY(document.at("error").at("left_out").at("largest").get<double>() < 1e-3);
    }

    void badTablesAreTold()
    {
        write("bad.csv", "schedule,stages,micro_batches,forward_s,iteration_s\ngpipe,2,3,\"1,5\",4\n");
        const Result bad = call_german({"calibrate", file("bad.csv")});
        QCOMPARE(bad.status, 2);
        QVERIFY(bad.err.contains("bad.csv:2: forward_s is \"1,5\""));
        QCOMPARE(bad.err.count('\n'), 1);
        QCOMPARE(call_german({"calibrate"}).status, 2);
        QCOMPARE(call_german({"calibrate", file("nowhere.csv")}).status, 2);
    }
};

QTEST_APPLESS_MAIN(TestFidelityCli)
#include "test_fidelity_cli.moc"
