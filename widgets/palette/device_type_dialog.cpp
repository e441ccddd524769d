// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/palette/device_type_dialog.h"

#include "widgets/inspector/field_form.h"
#include "widgets/theme/theme.h"

#include <QDialogButtonBox>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

namespace nnpiper {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr Range positiveOrUnknown{0, infinite, false, true};
constexpr Range notNegativeOrUnknown{0, infinite, true, true};
constexpr Range share{0, 1, false, false};

/// Precision and the label of its field.
constexpr std::pair<const char*, const char*> peaks[] = {
    {"fp32", QT_TRANSLATE_NOOP("nnpiper::DeviceTypeDialog", "FP32")},
    {"tf32", QT_TRANSLATE_NOOP("nnpiper::DeviceTypeDialog", "TF32")},
    {"fp16", QT_TRANSLATE_NOOP("nnpiper::DeviceTypeDialog", "FP16")},
    {"bf16", QT_TRANSLATE_NOOP("nnpiper::DeviceTypeDialog", "BF16")},
    {"fp8", QT_TRANSLATE_NOOP("nnpiper::DeviceTypeDialog", "FP8")},
};

}  // namespace

DeviceTypeDialog::DeviceTypeDialog(DeviceSpec type, QStringList taken, QWidget* parent)
    : QDialog(parent)
    , type_(std::move(type))
    , taken_(std::move(taken))
    , form_(new FieldForm("nnpiper::DeviceTypeDialog"))
    , name_(new TextEdit)
    , fault_(new QLabel)
{
    setObjectName(QStringLiteral("deviceType"));
    setWindowTitle(tr("Device type"));
    setMinimumWidth(380);
    form_->addRow(QT_TRANSLATE_NOOP("nnpiper::DeviceTypeDialog", "Name"), name_);
    name_->showText(QString::fromStdString(type_.type));
    connect(name_, &TextEdit::edited, this, [this](const QString& text) {
        type_.type = text.simplified().toStdString();
        name_->showText(text.simplified());
    });

    const auto positive = [](double value) { return value > 0 ? Number(value) : Number(); };
    form_->addHeading(QT_TRANSLATE_NOOP("nnpiper::DeviceTypeDialog", "Dense peak speed"));
    for (const auto& [precision, label] : peaks) {
        const auto known = type_.peak_flop_per_s.find(precision);
        add(label, Unit::flop_per_second, positiveOrUnknown,
            known == type_.peak_flop_per_s.end() ? Number() : Number(known->second), [this, precision = precision](Number value) {
                if (value)
                    type_.peak_flop_per_s[precision] = *value;
                else
                    type_.peak_flop_per_s.erase(precision);
            });
    }
    add(QT_TRANSLATE_NOOP("nnpiper::DeviceTypeDialog", "Achieved"), Unit::fraction, share, type_.achieved_fraction,
        [this](Number value) { type_.achieved_fraction = *value; },
        QT_TRANSLATE_NOOP("nnpiper::DeviceTypeDialog", "Part of the peak that matrix work really reaches"));
    form_->addHeading(QT_TRANSLATE_NOOP("nnpiper::DeviceTypeDialog", "Memory"));
    add(QT_TRANSLATE_NOOP("nnpiper::DeviceTypeDialog", "Size"), Unit::bytes, positiveOrUnknown,
        positive(type_.memory_bytes), [this](Number value) { type_.memory_bytes = value.value_or(0); });
    add(QT_TRANSLATE_NOOP("nnpiper::DeviceTypeDialog", "Speed"), Unit::bytes_per_second, positiveOrUnknown,
        positive(type_.memory_bandwidth_bytes_per_s),
        [this](Number value) { type_.memory_bandwidth_bytes_per_s = value.value_or(0); });
    form_->addHeading(QT_TRANSLATE_NOOP("nnpiper::DeviceTypeDialog", "Cost"));
    add(QT_TRANSLATE_NOOP("nnpiper::DeviceTypeDialog", "Price"), Unit::dollars_per_hour, notNegativeOrUnknown,
        type_.price_dollars_per_h, [this](Number value) { type_.price_dollars_per_h = value; });
    add(QT_TRANSLATE_NOOP("nnpiper::DeviceTypeDialog", "Power"), Unit::watts, notNegativeOrUnknown, type_.power_w,
        [this](Number value) { type_.power_w = value; });

    setTextRole(fault_, TextRole::negative);
    fault_->setWordWrap(true);
    fault_->hide();
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel);
    buttons->button(QDialogButtonBox::Ok)->setText(tr("OK"));
    buttons->button(QDialogButtonBox::Cancel)->setText(tr("Cancel"));
    connect(buttons, &QDialogButtonBox::accepted, this, &DeviceTypeDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &DeviceTypeDialog::reject);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(16, 14, 16, 14);
    layout->setSpacing(12);
    layout->addWidget(form_);
    layout->addStretch(1);
    layout->addWidget(fault_);
    layout->addWidget(buttons);
    name_->setFocus();
    name_->selectAll();
}

QuantityEdit* DeviceTypeDialog::add(const char* label, Unit unit, const Range& range, Number value,
                                    const std::function<void(Number)>& set, const char* tool_tip)
{
    auto* edit = new QuantityEdit(unit, range);
    form_->addRow(label, edit, tool_tip);
    edit->showValue(value);
    connect(edit, &QuantityEdit::edited, this, [edit, set](Number typed) {
        set(typed);
        edit->showValue(typed);
    });
    return edit;
}

QString DeviceTypeDialog::fault() const
{
    const QString name = QString::fromStdString(type_.type);
    if (name.isEmpty())
        return tr("The type needs a name.");
    if (taken_.contains(name, Qt::CaseInsensitive))
        return tr("There is a type %1 already.").arg(name);
    if (type_.peak_flop_per_s.empty())
        return tr("The peak speed of one precision at least is needed.");
    if (!(type_.memory_bytes > 0) || !(type_.memory_bandwidth_bytes_per_s > 0))
        return tr("Size and speed of the memory are needed.");
    return {};
}

void DeviceTypeDialog::accept()
{
    // What is being typed is taken over first.
    for (auto* edit : form_->findChildren<ValueEdit*>()) {
        if (edit->isModified() && !edit->isRejected())
            emit edit->editingFinished();
        if (edit->isRejected()) {
            edit->setFocus();
            return;
        }
    }
    fault_->setText(fault());
    fault_->setVisible(!fault_->text().isEmpty());
    if (fault_->text().isEmpty())
        QDialog::accept();
}

}  // namespace nnpiper
