// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QStringList>

namespace nnpiper {

/// Which elements are selected, by id, in the order of selecting. It belongs to the document, so that canvas, tables
/// and inspector follow it without knowing of each other.
class Selection : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;

    const QStringList& ids() const { return ids_; }
    bool contains(const QString& id) const { return ids_.contains(id); }
    bool isEmpty() const { return ids_.isEmpty(); }

    void set(QStringList ids);
    void clear() { set({}); }
    void remove(const QString& id);

signals:
    void changed();

private:
    QStringList ids_;
};

}  // namespace nnpiper
