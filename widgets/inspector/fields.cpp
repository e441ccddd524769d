// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/inspector/fields.h"

#include "core/base/error.h"

#include <QEvent>
#include <QKeyEvent>
#include <QStyle>

#include <cmath>

namespace nnpiper {

namespace {

class WheelGuard : public QObject {
public:
    using QObject::QObject;

    bool eventFilter(QObject* watched, QEvent* event) override
    {
        const auto* widget = qobject_cast<QWidget*>(watched);
        if (event->type() == QEvent::Wheel && widget && !widget->hasFocus()) {
            event->ignore();
            return true;
        }
        return QObject::eventFilter(watched, event);
    }
};

}  // namespace

void ignoreWheelUnlessFocused(QWidget* widget)
{
    widget->setFocusPolicy(Qt::StrongFocus);
    widget->installEventFilter(new WheelGuard(widget));
}

ValueEdit::ValueEdit(QWidget* parent)
    : QLineEdit(parent)
{
    connect(this, &QLineEdit::editingFinished, this, &ValueEdit::finish);
}

void ValueEdit::showText(const QString& text, const QString& placeholder)
{
    // An edit elsewhere does not disturb what is being typed here.
    if (isModified() && text == shown_ && placeholder == placeholderText())
        return;
    replaceText(text, placeholder);
}

void ValueEdit::revert()
{
    replaceText(shown_, placeholderText());
}

void ValueEdit::replaceText(const QString& text, const QString& placeholder)
{
    shown_ = text;
    setPlaceholderText(placeholder);
    setText(text);
    setCursorPosition(0);
    setModified(false);
    if (rejected_) {
        rejected_ = false;
        setProperty("invalid", false);
        style()->unpolish(this);
        style()->polish(this);
        emit accepted();
    }
}

void ValueEdit::finish()
{
    if (!isModified() || text() == shown_) {
        if (rejected_)
            revert();
        return;
    }
    const QString typed = text().trimmed();
    QString fault;
    try {
        commit(typed);
    } catch (const Error& error) {
        fault = QString::fromStdString(error.what());
    }
    if (!fault.isEmpty()) {
        rejected_ = true;
        setProperty("invalid", true);
        style()->unpolish(this);
        style()->polish(this);
        emit rejected(fault);
        return;
    }
    // The document's signal has shown the new value already; where nothing changed, "24000 MB" becomes "24 GB" again.
    if (isModified())
        revert();
}

void ValueEdit::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Escape && (isModified() || rejected_)) {
        revert();
        event->accept();
        return;
    }
    QLineEdit::keyPressEvent(event);
}

QuantityEdit::QuantityEdit(Unit unit, Range range, QWidget* parent)
    : ValueEdit(parent)
    , unit_(unit)
    , range_(range)
{
}

void QuantityEdit::showValue(std::optional<double> value)
{
    if (value && !std::isnan(*value))
        showText(quantityText(*value, unit_, locale()));
    else
        showText({}, tr("unknown"));
}

void QuantityEdit::showSeveral()
{
    showText({}, tr("several values"));
}

void QuantityEdit::commit(const QString& text)
{
    if (text.isEmpty() && range_.may_be_unknown) {
        emit edited(std::nullopt);
        return;
    }
    if (text.isEmpty())
        throw Error("", tr("nothing").toStdString(), tr("a value is needed here").toStdString());
    // A bare number in an empty field is meant in the unit that one would say it in.
    const QString like = shownText().isEmpty() ? usualUnit(unit_) : shownText();
    const double value = readQuantity(text, unit_, like, locale());
    if (value < range_.least || (value == range_.least && !range_.least_allowed) || value > range_.most) {
        QString allowed = range_.least_allowed ? tr("at least %1").arg(quantityText(range_.least, unit_, locale()))
                                               : tr("more than %1").arg(quantityText(range_.least, unit_, locale()));
        if (std::isfinite(range_.most))
            allowed = tr("%1 and at most %2").arg(allowed, quantityText(range_.most, unit_, locale()));
        throw Error("", text.toStdString(), allowed.toStdString());
    }
    emit edited(value);
}

CountEdit::CountEdit(int least, int most, bool may_be_auto, QWidget* parent)
    : ValueEdit(parent)
    , least_(least)
    , most_(most)
    , may_be_auto_(may_be_auto)
{
}

QString CountEdit::autoText()
{
    return tr("auto");
}

void CountEdit::showValue(std::optional<int> value)
{
    value_ = value;
    showText(value ? QString::number(*value) : autoText());
}

void CountEdit::commit(const QString& text)
{
    const bool means_auto = text.isEmpty() || text.compare(autoText(), Qt::CaseInsensitive) == 0
                            || text.compare(QLatin1String("auto"), Qt::CaseInsensitive) == 0;
    if (means_auto && may_be_auto_) {
        emit edited(std::nullopt);
        return;
    }
    bool whole = false;
    int value = locale().toInt(text, &whole);
    if (!whole)
        value = text.toInt(&whole);
    if (!whole || value < least_ || value > most_) {
        QString allowed = tr("a whole number from %1 to %2").arg(least_).arg(most_);
        if (may_be_auto_)
            allowed = tr("%1 or %2").arg(allowed, autoText());
        throw Error("", text.toStdString(), allowed.toStdString());
    }
    emit edited(value);
}

void CountEdit::changeEvent(QEvent* event)
{
    ValueEdit::changeEvent(event);
    if (event->type() == QEvent::LanguageChange && !isModified())
        showValue(value_);
}

void TextEdit::commit(const QString& text)
{
    if (text.isEmpty())
        throw Error("", tr("an empty name").toStdString(), tr("at least one letter").toStdString());
    emit edited(text);
}

ChoiceBox::ChoiceBox(QWidget* parent)
    : QComboBox(parent)
{
    ignoreWheelUnlessFocused(this);
    setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    setMinimumContentsLength(6);
    setMaxVisibleItems(16);
    connect(this, &QComboBox::activated, this, [this](int index) { emit edited(itemData(index).toString()); });
}

void ChoiceBox::showChoice(const QString& choice)
{
    int index = findData(choice);
    if (index < 0) {
        insertItem(0, choice, choice);
        index = 0;
    }
    setCurrentIndex(index);
}

void ChoiceBox::showSeveral()
{
    setPlaceholderText(tr("several values"));
    setCurrentIndex(-1);
}

}  // namespace nnpiper
