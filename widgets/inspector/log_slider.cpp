// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/inspector/log_slider.h"

#include "widgets/inspector/fields.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QSlider>

#include <algorithm>
#include <cmath>

namespace nnpiper {

namespace {

constexpr int steps = 200;

}  // namespace

LogSlider::LogSlider(double least, double most, std::function<QString(double)> print, QWidget* parent)
    : QWidget(parent)
    , least_(least)
    , most_(most)
    , print_(std::move(print))
    , slider_(new QSlider(Qt::Horizontal))
    , label_(new QLabel)
{
    slider_->setRange(0, steps);
    ignoreWheelUnlessFocused(slider_);
    setFocusProxy(slider_);
    slider_->setMinimumHeight(24);
    label_->setMinimumWidth(62);
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(8);
    layout->addWidget(slider_, 1);
    layout->addWidget(label_);
    connect(slider_, &QSlider::sliderPressed, this, &LogSlider::pressed);
    connect(slider_, &QSlider::sliderReleased, this, &LogSlider::released);
    connect(slider_, &QSlider::actionTriggered, this, [this] {
        if (!slider_->isSliderDown())
            emit pressed();
        emit moved(valueAt(slider_->sliderPosition()));
    });
}

double LogSlider::valueAt(int position) const
{
    const double raw = least_ * std::pow(most_ / least_, static_cast<double>(position) / steps);
    const double unit = std::pow(10.0, std::floor(std::log10(raw)) - 2);
    return std::round(raw / unit) * unit;
}

void LogSlider::showValue(double value)
{
    label_->setText(print_(value));
    if (slider_->isSliderDown())
        return;
    const double place = value > 0 ? std::log(value / least_) / std::log(most_ / least_) : 0;
    slider_->setValue(static_cast<int>(std::lround(std::clamp(place, 0.0, 1.0) * steps)));
}

}  // namespace nnpiper
