// SPDX-License-Identifier: GPL-3.0-or-later
// Frame times of a drag on a canvas with 1,000 devices and 4,000 links, everything in sight: a move of the pointer, the
// edit that follows from it and the painting. Run with QT_QPA_PLATFORM=offscreen.
#include "core/cluster/catalog.h"
#include "widgets/canvas/canvas_view.h"
#include "widgets/canvas/geometry.h"
#include "widgets/document/project_document.h"
#include "widgets/solver/plan_board.h"
#include "widgets/theme/theme.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QMouseEvent>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

using namespace nnpiper;

namespace {

constexpr int nodes = 125;
constexpr int cards = 8;
constexpr int switches = 32;
constexpr int frames = 60;

Project project()
{
    Project project;
    for (int s = 0; s < switches; ++s) {
        project.cluster.switches.push_back({"switch-" + std::to_string(s), "", 1e-6});
        project.layout[project.cluster.switches.back().id] = {s * 200.0, 0, 0, 0};
    }
    for (int n = 0; n < nodes; ++n) {
        Node node;
        node.id = "node-" + std::to_string(n);
        project.layout[node.id] = {n % 12 * 540.0, 300 + n / 12 * 280.0, 0, 0};
        for (int i = 0; i < cards; ++i) {
            Device device;
            device.id = node.id + "/gpu" + std::to_string(i);
            device.node = node.id;
            device.spec = device_catalog().front().spec;
            project.cluster.devices.push_back(device);
        }
        for (const Switch& item : project.cluster.switches) {
            Link link;
            link.id = node.id + "--" + item.id;
            link.from = node.id;
            link.to = item.id;
            link.bandwidth_bytes_per_s = 1.25e9;
            project.cluster.links.push_back(link);
        }
        project.cluster.nodes.push_back(node);
    }
    return project;
}

void send(CanvasView& view, QEvent::Type type, QPointF at, Qt::MouseButton button, Qt::MouseButtons held)
{
    QMouseEvent event(type, at, view.viewport()->mapToGlobal(at), button, held, Qt::NoModifier);
    QApplication::sendEvent(view.viewport(), &event);
}

void drag(CanvasView& view, const Project& project, const char* id, QPointF grip, const char* title)
{
    const QPointF start = view.mapFromScene(geometry::elementRect(project, id).topLeft() + grip);
    send(view, QEvent::MouseButtonPress, start, Qt::LeftButton, Qt::LeftButton);
    std::vector<double> edit_ms;
    std::vector<double> frame_ms;
    for (int f = 1; f <= frames; ++f) {
        QElapsedTimer timer;
        timer.start();
        send(view, QEvent::MouseMove, start + QPointF(4.0 * f, 3.0 * f), Qt::NoButton, Qt::LeftButton);
        edit_ms.push_back(static_cast<double>(timer.nsecsElapsed()) * 1e-6);
        view.viewport()->repaint();
        frame_ms.push_back(static_cast<double>(timer.nsecsElapsed()) * 1e-6);
    }
    send(view, QEvent::MouseButtonRelease, start + QPointF(4.0 * frames, 3.0 * frames), Qt::LeftButton, Qt::NoButton);
    std::sort(edit_ms.begin(), edit_ms.end());
    std::sort(frame_ms.begin(), frame_ms.end());
    std::printf("%s: frame median %.1f ms, 95 %% %.1f ms (%.0f frames/s), of it the edit %.1f ms\n", title,
                frame_ms[frames / 2], frame_ms[frames * 95 / 100], 1000 / frame_ms[frames / 2], edit_ms[frames / 2]);
}

}  // namespace

int main(int argc, char** argv)
{
    QApplication application(argc, argv);
    applyTheme(application, ThemeMode::light);
    ProjectDocument document;
    PlanBoard board(document);
    CanvasView view(document, board);
    view.resize(1200, 700);
    view.show();
    document.replace(project());
    QApplication::processEvents();
    const Project& drawn = document.project();
    std::printf("%zu devices, %zu links, zoom %.2f\n", drawn.cluster.devices.size(), drawn.cluster.links.size(),
                view.zoom());
    drag(view, drawn, "node-40", {30, 20}, "a node, everything in sight");
    drag(view, drawn, "switch-16", {40, 24}, "a switch, everything in sight");
    view.setMode(CanvasView::Mode::connect);
    drag(view, drawn, "switch-16", {40, 24}, "a new link, everything in sight");
    return 0;
}
