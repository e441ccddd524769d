// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/mainwindow/recovery_bar.h"

#include "widgets/theme/theme.h"

#include <QEvent>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QPushButton>

namespace nnpiper {

RecoveryBar::RecoveryBar(Recovery& recovery, QWidget* parent)
    : QFrame(parent)
    , recovery_(recovery)
    , text_(new QLabel)
    , restore_(new QPushButton)
    , discard_(new QPushButton)
    , later_(new QPushButton)
{
    setObjectName(QStringLiteral("recoveryBar"));
    text_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(16, 6, 16, 6);
    layout->addWidget(text_, 1);
    for (QPushButton* button : {restore_, discard_, later_})
        layout->addWidget(button);
    connect(restore_, &QPushButton::clicked, this, [this] {
        const Leftover chosen = leftovers_.front();
        hide();
        emit restoreRequested(chosen);
    });
    connect(discard_, &QPushButton::clicked, this, [this] {
        Recovery::discard(leftovers_.front());
        look();
    });
    connect(later_, &QPushButton::clicked, this, &QWidget::hide);
    hide();
}

void RecoveryBar::look()
{
    leftovers_ = recovery_.leftovers();
    retranslateUi();
    setVisible(!leftovers_.isEmpty());
}

void RecoveryBar::retranslateUi()
{
    restore_->setText(tr("Restore"));
    discard_->setText(tr("Discard"));
    later_->setText(tr("Later"));
    if (leftovers_.isEmpty())
        return;
    const Leftover& newest = leftovers_.front();
    const QString name = newest.origin.isEmpty() ? tr("a project without a name") : QFileInfo(newest.origin).fileName();
    text_->setText(tr("Unsaved work on %1 is left from %2, when the program did not end properly.")
                       .arg(name, locale().toString(newest.time, QLocale::ShortFormat)));
    text_->setToolTip(newest.origin);
}

void RecoveryBar::changeEvent(QEvent* event)
{
    QFrame::changeEvent(event);
    if (event->type() == QEvent::LanguageChange)
        retranslateUi();
}

void RecoveryBar::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.fillRect(rect(), roleColor(ColorRole::warningSoft, palette()));
    painter.fillRect(QRect(0, height() - 1, width(), 1), roleColor(ColorRole::warning, palette()));
}

}  // namespace nnpiper
