// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/model.h"

#include <QDialog>

#include <vector>

class QDialogButtonBox;
class QLabel;
class QLineEdit;
class QListWidget;
class QPushButton;

namespace nnpiper {

class CountEdit;

/// Chooses what is trained: a model of the catalogue, or one read from a HuggingFace `config.json`.
class ModelDialog : public QDialog {
    Q_OBJECT
public:
    explicit ModelDialog(const Model& model, QWidget* parent = nullptr);

    const Model& model() const { return model_; }
    /// Reads a config file; returns the sentence of what is wrong with it, or an empty text.
    QString readConfig(const QString& path);

private:
    void fillList();
    void choose(const Architecture& architecture);
    void showSummary();
    void openConfig();

    Model model_;
    std::vector<Architecture> listed_;
    QLineEdit* search_;
    QListWidget* list_;
    QLabel* name_;
    QLabel* summary_;
    QLabel* fault_;
    CountEdit* sequence_;
    QDialogButtonBox* buttons_;
};

}  // namespace nnpiper
