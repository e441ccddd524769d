// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>

class QLabel;
class QLineEdit;
class QModelIndex;
class QSortFilterProxyModel;
class QTreeView;

namespace nnpiper {

class PaletteModel;

/// The card on the left: search, and everything that can be dragged onto the canvas or added by a double click.
class PalettePanel : public QFrame {
    Q_OBJECT
public:
    explicit PalettePanel(QWidget* parent = nullptr);

    QTreeView& view() const { return *view_; }
    QLineEdit& search() const { return *search_; }

signals:
    /// A double click or Enter: PaletteItem as MIME data.
    void itemActivated(const QByteArray& item);

protected:
    void changeEvent(QEvent* event) override;

private:
    void retranslateUi();
    void expandSections();

    QLabel* title_;
    QLineEdit* search_;
    QTreeView* view_;
    PaletteModel* model_;
    QSortFilterProxyModel* filter_;
};

}  // namespace nnpiper
