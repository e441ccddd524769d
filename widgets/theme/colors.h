// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>

class QPalette;

namespace nnpiper {

/// What a colour is for. Every colour on screen comes from one of these or from stageColor(); each has a light and a
/// dark value, chosen by the lightness of the palette's window colour, so there is no global state.
enum class ColorRole {
    window,  ///< behind the cards
    header,  ///< menu and tool bar
    card,
    cardBorder,
    field,  ///< inside line edits, combo boxes, spin boxes
    fieldBorder,
    grid,   ///< canvas dots, chart grid
    track,  ///< row bands, empty part of a bar
    text,
    mutedText,
    accent,
    accentHover,
    accentText,  ///< on accent
    accentSoft,  ///< tinted ground with text on it
    hover,
    positive,
    positiveSoft,
    negative,
    negativeSoft,
    warning,
    warningSoft,
    forward,
    backward,
    backwardWeight,  ///< where it is split off
    transfer,
    allReduce,
    idle,
    criticalPath,
    link,
    nodeFill,
    nodeBorder,
    selection,
    tooltipBase,
    tooltipText,
    tooltipMuted,
    bar,  ///< a chart bar that is not the chosen one
    memoryState,
    memoryActivations,
    memoryTransient,
    memoryBuffers,
    capacity,  ///< capacity line of a memory bar
    boundary,  ///< handles between stages
};
inline constexpr int colorRoleCount = static_cast<int>(ColorRole::boundary) + 1;

bool isDark(const QPalette& palette);
QColor roleColor(ColorRole role, const QPalette& palette);

/// The same series in canvas, strip, timeline and charts: 16 colours that stay apart for the three common kinds of
/// colour vision, then the same in another shade. A negative stage is the idle colour.
QColor stageColor(int stage, const QPalette& palette);
/// The stage's colour, darkened or lightened until it reads as text on a card (contrast at least 4.5).
QColor stageTextColor(int stage, const QPalette& palette);

/// Black-ish or white, whichever reads better on `ground`.
QColor textOn(const QColor& ground);

/// WCAG 2.1 contrast ratio, 1..21.
double contrastRatio(const QColor& a, const QColor& b);
/// `share` of `over` on `ground`, 0..1.
QColor blend(const QColor& over, const QColor& ground, double share);

}  // namespace nnpiper
