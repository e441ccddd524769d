// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/i18n/language.h"

#include <QApplication>
#include <QFontDatabase>
#include <QLibraryInfo>
#include <QLocale>
#include <QSettings>

namespace nnpiper {
namespace {

const QString settingsKey = QStringLiteral("interface/language");

/// Families that hold the glyphs of the language, best first; those not installed are skipped by the font matching.
QStringList familiesFor(const QString& code)
{
    if (code == QLatin1String("zh_CN"))
        return {QStringLiteral("Noto Sans CJK SC"), QStringLiteral("Source Han Sans SC"),
                QStringLiteral("WenQuanYi Micro Hei"), QStringLiteral("Microsoft YaHei"),
                QStringLiteral("PingFang SC")};
    return {};
}

}  // namespace

LanguageSwitcher::LanguageSwitcher(QObject* parent)
    : QObject(parent)
    , plainFont_(QApplication::font())
{
}

LanguageSwitcher::~LanguageSwitcher()
{
    removeTranslators();
}

QList<LanguageSwitcher::Language> LanguageSwitcher::available()
{
    return {{QStringLiteral("en"), QStringLiteral("English")}, {QStringLiteral("zh_CN"), QStringLiteral("简体中文")}};
}

QString LanguageSwitcher::known(const QString& code)
{
    const auto languages = available();
    for (const Language& language : languages)
        if (language.code == code)
            return code;
    for (const Language& language : languages)
        for (const QString& wanted : QLocale::system().uiLanguages())
            if (wanted.left(2) == language.code.left(2))
                return language.code;
    return QStringLiteral("en");
}

void LanguageSwitcher::restore()
{
    setLanguage(QSettings().value(settingsKey).toString());
}

void LanguageSwitcher::setLanguage(const QString& code, bool remember)
{
    const QString chosen = known(code);
    if (remember && chosen == code)
        QSettings().setValue(settingsKey, code);
    if (chosen == code_)
        return;
    code_ = chosen;

    QFont font = plainFont_;
    // The language's family comes first: its Latin letters and figures are drawn to go with its own.
    const QStringList families = familiesFor(code_);
    if (!families.isEmpty())
        font.setFamilies(families + QStringList{plainFont_.family()});
    QApplication::setFont(font);

    removeTranslators();
    const auto install = [this](const QString& name, const QString& folder) {
        auto translator = std::make_unique<QTranslator>();
        if (translator->load(name, folder)) {
            QApplication::installTranslator(translator.get());
            translators_.push_back(std::move(translator));
        }
    };
    if (code_ != QLatin1String("en")) {
        // Qt's own texts first: ours, installed last, are asked first.
        install(QStringLiteral("qtbase_") + code_, QLibraryInfo::path(QLibraryInfo::TranslationsPath));
        install(code_, QStringLiteral(":/translations"));
    }
    emit languageChanged(code_);
}

void LanguageSwitcher::removeTranslators()
{
    for (const auto& translator : translators_)
        QApplication::removeTranslator(translator.get());
    translators_.clear();
}

}  // namespace nnpiper
