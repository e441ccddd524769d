// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/error.h"
#include "core/base/random.h"
#include "core/schedule/launch_counts.h"
#include "core/schedule/order_text.h"
#include "core/schedule/schedule.h"
#include "core/simulator/simulate.h"
#include "core/simulator/textbook.h"

#include <QtTest>

#include <nlohmann/json.hpp>

#include <cmath>
#include <fstream>

using namespace nnpiper;
using nlohmann::json;

namespace {

const json& data()
{
    static const json document = json::parse(std::ifstream(TEST_DATA "/textbook.json"));
    return document;
}

TextbookPipeline textbook(ScheduleKind kind, int devices, int micro_batches, double f, double b, double w)
{
    TextbookPipeline t;
    t.kind = kind;
    t.devices = devices;
    t.micro_batches = micro_batches;
    t.forward_s = {f};
    t.backward_input_s = {b};
    t.backward_weight_s = {w};
    return t;
}

bool close(double a, double b, double tolerance = 1e-9)
{
    return std::abs(a - b) <= tolerance * std::max(1.0, std::abs(b));
}

std::vector<double> numbers(const json& list)
{
    return list.get<std::vector<double>>();
}

}  // namespace

class TestTextbook : public QObject {
    Q_OBJECT

private slots:
    void drawn_as_published_data()
    {
        QTest::addColumn<QString>("row");
        for (const json& row : data().at("drawn"))
            QTest::addRow("%s p=%d m=%d f=%s", row.at("schedule").get<std::string>().c_str(), row.at("devices").get<int>(),
                          row.at("micro_batches").get<int>(), row.dump().c_str())
                << QString::fromStdString(row.dump());
    }

    void drawn_as_published()
    {
        QFETCH(QString, row);
        const json r = json::parse(row.toStdString());
        TextbookPipeline t = textbook(schedule_from_name(r["schedule"].get<std::string>()), r["devices"], r["micro_batches"],
                                      r["forward_s"], r["backward_input_s"], r["backward_weight_s"]);
        if (r.contains("chunks"))
            t.chunks = r["chunks"].get<int>();
        if (r.contains("pair_s"))
            t.pair_s = r["pair_s"].get<double>();
        const Timeline drawn = draw(t);
        QVERIFY(close(drawn.makespan_s, r["makespan_s"]));
        if (r.contains("max_span_s"))
            QVERIFY(close(drawn.max_span_s, r["max_span_s"]));
        QVERIFY(close(drawn.bubble_rate, r["bubble_rate"], 1e-6));
        const auto peaks = numbers(r["peak_activations"]);
        for (std::size_t d = 0; d < peaks.size(); ++d)
            QCOMPARE(drawn.metrics[d].peak_in_flight, peaks[d]);
    }

    void orders_as_published()
    {
        for (const json& r : data().at("orders")) {
            ScheduleShape shape;
            shape.kind = schedule_from_name(r["schedule"].get<std::string>());
            shape.devices = r["devices"];
            shape.micro_batches = r["micro_batches"];
            shape.chunks = default_chunks(shape.kind);
            const OpOrder order = op_order(shape);
            for (std::size_t d = 0; d < order.size(); ++d)
                QCOMPARE(order_cells(order[d]), r["order"][d].get<std::vector<std::string>>());
        }
    }

    void unequal_stages_and_delays()
    {
        for (const json& r : data().at("unequal")) {
            TextbookPipeline t;
            t.forward_s = numbers(r["forward_s"]);
            t.backward_input_s = numbers(r["backward_s"]);
            t.backward_weight_s = {0};
            t.devices = static_cast<int>(t.forward_s.size());
            t.micro_batches = r["micro_batches"];
            t.delay_s = numbers(r["delay_s"]);
            const auto length = [&](ScheduleKind kind) {
                t.kind = kind;
                return draw(t).makespan_s;
            };
            QVERIFY(close(length(ScheduleKind::gpipe), r["gpipe_s"]));
            QVERIFY(close(length(ScheduleKind::one_f_one_b), r["one_f_one_b_s"]));
            QVERIFY(close(length(ScheduleKind::eager), r["eager_s"]));
            std::vector<StageRound> rounds;
            for (std::size_t s = 0; s < t.forward_s.size(); ++s)
                rounds.push_back({t.forward_s[s] + t.backward_input_s[s], s < t.delay_s.size() ? 2 * t.delay_s[s] : 0});
            t.launch_counts = least_launch_counts(rounds);
            QCOMPARE(t.launch_counts, r["launch_counts"].get<std::vector<int>>());
            QVERIFY(close(length(ScheduleKind::one_f_one_b), r["launched_s"]));
        }
        for (const json& r : data().at("delayed")) {
            TextbookPipeline t = textbook(ScheduleKind::one_f_one_b, 4, 64, 1, 2, 0);
            t.delay_s = {r["delay_s"].get<double>()};
            QVERIFY(close(draw(t).makespan_s, r["one_f_one_b_s"]));
            t.kind = ScheduleKind::eager;
            QVERIFY(close(draw(t).makespan_s, r["eager_s"]));
            t.kind = ScheduleKind::gpipe;
            QVERIFY(close(draw(t).makespan_s, r["gpipe_s"]));
            const std::vector<StageRound> rounds(4, {3, 2 * t.delay_s[0]});
            QVERIFY(close(launch_period_s(rounds, std::vector<int>{4, 3, 2, 1}), r["one_f_one_b_period_s"]));
            QVERIFY(close(launch_period_s(rounds, std::vector<int>{7, 5, 3, 1}), r["eager_period_s"], 1e-6));
        }
    }

    void rounds_without_flush()
    {
        for (const json& r : data().at("without_flush")) {
            TextbookPipeline t = textbook(ScheduleKind::pipedream_2bw, r["devices"], r["micro_batches"], 1, 2, 0);
            QVERIFY(close(draw(t).makespan_s, r["first_batch_s"]));
            QVERIFY(close(draw(t).period_s, r["period_s"]));
            t.rounds = 5;
            QVERIFY(close(draw(t).makespan_s, (5 * t.micro_batches + t.devices - 1) * 3.0));
        }
    }

    void inference()
    {
        for (const json& r : data().at("prefill")) {
            TextbookPipeline t;
            t.kind = ScheduleKind::prefill;
            t.forward_s = numbers(r["forward_s"]);
            t.devices = static_cast<int>(t.forward_s.size());
            t.micro_batches = r["micro_batches"];
            QVERIFY(close(draw(t).makespan_s, r["makespan_s"]));
        }
        for (const json& r : data().at("decode")) {
            TextbookPipeline t;
            t.kind = ScheduleKind::decode;
            t.forward_s = numbers(r["forward_s"]);
            t.devices = static_cast<int>(t.forward_s.size());
            t.micro_batches = r["groups"];
            t.delay_s.assign(t.forward_s.size() - 1, r["hop_s"].get<double>());
            t.delay_s.push_back(r["return_s"]);
            QVERIFY(close(draw(t).period_s, r["period_s"]));
        }
    }

    void closed_forms_at_many_sizes()
    {
        for (int p = 1; p <= 10; ++p) {
            for (int m = 1; m <= 24; ++m) {
                const double flush = (m + p - 1) * 3.0;
                QVERIFY(close(draw(textbook(ScheduleKind::gpipe, p, m, 1, 2, 0)).makespan_s, flush));
                QVERIFY(close(draw(textbook(ScheduleKind::one_f_one_b, p, m, 1, 2, 0)).makespan_s, flush));
                QVERIFY(close(draw(textbook(ScheduleKind::eager, p, m, 1, 2, 0)).makespan_s, flush));
                for (int v = 2; v <= 4 && m % p == 0; ++v) {
                    TextbookPipeline t = textbook(ScheduleKind::interleaved, p, m, 1, 2, 0);
                    t.chunks = v;
                    const Timeline drawn = draw(t);
                    QVERIFY(close(drawn.makespan_s, m * 3.0 + (p - 1) * 3.0 / v));
                    for (int s = 0; s < p; ++s)
                        QVERIFY(close(drawn.metrics[static_cast<std::size_t>(s)].peak_in_flight,
                                      std::min(m * v, 2 * (p - 1 - s) + (v - 1) * p + 1) / double(v)));
                }
                if (m >= p) {
                    const Timeline h1 = draw(textbook(ScheduleKind::zb_h1, p, m, 1, 1.2, 0.8));
                    QVERIFY(close(h1.makespan_s, m * 3 + (p - 1) * (1 + 1.2 - 0.8)));
                    QVERIFY(h1.metrics.front().peak_in_flight <= p);
                }
                if (m >= 2 * p - 1) {
                    const Timeline h2 = draw(textbook(ScheduleKind::zb_h2, p, m, 1, 1.2, 0.8));
                    QVERIFY(close(h2.max_span_s, m * 3 + std::max(0.0, (p - 1) * (2.2 - 1.6))));
                    QVERIFY(h2.metrics.front().peak_in_flight <= 2 * p - 1);
                    const Timeline v = draw(textbook(ScheduleKind::zb_v, p, m, 1, 1, 1));
                    QVERIFY(close(v.max_span_s, m * 3));
                    for (const DeviceMetrics& metrics : v.metrics)
                        QVERIFY(metrics.peak_in_flight <= p);
                }
                if (p % 2 == 0 && m % 2 == 0) {
                    const Timeline even = draw(textbook(ScheduleKind::chimera, p, p, 1, 1, 0));
                    QVERIFY(close(even.bubble_rate, (p - 2.0) / (2 * p + p - 2)));
                    const Timeline twice = draw(textbook(ScheduleKind::chimera, p, p, 1, 2, 0));
                    QVERIFY(close(twice.bubble_rate, (p - 2.0) / (1.5 * p + p - 2)));
                    if (m >= 2 * p) {
                        const Timeline dual = draw(textbook(ScheduleKind::dualpipe, p, m, 1, 1, 1));
                        QVERIFY(close(dual.makespan_s - m * 3.0, (p / 2 - 1) * (3 + 2 - 3.0)));
                        QCOMPARE(dual.metrics.front().peak_in_flight, p + 1.0);
                    }
                }
            }
        }
    }

    /// Over random unequal stages and delays, the closed form of the steady period holds.
    void launch_period_holds()
    {
        Random random(5);
        int near = 0;
        constexpr int rounds = 300;
        for (int i = 0; i < rounds; ++i) {
            const int p = 2 + random.below(6);
            TextbookPipeline t;
            t.devices = p;
            t.forward_s.clear();
            t.backward_input_s.clear();
            t.backward_weight_s = {0};
            t.delay_s.clear();
            std::vector<StageRound> stages;
            for (int s = 0; s < p; ++s) {
                t.forward_s.push_back(random.log_uniform(0.3, 3));
                t.backward_input_s.push_back(2 * t.forward_s.back());
                if (s + 1 < p)
                    t.delay_s.push_back(random.log_uniform(0.05, 3));
                stages.push_back({3 * t.forward_s.back(), s + 1 < p ? 2 * t.delay_s.back() : 0});
            }
            t.kind = random.below(2) == 0 ? ScheduleKind::one_f_one_b : ScheduleKind::eager;
            std::vector<int> counts;
            for (int s = 0; s < p; ++s)
                counts.push_back(t.kind == ScheduleKind::eager ? 2 * (p - s) - 1 : p - s);
            t.micro_batches = 300;
            const double longer = draw(t).makespan_s;
            t.micro_batches = 200;
            const double period = (longer - draw(t).makespan_s) / 100;
            near += std::abs(period / launch_period_s(stages, counts) - 1) < 0.01;
        }
        QCOMPARE(near, rounds);
    }

    void the_automatic_order_is_never_worse()
    {
        Random random(23);
        for (int i = 0; i < 40; ++i) {
            const int p = 1 + random.below(7);
            const int m = 1 + random.below(16);
            TextbookPipeline t = textbook(ScheduleKind::zb_auto, p, m, random.log_uniform(0.5, 2), random.log_uniform(0.5, 2),
                                          random.log_uniform(0.3, 2));
            t.delay_s = {random.below(2) == 0 ? 0 : random.log_uniform(0.01, 1)};
            for (const int held : {p, 2 * p - 1, 3 * p}) {
                t.kind = ScheduleKind::zb_auto;
                t.held = held;
                const Timeline found = draw(t);
                for (const DeviceMetrics& metrics : found.metrics)
                    QVERIFY(metrics.peak_in_flight <= held);
                for (const ScheduleKind kind : {ScheduleKind::one_f_one_b, ScheduleKind::zb_h1, ScheduleKind::zb_h2}) {
                    t.kind = kind;
                    if (kind == ScheduleKind::zb_h2 && held < std::min(m, 2 * p - 1))
                        continue;
                    QVERIFY(found.makespan_s <= draw(t).makespan_s * (1 + 1e-9));
                }
            }
        }
    }

    void impossible_shapes_are_told_data()
    {
        QTest::addColumn<int>("kind");
        QTest::addColumn<int>("p");
        QTest::addColumn<int>("m");
        QTest::addColumn<QString>("sentence");
        const auto row = [](const char* name, ScheduleKind kind, int p, int m, const char* sentence) {
            QTest::newRow(name) << static_cast<int>(kind) << p << m << sentence;
        };
        row("interleaved", ScheduleKind::interleaved, 4, 6, "a multiple of the devices");
        row("chimera odd", ScheduleKind::chimera, 3, 4, "an even number, since the two directions share the devices");
        row("chimera half", ScheduleKind::chimera, 4, 5, "an even number, half in each direction");
        row("dualpipe", ScheduleKind::dualpipe, 4, 6, "at least 8, two a device");
        row("dualpipe-v", ScheduleKind::dualpipe_v, 4, 6, "at least 8, two a device");
        row("2bw", ScheduleKind::pipedream_2bw, 4, 3, "at least one a stage");
    }
    void impossible_shapes_are_told()
    {
        QFETCH(int, kind);
        QFETCH(int, p);
        QFETCH(int, m);
        QFETCH(QString, sentence);
        try {
            draw(textbook(static_cast<ScheduleKind>(kind), p, m, 1, 1, 1));
            QFAIL("no error");
        } catch (const Error& error) {
            QVERIFY2(QString::fromUtf8(error.what()).contains(sentence), error.what());
        }
    }

    void blocking_transfers_cost_their_sender()
    {
        // Beside the computation: messages of 2 at 1-3 and 3-5, stage 1 runs 3-4, 5-6, 6-7, 7-8, messages 7-9 and 9-11.
        TextbookPipeline t = textbook(ScheduleKind::gpipe, 2, 2, 1, 1, 0);
        t.occupancy_s = {2};
        QCOMPARE(draw(t).makespan_s, 12.0);
        t.blocking = true;
        // F0 at 0-1, sent at 3; F1 3-4, sent 6; stage 1 runs 3-4, 6-7, B1 7-8, sends until 10, B0 10-11, sends until 13.
        QCOMPARE(draw(t).makespan_s, 14.0);
    }
};

QTEST_APPLESS_MAIN(TestTextbook)
#include "test_textbook.moc"
