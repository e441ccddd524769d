// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nnpiper/torch_losses.h"

#include <QTest>

#include <cmath>

using namespace nnpiper;
using Loss = TrainRequest::Loss;

namespace {

double value(Loss loss, std::vector<double> score, std::vector<double> ratio)
{
    const auto n = static_cast<std::int64_t>(score.size());
    return order_loss(loss, torch::tensor(score, torch::kFloat64).view({1, n}), torch::tensor(ratio, torch::kFloat64).view({1, n}))
        .item<double>();
}

double softplus(double x)
{
    return std::log1p(std::exp(x));
}

}  // namespace

class TestTorchLosses : public QObject {
    Q_OBJECT
private slots:
    void contrast_is_its_formula()
    {
        const double expected = 0.5 * (softplus(-4 * 1.1 * (-0.2 + 0.5)) + softplus(-4 * 1.5 * (-0.2 + 0.1))) - 0.5 * -0.2;
        QVERIFY(std::abs(value(Loss::contrast, {-0.2, -0.5, -0.1}, {1, 1.1, 1.5}) - expected) < 1e-12);
        // A tie counts nothing, and without a worse order there is nothing to learn.
        const double one = 0.5 * softplus(-4 * 1.1 * 0.3) + 0.1;
        QVERIFY(std::abs(value(Loss::contrast, {-0.2, -0.5, -0.1}, {1, 1.1, 1}) - one) < 1e-12);
        QCOMPARE(value(Loss::contrast, {-0.2, -0.5}, {1, 1}), 0.0);
    }

    void preference_takes_all_pairs()
    {
        const double expected = (softplus(-4 * 0.3) + softplus(4 * 0.1) + softplus(4 * 0.4)) / 3;
        QVERIFY(std::abs(value(Loss::preference, {-0.2, -0.5, -0.1}, {1, 1.1, 1.5}) - expected) < 1e-12);
    }

    void reinforce_pushes_by_advantage()
    {
        const double spread = 0.25 + 1e-3;  // of 1 and 1.5
        const double expected = -(0.25 / spread * -0.2 - 0.25 / spread * -0.6) / 2;
        QVERIFY(std::abs(value(Loss::reinforce, {-0.2, -0.6}, {1, 1.5}) - expected) < 1e-12);
    }

    void imitation_is_likelihood()
    {
        QCOMPARE(value(Loss::imitation, {-0.2, -0.6}, {1, 1.5}), 0.2);
        for (const auto loss : {Loss::contrast, Loss::preference, Loss::reinforce})
            QCOMPARE(value(loss, {-0.7}, {1}), 0.7);
    }

    void loads_are_free_within_their_bounds()
    {
        const auto bounds = torch::tensor({-0.5, -0.2, 0.0, -0.1, -0.1, 0.0}, torch::kFloat64).view({1, 2, 3});
        const auto loss = [&](std::vector<double> loads) {
            return load_loss(torch::tensor(loads, torch::kFloat64).view({1, 3}), bounds).item<double>();
        };
        QCOMPARE(loss({-0.3, -0.1, 0.0}), 0.0);
        // 0.5 below, 0.3 above, 2 above: half the square within 1, then linear.
        QVERIFY(std::abs(loss({-1.0, 0.2, 2.0}) - (0.125 + 0.045 + 1.5) / 3) < 1e-12);
    }
};

QTEST_APPLESS_MAIN(TestTorchLosses)
#include "test_torch_losses.moc"
