// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/model/model_dialog.h"

#include "core/base/error.h"
#include "widgets/inspector/fields.h"
#include "widgets/model/model_config.h"
#include "widgets/theme/theme.h"

#include <QDialogButtonBox>
#include <QFileDialog>
#include <QFormLayout>
#include <QLabel>
#include <QListWidget>
#include <QPushButton>
#include <QVBoxLayout>

namespace nnpiper {

ModelDialog::ModelDialog(const Model& model, QWidget* parent)
    : QDialog(parent)
    , model_(model)
    , search_(new QLineEdit)
    , list_(new QListWidget)
    , name_(new QLabel)
    , summary_(new QLabel)
    , fault_(new QLabel)
    , sequence_(new CountEdit(1, 1'000'000, false))
    , buttons_(new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel))
{
    setWindowTitle(tr("Choose model"));
    resize(640, 480);
    search_->setPlaceholderText(tr("Search models..."));
    search_->setClearButtonEnabled(true);
    list_->setFrameShape(QFrame::NoFrame);
    list_->setUniformItemSizes(true);
    setTextRole(name_, TextRole::title);
    name_->setWordWrap(true);
    summary_->setWordWrap(true);
    setTextRole(fault_, TextRole::negative);
    fault_->setWordWrap(true);
    fault_->hide();
    auto* from_file = new QPushButton(tr("From config.json..."));
    from_file->setObjectName(QStringLiteral("fromConfig"));
    from_file->setToolTip(tr("Reads a HuggingFace model's configuration"));

    auto* left = new QVBoxLayout;
    left->addWidget(search_);
    left->addWidget(list_, 1);
    left->addWidget(from_file, 0, Qt::AlignLeft);
    auto* form = new QFormLayout;
    form->addRow(tr("Sequence length"), sequence_);
    auto* right = new QVBoxLayout;
    right->addWidget(name_);
    right->addWidget(summary_);
    right->addSpacing(8);
    right->addLayout(form);
    right->addWidget(fault_);
    right->addStretch(1);
    auto* columns = new QHBoxLayout;
    columns->setSpacing(18);
    columns->addLayout(left, 3);
    columns->addLayout(right, 2);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(16, 16, 16, 12);
    layout->addLayout(columns, 1);
    layout->addWidget(buttons_);

    setButtonRole(buttons_->button(QDialogButtonBox::Ok), ButtonRole::primary);
    if (model_.sequence_length <= 0)
        model_.sequence_length = 2048;
    sequence_->showValue(model_.sequence_length);
    connect(sequence_, &CountEdit::edited, this, [this](std::optional<int> value) {
        model_.sequence_length = *value;
        sequence_->showValue(value);
        showSummary();
    });
    connect(sequence_, &ValueEdit::rejected, this, [this](const QString& sentence) {
        fault_->setText(sentence);
        fault_->show();
    });
    connect(search_, &QLineEdit::textChanged, this, &ModelDialog::fillList);
    connect(list_, &QListWidget::currentRowChanged, this, [this](int row) {
        if (row >= 0 && row < static_cast<int>(listed_.size()))
            choose(listed_[static_cast<std::size_t>(row)]);
    });
    connect(list_, &QListWidget::itemDoubleClicked, this, &QDialog::accept);
    connect(from_file, &QPushButton::clicked, this, &ModelDialog::openConfig);
    connect(buttons_, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons_, &QDialogButtonBox::rejected, this, &QDialog::reject);
    fillList();
    showSummary();
}

void ModelDialog::fillList()
{
    const QString wanted = search_->text().trimmed();
    const QSignalBlocker quiet(list_);
    list_->clear();
    listed_.clear();
    for (const ModelEntry& entry : model_catalog()) {
        const QString name = QString::fromStdString(entry.name);
        if (!name.contains(wanted, Qt::CaseInsensitive))
            continue;
        auto* item = new QListWidgetItem(name, list_);
        item->setToolTip(QString::fromStdString(entry.source));
        listed_.push_back(entry.architecture);
        if (entry.architecture == model_.architecture)
            list_->setCurrentItem(item);
    }
}

void ModelDialog::choose(const Architecture& architecture)
{
    model_ = withArchitecture(model_, architecture);
    sequence_->showValue(model_.sequence_length);
    fault_->hide();
    showSummary();
}

void ModelDialog::showSummary()
{
    const Architecture& a = model_.architecture;
    const bool chosen = a.blocks > 0;
    buttons_->button(QDialogButtonBox::Ok)->setEnabled(chosen);
    name_->setText(chosen ? QString::fromStdString(a.name) : tr("No model chosen"));
    if (!chosen) {
        summary_->clear();
        return;
    }
    const auto row = [](const QString& label, const QString& value) {
        return QStringLiteral("<tr><td style='padding-right:14px'>%1</td><td align='right'>%2</td></tr>")
            .arg(label, value);
    };
    const QLocale locale;
    summary_->setText(QStringLiteral("<table>") + row(tr("Family"), QString::fromUtf8(name_of(a.family).data()))
                      + row(tr("Parameters"), quantityText(parameter_count(a), Unit::count))
                      + row(tr("Blocks"), locale.toString(a.blocks)) + row(tr("Hidden size"), locale.toString(a.hidden))
                      + row(tr("Heads"), a.heads == a.key_value_heads
                                             ? locale.toString(a.heads)
                                             : tr("%1 (%2 for keys)").arg(a.heads).arg(a.key_value_heads))
                      + row(tr("Feed-forward"), locale.toString(a.feed_forward))
                      + row(tr("Vocabulary"), locale.toString(a.vocabulary))
                      + row(tr("Largest sequence"), locale.toString(a.positions)) + QStringLiteral("</table>"));
}

QString ModelDialog::readConfig(const QString& path)
{
    QString sentence;
    try {
        const Architecture architecture = architectureFromConfig(path);
        list_->setCurrentRow(-1);
        choose(architecture);
    } catch (const Error& error) {
        sentence = QString::fromStdString(error.what());
    }
    fault_->setText(sentence);
    fault_->setVisible(!sentence.isEmpty());
    return sentence;
}

void ModelDialog::openConfig()
{
    const QString path = QFileDialog::getOpenFileName(this, tr("Open model configuration"), {},
                                                      tr("Model configuration (*.json);;All files (*)"));
    if (!path.isEmpty())
        readConfig(path);
}

}  // namespace nnpiper
