// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/planners/planner.h"
#include "core/study/self_check.h"

#include <QTest>

#include <algorithm>

using namespace nnpiper;

class TestSelfCheck : public QObject {
    Q_OBJECT

private slots:
    void nothingFails()
    {
        std::size_t reported = 0;
        const auto results = self_check(1, {}, [&](const CheckResult&) { ++reported; });
        QCOMPARE(reported, results.size());
        QVERIFY(results.size() >= 5 + planner_registry().size());
        for (const CheckResult& result : results) {
            QVERIFY2(result.outcome != CheckOutcome::failed, (result.name + ": " + result.message).c_str());
            QVERIFY2(!result.message.empty(), result.name.c_str());
        }
        // What needs no network must really have run.
        for (const char* name :
             {"closed forms of gpipe and 1f1b", "fast engine equals detailed engine", "lower bound of 1f1b",
              "plans of local-search", "plans of uniform", "plans of exact", "nothing beats exact"}) {
            const auto it =
                std::find_if(results.begin(), results.end(), [&](const CheckResult& r) { return r.name == name; });
            QVERIFY2(it != results.end() && it->outcome == CheckOutcome::passed, name);
        }
    }

    void stops()
    {
        std::stop_source source;
        source.request_stop();
        Control control;
        control.stop = source.get_token();
        QVERIFY(self_check(1, control, {}).empty());
    }
};

QTEST_APPLESS_MAIN(TestSelfCheck)
#include "test_self_check.moc"
