// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/inspector/field_form.h"

#include "widgets/theme/theme.h"

#include <QCoreApplication>
#include <QEvent>
#include <QGridLayout>
#include <QLabel>
#include <QPainter>

namespace nnpiper {

namespace {

class Separator : public QWidget {
public:
    Separator() { setFixedHeight(9); }

protected:
    void paintEvent(QPaintEvent*) override
    {
        QPainter painter(this);
        painter.fillRect(QRect(0, height() / 2, width(), 1), roleColor(ColorRole::cardBorder, palette()));
    }
};

}  // namespace

FieldForm::FieldForm(const char* context, QWidget* parent)
    : QWidget(parent)
    , context_(context)
    , grid_(new QGridLayout(this))
{
    grid_->setContentsMargins(0, 0, 0, 0);
    grid_->setHorizontalSpacing(10);
    grid_->setVerticalSpacing(7);
    grid_->setColumnMinimumWidth(0, 104);
    grid_->setColumnStretch(1, 1);
}

void FieldForm::addHeading(const char* text)
{
    if (!rows_.empty()) {
        auto* line = new Separator;
        grid_->addWidget(line, grid_->rowCount(), 0, 1, 2);
    }
    auto* label = new QLabel;
    setTextRole(label, TextRole::title);
    grid_->addWidget(label, grid_->rowCount(), 0, 1, 2);
    rows_.push_back({text, nullptr, label, nullptr, nullptr});
    label->setText(QCoreApplication::translate(context_, text));
}

void FieldForm::addRow(const char* text, QWidget* field, const char* tool_tip)
{
    auto* label = new QLabel;
    setTextRole(label, TextRole::muted);
    label->setBuddy(field);
    auto* error = new QLabel;
    setTextRole(error, TextRole::negative);
    error->setWordWrap(true);
    error->hide();
    const int row = grid_->rowCount();
    grid_->addWidget(label, row, 0);
    grid_->addWidget(field, row, 1);
    grid_->addWidget(error, row + 1, 0, 1, 2);
    rows_.push_back({text, tool_tip, label, field, error});
    if (auto* edit = qobject_cast<ValueEdit*>(field)) {
        connect(edit, &ValueEdit::rejected, this, [this, edit](const QString& sentence) { showError(edit, sentence); });
        connect(edit, &ValueEdit::accepted, this, [this, edit] { showError(edit, {}); });
    }
    field->setMinimumWidth(90);
    field->setObjectName(QString::fromLatin1(text));
    label->setText(QCoreApplication::translate(context_, text));
    if (tool_tip)
        field->setToolTip(QCoreApplication::translate(context_, tool_tip));
}

void FieldForm::addWide(QWidget* widget)
{
    grid_->addWidget(widget, grid_->rowCount(), 0, 1, 2);
}

const FieldForm::Row* FieldForm::rowOf(const QWidget* field) const
{
    for (const Row& row : rows_)
        if (row.field && row.field == field)
            return &row;
    return nullptr;
}

QString FieldForm::labelOf(const QWidget* field) const
{
    const Row* row = rowOf(field);
    return row ? row->label->text() : QString();
}

void FieldForm::setRowVisible(const QWidget* field, bool visible)
{
    if (const Row* row = rowOf(field)) {
        row->label->setVisible(visible);
        row->field->setVisible(visible);
        row->error->setVisible(visible && !row->error->text().isEmpty());
    }
}

void FieldForm::revertFields()
{
    for (const Row& row : rows_)
        if (auto* edit = qobject_cast<ValueEdit*>(row.field); edit && (edit->isModified() || edit->isRejected()))
            edit->revert();
}

QString FieldForm::errorOf(const QWidget* field) const
{
    const Row* row = rowOf(field);
    return row ? row->error->text() : QString();
}

void FieldForm::showError(QWidget* field, const QString& sentence)
{
    if (const Row* row = rowOf(field)) {
        row->error->setText(sentence);
        row->error->setVisible(!sentence.isEmpty());
    }
}

void FieldForm::retranslate()
{
    for (const Row& row : rows_) {
        row.label->setText(QCoreApplication::translate(context_, row.text));
        if (row.field && row.tool_tip)
            row.field->setToolTip(QCoreApplication::translate(context_, row.tool_tip));
    }
}

void FieldForm::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::LanguageChange)
        retranslate();
}

}  // namespace nnpiper
