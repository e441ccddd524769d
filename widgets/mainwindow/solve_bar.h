// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include <vector>

class QAction;
class QHBoxLayout;
class QLabel;
class QToolButton;

namespace nnpiper {

class JobEditors;
class ProjectDocument;
class SolveController;

/// The part of the tool bar that asks for a plan: batch, schedule, stages, objective, Solve (Cancel while it runs),
/// Live. Fields that do not fit are left out from the right; the inspector has them all.
class SolveBar : public QWidget {
    Q_OBJECT
public:
    SolveBar(ProjectDocument& document, SolveController& solver, QAction* solve, QAction* cancel, QAction* live,
             QWidget* parent = nullptr);

    QSize minimumSizeHint() const override;

signals:
    void message(const QString& text);

protected:
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    struct Field {
        const char* text;
        QLabel* label;
        QWidget* editor;
    };
    void addField(const char* text, QWidget* editor, int width);
    void retranslateUi();
    void fitFields();
    void showSolve();

    JobEditors* editors_;
    QHBoxLayout* layout_;
    std::vector<Field> fields_;
    QAction* solve_action_;
    QToolButton* solve_;
    QToolButton* cancel_;
    QToolButton* live_;
};

}  // namespace nnpiper
