// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/planners/literature/pipedream_recurrence.h"
#include "../piper_chain.h"

#include <nlohmann/json.hpp>

#include <QtTest>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <numeric>
#include <set>

using namespace nnpiper;
using nlohmann::json;

namespace {

json fixture(const QString& name)
{
    std::ifstream in(std::string(TEST_DATA) + "/peers/" + name.toStdString() + ".json");
    return json::parse(in);
}

std::vector<double> column(const json& file, std::size_t index)
{
    std::vector<double> values;
    for (const json& row : file.at("layers"))
        values.push_back(row.at(index).get<double>());
    return values;
}

class Stopwatch {
public:
    double ms() const
    {
        return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start_).count();
    }

private:
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace

/// The recurrences on inputs whose answers by their authors' own programs are known. Times are printed, never judged.
class TestPeersDp : public QObject {
    Q_OBJECT

private slots:
    void pipedream_data()
    {
        QTest::addColumn<QString>("name");
        for (const char* name : {"pipedream-vgg16", "pipedream-resnet50", "pipedream-gnmt"})
            QTest::newRow(name) << QString(name);
    }

    void pipedream()
    {
        QFETCH(QString, name);
        const json file = fixture(name);
        PipeDreamChain chain{column(file, 0), column(file, 1), column(file, 2)};
        if (!file.at("communication").get<bool>())
            std::fill(chain.output_bytes.begin(), chain.output_bytes.end(), 0);
        std::vector<PipeDreamLevel> levels;
        int machines = 1;
        for (const json& level : file.at("levels")) {
            levels.push_back({level.at("machines").get<int>(), level.at("bytes_per_s").get<double>()});
            machines *= levels.back().machines;
        }
        PipeDreamLimits limits;
        if (file.at("straight").get<bool>()) {
            limits.most_replicas = 1;
        }
        const Stopwatch watch;
        const PipeDreamAnswer answer = solve_pipedream(chain, levels, limits, {});
        const double ms = watch.ms();
        const double speedup = std::accumulate(chain.time_s.begin(), chain.time_s.end(), 0.0) / answer.bottleneck_s;
        qInfo("%s: speedup %.4f (theirs %.2f), %d stages, %.1f ms (theirs %.0f ms)", qPrintable(name), speedup,
              file.at("expected_speedup").get<double>(), static_cast<int>(answer.stages.size()), ms,
              1000 * file.at("peer_wall_s").get<double>());
        QVERIFY(speedup >= file.at("expected_speedup").get<double>() - 0.005);
        // The stages that it names take what it says.
        std::set<int> used;
        int end = 0;
        for (const PipeDreamStage& stage : answer.stages) {
            QCOMPARE(stage.first, end);
            end = stage.end;
            for (const int device : stage.devices)
                QVERIFY(device < machines && used.insert(device).second);
            const double work =
                std::accumulate(chain.time_s.begin() + stage.first, chain.time_s.begin() + stage.end, 0.0);
            QVERIFY(work / static_cast<double>(stage.devices.size()) <= answer.bottleneck_s * (1 + 1e-9));
        }
        QCOMPARE(end, static_cast<int>(chain.time_s.size()));
    }

    void piper_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<int>("index");
        for (const char* name :
             {"piper-bert32a100", "piper-resnet", "partitioning-bert24-training", "partitioning-bert24-inference"}) {
            const json cases = fixture(name).at("cases");
            for (int i = 0; i < static_cast<int>(cases.size()); ++i)
                QTest::addRow("%s on %d", name, cases[static_cast<std::size_t>(i)].at("devices").get<int>())
                    << QString(name) << i;
        }
    }

    void piper()
    {
        QFETCH(QString, name);
        QFETCH(int, index);
        const json file = fixture(name);
        const json& asked = file.at("cases").at(static_cast<std::size_t>(index));
        const double expected = asked.at("expected_s");
        const Stopwatch watch;
        const PiperChain chain(file, asked.at("devices"), asked.at("memory_bytes"), asked.value("straight", false));
        const PiperAnswer answer = solve_piper(chain, {}, 1e-9, {});
        qInfo("%s: %.6f s a sample (theirs %.6f), %d stages, %.0f ms (theirs %.0f ms)", QTest::currentDataTag(),
              answer.bottleneck_s, expected, static_cast<int>(answer.stages.size()), watch.ms(),
              1000 * asked.at("peer_wall_s").get<double>());
        QVERIFY(!answer.stages.empty());
        // Half a digit of what they print.
        QVERIFY(answer.bottleneck_s <= expected + 0.5 * std::pow(10.0, std::floor(std::log10(expected)) - 3));
    }
};

QTEST_APPLESS_MAIN(TestPeersDp)
#include "test_peers_dp.moc"
