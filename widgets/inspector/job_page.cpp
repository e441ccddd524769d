// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/inspector/job_page.h"

#include "core/model/model.h"
#include "widgets/document/project_document.h"
#include "widgets/inspector/job_editors.h"
#include "widgets/theme/theme.h"

#include <QEvent>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

namespace nnpiper {

JobPage::JobPage(ProjectDocument& document)
    : FieldForm("nnpiper::JobPage")
    , document_(document)
    , editors_(new JobEditors(document, this))
    , model_name_(new QLabel)
    , model_detail_(new QLabel)
    , change_model_(new QPushButton)
{
    addHeading(QT_TRANSLATE_NOOP("nnpiper::JobPage", "Model"));
    auto* model = new QWidget;
    auto* layout = new QVBoxLayout(model);
    layout->setContentsMargins(0, 0, 0, 4);
    layout->setSpacing(3);
    model_name_->setWordWrap(true);
    model_detail_->setWordWrap(true);
    setTextRole(model_detail_, TextRole::muted);
    change_model_->setObjectName(QStringLiteral("changeModel"));
    layout->addWidget(model_name_);
    layout->addWidget(model_detail_);
    layout->addSpacing(4);
    layout->addWidget(change_model_, 0, Qt::AlignLeft);
    addWide(model);
    connect(change_model_, &QPushButton::clicked, this, &JobPage::changeModelRequested);

    addHeading(QT_TRANSLATE_NOOP("nnpiper::JobPage", "Training job"));
    addRow(QT_TRANSLATE_NOOP("nnpiper::JobPage", "Global batch"), editors_->globalBatch(),
           QT_TRANSLATE_NOOP("nnpiper::JobPage", "Samples of one optimizer step"));
    addRow(QT_TRANSLATE_NOOP("nnpiper::JobPage", "Micro-batch"), editors_->microBatch(),
           QT_TRANSLATE_NOOP("nnpiper::JobPage", "Samples; auto lets the planner choose"));
    addRow(QT_TRANSLATE_NOOP("nnpiper::JobPage", "Sequence length"), editors_->sequenceLength(),
           QT_TRANSLATE_NOOP("nnpiper::JobPage", "Tokens of one sample"));
    addRow(QT_TRANSLATE_NOOP("nnpiper::JobPage", "Precision"), editors_->precision());
    addRow(QT_TRANSLATE_NOOP("nnpiper::JobPage", "Optimizer"), editors_->optimizer(),
           QT_TRANSLATE_NOOP("nnpiper::JobPage", "With the bytes it keeps for a parameter"));
    addRow(QT_TRANSLATE_NOOP("nnpiper::JobPage", "Attention"), editors_->attention());
    addRow(QT_TRANSLATE_NOOP("nnpiper::JobPage", "Recompute"), editors_->recompute(),
           QT_TRANSLATE_NOOP("nnpiper::JobPage", "Activations computed again instead of kept"));
    addRow(QT_TRANSLATE_NOOP("nnpiper::JobPage", "Step overhead"), editors_->stepOverhead(),
           QT_TRANSLATE_NOOP("nnpiper::JobPage", "Fixed time of each optimizer step, for example data loading"));

    addHeading(QT_TRANSLATE_NOOP("nnpiper::JobPage", "Plan"));
    addRow(QT_TRANSLATE_NOOP("nnpiper::JobPage", "Schedule"), editors_->schedule());
    addRow(QT_TRANSLATE_NOOP("nnpiper::JobPage", "Stages"), editors_->stages(),
           QT_TRANSLATE_NOOP("nnpiper::JobPage", "Auto lets the planner choose"));
    addRow(QT_TRANSLATE_NOOP("nnpiper::JobPage", "Objective"), editors_->objective());

    connect(&document, &ProjectDocument::reset, this, &JobPage::refresh);
    connect(&document, &ProjectDocument::modelChanged, this, &JobPage::refresh);
    retranslateUi();
}

void JobPage::refresh()
{
    const Model& model = document_.project().model;
    const Architecture& a = model.architecture;
    if (a.blocks <= 0) {
        model_name_->setText(tr("No model chosen"));
        model_detail_->clear();
        return;
    }
    model_name_->setText(QStringLiteral("<b>%1</b>").arg(QString::fromStdString(a.name).toHtmlEscaped()));
    model_detail_->setText(tr("%1 parameters · %2 blocks · hidden %3 · vocabulary %4")
                               .arg(quantityText(parameter_count(a), Unit::count))
                               .arg(a.blocks)
                               .arg(a.hidden)
                               .arg(a.vocabulary));
}

void JobPage::retranslateUi()
{
    change_model_->setText(tr("Change model..."));
    editors_->retranslate();
    refresh();
}

void JobPage::changeEvent(QEvent* event)
{
    FieldForm::changeEvent(event);
    if (event->type() == QEvent::LanguageChange)
        retranslateUi();
}

}  // namespace nnpiper
