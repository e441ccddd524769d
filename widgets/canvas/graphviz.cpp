// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/canvas/graphviz.h"

#include "widgets/canvas/arrange.h"
#include "widgets/canvas/geometry.h"
#include "widgets/document/containers.h"
#include "widgets/document/element.h"

#include <QProcessEnvironment>

#include <algorithm>
#include <cmath>
#include <limits>
#include <queue>
#include <set>

namespace nnpiper {

namespace {

constexpr double pointsPerInch = 72;
constexpr int patience_ms = 10'000;

/// The drawing as a graph of boxes.
struct Graph {
    std::vector<std::string> ids;               ///< of what stands by itself
    std::map<std::string, int> index;
    std::set<std::pair<int, int>> edges;        ///< lower index first
    std::vector<std::vector<int>> neighbours;
    std::vector<int> level;                     ///< links away from the nearest node or device: the higher, the nearer to the core
};

bool isBox(const Project& project, const std::string& id)
{
    return !find_switch(project.cluster, id);
}

Graph graphOf(const Project& project)
{
    const Cluster& cluster = project.cluster;
    Graph graph;
    const auto add = [&](const std::string& id) {
        if (shownAs(project, id) == id && graph.index.emplace(id, static_cast<int>(graph.ids.size())).second)
            graph.ids.push_back(id);
    };
    for (const Switch& item : cluster.switches)
        add(item.id);
    for (const Node& node : cluster.nodes)
        add(node.id);
    for (const Device& device : cluster.devices)
        if (device.node.empty())
            add(device.id);
    for (const Container& container : project.containers)
        if (isCollapsed(project, container.id))
            add(container.id);
    const auto box = [&](const std::string& end) {
        const Device* device = find_device(cluster, end);
        const auto found = graph.index.find(shownAs(project, device && !device->node.empty() ? device->node : end));
        return found == graph.index.end() ? -1 : found->second;
    };
    graph.neighbours.resize(graph.ids.size());
    for (const Link& link : cluster.links) {
        const auto [a, b] = std::minmax({box(link.from), box(link.to)});
        if (a < 0 || a == b || !graph.edges.emplace(a, b).second)
            continue;
        graph.neighbours[static_cast<std::size_t>(a)].push_back(b);
        graph.neighbours[static_cast<std::size_t>(b)].push_back(a);
    }
    graph.level.assign(graph.ids.size(), -1);
    std::queue<int> next;
    for (std::size_t i = 0; i < graph.ids.size(); ++i)
        if (isBox(project, graph.ids[i])) {
            graph.level[i] = 0;
            next.push(static_cast<int>(i));
        }
    for (; !next.empty(); next.pop())
        for (const int other : graph.neighbours[static_cast<std::size_t>(next.front())])
            if (graph.level[static_cast<std::size_t>(other)] < 0) {
                graph.level[static_cast<std::size_t>(other)] = graph.level[static_cast<std::size_t>(next.front())] + 1;
                next.push(other);
            }
    return graph;
}

QByteArray number(double value)
{
    return QByteArray::number(value, 'f', 3);
}

/// Where a box stands that only one switch joins: behind which other one (-1: next to the switch), and on which side.
struct Hang {
    int behind = -1;
    bool above = false;
};

/// Many boxes on one switch stand in columns of several, so that the drawing does not become one long row; a switch with
/// nothing above it has half of them there.
std::map<int, Hang> columnsOf(const Project& project, const Graph& graph)
{
    std::map<int, Hang> columns;
    for (std::size_t s = 0; s < graph.ids.size(); ++s) {
        if (isBox(project, graph.ids[s]))
            continue;
        const Container* around = containerOf(project, graph.ids[s]);
        std::vector<int> hanging;
        bool is_top = true;
        for (const int other : graph.neighbours[s]) {
            const auto at = static_cast<std::size_t>(other);
            if (graph.level[at] == 0 && graph.neighbours[at].size() == 1 && containerOf(project, graph.ids[at]) == around)
                hanging.push_back(other);
            else
                is_top = is_top && graph.level[at] <= graph.level[s];
        }
        const std::size_t count = hanging.size();
        const std::size_t half = is_top && count > 5 ? (count + 1) / 2 : count;
        const auto square = static_cast<std::size_t>(std::ceil(std::sqrt(1.1 * static_cast<double>(half))));
        const std::size_t row = std::max<std::size_t>(around ? 2 : 4, square);
        for (std::size_t i = 0; i < count; ++i) {
            const std::size_t place = i < half ? i : i - half;
            columns[hanging[i]] = {place < row ? -1 : hanging[i - row], i >= half};
        }
    }
    return columns;
}

void writeBox(QByteArray& text, const Project& project, const Graph& graph, const std::string& id)
{
    const auto at = graph.index.find(id);
    if (at == graph.index.end())
        return;
    const QSizeF size = geometry::elementRect(project, id).size();
    text += 'n' + QByteArray::number(at->second) + " [width=" + number(size.width() / pointsPerInch)
            + ",height=" + number(size.height() / pointsPerInch) + "];\n";
}

void writeContainer(QByteArray& text, const Project& project, const Graph& graph, const Container& container, int& serial)
{
    if (isCollapsed(project, container.id)) {
        writeBox(text, project, graph, container.id);
        return;
    }
    text += "subgraph cluster_" + QByteArray::number(serial++) + " {\nmargin=26;\nlabel=\" \";\nfontsize=16;\n";
    for (const std::string& member : container.members)
        if (const Container* inner = find_container(project.containers, member))
            writeContainer(text, project, graph, *inner, serial);
        else
            writeBox(text, project, graph, member);
    text += "}\n";
}

}  // namespace

QString graphvizEngine(const Project& project)
{
    if (!project.cluster.switches.empty())
        return QStringLiteral("dot");
    return project.containers.empty() ? QStringLiteral("neato") : QStringLiteral("fdp");
}

QByteArray graphvizText(const Project& project)
{
    const Graph graph = graphOf(project);
    const bool layers = graphvizEngine(project) == QLatin1String("dot");
    QByteArray text = "digraph {\nnode [shape=box,fixedsize=true,label=\"\"];\nedge [dir=none];\n";
    text += layers ? "rankdir=TB;\nnodesep=0.7;\nranksep=0.9;\n"
                   : "overlap=prism;\nsep=\"+40\";\nesep=\"+20\";\nsplines=line;\nstart=1;\nedge [len=5];\nK=4;\n";
    int serial = 0;
    for (const Container& container : project.containers)
        if (!containerOf(project, container.id))
            writeContainer(text, project, graph, container, serial);
    for (const std::string& id : graph.ids)
        if (!containerOf(project, id) && !find_container(project.containers, id))
            writeBox(text, project, graph, id);
    const std::map<int, Hang> columns = layers ? columnsOf(project, graph) : std::map<int, Hang>();
    for (auto [a, b] : graph.edges) {
        // Downwards from the core.
        if (graph.level[static_cast<std::size_t>(a)] < graph.level[static_cast<std::size_t>(b)])
            std::swap(a, b);
        const auto hang = columns.find(b);
        if (hang != columns.end()) {
            if (hang->second.behind >= 0)
                a = hang->second.behind;
            if (hang->second.above)
                std::swap(a, b);
        }
        text += 'n' + QByteArray::number(a) + " -> n" + QByteArray::number(b) + ";\n";
    }
    return text + "}\n";
}

std::map<std::string, Placement> placesFromGraphviz(const Project& project, const QByteArray& plain)
{
    const Graph graph = graphOf(project);
    std::map<std::string, QPointF> corners;
    bool whole = false;
    double height = 0;
    for (const QByteArray& line : plain.split('\n')) {
        const QList<QByteArray> words = line.simplified().split(' ');
        if (words.front() == "graph" && words.size() >= 4)
            height = words[3].toDouble() * pointsPerInch;
        whole = whole || words.front() == "stop";
        if (words.front() != "node" || words.size() < 6 || !words[1].startsWith('n'))
            continue;
        const auto at = static_cast<std::size_t>(words[1].mid(1).toInt());
        if (at >= graph.ids.size())
            return {};
        const QPointF middle(words[2].toDouble() * pointsPerInch, height - words[3].toDouble() * pointsPerInch);
        const QSizeF size = geometry::elementRect(project, graph.ids[at]).size();
        corners[graph.ids[at]] = geometry::snapped(middle - QPointF(size.width(), size.height()) / 2);
    }
    std::map<std::string, Placement> places;
    if (!whole || corners.size() != graph.ids.size())
        return places;
    const auto put = [&](const std::string& id, QPointF corner) {
        const auto now = project.layout.find(id);
        Placement placement = now == project.layout.end() ? Placement{} : now->second;
        placement.x = corner.x();
        placement.y = corner.y();
        places[id] = placement;
    };
    for (const auto& [id, corner] : corners) {
        const QPointF shift = corner - geometry::elementRect(project, id).topLeft();
        put(id, corner);
        for (const std::string& inner : contentsOf(project, id))
            if (const auto now = project.layout.find(inner); now != project.layout.end())
                put(inner, QPointF(now->second.x, now->second.y) + shift);
    }
    return places;
}

Arranger::Arranger(QObject* parent)
    : QObject(parent)
{
    limit_.setSingleShot(true);
    connect(&limit_, &QTimer::timeout, this, [this] { finish(false); });
}

Arranger::~Arranger()
{
    stop();
}

void Arranger::stop()
{
    limit_.stop();
    if (!process_)
        return;
    process_->disconnect(this);
    process_->kill();
    process_->waitForFinished(1000);
    process_->deleteLater();
    process_ = nullptr;
}

void Arranger::start(Project project, const QString& program)
{
    stop();
    project_ = std::move(project);
    process_ = new QProcess(this);
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QStringLiteral("LC_ALL"), QStringLiteral("C"));
    process_->setProcessEnvironment(environment);
    connect(process_, &QProcess::finished, this, [this](int code, QProcess::ExitStatus status) {
        finish(code == 0 && status == QProcess::NormalExit);
    });
    connect(process_, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error == QProcess::FailedToStart)
            finish(false);
    });
    limit_.start(patience_ms);
    process_->start(program, {QStringLiteral("-K") + graphvizEngine(project_), QStringLiteral("-Tplain")});
    if (!process_)
        return;
    process_->write(graphvizText(project_));
    process_->closeWriteChannel();
}

void Arranger::finish(bool good)
{
    std::map<std::string, Placement> places;
    if (good && process_)
        places = placesFromGraphviz(project_, process_->readAllStandardOutput());
    stop();
    if (places.empty()) {
        places = arrange(project_);
        for (auto& [id, placement] : places)
            placement.collapsed = isCollapsed(project_, id);
    }
    const Project project = std::move(project_);
    project_ = {};
    emit arranged(project, places);
}

}  // namespace nnpiper
