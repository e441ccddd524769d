// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/mainwindow/recovery.h"

#include <QFrame>

class QLabel;
class QPushButton;

namespace nnpiper {

/// A line above the page that offers unsaved work of a session that did not end properly. It asks and does not get in
/// the way; what is neither restored nor discarded is offered again at the next start.
class RecoveryBar : public QFrame {
    Q_OBJECT
public:
    explicit RecoveryBar(Recovery& recovery, QWidget* parent = nullptr);

    /// Shows the newest leftover, or hides.
    void look();

signals:
    void restoreRequested(const nnpiper::Leftover& leftover);

protected:
    void changeEvent(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    void retranslateUi();

    Recovery& recovery_;
    QList<Leftover> leftovers_;
    QLabel* text_;
    QPushButton* restore_;
    QPushButton* discard_;
    QPushButton* later_;
};

}  // namespace nnpiper
