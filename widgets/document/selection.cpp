// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/document/selection.h"

namespace nnpiper {

void Selection::set(QStringList ids)
{
    ids.removeDuplicates();
    if (ids == ids_)
        return;
    ids_ = std::move(ids);
    emit changed();
}

void Selection::remove(const QString& id)
{
    if (ids_.removeAll(id) > 0)
        emit changed();
}

}  // namespace nnpiper
