// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/document/edits.h"
#include "widgets/document/project_document.h"
#include "widgets/inspector/field_form.h"
#include "widgets/inspector/log_slider.h"

#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace nnpiper {

/// A form over one or several elements of one kind: shows what they have in common ("several values" where they
/// differ), and an entry changes all of them by one command.
template <class T>
class ElementForm : public FieldForm {
public:
    ElementForm(ProjectDocument& document, const char* context)
        : FieldForm(context)
        , document_(document)
    {
    }

    void setIds(const QStringList& ids)
    {
        if (ids != ids_)
            revertFields();
        ids_ = ids;
        refresh();
    }
    const QStringList& ids() const { return ids_; }

    void refresh()
    {
        const std::vector<T> elements = chosen();
        if (elements.empty())
            return;
        for (const auto& show : shows_)
            show(elements);
    }

protected:
    using Number = std::optional<double>;

    QuantityEdit* addQuantity(const char* label, Unit unit, Range range, std::function<Number(const T&)> get,
                              std::function<void(T&, Number)> set, const char* tool_tip = nullptr)
    {
        auto* edit = new QuantityEdit(unit, range);
        addRow(label, edit, tool_tip);
        QObject::connect(edit, &QuantityEdit::edited, this, [this, edit, set](Number value) {
            edits::change<T>(document_, ids_, changeText(edit), [&](T& element) { set(element, value); });
        });
        shows_.push_back([edit, get](const std::vector<T>& elements) {
            const Number value = get(elements.front());
            for (const T& element : elements)
                if (get(element) != value)
                    return edit->showSeveral();
            edit->showValue(value);
        });
        return edit;
    }

    TextEdit* addText(const char* label, std::function<std::string(const T&)> get,
                      std::function<void(T&, std::string)> set)
    {
        auto* edit = new TextEdit;
        addRow(label, edit);
        QObject::connect(edit, &TextEdit::edited, this, [this, edit, set](const QString& text) {
            edits::change<T>(document_, ids_, changeText(edit), [&](T& element) { set(element, text.toStdString()); });
        });
        shows_.push_back([edit, get](const std::vector<T>& elements) {
            const std::string text = get(elements.front());
            for (const T& element : elements)
                if (get(element) != text)
                    return edit->showText({}, QuantityEdit::tr("several values"));
            edit->showText(QString::fromStdString(text));
        });
        return edit;
    }

    /// The list is filled by the caller (text and data).
    ChoiceBox* addChoice(const char* label, std::function<std::string(const T&)> get,
                         std::function<void(T&, const std::string&)> set)
    {
        auto* box = new ChoiceBox;
        addRow(label, box);
        QObject::connect(box, &ChoiceBox::edited, this, [this, box, set](const QString& chosen_data) {
            edits::change<T>(document_, ids_, changeText(box),
                             [&](T& element) { set(element, chosen_data.toStdString()); });
        });
        shows_.push_back([box, get](const std::vector<T>& elements) {
            const std::string value = get(elements.front());
            for (const T& element : elements)
                if (get(element) != value)
                    return box->showSeveral();
            box->showChoice(QString::fromStdString(value));
        });
        return box;
    }

    /// Scales a value by dragging; one drag is one command.
    LogSlider* addSlider(const char* label, double least, double most, std::function<QString(double)> print,
                         std::function<double(const T&)> get, std::function<void(T&, double)> set)
    {
        auto* slider = new LogSlider(least, most, std::move(print));
        addRow(label, slider);
        auto key = std::make_shared<QString>();
        QObject::connect(slider, &LogSlider::pressed, this, [this, key] { *key = document_.newMergeKey(); });
        QObject::connect(slider, &LogSlider::moved, this, [this, slider, set, key](double value) {
            edits::change<T>(
                document_, ids_, changeText(slider), [&](T& element) { set(element, value); }, *key);
        });
        shows_.push_back([slider, get](const std::vector<T>& elements) { slider->showValue(get(elements.front())); });
        return slider;
    }

    QString changeText(const QWidget* field) const { return FieldForm::tr("Change %1").arg(labelOf(field).toLower()); }

    ProjectDocument& document_;

private:
    std::vector<T> chosen() const
    {
        std::vector<T> elements;
        for (const QString& id : ids_)
            if (const auto element = findElement(document_.project(), id.toStdString()))
                if (const T* value = std::get_if<T>(&*element))
                    elements.push_back(*value);
        return elements;
    }

    QStringList ids_;
    std::vector<std::function<void(const std::vector<T>&)>> shows_;
};

}  // namespace nnpiper
