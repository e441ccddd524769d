// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/canvas/find_bar.h"

#include "widgets/canvas/canvas_view.h"
#include "widgets/document/find.h"
#include "widgets/document/selection.h"
#include "widgets/theme/theme.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QToolButton>

namespace nnpiper {

FindBar::FindBar(ProjectDocument& document, CanvasView& canvas)
    : QFrame(&canvas)
    , document_(document)
    , canvas_(canvas)
    , field_(new QLineEdit)
    , count_(new QLabel)
    , previous_(new QToolButton)
    , next_(new QToolButton)
    , close_(new QToolButton)
{
    setObjectName(QStringLiteral("findBar"));
    setCard(this);
    setCursor(Qt::ArrowCursor);
    field_->setObjectName(QStringLiteral("findField"));
    field_->setMinimumWidth(220);
    count_->setObjectName(QStringLiteral("findCount"));
    count_->setMinimumWidth(64);
    count_->setAlignment(Qt::AlignCenter);
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(8, 6, 6, 6);
    layout->setSpacing(4);
    layout->addWidget(field_);
    layout->addWidget(count_);
    for (QToolButton* button : {previous_, next_, close_}) {
        setButtonRole(button, ButtonRole::flat);
        layout->addWidget(button);
    }
    field_->installEventFilter(this);
    canvas_.installEventFilter(this);
    connect(field_, &QLineEdit::textEdited, this, &FindBar::look);
    connect(previous_, &QToolButton::clicked, this, &FindBar::previous);
    connect(next_, &QToolButton::clicked, this, &FindBar::next);
    connect(close_, &QToolButton::clicked, this, &FindBar::close);
    connect(&document_, &ProjectDocument::reset, this, &QWidget::hide);
    restyle();
    retranslateUi();
    hide();
}

void FindBar::open()
{
    show();
    place();
    raise();
    field_->setFocus();
    field_->selectAll();
    found_ = findElements(document_.project(), field_->text());
    current_ = -1;
    showCount();
}

void FindBar::close()
{
    hide();
    canvas_.setFocus();
}

void FindBar::look()
{
    found_ = findElements(document_.project(), field_->text());
    current_ = found_.isEmpty() ? -1 : 0;
    showCurrent();
}

void FindBar::step(int by)
{
    // What was found may have been deleted or renamed since.
    const QString before = found_.value(current_);
    found_ = findElements(document_.project(), field_->text());
    const int count = static_cast<int>(found_.size());
    const int same = before.isEmpty() ? -1 : static_cast<int>(found_.indexOf(before));
    if (count == 0)
        current_ = -1;
    else if (same >= 0)
        current_ = (same + by + count) % count;
    else
        current_ = by > 0 ? 0 : count - 1;
    showCurrent();
}

void FindBar::showCurrent()
{
    showCount();
    if (current_ < 0)
        return;
    document_.selection().set({found_[current_]});
    canvas_.centerOnElement(found_[current_].toStdString());
}

void FindBar::showCount()
{
    const bool lost = found_.isEmpty() && !field_->text().trimmed().isEmpty();
    setTextRole(count_, lost ? TextRole::negative : TextRole::muted);
    if (field_->text().trimmed().isEmpty())
        count_->clear();
    else if (lost)
        count_->setText(tr("None"));
    else if (current_ < 0)
        count_->setText(locale().toString(found_.size()));
    else
        count_->setText(tr("%1 of %2").arg(locale().toString(current_ + 1), locale().toString(found_.size())));
    previous_->setEnabled(!found_.isEmpty());
    next_->setEnabled(!found_.isEmpty());
}

bool FindBar::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == &canvas_ && event->type() == QEvent::Resize)
        place();
    if (watched == field_ && event->type() == QEvent::KeyPress) {
        const auto* key = static_cast<QKeyEvent*>(event);
        if (key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter) {
            step(key->modifiers() & Qt::ShiftModifier ? -1 : 1);
            return true;
        }
        if (key->key() == Qt::Key_Escape) {
            close();
            return true;
        }
    }
    return QFrame::eventFilter(watched, event);
}

void FindBar::place()
{
    adjustSize();
    move((canvas_.width() - width()) / 2, 10);
}

void FindBar::retranslateUi()
{
    field_->setPlaceholderText(tr("Name, id or type"));
    field_->setAccessibleName(tr("Find in the cluster"));
    previous_->setToolTip(tr("Previous (Shift+Enter)"));
    next_->setToolTip(tr("Next (Enter)"));
    close_->setToolTip(tr("Close (Esc)"));
    showCount();
}

void FindBar::restyle()
{
    previous_->setIcon(themedIcon(QStringLiteral("previous"), palette()));
    next_->setIcon(themedIcon(QStringLiteral("next"), palette()));
    close_->setIcon(themedIcon(QStringLiteral("cancel"), palette()));
}

void FindBar::changeEvent(QEvent* event)
{
    QFrame::changeEvent(event);
    if (event->type() == QEvent::LanguageChange)
        retranslateUi();
    else if (event->type() == QEvent::PaletteChange)
        restyle();
}

}  // namespace nnpiper
