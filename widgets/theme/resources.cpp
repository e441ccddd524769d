// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/theme/resources.h"

#include <QDir>
#include <QtGlobal>

// The macro declares a function of the global namespace.
static void registerResources()
{
    Q_INIT_RESOURCE(resources);
}

namespace nnpiper {

void ensureResources()
{
    static const bool done = (registerResources(), true);
    Q_UNUSED(done);
}

}  // namespace nnpiper
