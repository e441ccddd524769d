// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/plan/plan.h"

#include <QAbstractListModel>

#include <vector>

namespace nnpiper {

/// Plans of several planners for one problem as rows: by throughput (or by makespan where no samples are known), equal
/// ones in the order given, then those that do not fit, then those that were skipped.
class ComparisonModel : public QAbstractListModel {
    Q_OBJECT

public:
    enum Role {
        TitleRole = Qt::UserRole + 1,  ///< QString
        PlanIndexRole,                 ///< int: place in the vector given
        ShareRole,                     ///< double 0..1: bar length against the best
        FigureRole,                    ///< QString: "139.3", empty where there is none
        TimeRole,                      ///< QString: planning time
        GapRole,                       ///< QString: "within 3 %" of the best possible plan, empty where nothing is proved
        DifferenceRole,                ///< QString: against the best, or a word for why there is none
        DifferenceSignRole,            ///< int: 1 best, 0 equal, -1 worse, -2 does not fit, -3 skipped
        CurrentRole,                   ///< bool: shown in the other views
    };

    using QAbstractListModel::QAbstractListModel;

    void setPlans(std::vector<Plan> plans);
    /// Index into the vector given; -1 for none.
    void setCurrent(int planIndex);
    int current() const { return current_; }
    const std::vector<Plan>& plans() const { return plans_; }
    /// Index into the vector given of the fastest plan that fits; -1 when none does.
    int best() const;
    /// Whether bars show samples a second (else the inverse of the makespan).
    bool showsThroughput() const { return throughput_; }
    int rowOf(int planIndex) const;
    void retranslate();

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;

private:
    double speed(const Plan& plan) const;
    int group(const Plan& plan) const;
    QString tip(const Plan& plan) const;

    std::vector<Plan> plans_;
    std::vector<int> order_;  ///< row -> plan
    int current_ = -1;
    bool throughput_ = true;
};

}  // namespace nnpiper
