// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/error.h"
#include "core/planners/nn_piper.h"
#include "core/planners/order_network.h"
#include "core/problem/virtual_problem.h"

#include <QTest>

using namespace nnpiper;

/// A program whose LibTorch part is not there: everything else works and the neural planners say why they cannot.
class TestModuleAbsent : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() { qputenv("NNPIPER_MODULE", "/nowhere/nnpiper_torch.so"); }

    void opening_it_is_an_error_with_a_remedy()
    {
        for (int round = 0; round < 2; ++round) {
            try {
                torch_module();
                QFAIL("no error");
            } catch (const Error& error) {
                const QString text = error.what();
                QVERIFY2(text.contains("LibTorch") && text.contains("/nowhere/nnpiper_torch.so"), qPrintable(text));
            }
        }
        QVERIFY(!torch_module_is_open());
    }

    void neural_planners_are_skipped_with_the_reason()
    {
        const auto problem = virtual_problem(evaluation_seed(5, 3), {12, 4, 4, {}});
        PlanRequest request;
        request.budget_ms = 20;
        prepare_nn_piper(request);
        for (const char* name : {"nn-piper", "nn-piper-raw"}) {
            const auto plan = run_planner(find_planner(name), problem, request, Control{});
            QCOMPARE(plan.status, std::string("skipped"));
            QVERIFY(QString::fromStdString(plan.reason).contains("LibTorch"));
        }
        const auto plan = run_planner(find_planner("nn-piper-no-network"), problem, request, Control{});
        QVERIFY(plan.status != "skipped" && !plan.stages.empty());
    }
};

QTEST_APPLESS_MAIN(TestModuleAbsent)
#include "test_module_absent.moc"
