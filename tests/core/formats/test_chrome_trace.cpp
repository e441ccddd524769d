// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/formats/chrome_trace.h"
#include "core/formats/files.h"
#include "core/schedule/schedule.h"
#include "core/simulator/simulate.h"

#include <nlohmann/json.hpp>

#include <QTest>

#include <cmath>
#include <map>
#include <set>

using namespace nnpiper;
using nlohmann::json;

namespace {

Timeline timeline_of(const char* file, ScheduleKind kind)
{
    const std::string path = std::string(TEST_DATA "/problems/") + file;
    const Problem problem = read_problem(read_text(path), path);
    Plan plan = *problem.best_known;
    plan.schedule = kind;
    return simulate(problem, plan);
}

struct Slice {
    double start;
    double end;
    json event;
};
using Tracks = std::map<std::pair<int, int>, std::vector<Slice>>;

Tracks tracks_of(const json& document)
{
    Tracks tracks;
    for (const json& event : document.at("traceEvents"))
        if (event.at("ph") == "X")
            tracks[{event.at("pid"), event.at("tid")}].push_back(
                {event.at("ts"), event.at("ts").get<double>() + event.at("dur").get<double>(), event});
    for (auto& [id, slices] : tracks)
        std::stable_sort(slices.begin(), slices.end(),
                         [](const Slice& a, const Slice& b) { return a.start < b.start; });
    return tracks;
}

bool holds(const std::vector<Slice>& slices, double time)
{
    return std::any_of(slices.begin(), slices.end(), [&](const Slice& s) { return s.start <= time && time <= s.end; });
}

}  // namespace

class TestChromeTrace : public QObject {
    Q_OBJECT

private slots:
    void invariants_data()
    {
        QTest::addColumn<QString>("file");
        QTest::addColumn<bool>("gpipe");
        for (const char* file : {"L016-D04-S04-0.problem.json", "L048-D16-S12-0.problem.json"})
            for (const bool gpipe : {false, true})
                QTest::addRow("%s %s", file, gpipe ? "gpipe" : "1f1b") << QString(file) << gpipe;
    }
    void invariants()
    {
        QFETCH(QString, file);
        QFETCH(bool, gpipe);
        const Timeline timeline =
            timeline_of(file.toUtf8().constData(), gpipe ? ScheduleKind::gpipe : ScheduleKind::one_f_one_b);
        const json document = json::parse(chrome_trace(timeline, "a \"title\""));
        QCOMPARE(document.at("otherData").at("title").get<std::string>(), std::string("a \"title\""));
        const Tracks tracks = tracks_of(document);

        // A compute track a stage, a track a boundary and direction; nothing overlaps on a track.
        QCOMPARE(static_cast<int>(tracks.size()), timeline.rows() + 2 * (timeline.rows() - 1));
        std::size_t slices = 0;
        double first = 1e300, last = 0;
        for (const auto& [id, track] : tracks) {
            slices += track.size();
            double busy = 0;
            for (std::size_t i = 0; i < track.size(); ++i) {
                QVERIFY(track[i].end >= track[i].start);
                if (i > 0)
                    QVERIFY(track[i].start >= track[i - 1].end - 1e-6 * track[i].start * 1e-6 - 1e-9 * track[i].start);
                busy += track[i].end - track[i].start;
            }
            if (id.second == 0) {
                const DeviceMetrics& metrics = timeline.metrics[static_cast<std::size_t>(id.first)];
                QVERIFY(std::abs(busy - metrics.busy_s * 1e6) < 1e-3 * static_cast<double>(track.size() + 1));
                first = std::min(first, track.front().start);
                last = std::max(last, track.back().end);
            }
        }
        QCOMPARE(slices, timeline.ops.size() + timeline.transfers.size());
        QVERIFY(std::abs(last - first - timeline.makespan_s * 1e6) < 2e-3);

        // Every flow starts on a compute track, steps on a link's, ends on a compute track, in time order and in
        // slices.
        std::map<int, std::map<std::string, json>> flows;
        for (const json& event : document.at("traceEvents")) {
            const std::string phase = event.at("ph");
            if (phase != "s" && phase != "t" && phase != "f")
                continue;
            QVERIFY(event.at("id").is_number_integer());
            QVERIFY(flows[event.at("id")].emplace(phase, event).second);
            QVERIFY(holds(tracks.at({event.at("pid"), event.at("tid")}), event.at("ts")));
        }
        QCOMPARE(flows.size(), timeline.transfers.size());
        for (const auto& [id, phases] : flows) {
            QCOMPARE(phases.size(), std::size_t(3));
            QCOMPARE(phases.at("s").at("tid").get<int>(), 0);
            QVERIFY(phases.at("t").at("tid").get<int>() != 0);
            QCOMPARE(phases.at("f").at("tid").get<int>(), 0);
            QVERIFY(phases.at("s").at("ts").get<double>() <= phases.at("t").at("ts").get<double>());
            QVERIFY(phases.at("t").at("ts").get<double>() <= phases.at("f").at("ts").get<double>());
            QCOMPARE(phases.at("s").at("pid").get<int>(), phases.at("t").at("pid").get<int>());
            QCOMPARE(std::abs(phases.at("s").at("pid").get<int>() - phases.at("f").at("pid").get<int>()), 1);
        }
    }

    void namesAndOrder()
    {
        const Timeline timeline = timeline_of("L016-D04-S04-0.problem.json", ScheduleKind::one_f_one_b);
        const json document = json::parse(chrome_trace(timeline, "t"));
        std::map<std::pair<int, int>, std::string> threads;
        std::map<int, std::string> processes;
        std::set<std::tuple<std::string, int, int>> indices;
        for (const json& event : document.at("traceEvents")) {
            if (event.at("ph") != "M")
                continue;
            const std::string what = event.at("name");
            if (what == "process_name")
                processes[event.at("pid")] = event.at("args").at("name");
            if (what == "thread_name")
                threads[{event.at("pid"), event.at("tid")}] = event.at("args").at("name");
            if (what.ends_with("sort_index")) {
                QVERIFY(event.at("args").at("sort_index").is_number_integer());
                indices.emplace(what, event.at("pid"), event.at("tid"));
            }
        }
        QCOMPARE(processes.size(), std::size_t(4));
        QCOMPARE(processes.at(0), "Stage 0: " + timeline.devices.at(0).at(0));
        QCOMPARE(threads.at({1, 0}), std::string("compute"));
        QCOMPARE(threads.at({1, 1}), std::string("activations to stage 2"));
        QCOMPARE(threads.at({1, 2}), std::string("gradients to stage 0"));
        QCOMPARE(indices.size(), processes.size() + threads.size());
    }

    void counterMatchesPeak()
    {
        const Timeline timeline = timeline_of("L032-D08-S06-0.problem.json", ScheduleKind::one_f_one_b);
        std::map<int, int> peaks, last;
        const json document = json::parse(chrome_trace(timeline, "t"));
        for (const json& event : document.at("traceEvents"))
            if (event.at("ph") == "C") {
                const int held = event.at("args").at("held");
                peaks[event.at("pid")] = std::max(peaks[event.at("pid")], held);
                last[event.at("pid")] = held;
            }
        for (int s = 0; s < timeline.rows(); ++s) {
            QCOMPARE(peaks[s], timeline.metrics[static_cast<std::size_t>(s)].peak_in_flight);
            QCOMPARE(last[s], 0);
        }
    }

    void textbookPipeline()
    {
        // No devices, no occupancy: pure latency.
        Pipeline p;
        p.map = straight_map(2);
        p.micro_batches = 2;
        p.forward_s = {1, 1};
        p.backward_input_s = {1, 1};
        p.backward_weight_s = {1, 1};
        p.forward_occupancy_s = p.backward_occupancy_s = {0};
        p.forward_latency_s = p.backward_latency_s = {0.5};
        p.all_reduce_s = p.optimizer_s = {0, 0};
        const json document = json::parse(chrome_trace(run(p, op_order(ScheduleKind::gpipe, 2, 2)), "t"));
        const Tracks tracks = tracks_of(document);
        const std::vector<Slice>& second = tracks.at({1, 0});
        QCOMPARE(second.front().start, 1.5e6);
        QCOMPARE(second.front().end, 2.5e6);
        QCOMPARE(tracks.at({0, 1}).front().end, tracks.at({0, 1}).front().start);
    }
};

QTEST_APPLESS_MAIN(TestChromeTrace)
#include "test_chrome_trace.moc"
