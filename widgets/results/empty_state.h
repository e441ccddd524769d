// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

namespace nnpiper {

/// What a view shows before there is anything to show: a large pale icon, what is missing and what to do about it.
class EmptyState : public QWidget {
    Q_OBJECT

public:
    explicit EmptyState(const QString& icon, QWidget* parent = nullptr);

    void setText(const QString& title, const QString& hint);
    QSize minimumSizeHint() const override { return {160, 60}; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QString icon_;
    QString title_;
    QString hint_;
};

}  // namespace nnpiper
