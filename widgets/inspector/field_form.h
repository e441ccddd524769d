// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/inspector/fields.h"

#include <QWidget>

#include <vector>

class QGridLayout;
class QLabel;

namespace nnpiper {

/// Label and field in two columns, with room for one sentence under a field whose entry was rejected. Labels are source
/// texts, translated in the form's context and again when the language changes.
class FieldForm : public QWidget {
    Q_OBJECT
public:
    explicit FieldForm(const char* context, QWidget* parent = nullptr);

    /// A heading with a line above it (but for the first).
    void addHeading(const char* text);
    /// Takes the field over.
    void addRow(const char* label, QWidget* field, const char* tool_tip = nullptr);
    /// A widget over both columns.
    void addWide(QWidget* widget);
    QString labelOf(const QWidget* field) const;
    void setRowVisible(const QWidget* field, bool visible);
    /// Drops what was typed and not taken over.
    void revertFields();
    /// The sentence shown under a field; empty for none.
    QString errorOf(const QWidget* field) const;

protected:
    void changeEvent(QEvent* event) override;

private:
    struct Row {
        const char* text;
        const char* tool_tip;
        QLabel* label;
        QWidget* field;
        QLabel* error;
    };
    void retranslate();
    void showError(QWidget* field, const QString& sentence);
    const Row* rowOf(const QWidget* field) const;

    const char* context_;
    QGridLayout* grid_;
    std::vector<Row> rows_;
};

}  // namespace nnpiper
