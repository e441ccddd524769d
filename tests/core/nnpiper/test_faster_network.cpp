// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nnpiper/faster_network.h"
#include "core/problem/virtual_problem.h"

#include <QTest>

#include <chrono>
#include <thread>

using namespace nnpiper;

namespace {

/// Takes a fixed time and as much again for every device above twenty.
class Slow : public OrderNetwork {
public:
    Slow(std::string name, double ms, double ms_when_large, int& calls)
        : name_(std::move(name)), ms_(ms), large_(ms_when_large), calls_(calls)
    {
    }
    std::string device() const override { return name_; }
    std::vector<std::vector<NetworkAnswer>> answer_all(const std::vector<NetworkQuestion>& questions) override
    {
        ++calls_;
        const double ms = questions.front().problem->devices() > 20 ? large_ : ms_;
        std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(ms));
        return {{NetworkAnswer{{0}, {1}, ms, {}}}};
    }

private:
    std::string name_;
    double ms_, large_;
    int& calls_;
};

}  // namespace

class TestFasterNetwork : public QObject {
    Q_OBJECT
private slots:
    void asks_the_faster_one_by_size()
    {
        int host = 0, accelerator = 0;
        const auto network = faster_network(std::make_unique<Slow>("cpu", 1, 60, host), std::make_unique<Slow>("cuda", 30, 5, accelerator));
        const auto small = virtual_problem(1, {8, 4, 4, {}});
        const auto large = virtual_problem(1, {40, 32, 8, {}});
        const auto ask = [&](const Problem& problem) {
            return network->answer({&problem, 0, ScheduleKind::one_f_one_b, 4, 1, 1}).front().log_probability;
        };
        for (int i = 0; i < 8; ++i)
            ask(small);
        QCOMPARE(accelerator, 2);  // to measure it
        QCOMPARE(host, 6);
        QCOMPARE(network->device(), std::string("cpu"));
        QCOMPARE(ask(small), 1.0);
        for (int i = 0; i < 6; ++i)
            ask(large);
        QCOMPARE(network->device(), std::string("cuda"));
        QCOMPARE(ask(large), 5.0);
        QCOMPARE(ask(small), 1.0);  // what was learned of one size says nothing of another
    }
};

QTEST_APPLESS_MAIN(TestFasterNetwork)
#include "test_faster_network.moc"
