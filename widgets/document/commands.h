// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/document/project_document.h"

#include <QUndoCommand>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace nnpiper {

/// Base of all edits. Commands hold ids with old and new values, never pointers to items, and merge with the command
/// before them when both carry the same merge key (one drag, one stay in a field).
class DocumentCommand : public QUndoCommand {
public:
    DocumentCommand(ProjectDocument& document, const QString& text, QString merge_key)
        : QUndoCommand(text)
        , document_(document)
        , merge_key_(std::move(merge_key))
    {
    }

    virtual bool changesNothing() const = 0;

    int id() const override { return merge_key_.isEmpty() ? -1 : 1; }
    bool mergeWith(const QUndoCommand* other) override
    {
        const auto* next = dynamic_cast<const DocumentCommand*>(other);
        if (!next || next->merge_key_ != merge_key_ || !take(*next))
            return false;
        setObsolete(changesNothing());
        return true;
    }
    void redo() override
    {
        apply(true);
        document_.finishCommand();
    }
    void undo() override
    {
        apply(false);
        document_.finishCommand();
    }

protected:
    virtual void apply(bool forward) = 0;
    /// Takes over the new values of a later command of the same key; false when the two do not fit.
    virtual bool take(const DocumentCommand& next) = 0;

    ProjectDocument& document_;

private:
    QString merge_key_;
};

/// One element before and after; empty means that it does not exist.
struct ElementChange {
    std::string id;
    std::optional<ElementRecord> before;
    std::optional<ElementRecord> after;
};

/// Adds, removes, changes and moves any number of elements at once. Changes are applied in order and undone in reverse.
class ElementsCommand : public DocumentCommand {
public:
    ElementsCommand(ProjectDocument& document, const QString& text, std::vector<ElementChange> changes,
                    const QString& merge_key = {})
        : DocumentCommand(document, text, merge_key)
        , changes_(std::move(changes))
    {
    }

    bool changesNothing() const override;

protected:
    void apply(bool forward) override;
    bool take(const DocumentCommand& next) override;

private:
    std::vector<ElementChange> changes_;
};

/// Kept plans count as equal when they describe the same plan; their predicted figures follow from it.
bool sameValue(const std::vector<Plan>& a, const std::vector<Plan>& b);
template <class T>
bool sameValue(const T& a, const T& b)
{
    return a == b;
}

/// Exchanges one value of the project: the job, the model, a text, the kept plans.
template <class T>
class ValueCommand : public DocumentCommand {
public:
    using Setter = void (ProjectDocument::*)(T);

    ValueCommand(ProjectDocument& document, const QString& text, Setter setter, T before, T after,
                 const QString& merge_key = {})
        : DocumentCommand(document, text, merge_key)
        , setter_(setter)
        , before_(std::move(before))
        , after_(std::move(after))
    {
    }

    bool changesNothing() const override { return sameValue(before_, after_); }

protected:
    void apply(bool forward) override { (document_.*setter_)(forward ? after_ : before_); }
    bool take(const DocumentCommand& next) override
    {
        const auto* same = dynamic_cast<const ValueCommand*>(&next);
        if (!same || same->setter_ != setter_)
            return false;
        after_ = same->after_;
        return true;
    }

private:
    Setter setter_;
    T before_;
    T after_;
};

/// Exchanges devices, the job and the assumptions at once: what a calibration finds out.
class ConstantsCommand : public DocumentCommand {
public:
    ConstantsCommand(ProjectDocument& document, const QString& text, const Project& before, const Project& after);

    bool changesNothing() const override { return devices_.empty() && before_ == after_; }

protected:
    void apply(bool forward) override;
    bool take(const DocumentCommand&) override { return false; }

private:
    struct Rest {
        Job job;
        std::vector<std::string> assumptions;

        bool operator==(const Rest&) const = default;
    };
    std::vector<ElementChange> devices_;
    Rest before_;
    Rest after_;
};

}  // namespace nnpiper
