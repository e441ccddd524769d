// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFont>
#include <QList>
#include <QObject>
#include <QTranslator>

#include <memory>
#include <vector>

namespace nnpiper {

/// Switches the language of the whole program while it runs: installs the translators, so that every widget gets
/// QEvent::LanguageChange, and gives the interface a font that has the language's glyphs. The choice is kept in
/// QSettings under "interface/language".
class LanguageSwitcher : public QObject {
    Q_OBJECT

public:
    struct Language {
        QString code;        ///< "en", "zh_CN"
        QString nativeName;  ///< as its readers write it
    };

    explicit LanguageSwitcher(QObject* parent = nullptr);
    ~LanguageSwitcher() override;

    static QList<Language> available();

    /// A code of available(); an unknown one or an empty one means that of the system, else English. What the user
    /// chose is remembered, what a command line asks for need not be.
    void setLanguage(const QString& code, bool remember = true);
    /// What was chosen last time, else the system's.
    void restore();
    QString language() const { return code_; }

signals:
    void languageChanged(const QString& code);

private:
    static QString known(const QString& code);
    void removeTranslators();

    QString code_ = QStringLiteral("en");
    QFont plainFont_;
    std::vector<std::unique_ptr<QTranslator>> translators_;
};

}  // namespace nnpiper
