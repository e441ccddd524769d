// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/study/explain.h"

#include <QStringList>

class QLocale;

namespace nnpiper {

/// The reasons as sentences in the user's language.
QStringList explanationText(const Problem& problem, const std::vector<Reason>& reasons, const QLocale& locale);

}  // namespace nnpiper
