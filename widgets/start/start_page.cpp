// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/start/start_page.h"

#include "widgets/start/example_card.h"
#include "widgets/theme/theme.h"

#include <QDir>
#include <QEvent>
#include <QFileInfo>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QListWidget>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>

namespace nnpiper {
namespace {

constexpr int sideWidth = 330;
constexpr int cardWidth = 300;

}  // namespace

StartPage::StartPage(QWidget* parent)
    : QWidget(parent)
{
    auto* side = new QFrame(this);
    setCard(side);
    side->setFixedWidth(sideWidth);
    mark_ = new QLabel(side);
    name_ = new QLabel(side);
    setTextRole(name_, TextRole::heading);
    claim_ = new QLabel(side);
    claim_->setWordWrap(true);
    setTextRole(claim_, TextRole::muted);
    new_ = new QPushButton(side);
    setButtonRole(new_, ButtonRole::primary);
    open_ = new QPushButton(side);
    recentTitle_ = new QLabel(side);
    setTextRole(recentTitle_, TextRole::title);
    noRecent_ = new QLabel(side);
    noRecent_->setWordWrap(true);
    setTextRole(noRecent_, TextRole::muted);
    recent_ = new QListWidget(side);
    recent_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    recent_->setTextElideMode(Qt::ElideMiddle);
    recent_->setIconSize({18, 18});
    recent_->setSpacing(1);

    auto* column = new QVBoxLayout(side);
    column->setContentsMargins(24, 28, 24, 20);
    column->setSpacing(10);
    column->addWidget(mark_);
    column->addWidget(name_);
    column->addWidget(claim_);
    column->addSpacing(10);
    column->addWidget(new_);
    column->addWidget(open_);
    column->addSpacing(14);
    column->addWidget(recentTitle_);
    column->addWidget(noRecent_);
    column->addWidget(recent_, 1);

    examplesTitle_ = new QLabel;
    setTextRole(examplesTitle_, TextRole::heading);
    noExamples_ = new QLabel;
    noExamples_->setWordWrap(true);
    setTextRole(noExamples_, TextRole::muted);
    auto* holder = new QWidget;
    holder->setProperty("plain", true);
    auto* examples = new QVBoxLayout(holder);
    examples->setContentsMargins(4, 20, 12, 12);
    examples->setSpacing(12);
    grid_ = new QGridLayout;
    grid_->setSpacing(14);
    examples->addWidget(examplesTitle_);
    examples->addWidget(noExamples_);
    examples->addLayout(grid_, 100);
    makeSteps();
    examples->addSpacing(4);
    examples->addWidget(steps_);
    examples->addStretch(1);
    for (const Example& example : loadExamples(examplesDirectory())) {
        auto* card = new ExampleCard(example, holder);
        connect(card, &ExampleCard::clicked, this, [this, card] { emit fileRequested(card->example().path); });
        cards_.append(card);
    }
    noExamples_->setVisible(cards_.isEmpty());
    auto* scroll = new QScrollArea(this);
    scroll->setWidget(holder);
    scroll->setWidgetResizable(true);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);

    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(16, 16, 8, 16);
    row->setSpacing(20);
    row->addWidget(side);
    row->addWidget(scroll, 1);

    connect(new_, &QPushButton::clicked, this, &StartPage::newRequested);
    connect(open_, &QPushButton::clicked, this, &StartPage::openRequested);
    const auto request = [this](QListWidgetItem* item) { emit fileRequested(item->data(Qt::UserRole).toString()); };
    connect(recent_, &QListWidget::itemClicked, this, request);
    connect(recent_, &QListWidget::itemActivated, this, request);
    setRecentFiles({});
    retranslateUi();
    restyle();
    placeCards();
}

void StartPage::makeSteps()
{
    steps_ = new QFrame;
    setCard(steps_);
    auto* row = new QHBoxLayout(steps_);
    row->setContentsMargins(18, 14, 18, 14);
    row->setSpacing(24);
    for (const char* icon : {"node", "solve", "export"}) {
        Step step{QString::fromLatin1(icon), new QLabel(steps_), new QLabel(steps_), new QLabel(steps_)};
        setTextRole(step.title, TextRole::title);
        setTextRole(step.text, TextRole::muted);
        step.text->setWordWrap(true);
        step.text->setAlignment(Qt::AlignTop | Qt::AlignLeft);
        auto* words = new QVBoxLayout;
        words->setSpacing(2);
        words->addWidget(step.title);
        words->addWidget(step.text, 1);
        auto* part = new QHBoxLayout;
        part->setSpacing(12);
        part->addWidget(step.mark, 0, Qt::AlignTop);
        part->addLayout(words, 1);
        row->addLayout(part, 1);
        stepParts_.append(step);
    }
}

void StartPage::setRecentFiles(const QStringList& paths)
{
    recent_->clear();
    const QIcon icon = themedIcon(QStringLiteral("file"), palette(), ColorRole::mutedText);
    QStringList names;
    for (const QString& path : paths) {
        QString name = QFileInfo(path).fileName();
        if (name.endsWith(QLatin1String(".nnpiper.json")))
            name.chop(13);
        names << name;
    }
    for (qsizetype i = 0; i < paths.size(); ++i) {
        const QString& path = paths[i];
        // Namesakes are told apart by their folders.
        const QString name = names.count(names[i]) == 1
                                 ? names[i]
                                 : names[i] + QStringLiteral(" · ") + QDir::toNativeSeparators(QFileInfo(path).path());
        auto* item = new QListWidgetItem(icon, name, recent_);
        item->setData(Qt::UserRole, path);
        item->setToolTip(QDir::toNativeSeparators(path));
    }
    noRecent_->setVisible(paths.isEmpty());
    recent_->setVisible(!paths.isEmpty());
}

void StartPage::placeCards()
{
    const int room = width() - sideWidth - 80;
    const int columns = qBound(1, room / cardWidth, qMax(1, cards_.size() > 4 ? 3 : 2));
    for (ExampleCard* card : cards_)
        grid_->removeWidget(card);
    for (qsizetype i = 0; i < cards_.size(); ++i)
        grid_->addWidget(cards_[i], static_cast<int>(i) / columns, static_cast<int>(i) % columns);
}

void StartPage::retranslateUi()
{
    name_->setText(tr("NN-Piper Workbench"));
    claim_->setText(
        tr("Draw a cluster of mixed GPUs, choose a model, and get a pipeline-parallel training plan while you "
           "watch."));
    new_->setText(tr("New project"));
    open_->setText(tr("Open…"));
    recentTitle_->setText(tr("Recent"));
    noRecent_->setText(tr("Projects that you open or save are listed here."));
    recent_->setAccessibleName(tr("Recent"));
    examplesTitle_->setText(tr("Examples"));
    stepParts_[0].title->setText(tr("Draw"));
    stepParts_[0].text->setText(tr("Drag machines, cards and switches onto the canvas and connect them."));
    stepParts_[1].title->setText(tr("Solve"));
    stepParts_[1].text->setText(tr("NN-Piper plans in milliseconds, beside classic planners on the same problem."));
    stepParts_[2].title->setText(tr("Export"));
    stepParts_[2].text->setText(tr("Take the plan as JSON, the timeline as a trace or a picture."));
    noExamples_->setText(tr("The folder with the example projects was not found beside the program."));
}

void StartPage::restyle()
{
    mark_->setPixmap(QIcon(QStringLiteral(":/icons/app.svg")).pixmap(QSize(56, 56), devicePixelRatioF()));
    new_->setIcon(themedIcon(QStringLiteral("new"), palette(), ColorRole::accentText));
    open_->setIcon(themedIcon(QStringLiteral("open"), palette()));
    for (const Step& step : stepParts_)
        step.mark->setPixmap(
            themedIcon(step.icon, palette(), ColorRole::accent).pixmap(QSize(26, 26), devicePixelRatioF()));
    const QIcon icon = themedIcon(QStringLiteral("file"), palette(), ColorRole::mutedText);
    for (int i = 0; i < recent_->count(); ++i)
        recent_->item(i)->setIcon(icon);
}

void StartPage::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::LanguageChange)
        retranslateUi();
    else if (event->type() == QEvent::PaletteChange)
        restyle();
}

void StartPage::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    placeCards();
}

}  // namespace nnpiper
