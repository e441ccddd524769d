// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/results/solved_plan.h"

#include <QWidget>

#include <memory>

class QScrollArea;
class QStackedLayout;

namespace nnpiper {

class EmptyState;
class Legend;
class MemoryBars;

/// What fills every used device at its peak, against its capacity.
class MemoryView : public QWidget {
    Q_OBJECT

public:
    explicit MemoryView(QWidget* parent = nullptr);

    /// Null shows the empty state.
    void setPlan(std::shared_ptr<const SolvedPlan> plan);

    MemoryBars* bars() const { return bars_; }

protected:
    void changeEvent(QEvent* event) override;

private:
    void retranslateUi();

    QStackedLayout* pages_;
    EmptyState* empty_;
    QWidget* page_;
    Legend* legend_;
    MemoryBars* bars_;
};

}  // namespace nnpiper
