// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/theme/colors.h"
#include "widgets/theme/icons.h"

class QApplication;
class QFrame;
class QWidget;

namespace nnpiper {

enum class ThemeMode { system, light, dark };

/// Fusion with a palette and a style sheet made from the colour roles. Every widget gets QEvent::PaletteChange.
void applyTheme(QApplication& application, ThemeMode mode);

/// White (or dark) sheet with a border and round corners.
void setCard(QFrame* frame);

/// How a label or button is meant; the style sheet does the rest.
enum class TextRole { body, title, heading, muted, figure, positive, negative, warning };
void setTextRole(QWidget* label, TextRole role);

/// `primary` is the filled accent button (one a window), `flat` has no border until hovered, `tab` is a text-only
/// checkable button whose checked state is the accent colour, `live` the green toggle.
enum class ButtonRole { normal, primary, flat, tab, live };
void setButtonRole(QWidget* button, ButtonRole role);

}  // namespace nnpiper
