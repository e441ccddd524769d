// SPDX-License-Identifier: GPL-3.0-or-later
// From an edit to the painted timeline, while live, at 16 devices x 64 layers; beside it the planning alone in the same
// run, without window. Run with QT_QPA_PLATFORM=offscreen.
#include "core/cluster/catalog.h"
#include "core/planners/nn_piper.h"
#include "core/problem/compile.h"
#include "widgets/document/edits.h"
#include "widgets/i18n/language.h"
#include "widgets/mainwindow/main_window.h"
#include "widgets/results/timeline_plot.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QStandardPaths>

#include <algorithm>
#include <array>
#include <cstdio>
#include <string>
#include <vector>

using namespace nnpiper;

namespace {

constexpr int edits_timed = 200;

Project project()
{
    Project project;
    project.name = "16 devices, 64 layers";
    for (const ModelEntry& entry : model_catalog())
        if (entry.name == "LLaMA 7B")
            project.model.architecture = entry.architecture;
    project.model.architecture.blocks = 62;  // with embedding and head 64 layers
    project.model.sequence_length = 1024;
    project.job.global_batch = 64;
    project.job.micro_batch = 1;
    project.job.recompute = Recompute::full;
    project.cluster.switches.push_back({"switch", "Switch", 1e-6});
    const std::array types{"A100 SXM4 80GB", "RTX A6000", "V100 SXM2 32GB", "RTX 3090"};
    for (std::size_t n = 0; n < types.size(); ++n) {
        Node node;
        node.id = "node-" + std::to_string(n);
        project.cluster.nodes.push_back(node);
        for (int i = 0; i < 4; ++i) {
            Device device;
            device.id = node.id + "/gpu" + std::to_string(i);
            device.node = node.id;
            const DeviceEntry* entry = find_device_entry(types[n]);
            device.spec = entry ? entry->spec : device_catalog().front().spec;
            project.cluster.devices.push_back(device);
        }
        Link link;
        link.id = node.id + "--switch";
        link.from = node.id;
        link.to = "switch";
        link.bandwidth_bytes_per_s = 1.25e9 * static_cast<double>(n + 1);
        project.cluster.links.push_back(link);
    }
    return project;
}

/// Counts the paintings of a widget.
class Paintings : public QObject {
public:
    int count = 0;

protected:
    bool eventFilter(QObject*, QEvent* event) override
    {
        count += event->type() == QEvent::Paint;
        return false;
    }
};

double share(std::vector<double> values, double share)
{
    const auto at = static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1) + 0.5);
    std::nth_element(values.begin(), values.begin() + at, values.end());
    return values[static_cast<std::size_t>(at)];
}

void print(const char* what, const std::vector<double>& milliseconds)
{
    std::printf("%-44s median %6.1f ms   p95 %6.1f ms\n", what, share(milliseconds, 0.5), share(milliseconds, 0.95));
}

double factor_of(int edit)
{
    return 1 + 0.02 * (edit % 25);
}

}  // namespace

int main(int argc, char** argv)
{
    QApplication application(argc, argv);
    QStandardPaths::setTestModeEnabled(true);
    QApplication::setOrganizationName(QStringLiteral("nnpiper-bench"));
    LanguageSwitcher language;
    MainWindow window(language);
    ProjectDocument& document = window.document();
    document.replace(project());
    window.showWorkbench();
    window.resize(1680, 1050);
    window.show();
    prepare_nn_piper({});
    window.solver().setLive(true);
    Paintings paintings;
    window.findChild<TimelinePlot*>()->installEventFilter(&paintings);
    QElapsedTimer turn;
    double longest_turn = 0;
    std::vector<double> turns;
    const auto process = [&] {
        turn.start();
        QCoreApplication::processEvents(QEventLoop::AllEvents);
        turns.push_back(static_cast<double>(turn.nsecsElapsed()) / 1e6);
        longest_turn = std::max(longest_turn, turns.back());
    };
    while (!window.board().shown() || window.board().isOutdated())
        process();
    const std::string planner = window.board().shown()->plan.planner;
    std::printf("%d devices x %d layers, planned by %s\n", window.board().shown()->problem->devices(),
                window.board().shown()->problem->layers(), planner.c_str());

    const auto edit = [&](int i) {
        edits::change<Device>(document, {QStringLiteral("node-1/gpu0")}, QStringLiteral("Speed"),
                              [i](Device& device) { device.speed_factor = factor_of(i); });
    };
    std::vector<double> latency;
    longest_turn = 0;
    for (int i = 1; i <= edits_timed; ++i) {
        QElapsedTimer timer;
        timer.start();
        edit(i);
        while (window.board().isOutdated())
            process();
        const int before = paintings.count;
        while (paintings.count == before)
            process();
        latency.push_back(static_cast<double>(timer.nsecsElapsed()) / 1e6);
    }
    print("one edit to the painted timeline", latency);
    std::printf("%-44s        %6.1f ms\n", "longest turn of the event loop", longest_turn);

    // A drag: an edit every 8 ms, as a mouse reports them.
    paintings.count = 0;
    longest_turn = 0;
    QElapsedTimer drag;
    drag.start();
    for (int i = 1; i <= edits_timed; ++i) {
        edit(i);
        while (drag.elapsed() < 8 * i)
            process();
    }
    std::printf("%-44s        %6.1f a second\n", "timelines painted while dragging",
                1e3 * paintings.count / static_cast<double>(drag.elapsed()));
    std::printf("%-44s        %6.1f ms\n", "longest turn of the event loop", longest_turn);
    window.solver().setLive(false);
    window.solver().cancel();

    Project plain = document.project();
    std::vector<double> planning;
    for (int i = 1; i <= edits_timed; ++i) {
        QElapsedTimer timer;
        timer.start();
        plain.cluster.devices[4].speed_factor = factor_of(i);
        PlanRequest request;
        request.budget_ms = 10;
        const auto problem = std::make_shared<const Problem>(compile(plain));
        solved(problem, run_planner(find_planner(planner), *problem, request, {}));
        planning.push_back(static_cast<double>(timer.nsecsElapsed()) / 1e6);
    }
    print("reference: compiled, planned, simulated", planning);
    std::printf("ratio of the medians %.2f\n", share(latency, 0.5) / share(planning, 0.5));
    return 0;
}
