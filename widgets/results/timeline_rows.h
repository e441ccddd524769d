// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/results/solved_plan.h"

#include <QList>
#include <QStringList>

#include <qcustomplot.h>

namespace nnpiper {

class TimelineBars;

/// Labels left of the rows: "stage 0" in the stage's colour, its device behind it.
class TimelineRows : public QCPLayerable {
    Q_OBJECT

public:
    TimelineRows(QCustomPlot* plot, const TimelineBars* bars);

    void setPlan(const SolvedPlan* plan);
    void retranslate();
    /// Pixels that the labels want, bounded.
    int widthHint() const;

protected:
    void applyDefaultAntialiasingHint(QCPPainter* painter) const override;
    void draw(QCPPainter* painter) override;

private:
    QFont boldFont() const;

    const TimelineBars* bars_;
    QList<QList<int>> stages_;   ///< [row]
    QStringList stageNames_;
    QStringList devices_;
};

}  // namespace nnpiper
