// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/whatif/what_if_text.h"

#include "core/study/what_if.h"

#include <QCoreApplication>

namespace nnpiper {

namespace {

/// The context of these texts for translators.
struct WhatIfText {
    Q_DECLARE_TR_FUNCTIONS(nnpiper::WhatIfText)
};

}  // namespace

QString whatIfText(const WhatIf& change)
{
    const QString subject = QString::fromStdString(change.subject);
    const auto count = change.elements.size();
    switch (change.kind) {
    case WhatIfKind::remove_device:
        return WhatIfText::tr("One %1 less (%2)").arg(subject, QString::fromStdString(change.elements.front()));
    case WhatIfKind::add_device:
        return change.node.empty()
                   ? WhatIfText::tr("One %1 more").arg(subject)
                   : WhatIfText::tr("One %1 more in %2").arg(subject, QString::fromStdString(change.node));
    case WhatIfKind::double_link:
        return count == 1 ? WhatIfText::tr("%1 twice as fast (1 link)").arg(subject)
                          : WhatIfText::tr("%1 twice as fast (%2 links)").arg(subject).arg(count);
    case WhatIfKind::double_interconnect:
        return count == 1 ? WhatIfText::tr("%1 twice as fast (inside 1 node)").arg(subject)
                          : WhatIfText::tr("%1 twice as fast (inside %2 nodes)").arg(subject).arg(count);
    case WhatIfKind::micro_batch:
        return change.micro_batch ? WhatIfText::tr("Micro-batch of %1").arg(*change.micro_batch)
                                  : WhatIfText::tr("Micro-batch as the planner chooses");
    }
    return {};
}

}  // namespace nnpiper
