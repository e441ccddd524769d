// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/document/project_document.h"

#include <QFrame>
#include <QStringList>

class QLabel;
class QLineEdit;
class QToolButton;

namespace nnpiper {

class CanvasView;

/// A field above the canvas in which a person types a name, an id or a type: the match is selected and brought to the
/// middle; Enter goes to the next one, Shift+Enter to the one before, Escape closes it.
class FindBar : public QFrame {
    Q_OBJECT
public:
    FindBar(ProjectDocument& document, CanvasView& canvas);

    /// Shows the field with its text selected.
    void open();
    void next() { step(1); }
    void previous() { step(-1); }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void look();
    void step(int by);
    void showCurrent();
    void showCount();
    void place();
    void retranslateUi();
    void restyle();
    void close();

    ProjectDocument& document_;
    CanvasView& canvas_;
    QLineEdit* field_;
    QLabel* count_;
    QToolButton* previous_;
    QToolButton* next_;
    QToolButton* close_;
    QStringList found_;
    int current_ = -1;
};

}  // namespace nnpiper
