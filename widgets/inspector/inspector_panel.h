// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>

class QLabel;
class QStackedWidget;

namespace nnpiper {

class ContainerPage;
class DevicePage;
class JobPage;
class LinkPage;
class NodePage;
class PlanBoard;
class PredictionCard;
class ProjectDocument;
class SwitchPage;

/// The card on the right: fields of what is selected (one or several elements of a kind), or the job and the model.
class InspectorPanel : public QFrame {
    Q_OBJECT
public:
    InspectorPanel(ProjectDocument& document, PlanBoard& board, QWidget* parent = nullptr);

    QWidget* currentPage() const;

signals:
    void changeModelRequested();

protected:
    void changeEvent(QEvent* event) override;

private:
    void showSelection();
    void refresh();
    void retranslateUi();

    ProjectDocument& document_;
    QLabel* title_;
    QLabel* heading_;
    QLabel* place_;
    QStackedWidget* pages_;
    DevicePage* device_page_;
    NodePage* node_page_;
    SwitchPage* switch_page_;
    LinkPage* link_page_;
    ContainerPage* container_page_;
    JobPage* job_page_;
    PredictionCard* prediction_;
};

}  // namespace nnpiper
