// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/i18n/language.h"
#include "widgets/results/comparison_panel.h"
#include "widgets/results/timeline_view.h"
#include "widgets/theme/theme.h"

#include <QApplication>
#include <QFile>
#include <QFontMetrics>
#include <QLabel>
#include <QRegularExpression>
#include <QSettings>
#include <QSignalSpy>
#include <QStandardPaths>
#include <QXmlStreamReader>
#include <QtTest>

using namespace nnpiper;

namespace {

struct Message {
    QString context;
    QString source;
    QString translation;
    bool finished = false;
};

QList<Message> readMessages(const QString& path)
{
    QList<Message> messages;
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        return messages;
    QXmlStreamReader xml(&file);
    QString context;
    while (!xml.atEnd()) {
        if (xml.readNext() != QXmlStreamReader::StartElement)
            continue;
        if (xml.name() == QLatin1String("name"))
            context = xml.readElementText();
        else if (xml.name() == QLatin1String("message"))
            messages.append({context, {}, {}, false});
        else if (xml.name() == QLatin1String("source"))
            messages.last().source = xml.readElementText();
        else if (xml.name() == QLatin1String("translation")) {
            messages.last().finished = !xml.attributes().hasAttribute(QLatin1String("type"));
            messages.last().translation = xml.readElementText(QXmlStreamReader::IncludeChildElements);
        }
    }
    return messages;
}

QStringList placeholders(const QString& text)
{
    static const QRegularExpression pattern(QStringLiteral("%(?:L?\\d+|n)"));
    QStringList found;
    for (auto it = pattern.globalMatch(text); it.hasNext();)
        found << it.next().captured();
    found.sort();
    return found;
}

}  // namespace

class TestLanguage : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void filesAreComplete_data();
    void filesAreComplete();
    void switchingChangesVisibleText();
    void standardButtonsFollow();
    void choiceIsKept();
    void interfaceFontHasTheGlyphs();
};

void TestLanguage::initTestCase()
{
    QStandardPaths::setTestModeEnabled(true);
    QCoreApplication::setOrganizationName(QStringLiteral("nnpiper-tests"));
    QCoreApplication::setApplicationName(QStringLiteral("test_language"));
    QSettings().clear();
    applyTheme(*qApp, ThemeMode::light);
}

void TestLanguage::filesAreComplete_data()
{
    QTest::addColumn<QString>("code");
    for (const LanguageSwitcher::Language& language : LanguageSwitcher::available())
        if (language.code != QLatin1String("en"))
            QTest::addRow("%s", qPrintable(language.code)) << language.code;
}

void TestLanguage::filesAreComplete()
{
    QFETCH(QString, code);
    const QList<Message> messages = readMessages(QStringLiteral(TEST_DATA "/../../translations/%1.ts").arg(code));
    QVERIFY(messages.size() > 100);
    for (const Message& message : messages) {
        const QString where = message.context + QStringLiteral(": ") + message.source;
        QVERIFY2(message.finished && !message.translation.isEmpty(), qPrintable(where));
        QVERIFY2(placeholders(message.source) == placeholders(message.translation), qPrintable(where));
    }
    QVERIFY(QFile::exists(QStringLiteral(":/translations/%1.qm").arg(code)));
}

void TestLanguage::switchingChangesVisibleText()
{
    LanguageSwitcher switcher;
    QSignalSpy changed(&switcher, &LanguageSwitcher::languageChanged);
    ComparisonPanel panel;
    TimelineView timeline;
    const auto* title = panel.findChild<QLabel*>();
    QCOMPARE(title->text(), QStringLiteral("Compare planners"));
    QCOMPARE(timeline.accessibleName(), QStringLiteral("Timeline"));
    switcher.setLanguage(QStringLiteral("zh_CN"));
    QCoreApplication::processEvents();
    QCOMPARE(switcher.language(), QStringLiteral("zh_CN"));
    QCOMPARE(title->text(), QStringLiteral("规划器对比"));
    QCOMPARE(timeline.accessibleName(), QStringLiteral("时间线"));
    switcher.setLanguage(QStringLiteral("en"));
    QCoreApplication::processEvents();
    QCOMPARE(title->text(), QStringLiteral("Compare planners"));
    QCOMPARE(changed.count(), 2);
}

void TestLanguage::standardButtonsFollow()
{
    LanguageSwitcher switcher;
    QCOMPARE(QCoreApplication::translate("QPlatformTheme", "Cancel"), QStringLiteral("Cancel"));
    switcher.setLanguage(QStringLiteral("zh_CN"));
    QCOMPARE(QCoreApplication::translate("QPlatformTheme", "Cancel"), QStringLiteral("取消"));
    switcher.setLanguage(QStringLiteral("en"));
}

void TestLanguage::choiceIsKept()
{
    {
        LanguageSwitcher switcher;
        switcher.setLanguage(QStringLiteral("zh_CN"));
    }
    LanguageSwitcher next;
    QCOMPARE(next.language(), QStringLiteral("en"));
    next.restore();
    QCOMPARE(next.language(), QStringLiteral("zh_CN"));
    next.setLanguage(QStringLiteral("en"));
    // What nobody offers is not kept.
    next.setLanguage(QStringLiteral("xx"));
    LanguageSwitcher last;
    last.restore();
    QCOMPARE(last.language(), QStringLiteral("en"));
}

void TestLanguage::interfaceFontHasTheGlyphs()
{
    LanguageSwitcher switcher;
    switcher.setLanguage(QStringLiteral("zh_CN"));
    QVERIFY(QApplication::font().families().contains(QStringLiteral("Noto Sans CJK SC")));
    const QLabel label;
    for (const uint glyph : {0x6d41u, 0x6c34u, 0x7ebfu, 0x663eu})
        QVERIFY(label.fontMetrics().inFontUcs4(glyph));
    switcher.setLanguage(QStringLiteral("en"));
}

QTEST_MAIN(TestLanguage)
#include "test_language.moc"
