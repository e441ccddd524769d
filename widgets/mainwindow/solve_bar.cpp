// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/mainwindow/solve_bar.h"

#include "widgets/inspector/job_editors.h"
#include "widgets/solver/solve_controller.h"
#include "widgets/theme/theme.h"

#include <QAction>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>
#include <QToolTip>

namespace nnpiper {

namespace {

QToolButton* buttonFor(QAction* action, ButtonRole role)
{
    auto* button = new QToolButton;
    button->setDefaultAction(action);
    button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    setButtonRole(button, role);
    return button;
}

}  // namespace

SolveBar::SolveBar(ProjectDocument& document, SolveController& solver, QAction* solve, QAction* cancel, QAction* live,
                   QWidget* parent)
    : QWidget(parent)
    , editors_(new JobEditors(document, this))
    , layout_(new QHBoxLayout(this))
    , solve_action_(solve)
    , solve_(new QToolButton)
    , cancel_(buttonFor(cancel, ButtonRole::normal))
    , live_(buttonFor(live, ButtonRole::live))
{
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    layout_->setContentsMargins(6, 0, 0, 0);
    layout_->setSpacing(4);
    // The primary button's icon has the colour of its text, which the action's own icon in the menu has not.
    solve_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    setButtonRole(solve_, ButtonRole::primary);
    connect(solve_, &QToolButton::clicked, solve, &QAction::trigger);
    connect(solve, &QAction::changed, this, &SolveBar::showSolve);
    showSolve();
    addField(QT_TR_NOOP("Global batch"), editors_->globalBatch(), 62);
    addField(QT_TR_NOOP("Micro-batch"), editors_->microBatch(), 54);
    addField(QT_TR_NOOP("Schedule"), editors_->schedule(), 132);
    addField(QT_TR_NOOP("Stages"), editors_->stages(), 54);
    addField(QT_TR_NOOP("Objective"), editors_->objective(), 116);
    layout_->addStretch(1);
    cancel_->hide();
    for (QToolButton* button : {solve_, cancel_})
        button->setMinimumWidth(92);
    layout_->addWidget(solve_);
    layout_->addWidget(cancel_);
    layout_->addWidget(live_);
    connect(&solver, &SolveController::runningChanged, this, [this, &solver](bool running) {
        // While live the button would flicker with every edit.
        const bool cancellable = running && !solver.isLive();
        solve_->setVisible(!cancellable);
        cancel_->setVisible(cancellable);
    });
    retranslateUi();
}

void SolveBar::addField(const char* text, QWidget* editor, int width)
{
    auto* label = new QLabel;
    label->setBuddy(editor);
    editor->setFixedWidth(width);
    editor->setObjectName(QString::fromLatin1(text));
    layout_->addWidget(label);
    layout_->addWidget(editor);
    fields_.push_back({text, label, editor});
    if (auto* edit = qobject_cast<ValueEdit*>(editor))
        connect(edit, &ValueEdit::rejected, this, [this, edit](const QString& sentence) {
            QToolTip::showText(edit->mapToGlobal(QPoint(0, edit->height())), sentence, edit);
            emit message(sentence);
        });
}

void SolveBar::showSolve()
{
    solve_->setText(QString(solve_action_->text()).remove(QLatin1Char('&')));
    solve_->setToolTip(solve_action_->toolTip());
    solve_->setEnabled(solve_action_->isEnabled());
    solve_->setIcon(themedIcon(QStringLiteral("solve"), palette(), ColorRole::accentText));
}

QSize SolveBar::minimumSizeHint() const
{
    const QMargins margins = layout_->contentsMargins();
    int width = margins.left() + margins.right() + solve_->sizeHint().width() + live_->sizeHint().width() + 40;
    for (std::size_t i = 0; i < 2; ++i)
        width += fields_[i].label->sizeHint().width() + fields_[i].editor->width() + 2 * layout_->spacing();
    return {width, QWidget::minimumSizeHint().height()};
}

void SolveBar::fitFields()
{
    int room =
        width() - std::max(solve_->sizeHint().width(), cancel_->sizeHint().width()) - live_->sizeHint().width() - 36;
    for (const Field& field : fields_) {
        room -= field.label->sizeHint().width() + field.editor->width() + 2 * layout_->spacing();
        field.label->setVisible(room >= 0);
        field.editor->setVisible(room >= 0);
    }
}

void SolveBar::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    fitFields();
}

void SolveBar::retranslateUi()
{
    for (const Field& field : fields_)
        field.label->setText(tr(field.text));
    editors_->retranslate();
    fitFields();
    updateGeometry();
}

void SolveBar::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::LanguageChange)
        retranslateUi();
    else if (event->type() == QEvent::PaletteChange)
        showSolve();
}

}  // namespace nnpiper
