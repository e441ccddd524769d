// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/inspector/field_form.h"

class QLabel;
class QPushButton;

namespace nnpiper {

class JobEditors;
class ProjectDocument;

/// What the inspector shows while nothing is selected: the model and how it is trained.
class JobPage : public FieldForm {
    Q_OBJECT
public:
    explicit JobPage(ProjectDocument& document);

    void refresh();

signals:
    void changeModelRequested();

protected:
    void changeEvent(QEvent* event) override;

private:
    void retranslateUi();

    ProjectDocument& document_;
    JobEditors* editors_;
    QLabel* model_name_;
    QLabel* model_detail_;
    QPushButton* change_model_;
};

}  // namespace nnpiper
