// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include <functional>

class QLabel;
class QSlider;

namespace nnpiper {

/// A slider on a logarithmic scale with its value beside it, for what-if questions.
class LogSlider : public QWidget {
    Q_OBJECT
public:
    LogSlider(double least, double most, std::function<QString(double)> print, QWidget* parent = nullptr);

    void showValue(double value);
    QSlider& slider() const { return *slider_; }

signals:
    void pressed();            ///< a drag, or a run of key presses, begins
    void moved(double value);  ///< rounded to three digits
    void released();

private:
    double valueAt(int position) const;

    double least_;
    double most_;
    std::function<QString(double)> print_;
    QSlider* slider_;
    QLabel* label_;
};

}  // namespace nnpiper
