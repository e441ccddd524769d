// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/study/limits.h"
#include "widgets/results/solved_plan.h"

#include <QWidget>

#include <memory>
#include <optional>

class QLabel;
class QStackedLayout;
class QTableWidget;

namespace nnpiper {

class EmptyState;

/// What holds the shown plan down: the critical path's share of computing and messages, every device's idle time by
/// cause, every link with what it carries, and what the prediction rests on.
class LimitsView : public QWidget {
    Q_OBJECT

public:
    explicit LimitsView(QWidget* parent = nullptr);

    /// Null shows the empty state.
    void setPlan(std::shared_ptr<const SolvedPlan> plan);

    const QLabel* headline() const { return headline_; }
    const QLabel* basis() const { return basis_; }
    const QTableWidget* devices() const { return devices_; }
    const QTableWidget* links() const { return links_; }

protected:
    void changeEvent(QEvent* event) override;

private:
    void fill();
    void fillDevices();
    void fillLinks();
    void retranslateUi();

    std::shared_ptr<const SolvedPlan> plan_;
    std::optional<PlanLimits> limits_;
    QStackedLayout* pages_;
    EmptyState* empty_;
    QWidget* page_;
    QLabel* headline_;
    QLabel* basis_;
    QTableWidget* devices_;
    QTableWidget* links_;
};

}  // namespace nnpiper
