// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/study/calibrate.h"

#include <QWidget>

#include <memory>

class QStackedLayout;
class QGridLayout;

namespace nnpiper {

class EmptyState;

/// What a fit has found: every constant before and after, the errors of the runs in three lines (whose swatches are the
/// legend of the table's chart), and what a reader should know about it.
class FitSummary : public QWidget {
    Q_OBJECT
public:
    explicit FitSummary(QWidget* parent = nullptr);

    /// Null for none. `wanted_fixed_cost`: the fit was asked for the fixed cost of a step.
    void setFit(std::shared_ptr<const Calibration> fit, bool wanted_fixed_cost);

protected:
    void changeEvent(QEvent* event) override;

private:
    void rebuild();
    void fillConstants(QGridLayout& grid) const;
    void fillErrors(QGridLayout& grid) const;

    std::shared_ptr<const Calibration> fit_;
    bool wanted_fixed_cost_ = false;
    QStackedLayout* stack_;
    EmptyState* empty_;
    QWidget* page_;
    QWidget* contents_ = nullptr;
};

}  // namespace nnpiper
