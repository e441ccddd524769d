// SPDX-License-Identifier: GPL-3.0-or-later
// Best-known plans of the virtual problems replay to the makespan that an independent program found.
#include "core/formats/files.h"
#include "core/problem/pipeline.h"
#include "core/simulator/simulate.h"

#include <QDir>
#include <QTest>

#include <cmath>

using namespace nnpiper;

class TestBestKnown : public QObject {
    Q_OBJECT

private slots:
    void replays_data()
    {
        QTest::addColumn<QString>("path");
        const QDir folder(QStringLiteral(TEST_DATA "/problems"));
        const QStringList names = folder.entryList({"*.problem.json"});
        QVERIFY(names.size() >= 10);
        for (const QString& name : names)
            QTest::newRow(qPrintable(name)) << folder.filePath(name);
    }
    void replays()
    {
        QFETCH(QString, path);
        const Problem problem = load_problem(path.toStdString());
        QVERIFY(problem.best_known.has_value());
        Plan plan = *problem.best_known;
        const std::vector<std::string> faults = validate(problem, plan);
        QVERIFY2(faults.empty(), faults.empty() ? "" : faults.front().c_str());
        const double expected = plan.makespan_s;
        predict(problem, plan);
        const Timeline timeline = simulate(problem, plan);
        QVERIFY2(std::abs(timeline.makespan_s / expected - 1) < 1e-5,
                 qPrintable(QString("%1, expected %2").arg(timeline.makespan_s, 0, 'g', 12).arg(expected, 0, 'g', 12)));
        QVERIFY(std::abs(plan.makespan_s / timeline.makespan_s - 1) < 1e-9);
        QCOMPARE(timeline.fits, problem.best_known->feasible);
        QCOMPARE(plan.feasible, problem.best_known->feasible);
    }
};

QTEST_APPLESS_MAIN(TestBestKnown)
#include "test_best_known.moc"
