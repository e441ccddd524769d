// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/study/calibrate.h"

#include <QAbstractTableModel>

#include <memory>
#include <utility>
#include <vector>

namespace nnpiper {

/// Measured runs, one a row, and beside them what a fit on all of them predicts. Names and measured times can be
/// edited; a change of what was measured drops the fit. A text that cannot be read changes nothing and is told by
/// `rejected`.
class RunTableModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { nameColumn, runColumn, measuredColumn, beforeColumn, afterColumn, leftOutColumn, errorColumn };
    static constexpr int columns = errorColumn + 1;
    /// The row's predictions as a CalibratedStep, invalid before a fit.
    static constexpr int stepRole = Qt::UserRole + 1;
    /// The least and the greatest error of all rows, fractions; zero lies between them.
    static constexpr int leastErrorRole = Qt::UserRole + 2;
    static constexpr int greatestErrorRole = Qt::UserRole + 3;

    using QAbstractTableModel::QAbstractTableModel;

    /// In the order of the rows; `iteration_s` is NaN where the time is still to be typed.
    const std::vector<MeasuredStep>& runs() const { return runs_; }
    /// Appends runs in place of those that came from the same `origin` (a file name) before; an empty one takes no
    /// place.
    void add(std::vector<MeasuredStep> runs, const QString& origin = {});
    void remove(std::vector<int> rows);
    /// A fit on all runs as they are; null for none.
    void setFit(std::shared_ptr<const Calibration> fit);
    const std::shared_ptr<const Calibration>& fit() const { return fit_; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;
    void retranslate();

signals:
    /// Rows were added, removed or measured anew.
    void runsChanged();
    void rejected(const QString& sentence);

private:
    QString text(std::size_t row, int column) const;
    std::pair<double, double> errorRange() const;
    void refresh();
    void drop();

    std::vector<MeasuredStep> runs_;
    std::vector<QString> origins_;
    std::shared_ptr<const Calibration> fit_;
};

}  // namespace nnpiper

Q_DECLARE_METATYPE(nnpiper::CalibratedStep)
