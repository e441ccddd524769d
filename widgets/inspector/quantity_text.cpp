// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/inspector/quantity_text.h"

#include <QRegularExpression>

namespace nnpiper {

namespace {

/// The text with a plain decimal point and no group separators.
QString neutral(QString text, const QLocale& locale)
{
    if (locale.decimalPoint() == QLatin1String(",")) {
        static const QRegularExpression grouped(QStringLiteral(R"(^\s*[+-]?\d{1,3}(\.\d{3})+,)"));
        if (grouped.match(text).hasMatch())
            text.remove(QLatin1Char('.'));
        return text.replace(QLatin1Char(','), QLatin1Char('.'));
    }
    static const QRegularExpression grouped(QStringLiteral(R"(^\s*[+-]?\d{1,3}(,\d{3})+(\D|$))"));
    if (grouped.match(text).hasMatch())
        text.remove(QLatin1Char(','));
    return text;
}

/// "GB" of "24 GB"; empty for a bare number.
QString unitOf(const QString& text)
{
    static const QRegularExpression number(QStringLiteral(R"(^\s*[+-]?[\d.,]+([eE][+-]?\d+)?\s*)"));
    return QString(text).remove(number).trimmed();
}

}  // namespace

QString quantityText(double value, Unit unit, const QLocale& locale)
{
    QString text = QString::fromStdString(format_quantity(value, unit));
    if (locale.decimalPoint() == QLatin1String(","))
        text.replace(QLatin1Char('.'), QLatin1Char(','));
    return text;
}

double readQuantity(const QString& text, Unit unit, const QString& shown, const QLocale& locale)
{
    QString plain = neutral(text, locale).trimmed();
    static const QRegularExpression bare(QStringLiteral(R"(^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$)"));
    if (bare.match(plain).hasMatch()) {
        const QString usual = unitOf(shown);
        if (!usual.isEmpty())
            plain += QLatin1Char(' ') + usual;
    }
    return parse_quantity(plain.toStdString(), unit);
}

QString usualUnit(Unit unit)
{
    switch (unit) {
    case Unit::bytes:
        return QStringLiteral("GB");
    case Unit::bytes_per_second:
        return QStringLiteral("GB/s");
    case Unit::bits_per_second:
        return QStringLiteral("Gb/s");
    case Unit::seconds:
        return QStringLiteral("ms");
    case Unit::flop_per_second:
        return QStringLiteral("TFLOP/s");
    case Unit::fraction:
        return QStringLiteral("%");
    case Unit::watts:
        return QStringLiteral("W");
    case Unit::dollars_per_hour:
        return QStringLiteral("$/h");
    case Unit::count:
        break;
    }
    return {};
}

}  // namespace nnpiper
