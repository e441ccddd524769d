// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/inspector/quantity_text.h"

#include <QComboBox>
#include <QLineEdit>

#include <limits>
#include <optional>

namespace nnpiper {

/// A wheel turn over the widget changes nothing unless it has the focus.
void ignoreWheelUnlessFocused(QWidget* widget);

/// What a field may hold.
struct Range {
    double least = 0;
    double most = std::numeric_limits<double>::infinity();
    bool least_allowed = true;    ///< false: must be above `least`
    bool may_be_unknown = false;  ///< an emptied field means unknown
};

/// A line edit that commits at Enter or when the focus leaves; a text that cannot be used is rejected with one
/// sentence, stays to be mended, and changes nothing.
class ValueEdit : public QLineEdit {
    Q_OBJECT
public:
    explicit ValueEdit(QWidget* parent = nullptr);

    /// Shows the document's value. What is being typed stays while that value is the same as before.
    void showText(const QString& text, const QString& placeholder = {});
    /// Drops what was typed.
    void revert();
    const QString& shownText() const { return shown_; }
    bool isRejected() const { return rejected_; }

signals:
    void rejected(const QString& sentence);
    void accepted();

protected:
    /// The typed text is to be taken over; throws Error when it cannot.
    virtual void commit(const QString& text) = 0;
    void keyPressEvent(QKeyEvent* event) override;

private:
    void finish();
    void replaceText(const QString& text, const QString& placeholder);

    QString shown_;
    bool rejected_ = false;
};

/// A quantity with its unit.
class QuantityEdit : public ValueEdit {
    Q_OBJECT
public:
    QuantityEdit(Unit unit, Range range, QWidget* parent = nullptr);

    void showValue(std::optional<double> value);
    void showSeveral();
    Unit unit() const { return unit_; }

signals:
    void edited(std::optional<double> value);

protected:
    void commit(const QString& text) override;

private:
    Unit unit_;
    Range range_;
};

/// A whole number, or "auto" where that is allowed.
class CountEdit : public ValueEdit {
    Q_OBJECT
public:
    CountEdit(int least, int most, bool may_be_auto, QWidget* parent = nullptr);

    void showValue(std::optional<int> value);
    static QString autoText();

signals:
    void edited(std::optional<int> value);

protected:
    void commit(const QString& text) override;
    void changeEvent(QEvent* event) override;

private:
    int least_;
    int most_;
    bool may_be_auto_;
    std::optional<int> value_;
};

/// Free text.
class TextEdit : public ValueEdit {
    Q_OBJECT
public:
    using ValueEdit::ValueEdit;

signals:
    void edited(const QString& text);

protected:
    void commit(const QString& text) override;
};

/// A combo box that tells only what a person chose.
class ChoiceBox : public QComboBox {
    Q_OBJECT
public:
    explicit ChoiceBox(QWidget* parent = nullptr);

    /// Shows the entry with that data; a value that the list lacks is put on top.
    void showChoice(const QString& data);
    void showSeveral();

signals:
    void edited(const QString& data);
};

}  // namespace nnpiper
