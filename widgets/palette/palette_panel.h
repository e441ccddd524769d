// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>

class QLabel;
class QLineEdit;
class QModelIndex;
class QSortFilterProxyModel;
class QToolButton;
class QTreeView;

namespace nnpiper {

class PaletteModel;
class ProjectDocument;
struct DeviceSpec;

/// The card on the left: search, everything that can be dragged onto the canvas or added by a double click, and the
/// project's own device types, which are made, changed and removed here.
class PalettePanel : public QFrame {
    Q_OBJECT
public:
    explicit PalettePanel(ProjectDocument& document, QWidget* parent = nullptr);

    QTreeView& view() const { return *view_; }
    QLineEdit& search() const { return *search_; }
    /// Asks for the figures of a new device type, starting from one of that name or from nothing.
    void makeType(const QString& like = {});
    /// Asks for other figures of a type of the project's own.
    void changeType(const QString& name);

signals:
    /// A double click or Enter: PaletteItem as MIME data.
    void itemActivated(const QByteArray& item);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void retranslateUi();
    void expandSections();
    void showOwnTypes();
    void showMenu(const QPoint& position);
    QStringList takenNames(const QString& but = {}) const;
    void select(const QString& type);

    ProjectDocument& document_;

    QLabel* title_;
    QToolButton* add_;
    QLineEdit* search_;
    QTreeView* view_;
    PaletteModel* model_;
    QSortFilterProxyModel* filter_;
};

}  // namespace nnpiper
