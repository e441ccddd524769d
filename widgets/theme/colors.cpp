// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/theme/colors.h"

#include <QPalette>

#include <array>
#include <cmath>

namespace nnpiper {
namespace {

struct RoleColor {
    ColorRole role;
    QRgb light;
    QRgb dark;
};

constexpr std::array<RoleColor, colorRoleCount> roleColors = {{
    {ColorRole::window, 0xffeceef4, 0xff14171d},
    {ColorRole::header, 0xfff6f7fb, 0xff191d24},
    {ColorRole::card, 0xffffffff, 0xff1e222b},
    {ColorRole::cardBorder, 0xffd6dae7, 0xff333947},
    {ColorRole::field, 0xffffffff, 0xff252a35},
    {ColorRole::fieldBorder, 0xffc6ccdd, 0xff3f4657},
    {ColorRole::grid, 0xffe3e6ef, 0xff2c323e},
    {ColorRole::track, 0xfff2f4f8, 0xff242933},
    {ColorRole::text, 0xff1c212e, 0xffe6e9f0},
    {ColorRole::mutedText, 0xff596276, 0xff9da6b9},
    {ColorRole::accent, 0xff3f51b5, 0xff8c9af2},
    {ColorRole::accentHover, 0xff33439c, 0xffa3aff7},
    {ColorRole::accentText, 0xffffffff, 0xff10142a},
    {ColorRole::accentSoft, 0xffe8ebf8, 0xff2a3154},
    {ColorRole::hover, 0xfff0f2f8, 0xff2b313d},
    {ColorRole::positive, 0xff26742b, 0xff76d083},
    {ColorRole::positiveSoft, 0xffe4f3e5, 0xff1f3a26},
    {ColorRole::negative, 0xffb12f2c, 0xfff28b85},
    {ColorRole::negativeSoft, 0xfffbe7e6, 0xff46262a},
    {ColorRole::warning, 0xff855400, 0xffe8ba5a},
    {ColorRole::warningSoft, 0xfffcf1d9, 0xff413517},
    {ColorRole::forward, 0xff4e79a7, 0xff5c8cbe},
    {ColorRole::backward, 0xff59a14f, 0xff5fae55},
    {ColorRole::backwardWeight, 0xffa5cf9d, 0xff3f6f3a},
    {ColorRole::transfer, 0xfff28e2b, 0xfff2a04a},
    {ColorRole::allReduce, 0xffb07aa1, 0xffc08fb2},
    {ColorRole::idle, 0xffb4bbca, 0xff5a6273},
    {ColorRole::criticalPath, 0xffd7373f, 0xffff6e6e},
    {ColorRole::link, 0xff8693b0, 0xff7483a3},
    {ColorRole::nodeFill, 0xfff8f9fd, 0xff232833},
    {ColorRole::nodeBorder, 0xffb7c1db, 0xff465068},
    {ColorRole::selection, 0xff3f51b5, 0xff8c9af2},
    {ColorRole::tooltipBase, 0xff232733, 0xff353c4c},
    {ColorRole::tooltipText, 0xfff4f5f9, 0xfff0f2f7},
    {ColorRole::tooltipMuted, 0xffb9c0d0, 0xffb9c1d2},
    {ColorRole::bar, 0xffb7c0df, 0xff4a5683},
    {ColorRole::memoryState, 0xff4a6fa5, 0xff6a91c8},
    {ColorRole::memoryActivations, 0xffe0952f, 0xffe6a650},
    {ColorRole::memoryTransient, 0xff9a6fa8, 0xffb48cc2},
    {ColorRole::memoryBuffers, 0xff6fb3b8, 0xff7fc2c7},
    {ColorRole::capacity, 0xff8b2f2f, 0xffff8a80},
    {ColorRole::boundary, 0xff1c212e, 0xffe6e9f0},
}};

constexpr bool inOrder()
{
    for (int i = 0; i < colorRoleCount; ++i)
        if (static_cast<int>(roleColors[static_cast<std::size_t>(i)].role) != i)
            return false;
    return true;
}
static_assert(inOrder(), "the table lists the roles in the order of the enumeration");

// Chosen so that any two differ by at least 0.05 in OKLab as seen with normal, protan and deutan vision (matrices of
// Machado, Oliveira and Fernandes 2009), neighbours by more.
constexpr std::array<QRgb, 16> stageColors = {
    0xff4273ad, 0xfff0942d, 0xff2a946c, 0xffb874b4, 0xffc94a3f, 0xff6fbce0, 0xff57449d, 0xff60c06d,
    0xff913f1b, 0xff7277e6, 0xfff38cba, 0xffb98622, 0xff823a6a, 0xffe6ada5, 0xff269ad0, 0xffa7508f,
};

/// 0 black .. 1 white, linear light.
double luminance(const QColor& color)
{
    const auto linear = [](double c) { return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4); };
    return 0.2126 * linear(color.redF()) + 0.7152 * linear(color.greenF()) + 0.0722 * linear(color.blueF());
}

}  // namespace

bool isDark(const QPalette& palette)
{
    // A style sheet with a transparent background leaves a transparent black in a widget's own palette.
    for (const auto role : {QPalette::Window, QPalette::Base, QPalette::Midlight})
        if (const QColor color = palette.color(role); color.alpha() > 127)
            return color.lightnessF() < 0.5f;
    return false;
}

QColor roleColor(ColorRole role, const QPalette& palette)
{
    const RoleColor& entry = roleColors[static_cast<std::size_t>(role)];
    return QColor::fromRgb(isDark(palette) ? entry.dark : entry.light);
}

QColor stageColor(int stage, const QPalette& palette)
{
    if (stage < 0)
        return roleColor(ColorRole::idle, palette);
    const auto count = static_cast<int>(stageColors.size());
    QColor color = QColor::fromRgb(stageColors[static_cast<std::size_t>(stage % count)]);
    if (isDark(palette))
        color = blend(QColor(Qt::white), color, 0.10);
    const int round = stage / count;
    if (round == 0)
        return color;
    // 1: darker, 2: lighter, 3: darker still, ...
    const double share = qMin(0.6, 0.28 + 0.12 * ((round - 1) / 2));
    return blend(round % 2 == 1 ? QColor(Qt::black) : QColor(Qt::white), color, share);
}

QColor stageTextColor(int stage, const QPalette& palette)
{
    const QColor card = roleColor(ColorRole::card, palette);
    const QColor toward = isDark(palette) ? QColor(Qt::white) : QColor(Qt::black);
    const QColor color = stage < 0 ? roleColor(ColorRole::mutedText, palette) : stageColor(stage, palette);
    for (double share = 0; share < 1; share += 0.05) {
        const QColor candidate = blend(toward, color, share);
        if (contrastRatio(candidate, card) >= 4.5)
            return candidate;
    }
    return toward;
}

QColor textOn(const QColor& ground)
{
    const QColor dark = QColor::fromRgb(0xff14171d);
    const QColor white(Qt::white);
    return contrastRatio(white, ground) >= 3.0 || contrastRatio(white, ground) >= contrastRatio(dark, ground) ? white
                                                                                                              : dark;
}

double contrastRatio(const QColor& a, const QColor& b)
{
    const double la = luminance(a);
    const double lb = luminance(b);
    return (qMax(la, lb) + 0.05) / (qMin(la, lb) + 0.05);
}

QColor blend(const QColor& over, const QColor& ground, double share)
{
    const auto mix = [share](float x, float y) { return static_cast<float>(share * x + (1 - share) * y); };
    return QColor::fromRgbF(mix(over.redF(), ground.redF()), mix(over.greenF(), ground.greenF()),
                            mix(over.blueF(), ground.blueF()));
}

}  // namespace nnpiper
