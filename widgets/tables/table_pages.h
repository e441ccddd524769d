// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/document/element.h"

#include <QWidget>

class QLabel;
class QTableView;

namespace nnpiper {

class ElementTableModel;
class LayerTableModel;
class PlanBoard;
class ProjectDocument;

/// Tables of devices and of links, one above the other; their selection is the document's.
class TablePage : public QWidget {
    Q_OBJECT
public:
    explicit TablePage(ProjectDocument& document, QWidget* parent = nullptr);

    QTableView& devices() const { return *devices_; }
    QTableView& links() const { return *links_; }

signals:
    void message(const QString& text);

protected:
    void changeEvent(QEvent* event) override;

private:
    QTableView* addTable(ElementTableModel* model);
    void showSelection();
    void takeSelection();
    void retranslateUi();

    ProjectDocument& document_;
    QLabel* device_title_;
    QLabel* link_title_;
    ElementTableModel* device_model_;
    ElementTableModel* link_model_;
    QTableView* devices_;
    QTableView* links_;
    bool following_ = false;
};

/// The layers of the model.
class LayerPage : public QWidget {
    Q_OBJECT
public:
    LayerPage(ProjectDocument& document, PlanBoard& board, QWidget* parent = nullptr);

signals:
    void changeModelRequested();

protected:
    void changeEvent(QEvent* event) override;

private:
    void retranslateUi();

    ProjectDocument& document_;
    QLabel* title_;
    LayerTableModel* model_;
    QTableView* table_;
};

}  // namespace nnpiper
