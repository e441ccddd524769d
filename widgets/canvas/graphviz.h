// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/project/project.h"

#include <QByteArray>
#include <QObject>
#include <QProcess>
#include <QString>
#include <QTimer>

#include <map>
#include <string>

namespace nnpiper {

/// How Graphviz shall lay out a drawing: "dot" puts switches in layers with what they join below them, "neato" and, with
/// containers, "fdp" let links pull, for drawings without switches.
QString graphvizEngine(const Project& project);

/// The drawing in Graphviz' language (1 point = 1 scene unit): a box for each element that stands by itself, a cluster
/// for each open container, an edge for each pair that links join. Names are running numbers.
QByteArray graphvizText(const Project& project);

/// Places from what `-Tplain` answered to `graphvizText`, on the grid; what collapsed containers hold moves with them.
/// Empty where the answer is not whole.
std::map<std::string, Placement> placesFromGraphviz(const Project& project, const QByteArray& plain);

/// Lays out drawings with the `dot` program, which runs beside this one. Where it is not installed, fails, or takes
/// longer than ten seconds, rows serve (`arrange`).
class Arranger : public QObject {
    Q_OBJECT
public:
    explicit Arranger(QObject* parent = nullptr);
    ~Arranger() override;

    /// Ends a run that goes on. `program`: by default found in the path.
    void start(Project project, const QString& program = QStringLiteral("dot"));
    bool isRunning() const { return process_ != nullptr; }

signals:
    /// Places by element id for the drawing that was given.
    void arranged(const nnpiper::Project& project, const std::map<std::string, nnpiper::Placement>& places);

private:
    void stop();
    void finish(bool good);

    Project project_;
    QProcess* process_ = nullptr;
    QTimer limit_;
};

}  // namespace nnpiper
