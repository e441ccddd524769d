// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/i18n/language.h"
#include "widgets/mainwindow/main_window.h"
#include "widgets/mainwindow/project_files.h"
#include "widgets/theme/theme.h"

#include <QApplication>
#include <QCommandLineParser>
#include <QSettings>
#include <QTimer>

#include <cstdio>

namespace {

struct Options {
    QString file;
    QString screenshot;
    QString theme;
    QString language;
    QSize size;
    bool solve = false;
};

Options readOptions(const QApplication& application)
{
    QCommandLineParser parser;
    parser.setApplicationDescription(QCoreApplication::translate(
        "main", "Draw a cluster, plan pipeline-parallel training on it, see the timeline."));
    parser.addHelpOption();
    parser.addVersionOption();
    parser.addPositionalArgument(QStringLiteral("file"), QCoreApplication::translate("main", "Project to open."),
                                 QStringLiteral("[FILE]"));
    const QCommandLineOption solve(QStringLiteral("solve"),
                                   QCoreApplication::translate("main", "Plan the project as soon as it is open."));
    const QCommandLineOption screenshot(
        QStringLiteral("screenshot"),
        QCoreApplication::translate("main", "Plan, save a picture of the window as OUT.png and end; needs no display "
                                            "with QT_QPA_PLATFORM=offscreen."),
        QStringLiteral("OUT.png"));
    const QCommandLineOption theme(QStringLiteral("theme"), QCoreApplication::translate("main", "light or dark."),
                                   QStringLiteral("NAME"));
    const QCommandLineOption language(QStringLiteral("language"),
                                      QCoreApplication::translate("main", "Language code, for example zh_CN."),
                                      QStringLiteral("CODE"));
    const QCommandLineOption size(QStringLiteral("size"),
                                  QCoreApplication::translate("main", "Size of the window, for example 1680x1050."),
                                  QStringLiteral("WxH"));
    parser.addOptions({solve, screenshot, theme, language, size});
    parser.process(application);

    Options options;
    if (!parser.positionalArguments().isEmpty())
        options.file = parser.positionalArguments().front();
    options.screenshot = parser.value(screenshot);
    options.theme = parser.value(theme);
    options.language = parser.value(language);
    options.solve = parser.isSet(solve);
    const QStringList sides = parser.value(size).split(QLatin1Char('x'));
    if (sides.size() == 2)
        options.size = QSize(sides[0].toInt(), sides[1].toInt());
    const auto refuse = [](const QString& sentence) {
        std::fprintf(stderr, "nnpiper-workbench: %s\n", qPrintable(sentence));
        std::exit(2);
    };
    if (parser.isSet(size) && (options.size.width() < 640 || options.size.height() < 480))
        refuse(QCoreApplication::translate("main", "--size: \"%1\" found, a size of at least 640x480 is allowed")
                   .arg(parser.value(size)));
    if (parser.isSet(theme) && options.theme != QLatin1String("light") && options.theme != QLatin1String("dark"))
        refuse(QCoreApplication::translate("main", "--theme: \"%1\" found, light and dark are allowed")
                   .arg(options.theme));
    return options;
}

/// Saves the window once it has drawn itself, then ends with status 0, or 1 when the picture cannot be written.
void saveAndQuit(nnpiper::MainWindow& window, const QString& path)
{
    QTimer::singleShot(400, &window, [&window, path] {
        const bool saved = window.grab().save(path);
        if (!saved)
            std::fprintf(stderr, "nnpiper-workbench: %s cannot be written\n", qPrintable(path));
        window.document().undoStack().setClean();
        QCoreApplication::exit(saved ? 0 : 1);
    });
}

}  // namespace

int main(int argc, char** argv)
{
    QApplication application(argc, argv);
    QCoreApplication::setOrganizationName(QStringLiteral("NN-Piper"));
    QCoreApplication::setApplicationName(QStringLiteral("Workbench"));
    QCoreApplication::setApplicationVersion(QStringLiteral(NNPIPER_VERSION));
    QGuiApplication::setDesktopFileName(QStringLiteral("nnpiper-workbench"));
    const Options options = readOptions(application);

    nnpiper::LanguageSwitcher language;
    if (options.language.isEmpty())
        language.restore();
    else
        language.setLanguage(options.language, false);
    auto mode = static_cast<nnpiper::ThemeMode>(QSettings().value(QStringLiteral("theme"), 0).toInt());
    if (!options.theme.isEmpty())
        mode = options.theme == QLatin1String("dark") ? nnpiper::ThemeMode::dark : nnpiper::ThemeMode::light;
    nnpiper::applyTheme(application, mode);

    nnpiper::MainWindow window(language);
    if (options.size.isValid())
        window.resize(options.size);
    window.show();

    bool opened = true;
    if (options.screenshot.isEmpty())
        window.offerRecovery();
    if (!options.file.isEmpty())
        opened = window.files().open(options.file);
    if (!options.screenshot.isEmpty() && !opened)
        return 2;
    const bool solve = !options.file.isEmpty() && opened && (options.solve || !options.screenshot.isEmpty());
    if (solve)
        QTimer::singleShot(0, &window, [&window] { window.solver().solve(); });
    if (!options.screenshot.isEmpty()) {
        if (solve)
            QObject::connect(&window.solver(), &nnpiper::SolveController::runningChanged, &window,
                             [&window, &options](bool running) {
                                 if (!running)
                                     saveAndQuit(window, options.screenshot);
                             });
        else
            saveAndQuit(window, options.screenshot);
    }
    return QApplication::exec();
}
