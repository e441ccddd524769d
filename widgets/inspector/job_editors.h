// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/document/project_document.h"
#include "widgets/inspector/fields.h"

#include <QObject>

#include <functional>
#include <vector>

namespace nnpiper {

/// Makes editors that are bound to the job of the open project: the same kind serves the inspector and the tool bar. An
/// entry is one undoable command; every editor follows the document.
class JobEditors : public QObject {
    Q_OBJECT
public:
    explicit JobEditors(ProjectDocument& document, QObject* parent = nullptr);

    CountEdit* globalBatch();
    CountEdit* microBatch();
    CountEdit* sequenceLength();
    CountEdit* stages();
    QuantityEdit* stepOverhead();
    ChoiceBox* precision();
    ChoiceBox* optimizer();
    ChoiceBox* recompute();
    ChoiceBox* attention();
    ChoiceBox* schedule();
    ChoiceBox* objective();

    void retranslate();

private:
    using Entries = std::function<void(ChoiceBox&)>;

    CountEdit* count(int least, int most, bool may_be_auto, std::function<std::optional<int>(const Job&)> get,
                     std::function<void(Job&, std::optional<int>)> set, const char* text);
    ChoiceBox* choice(Entries fill, std::function<std::string(const Job&)> get,
                      std::function<void(Job&, const std::string&)> set, const char* text);
    void refresh();
    void change(const char* text, const std::function<void(Job&)>& set);

    ProjectDocument& document_;
    std::vector<std::function<void()>> refreshers_;
    std::vector<std::function<void()>> fillers_;
};

}  // namespace nnpiper
