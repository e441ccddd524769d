// SPDX-License-Identifier: GPL-3.0-or-later
// Files damaged at random are read or refused with an Error; nothing else escapes.
#include "core/base/error.h"
#include "core/base/random.h"
#include "core/formats/files.h"
#include "core/problem/compile.h"
#include "core/problem/pipeline.h"

#include <nlohmann/json.hpp>

#include <QTest>

using namespace nnpiper;
using nlohmann::json;

namespace {

/// Every value of a document, for picking one.
void collect(json& value, std::vector<json*>& all)
{
    all.push_back(&value);
    if (value.is_structured())
        for (auto& member : value)
            collect(member, all);
}

std::string damaged_value(const std::string& text, Random& random)
{
    static const json replacements[] = {nullptr,
                                        true,
                                        -1,
                                        0,
                                        1,
                                        0.5,
                                        1e300,
                                        -1e-300,
                                        2147483648.0,
                                        9007199254740993,
                                        "",
                                        "x",
                                        json::array(),
                                        json::object(),
                                        json::array({1, 2}),
                                        json::array({"a"})};
    json document = json::parse(text);
    std::vector<json*> all;
    collect(document, all);
    json& victim = *all[static_cast<std::size_t>(random.below(static_cast<int>(all.size())))];
    if (victim.is_object() && !victim.empty() && random.below(2) == 0)
        victim.erase(std::next(victim.begin(), random.below(static_cast<int>(victim.size()))));
    else
        victim = replacements[random.below(static_cast<int>(std::size(replacements)))];
    return document.dump();
}

std::string damaged_bytes(std::string text, Random& random)
{
    const auto at = static_cast<std::size_t>(random.below(static_cast<int>(text.size())));
    switch (random.below(4)) {
    case 0:
        text.erase(at, 1 + static_cast<std::size_t>(random.below(5)));
        break;
    case 1:
        text[at] = static_cast<char>(random.below(256));
        break;
    case 2:
        text.insert(at, text.substr(at, 40));
        break;
    default:
        text.resize(at);
        break;
    }
    return text;
}

/// Returns whether the text was read.
bool read_any(const std::string& text)
{
    try {
        std::vector<std::string> warnings;
        switch (file_kind(text, "f")) {
        case FileKind::project: {
            const Project project = read_project(text, "f", &warnings);
            write_project(project);
            try {
                compile(project);
            } catch (const Error&) {  // a cluster or job may well be of no use
            }
            return true;
        }
        case FileKind::problem: {
            const Problem problem = read_problem(text, "f", &warnings);
            write_problem(problem);
            if (problem.best_known)
                (void)validate(problem, *problem.best_known);
            return true;
        }
        case FileKind::plan:
            write_plan(read_plan(text, "f", nullptr, &warnings));
            return true;
        }
    } catch (const Error& error) {
        if (std::string(error.what()).empty())
            qFatal("an error without words");
    }
    return false;
}

}  // namespace

class TestDamagedFiles : public QObject {
    Q_OBJECT

private slots:
    void damage_data()
    {
        QTest::addColumn<QString>("path");
        QTest::newRow("project") << QStringLiteral(EXAMPLES "/llama7b-two-machines.nnpiper.json");
        QTest::newRow("problem") << QStringLiteral(TEST_DATA "/problems/L016-D04-S04-0.problem.json");
        QTest::newRow("tiny problem") << QStringLiteral(EXAMPLES "/tiny.problem.json");
        QTest::newRow("plan") << QString();
    }
    void damage()
    {
        QFETCH(QString, path);
        std::string text;
        if (path.isEmpty()) {
            Plan plan;
            plan.planner = "by hand";
            plan.stages = {{{"a", "b"}, 0, 2, 1, {1, 1}, Recompute::none}, {{"c"}, 2, 3, 1, {}, Recompute::full}};
            text = write_plan(plan);
        } else {
            text = read_text(path.toStdString());
        }
        QVERIFY(read_any(text));
        Random random(7);
        int read = 0;
        constexpr int cases = 400;
        for (int i = 0; i < cases; ++i)
            read += read_any(i % 2 == 0 ? damaged_value(text, random) : damaged_bytes(text, random)) ? 1 : 0;
        QVERIFY(read < cases);  // damage is noticed
    }
};

QTEST_APPLESS_MAIN(TestDamagedFiles)
#include "test_damaged_files.moc"
