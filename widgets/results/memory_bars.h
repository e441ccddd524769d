// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/results/solved_plan.h"

#include <QRectF>
#include <QWidget>

#include <array>
#include <memory>

namespace nnpiper {

/// One stacked bar a device on a common scale: state, activations, transient, buffers, and a line at the capacity.
class MemoryBars : public QWidget {
    Q_OBJECT

public:
    explicit MemoryBars(QWidget* parent = nullptr);

    void setPlan(std::shared_ptr<const SolvedPlan> plan);

    /// Geometry of a row as drawn, for its parts in the order above.
    struct Row {
        QRectF bar;
        std::array<QRectF, 4> parts;
        double capacityX = 0;
        bool fits = true;
    };
    Row row(int device) const;
    int rows() const;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    void changeEvent(QEvent* event) override;
    bool event(QEvent* event) override;

private:
    double rowHeight() const;
    double labelWidth() const;
    double figureWidth() const;
    double largest() const;
    QString figureText(const DeviceMemory& memory) const;
    QString tip(const DeviceMemory& memory) const;

    std::shared_ptr<const SolvedPlan> plan_;
};

}  // namespace nnpiper
