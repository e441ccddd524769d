// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/start/cluster_thumbnail.h"
#include "widgets/start/example_card.h"
#include "widgets/start/start_page.h"
#include "widgets/theme/theme.h"

#include <QApplication>
#include <QDir>
#include <QImage>
#include <QListWidget>
#include <QPainter>
#include <QPushButton>
#include <QSet>
#include <QSignalSpy>
#include <QtTest>

using namespace nnpiper;

class TestStartPage : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { applyTheme(*qApp, ThemeMode::light); }
    void findsTheExamples();
    void buttonsAndCardsAsk();
    void recentFilesAsk();
    void columnsFollowTheWidth();
    void thumbnailShowsEveryType();
    void damagedExampleIsLeftOut();
};

void TestStartPage::findsTheExamples()
{
    QCOMPARE(QDir(examplesDirectory()).canonicalPath(), QDir(QStringLiteral(EXAMPLES)).canonicalPath());
    const QList<Example> examples = loadExamples(examplesDirectory());
    QCOMPARE(examples.size(), 4);
    for (const Example& example : examples) {
        QVERIFY(!example.project.name.empty());
        QVERIFY(!example.project.description.empty());
        QVERIFY(!example.project.cluster.devices.empty());
    }
    QVERIFY(loadExamples(QString()).isEmpty());
}

void TestStartPage::buttonsAndCardsAsk()
{
    StartPage page;
    page.resize(1200, 800);
    page.show();
    QVERIFY(QTest::qWaitForWindowExposed(&page));
    QSignalSpy fresh(&page, &StartPage::newRequested);
    QSignalSpy open(&page, &StartPage::openRequested);
    QSignalSpy file(&page, &StartPage::fileRequested);
    const QList<QPushButton*> buttons = page.findChildren<QPushButton*>();
    QCOMPARE(buttons.size(), 2);
    for (QPushButton* button : buttons)
        QTest::mouseClick(button, Qt::LeftButton);
    QCOMPARE(fresh.count(), 1);
    QCOMPARE(open.count(), 1);
    QCOMPARE(page.cards().size(), 4);
    QTest::mouseClick(page.cards()[2], Qt::LeftButton);
    QCOMPARE(file.count(), 1);
    QCOMPARE(file.first().first().toString(), page.cards()[2]->example().path);
    page.cards()[1]->setFocus();
    QTest::keyClick(page.cards()[1], Qt::Key_Space);
    QCOMPARE(file.last().first().toString(), page.cards()[1]->example().path);
}

void TestStartPage::recentFilesAsk()
{
    StartPage page;
    page.resize(1200, 800);
    page.show();
    QVERIFY(!page.recentList()->isVisible());
    page.setRecentFiles({QStringLiteral("/a/first.nnpiper.json"), QStringLiteral("/b/second.json")});
    QVERIFY(page.recentList()->isVisible());
    QCOMPARE(page.recentList()->item(0)->text(), QStringLiteral("first"));
    // Namesakes show their folders.
    page.setRecentFiles({QStringLiteral("/a/same.nnpiper.json"), QStringLiteral("/b/same.nnpiper.json")});
    QVERIFY(page.recentList()->item(0)->text() != page.recentList()->item(1)->text());
    page.setRecentFiles({QStringLiteral("/a/first.nnpiper.json"), QStringLiteral("/b/second.json")});
    QSignalSpy file(&page, &StartPage::fileRequested);
    QTest::mouseClick(page.recentList()->viewport(), Qt::LeftButton, {},
                      page.recentList()->visualItemRect(page.recentList()->item(1)).center());
    QCOMPARE(file.count(), 1);
    QCOMPARE(file.first().first().toString(), QStringLiteral("/b/second.json"));
}

void TestStartPage::columnsFollowTheWidth()
{
    StartPage page;
    page.resize(1200, 800);
    page.show();
    QVERIFY(QTest::qWaitForWindowExposed(&page));
    QCoreApplication::processEvents();
    QCOMPARE(page.cards()[0]->y(), page.cards()[1]->y());
    page.resize(700, 800);
    QCoreApplication::processEvents();
    QVERIFY(page.cards()[0]->y() < page.cards()[1]->y());
}

void TestStartPage::thumbnailShowsEveryType()
{
    for (const Example& example : loadExamples(examplesDirectory())) {
        QSet<QString> types;
        for (const Device& device : example.project.cluster.devices)
            types.insert(QString::fromStdString(device.spec.type));
        QImage image(300, 120, QImage::Format_RGB32);
        image.fill(Qt::white);
        QPainter painter(&image);
        const QPalette palette = QApplication::palette();
        paintClusterThumbnail(painter, image.rect(), example.project.cluster, palette);
        painter.end();
        for (int type = 0; type < types.size(); ++type) {
            int pixels = 0;
            for (int y = 0; y < image.height(); ++y)
                for (int x = 0; x < image.width(); ++x)
                    pixels += image.pixel(x, y) == stageColor(type, palette).rgb();
            QVERIFY2(pixels > 30, qPrintable(example.path));
        }
    }
}

void TestStartPage::damagedExampleIsLeftOut()
{
    QTemporaryDir folder;
    QVERIFY(
        QFile::copy(loadExamples(examplesDirectory()).first().path, folder.filePath(QStringLiteral("a.nnpiper.json"))));
    QFile damaged(folder.filePath(QStringLiteral("b.nnpiper.json")));
    QVERIFY(damaged.open(QIODevice::WriteOnly));
    damaged.write("{\"format\": ");
    damaged.close();
    QCOMPARE(loadExamples(folder.path()).size(), 1);
}

QTEST_MAIN(TestStartPage)
#include "test_start_page.moc"
