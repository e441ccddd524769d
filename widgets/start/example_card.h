// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/start/examples.h"

#include <QAbstractButton>

namespace nnpiper {

/// A card of the start page: the example's cluster in miniature, its name, what it is about and how large it is.
class ExampleCard : public QAbstractButton {
    Q_OBJECT

public:
    explicit ExampleCard(Example example, QWidget* parent = nullptr);

    const Example& example() const { return example_; }
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    void changeEvent(QEvent* event) override;
    void enterEvent(QEnterEvent* event) override;
    void leaveEvent(QEvent* event) override;

private:
    void retranslateUi();
    QString facts() const;

    Example example_;
};

}  // namespace nnpiper
