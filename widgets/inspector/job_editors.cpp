// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/inspector/job_editors.h"

#include "core/schedule/schedule.h"
#include "widgets/document/edits.h"

namespace nnpiper {

namespace {

constexpr int largest = 1'000'000;
const char* const automatic = "auto";

}  // namespace

JobEditors::JobEditors(ProjectDocument& document, QObject* parent)
    : QObject(parent)
    , document_(document)
{
    connect(&document, &ProjectDocument::reset, this, &JobEditors::refresh);
    connect(&document, &ProjectDocument::jobChanged, this, &JobEditors::refresh);
    connect(&document, &ProjectDocument::modelChanged, this, &JobEditors::refresh);
}

void JobEditors::refresh()
{
    for (const auto& refresher : refreshers_)
        refresher();
}

void JobEditors::retranslate()
{
    for (const auto& filler : fillers_)
        filler();
    refresh();
}

void JobEditors::change(const char* text, const std::function<void(Job&)>& set)
{
    Job job = document_.project().job;
    set(job);
    edits::setJob(document_, job, tr(text));
}

CountEdit* JobEditors::count(int least, int most, bool may_be_auto, std::function<std::optional<int>(const Job&)> get,
                             std::function<void(Job&, std::optional<int>)> set, const char* text)
{
    auto* edit = new CountEdit(least, most, may_be_auto);
    connect(edit, &CountEdit::edited, this,
            [this, set, text](std::optional<int> value) { change(text, [&](Job& job) { set(job, value); }); });
    refreshers_.push_back([this, edit, get] { edit->showValue(get(document_.project().job)); });
    refreshers_.back()();
    return edit;
}

ChoiceBox* JobEditors::choice(Entries fill, std::function<std::string(const Job&)> get,
                              std::function<void(Job&, const std::string&)> set, const char* text)
{
    auto* box = new ChoiceBox;
    fill(*box);
    connect(box, &ChoiceBox::edited, this,
            [this, set, text](const QString& data) { change(text, [&](Job& job) { set(job, data.toStdString()); }); });
    fillers_.push_back([box, fill] {
        box->clear();
        fill(*box);
    });
    refreshers_.push_back([this, box, get] { box->showChoice(QString::fromStdString(get(document_.project().job))); });
    refreshers_.back()();
    return box;
}

CountEdit* JobEditors::globalBatch()
{
    return count(
        1, largest, false, [](const Job& job) { return std::optional(job.global_batch); },
        [](Job& job, std::optional<int> value) { job.global_batch = *value; }, QT_TR_NOOP("Change global batch"));
}

CountEdit* JobEditors::microBatch()
{
    return count(
        1, largest, true, [](const Job& job) { return job.micro_batch; },
        [](Job& job, std::optional<int> value) { job.micro_batch = value; }, QT_TR_NOOP("Change micro-batch"));
}

CountEdit* JobEditors::stages()
{
    return count(
        1, 4096, true, [](const Job& job) { return job.stages; },
        [](Job& job, std::optional<int> value) { job.stages = value; }, QT_TR_NOOP("Change stages"));
}

CountEdit* JobEditors::sequenceLength()
{
    auto* edit = new CountEdit(1, largest, false);
    connect(edit, &CountEdit::edited, this, [this](std::optional<int> value) {
        Model model = document_.project().model;
        model.sequence_length = *value;
        edits::setModel(document_, model);
    });
    refreshers_.push_back([this, edit] { edit->showValue(document_.project().model.sequence_length); });
    refreshers_.back()();
    return edit;
}

QuantityEdit* JobEditors::stepOverhead()
{
    auto* edit = new QuantityEdit(Unit::seconds, Range{});
    connect(edit, &QuantityEdit::edited, this, [this](std::optional<double> value) {
        change(QT_TR_NOOP("Change step overhead"), [&](Job& job) { job.fixed_step_s = *value; });
    });
    refreshers_.push_back([this, edit] { edit->showValue(document_.project().job.fixed_step_s); });
    refreshers_.back()();
    return edit;
}

ChoiceBox* JobEditors::precision()
{
    return choice(
        [](ChoiceBox& box) {
            for (const char* name : {"fp32", "tf32", "fp16", "bf16", "fp8"})
                box.addItem(QString::fromLatin1(name), QString::fromLatin1(name));
        },
        [](const Job& job) { return job.precision; }, [](Job& job, const std::string& name) { job.precision = name; },
        QT_TR_NOOP("Change precision"));
}

ChoiceBox* JobEditors::optimizer()
{
    return choice(
        [](ChoiceBox& box) {
            box.addItem(tr("Adam (16 B)"), QStringLiteral("adam"));
            box.addItem(tr("Adam, fp32 gradients (18 B)"), QStringLiteral("adam-fp32-grads"));
            box.addItem(tr("SGD (8 B)"), QStringLiteral("sgd"));
        },
        [](const Job& job) { return job.optimizer; }, [](Job& job, const std::string& name) { job.optimizer = name; },
        QT_TR_NOOP("Change optimizer"));
}

ChoiceBox* JobEditors::recompute()
{
    return choice(
        [](ChoiceBox& box) {
            box.addItem(tr("none"), QStringLiteral("none"));
            box.addItem(tr("selective"), QStringLiteral("selective"));
            box.addItem(tr("full"), QStringLiteral("full"));
            box.addItem(tr("auto"), QString::fromLatin1(automatic));
        },
        [](const Job& job) { return job.recompute ? std::string(name_of(*job.recompute)) : automatic; },
        [](Job& job, const std::string& name) {
            job.recompute = name == automatic ? std::nullopt : std::optional(recompute_from_name(name));
        },
        QT_TR_NOOP("Change recompute"));
}

ChoiceBox* JobEditors::attention()
{
    return choice(
        [](ChoiceBox& box) {
            box.addItem(tr("flash"), QStringLiteral("flash"));
            box.addItem(tr("plain"), QStringLiteral("plain"));
        },
        [](const Job& job) { return std::string(job.flash_attention ? "flash" : "plain"); },
        [](Job& job, const std::string& name) { job.flash_attention = name == "flash"; },
        QT_TR_NOOP("Change attention"));
}

ChoiceBox* JobEditors::schedule()
{
    return choice(
        [](ChoiceBox& box) {
            for (const ScheduleEntry& entry : schedule_catalog()) {
                if (is_inference(entry.kind) || entry.kind == ScheduleKind::custom)
                    continue;
                box.addItem(QString::fromStdString(entry.title), QString::fromStdString(entry.name));
                box.setItemData(box.count() - 1, QString::fromStdString(entry.description), Qt::ToolTipRole);
            }
            box.addItem(tr("auto"), QString::fromLatin1(automatic));
        },
        [](const Job& job) { return job.schedule ? std::string(name_of(*job.schedule)) : automatic; },
        [](Job& job, const std::string& name) {
            job.schedule = name == automatic ? std::nullopt : std::optional(schedule_from_name(name));
        },
        QT_TR_NOOP("Change schedule"));
}

ChoiceBox* JobEditors::objective()
{
    return choice(
        [](ChoiceBox& box) {
            box.addItem(tr("Throughput"), QStringLiteral("throughput"));
            box.addItem(tr("Cost"), QStringLiteral("cost"));
            box.addItem(tr("Latency"), QStringLiteral("latency"));
        },
        [](const Job& job) { return std::string(name_of(job.objective)); },
        [](Job& job, const std::string& name) { job.objective = objective_from_name(name); },
        QT_TR_NOOP("Change objective"));
}

}  // namespace nnpiper
