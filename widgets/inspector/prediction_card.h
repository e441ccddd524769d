// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>

class QLabel;

namespace nnpiper {

class PlanBoard;

/// Predicted throughput of the shown plan, and how far it has come since the selection was made: what a what-if slider
/// does.
class PredictionCard : public QFrame {
    Q_OBJECT
public:
    explicit PredictionCard(PlanBoard& board, QWidget* parent = nullptr);

    /// From now on changes are counted from here.
    void setBaseline();
    /// It shows only where something can be tried out and there is a plan.
    void setWanted(bool wanted);

protected:
    void changeEvent(QEvent* event) override;

private:
    void refresh();

    PlanBoard& board_;
    QLabel* title_;
    QLabel* figure_;
    QLabel* change_;
    QLabel* detail_;
    double baseline_ = 0;
    bool wanted_ = false;
};

}  // namespace nnpiper
