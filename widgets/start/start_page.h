// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/start/examples.h"

#include <QWidget>

class QFrame;
class QGridLayout;
class QLabel;
class QListWidget;
class QPushButton;

namespace nnpiper {

class ExampleCard;

/// The first page: a new project, a file, a recent file or one of the examples.
class StartPage : public QWidget {
    Q_OBJECT

public:
    explicit StartPage(QWidget* parent = nullptr);

    void setRecentFiles(const QStringList& paths);

    const QList<ExampleCard*>& cards() const { return cards_; }
    QListWidget* recentList() const { return recent_; }

signals:
    void newRequested();
    void openRequested();
    /// A recent file or an example.
    void fileRequested(const QString& path);

protected:
    void changeEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void retranslateUi();
    void restyle();
    void makeSteps();
    void placeCards();

    QLabel* mark_;
    QLabel* name_;
    QLabel* claim_;
    QPushButton* new_;
    QPushButton* open_;
    QLabel* recentTitle_;
    QLabel* noRecent_;
    QListWidget* recent_;
    QLabel* examplesTitle_;
    QLabel* noExamples_;
    QGridLayout* grid_;
    QFrame* steps_;
    struct Step {
        QString icon;
        QLabel* mark;
        QLabel* title;
        QLabel* text;
    };
    QList<Step> stepParts_;
    QList<ExampleCard*> cards_;
};

}  // namespace nnpiper
