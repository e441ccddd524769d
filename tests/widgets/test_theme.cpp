// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/theme/theme.h"

#include <QApplication>
#include <QDir>
#include <QEvent>
#include <QImage>
#include <QLabel>
#include <QPainter>
#include <QPalette>
#include <QPixmap>
#include <QSvgRenderer>
#include <QtTest>

#include <array>
#include <cmath>

using namespace nnpiper;

namespace {

QPalette paletteFor(bool dark)
{
    QPalette palette;
    palette.setColor(QPalette::Window, dark ? Qt::black : Qt::white);
    return palette;
}

using Triple = std::array<double, 3>;

Triple times(const std::array<Triple, 3>& m, const Triple& v)
{
    Triple r{};
    for (std::size_t i = 0; i < 3; ++i)
        r[i] = m[i][0] * v[0] + m[i][1] * v[1] + m[i][2] * v[2];
    return r;
}

/// OKLab of a colour as seen with one kind of vision (a matrix in linear RGB).
Triple seen(const QColor& color, const std::array<Triple, 3>& vision)
{
    const auto linear = [](double c) { return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4); };
    Triple rgb = times(vision, {linear(color.redF()), linear(color.greenF()), linear(color.blueF())});
    for (double& c : rgb)
        c = std::clamp(c, 0.0, 1.0);
    Triple lms = times({{{0.4122214708, 0.5363325363, 0.0514459929},
                         {0.2119034982, 0.6806995451, 0.1073969566},
                         {0.0883024619, 0.2817188376, 0.6299787005}}},
                       rgb);
    for (double& c : lms)
        c = std::cbrt(c);
    return times({{{0.2104542553, 0.7936177850, -0.0040720468},
                   {1.9779984951, -2.4285922050, 0.4505937099},
                   {0.0259040371, 0.7827717662, -0.8086757660}}},
                 lms);
}

double distance(const Triple& a, const Triple& b)
{
    return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

/// Counts what a widget is told.
class Listener : public QLabel {
public:
    int paletteChanges = 0;

protected:
    void changeEvent(QEvent* event) override
    {
        if (event->type() == QEvent::PaletteChange)
            ++paletteChanges;
        QLabel::changeEvent(event);
    }
};

}  // namespace

class TestTheme : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { applyTheme(*qApp, ThemeMode::light); }
    void textIsReadable_data();
    void textIsReadable();
    void rolesOfOneChartDiffer_data();
    void rolesOfOneChartDiffer();
    void stagesStayApartForEveryVision_data();
    void stagesStayApartForEveryVision();
    void stagesCycleInAnotherShade();
    void stageTextReadsOnCards();
    void iconsExistAndAreValid();
    void iconFollowsThePalette();
    void themeSwitchReachesWidgets();
};

void TestTheme::textIsReadable_data()
{
    QTest::addColumn<ColorRole>("text");
    QTest::addColumn<ColorRole>("ground");
    QTest::addColumn<bool>("dark");
    struct Pair {
        const char* name;
        ColorRole text;
        ColorRole ground;
    };
    const Pair pairs[] = {
        {"text on card", ColorRole::text, ColorRole::card},
        {"text on window", ColorRole::text, ColorRole::window},
        {"text on header", ColorRole::text, ColorRole::header},
        {"text on field", ColorRole::text, ColorRole::field},
        {"text on track", ColorRole::text, ColorRole::track},
        {"text on hover", ColorRole::text, ColorRole::hover},
        {"text on accent soft", ColorRole::text, ColorRole::accentSoft},
        {"text on node", ColorRole::text, ColorRole::nodeFill},
        {"muted on card", ColorRole::mutedText, ColorRole::card},
        {"muted on header", ColorRole::mutedText, ColorRole::header},
        {"muted on window", ColorRole::mutedText, ColorRole::window},
        {"muted on node", ColorRole::mutedText, ColorRole::nodeFill},
        {"muted on track", ColorRole::mutedText, ColorRole::track},
        {"accent on card", ColorRole::accent, ColorRole::card},
        {"accent on accent soft", ColorRole::accent, ColorRole::accentSoft},
        {"on accent", ColorRole::accentText, ColorRole::accent},
        {"on accent hover", ColorRole::accentText, ColorRole::accentHover},
        {"positive on card", ColorRole::positive, ColorRole::card},
        {"positive on soft", ColorRole::positive, ColorRole::positiveSoft},
        {"negative on card", ColorRole::negative, ColorRole::card},
        {"negative on soft", ColorRole::negative, ColorRole::negativeSoft},
        {"warning on card", ColorRole::warning, ColorRole::card},
        {"warning on soft", ColorRole::warning, ColorRole::warningSoft},
        {"tooltip", ColorRole::tooltipText, ColorRole::tooltipBase},
        {"tooltip muted", ColorRole::tooltipMuted, ColorRole::tooltipBase},
    };
    for (const Pair& pair : pairs)
        for (const bool dark : {false, true})
            QTest::addRow("%s, %s", pair.name, dark ? "dark" : "light") << pair.text << pair.ground << dark;
}

void TestTheme::textIsReadable()
{
    QFETCH(ColorRole, text);
    QFETCH(ColorRole, ground);
    QFETCH(bool, dark);
    const QPalette palette = paletteFor(dark);
    const double ratio = contrastRatio(roleColor(text, palette), roleColor(ground, palette));
    QVERIFY2(ratio >= 4.5, qPrintable(QStringLiteral("contrast %1 is below 4.5").arg(ratio)));
}

void TestTheme::rolesOfOneChartDiffer_data()
{
    QTest::addColumn<QList<int>>("roles");
    const auto list = [](std::initializer_list<ColorRole> roles) {
        QList<int> numbers;
        for (const ColorRole role : roles)
            numbers << static_cast<int>(role);
        return numbers;
    };
    QTest::newRow("timeline") << list({ColorRole::forward, ColorRole::backward, ColorRole::transfer,
                                       ColorRole::allReduce, ColorRole::criticalPath, ColorRole::track});
    QTest::newRow("memory") << list({ColorRole::memoryState, ColorRole::memoryActivations, ColorRole::memoryTransient,
                                     ColorRole::memoryBuffers, ColorRole::track, ColorRole::capacity});
    QTest::newRow("comparison") << list({ColorRole::accent, ColorRole::bar, ColorRole::card});
    QTest::newRow("canvas") << list({ColorRole::link, ColorRole::selection, ColorRole::card, ColorRole::text});
}

void TestTheme::rolesOfOneChartDiffer()
{
    QFETCH(QList<int>, roles);
    const std::array<Triple, 3> normal{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    for (const bool dark : {false, true}) {
        const QPalette palette = paletteFor(dark);
        for (int a = 0; a < roles.size(); ++a)
            for (int b = 0; b < a; ++b)
                QVERIFY2(distance(seen(roleColor(static_cast<ColorRole>(roles[a]), palette), normal),
                                  seen(roleColor(static_cast<ColorRole>(roles[b]), palette), normal))
                             > 0.08,
                         qPrintable(QStringLiteral("roles %1 and %2, dark %3").arg(roles[a]).arg(roles[b]).arg(dark)));
    }
}

void TestTheme::stagesStayApartForEveryVision_data()
{
    QTest::addColumn<QList<double>>("matrix");
    QTest::newRow("normal") << QList<double>{1, 0, 0, 0, 1, 0, 0, 0, 1};
    QTest::newRow("protan") << QList<double>{0.152286, 1.052583,  -0.204868, 0.114503, 0.786281,
                                             0.099216, -0.003882, -0.048116, 1.051998};
    QTest::newRow("deutan") << QList<double>{0.367322, 0.860646,  -0.227968, 0.280085, 0.672501,
                                             0.047413, -0.011820, 0.042940,  0.968881};
}

void TestTheme::stagesStayApartForEveryVision()
{
    QFETCH(QList<double>, matrix);
    std::array<Triple, 3> vision{};
    for (std::size_t i = 0; i < 9; ++i)
        vision[i / 3][i % 3] = matrix[static_cast<qsizetype>(i)];
    for (const bool dark : {false, true})
        for (int a = 0; a < 16; ++a)
            for (int b = 0; b < a; ++b) {
                const double apart = distance(seen(stageColor(a, paletteFor(dark)), vision),
                                              seen(stageColor(b, paletteFor(dark)), vision));
                QVERIFY2(apart > 0.045, qPrintable(QStringLiteral("stages %1 and %2: %3").arg(a).arg(b).arg(apart)));
            }
}

void TestTheme::stagesCycleInAnotherShade()
{
    const QPalette palette = paletteFor(false);
    for (int stage = 0; stage < 16; ++stage) {
        QVERIFY(stageColor(stage, palette) != stageColor(stage + 16, palette));
        QVERIFY(stageColor(stage + 16, palette) != stageColor(stage + 32, palette));
    }
    QCOMPARE(stageColor(-1, palette), roleColor(ColorRole::idle, palette));
}

void TestTheme::stageTextReadsOnCards()
{
    for (const bool dark : {false, true})
        for (int stage = -1; stage < 40; ++stage) {
            const QPalette palette = paletteFor(dark);
            QVERIFY(contrastRatio(stageTextColor(stage, palette), roleColor(ColorRole::card, palette)) >= 4.5);
            const QColor color = stageColor(stage, palette);
            QVERIFY(contrastRatio(textOn(color), color) >= 3.0);
        }
}

void TestTheme::iconsExistAndAreValid()
{
    const QStringList needed = {"new",     "open",     "save",  "undo",   "redo", "select", "connect", "pan",
                                "arrange", "fit",      "solve", "cancel", "live", "export", "device",  "node",
                                "switch",  "link",     "wan",   "delete", "copy", "paste",  "zoom-in", "zoom-out",
                                "theme",   "language", "help",  "model",  "app"};
    for (const QString& name : needed)
        QVERIFY2(QFile::exists(QStringLiteral(":/icons/%1.svg").arg(name)), qPrintable(name));
    const QStringList files = QDir(QStringLiteral(":/icons")).entryList({"*.svg"});
    QVERIFY(files.size() >= needed.size());
    for (const QString& file : files) {
        QSvgRenderer renderer(QStringLiteral(":/icons/") + file);
        QVERIFY2(renderer.isValid(), qPrintable(file));
        const QIcon icon = themedIcon(file.chopped(4), paletteFor(false));
        const QImage image = icon.pixmap(QSize(24, 24)).toImage();
        int inked = 0;
        for (int y = 0; y < image.height(); ++y)
            for (int x = 0; x < image.width(); ++x)
                inked += qAlpha(image.pixel(x, y)) > 128;
        QVERIFY2(inked > 20, qPrintable(file));
    }
    QVERIFY(themedIcon(QStringLiteral("no such icon"), paletteFor(false)).isNull());
}

void TestTheme::iconFollowsThePalette()
{
    const auto center = [](bool dark, QIcon::State state) {
        const QIcon icon = themedIcon(QStringLiteral("solve"), paletteFor(dark));
        const QImage image = icon.pixmap(QSize(48, 48), QIcon::Normal, state).toImage();
        return image.pixelColor(image.width() / 2, image.height() / 2);
    };
    QCOMPARE(center(false, QIcon::Off).rgb(), roleColor(ColorRole::text, paletteFor(false)).rgb());
    QCOMPARE(center(true, QIcon::Off).rgb(), roleColor(ColorRole::text, paletteFor(true)).rgb());
    QCOMPARE(center(false, QIcon::On).rgb(), roleColor(ColorRole::accent, paletteFor(false)).rgb());
}

void TestTheme::themeSwitchReachesWidgets()
{
    Listener label;
    applyTheme(*qApp, ThemeMode::light);
    QVERIFY(!isDark(label.palette()));
    const int before = label.paletteChanges;
    applyTheme(*qApp, ThemeMode::dark);
    QVERIFY(isDark(label.palette()));
    QVERIFY(label.paletteChanges > before);
    QVERIFY(!qApp->styleSheet().isEmpty());
    label.setStyleSheet(QStringLiteral("background: transparent"));
    label.ensurePolished();
    QVERIFY(isDark(label.palette()));
    // Every token of the style sheet is known.
    QVERIFY(!qApp->styleSheet().contains(QLatin1Char('@')));
    QVERIFY(!qApp->styleSheet().contains(QRegularExpression(QStringLiteral(":\\s*;"))));
    applyTheme(*qApp, ThemeMode::light);
}

QTEST_MAIN(TestTheme)
#include "test_theme.moc"
