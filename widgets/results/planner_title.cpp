// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/results/planner_title.h"

#include "core/planners/planner.h"

#include <QCoreApplication>

namespace nnpiper {
namespace {

// Titles of the registry that are words, not names of papers.
[[maybe_unused]] const char* const translatedTitles[] = {
    QT_TRANSLATE_NOOP("nnpiper::Planner", "NN-Piper, raw answer"),
    QT_TRANSLATE_NOOP("nnpiper::Planner", "Same procedure, no network"),
    QT_TRANSLATE_NOOP("nnpiper::Planner", "Local search"),
    QT_TRANSLATE_NOOP("nnpiper::Planner", "Simulated annealing"),
    QT_TRANSLATE_NOOP("nnpiper::Planner", "Exact"),
    QT_TRANSLATE_NOOP("nnpiper::Planner", "Subset DP"),
    QT_TRANSLATE_NOOP("nnpiper::Planner", "Proportional to memory"),
    QT_TRANSLATE_NOOP("nnpiper::Planner", "Greedy by speed"),
    QT_TRANSLATE_NOOP("nnpiper::Planner", "Uniform (GPipe)"),
    QT_TRANSLATE_NOOP("nnpiper::Planner", "Fewer devices"),
    QT_TRANSLATE_NOOP("nnpiper::Planner", "Data parallel"),
};

}  // namespace

QString plannerTitle(const std::string& planner)
{
    for (const PlannerEntry& entry : planner_registry())
        if (entry.name == planner)
            return QCoreApplication::translate("nnpiper::Planner", entry.title.c_str());
    return QString::fromStdString(planner);
}

}  // namespace nnpiper
