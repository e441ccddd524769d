// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/theme/theme.h"

#include "widgets/theme/resources.h"

#include <QApplication>
#include <QFile>
#include <QFrame>
#include <QPalette>
#include <QRegularExpression>
#include <QStyle>
#include <QStyleFactory>
#include <QVariant>

#include <memory>

namespace nnpiper {
namespace {

QPalette paletteOf(bool dark)
{
    // The window colour alone tells roleColor() which column to use.
    QPalette probe(dark ? Qt::black : Qt::white);
    probe.setColor(QPalette::Window, dark ? Qt::black : Qt::white);
    const auto color = [&](ColorRole role) { return roleColor(role, probe); };

    QPalette palette;
    palette.setColor(QPalette::Window, color(ColorRole::window));
    palette.setColor(QPalette::WindowText, color(ColorRole::text));
    palette.setColor(QPalette::Base, color(ColorRole::field));
    palette.setColor(QPalette::AlternateBase, color(ColorRole::track));
    palette.setColor(QPalette::Text, color(ColorRole::text));
    palette.setColor(QPalette::PlaceholderText, color(ColorRole::mutedText));
    palette.setColor(QPalette::Button, color(ColorRole::card));
    palette.setColor(QPalette::ButtonText, color(ColorRole::text));
    palette.setColor(QPalette::BrightText, color(ColorRole::negative));
    palette.setColor(QPalette::Highlight, color(ColorRole::accent));
    palette.setColor(QPalette::HighlightedText, color(ColorRole::accentText));
    palette.setColor(QPalette::Link, color(ColorRole::accent));
    palette.setColor(QPalette::LinkVisited, color(ColorRole::accent));
    palette.setColor(QPalette::ToolTipBase, color(ColorRole::tooltipBase));
    palette.setColor(QPalette::ToolTipText, color(ColorRole::tooltipText));
    palette.setColor(QPalette::Light, blend(color(ColorRole::text), color(ColorRole::card), dark ? 0.10 : 0.0));
    palette.setColor(QPalette::Midlight, color(ColorRole::grid));
    palette.setColor(QPalette::Mid, color(ColorRole::cardBorder));
    palette.setColor(QPalette::Dark, color(ColorRole::fieldBorder));
    palette.setColor(QPalette::Shadow, color(ColorRole::mutedText));
    const QColor pale = blend(color(ColorRole::mutedText), color(ColorRole::card), 0.55);
    for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
        palette.setColor(QPalette::Disabled, role, pale);
    palette.setColor(QPalette::Disabled, QPalette::Highlight, color(ColorRole::idle));
    return palette;
}

bool systemIsDark()
{
    // Fusion's own palette follows what the platform says, whatever palette the application has now.
    const std::unique_ptr<QStyle> fusion(QStyleFactory::create(QStringLiteral("Fusion")));
    return fusion && isDark(fusion->standardPalette());
}

struct RoleName {
    const char* name;
    ColorRole role;
};
constexpr RoleName styleRoles[] = {
    {"window", ColorRole::window},
    {"header", ColorRole::header},
    {"card", ColorRole::card},
    {"cardBorder", ColorRole::cardBorder},
    {"field", ColorRole::field},
    {"fieldBorder", ColorRole::fieldBorder},
    {"grid", ColorRole::grid},
    {"track", ColorRole::track},
    {"text", ColorRole::text},
    {"mutedText", ColorRole::mutedText},
    {"accent", ColorRole::accent},
    {"accentHover", ColorRole::accentHover},
    {"accentText", ColorRole::accentText},
    {"accentSoft", ColorRole::accentSoft},
    {"hover", ColorRole::hover},
    {"positive", ColorRole::positive},
    {"positiveSoft", ColorRole::positiveSoft},
    {"negative", ColorRole::negative},
    {"negativeSoft", ColorRole::negativeSoft},
    {"warning", ColorRole::warning},
    {"warningSoft", ColorRole::warningSoft},
    {"idle", ColorRole::idle},
    {"tooltipBase", ColorRole::tooltipBase},
    {"tooltipText", ColorRole::tooltipText},
    {"bar", ColorRole::bar},
};

/// The style sheet file names roles as @role and pictures of the current mode as @mode.
QString styleSheet(const QPalette& palette)
{
    QFile file(QStringLiteral(":/theme/workbench.qss"));
    if (!file.open(QIODevice::ReadOnly))
        return {};
    const QString text = QString::fromUtf8(file.readAll());
    QString result;
    result.reserve(text.size() + 1024);
    static const QRegularExpression token(QStringLiteral("@([A-Za-z]+)"));
    qsizetype from = 0;
    for (auto it = token.globalMatch(text); it.hasNext();) {
        const auto match = it.next();
        result += QStringView(text).mid(from, match.capturedStart() - from);
        const QString name = match.captured(1);
        if (name == QLatin1String("mode"))
            result += isDark(palette) ? QLatin1String("dark") : QLatin1String("light");
        for (const RoleName& entry : styleRoles)
            if (name == QLatin1String(entry.name))
                result += roleColor(entry.role, palette).name();
        from = match.capturedEnd();
    }
    result += QStringView(text).mid(from);
    return result;
}

void setStyleProperty(QWidget* widget, const char* name, const QVariant& value)
{
    if (widget->property(name) == value)
        return;
    widget->setProperty(name, value);
    widget->style()->unpolish(widget);
    widget->style()->polish(widget);
    widget->update();
}

}  // namespace

void applyTheme(QApplication& application, ThemeMode mode)
{
    ensureResources();
    const bool dark = mode == ThemeMode::dark || (mode == ThemeMode::system && systemIsDark());
    const QPalette palette = paletteOf(dark);
    if (application.styleSheet().isEmpty())
        QApplication::setStyle(QStyleFactory::create(QStringLiteral("Fusion")));
    QApplication::setPalette(palette);
    application.setStyleSheet(styleSheet(palette));
}

void setCard(QFrame* frame)
{
    frame->setFrameShape(QFrame::NoFrame);
    setStyleProperty(frame, "card", true);
}

void setTextRole(QWidget* label, TextRole role)
{
    static const char* const names[] = {"body",   "title",    "heading",  "muted",
                                        "figure", "positive", "negative", "warning"};
    setStyleProperty(label, "textRole", QString::fromLatin1(names[static_cast<int>(role)]));
}

void setButtonRole(QWidget* button, ButtonRole role)
{
    static const char* const names[] = {"normal", "primary", "flat", "tab", "live"};
    setStyleProperty(button, "buttonRole", QString::fromLatin1(names[static_cast<int>(role)]));
}

}  // namespace nnpiper
