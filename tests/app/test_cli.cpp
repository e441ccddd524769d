// SPDX-License-Identifier: GPL-3.0-or-later
// Drives the program as a user does: arguments in, text, files and exit status out.
#include "call.h"

#include <nlohmann/json.hpp>

#include <QDir>
#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>
#include <QXmlStreamReader>

#include <cmath>
#include <csignal>
#include <fstream>

using nlohmann::json;

namespace {

const QString tiny = QStringLiteral(EXAMPLES "/tiny.problem.json");
const QString llama = QStringLiteral(EXAMPLES "/llama7b-two-machines.nnpiper.json");

json parsed(const QByteArray& text)
{
    return json::parse(text.toStdString());
}

json parsed_file(const QString& path)
{
    std::ifstream file(path.toStdString());
    return json::parse(file);
}

}  // namespace

#define QVERIFY_OK(result) QVERIFY2((result).status == 0, (result).err.constData())

class TestCli : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;
    QString file(const QString& name) const { return folder_.filePath(name); }

    void write(const QString& name, const QByteArray& text) const
    {
        QFile out(file(name));
        QVERIFY(out.open(QIODevice::WriteOnly));
        QCOMPARE(out.write(text), text.size());
    }

private slots:
    void helpOfEveryVerb()
    {
        const Result help = call({"--help"});
        QVERIFY_OK(help);
        for (const char* verb :
             {"plan", "simulate", "schedule", "import", "export", "validate", "catalog", "train", "evaluate", "calibrate", "bench"}) {
            QVERIFY2(help.out.contains(verb), verb);
            const Result one = call({verb, "--help"});
            QCOMPARE(one.status, 0);
            QVERIFY(one.out.contains("Usage: nnpiper " + QByteArray(verb)));
            QVERIFY(one.err.isEmpty());
        }
        QVERIFY(call({"--version"}).out.startsWith("nnpiper "));
    }

    /// Twice the measured time, twice the prediction; a fault names the profile's file.
    void measuredProfile()
    {
        const auto makespan = [&](const QByteArray& forward, const QByteArray& backward) {
            write("p.csv", "device_type,layer,micro_batch,forward_s,backward_s\nA100 SXM4 40GB,0-25,1," + forward + ","
                               + backward + "\nV100 SXM2 16GB,0-25,1," + forward + "," + backward + "\n");
            const Result result =
                call({"plan", EXAMPLES "/bert-a100-v100.nnpiper.json", "--planner", "uniform", "--micro-batches", "24",
                      "--measured-profile", file("p.csv"), "--format", "json"});
            return result.status == 0 ? parsed(result.out)["plans"][0]["makespan_s"].get<double>() : std::nan("");
        };
        const double once = makespan("10", "20");
        const double twice = makespan("20", "40");
        QVERIFY(once > 24 * 30 && std::abs(twice / once - 2) < 1e-4);

        write("p.csv", "device_type,layer,micro_batch,forward_s,backward_s\nA,block 99,1,1,2\n");
        const Result bad = call({"plan", llama, "--planner", "uniform", "--measured-profile", file("p.csv")});
        QCOMPARE(bad.status, 2);
        QVERIFY2(bad.err.contains("p.csv: /profile/0/layer: \"block 99\" names no layer"), bad.err.constData());
        QCOMPARE(call({"plan", tiny, "--planner", "uniform", "--measured-profile", file("p.csv")}).status, 2);
    }

    void badUsage_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QString>("says");
        QTest::newRow("nothing") << QStringList{} << "see nnpiper --help";
        QTest::newRow("verb") << QStringList{"fly"} << "see nnpiper --help";
        QTest::newRow("no input") << QStringList{"plan"} << "nnpiper: plan: INPUT is required; see nnpiper plan --help";
        QTest::newRow("no file") << QStringList{"plan", "no-such.json"} << "nnpiper: no-such.json: no such file";
        QTest::newRow("planner") << QStringList{"plan", tiny, "--planner", "uniform,magic"} << "nnpiper: --planner: ";
        QTest::newRow("budget") << QStringList{"plan", tiny, "--planner", "uniform", "--budget-ms", "1,5"}
                                << "nnpiper: --budget-ms: \"1,5\" is not a number";
        QTest::newRow("stages") << QStringList{"plan", tiny, "--planner", "uniform", "--stages", "0"}
                                << "nnpiper: --stages: \"0\" is given; a whole number of at least 1 is allowed";
        QTest::newRow("too many stages")
            << QStringList{"plan", tiny, "--planner", "uniform", "--stages", "4"}
            << "nnpiper: --stages: \"4\" is given; at most 3 is allowed, a layer and a device for each stage";
        QTest::newRow("schedule") << QStringList{"schedule", "2f2b", "-p", "2", "-m", "2"} << "nnpiper: NAME: ";
        QTest::newRow("list") << QStringList{"schedule", "gpipe", "-p", "3", "-m", "2", "--forward-list", "1,2"}
                              << "nnpiper: --forward-list: has 2 numbers; 3 are expected, one a stage";
        QTest::newRow("delay")
            << QStringList{"schedule", "gpipe", "-p", "4", "-m", "2", "--delay", "1,2"}
            << "nnpiper: --delay: has 2 numbers; one, or one for each of the 3 boundaries, is expected";
        QTest::newRow("time") << QStringList{"schedule", "gpipe", "-p", "4", "-m", "2", "--forward", "-1"}
                              << "nnpiper: --forward: a time of -1 is given; a time of at least 0 is allowed";
        QTest::newRow("recompute")
            << QStringList{"plan", tiny, "--planner", "uniform", "--recompute", "full"}
            << "nnpiper: --recompute: \"full\" is asked for; the problem file has figures for \"none\" alone";
        QTest::newRow("catalog") << QStringList{"catalog", "cars"} << "see nnpiper catalog --help";
        QTest::newRow("problem as plan") << QStringList{"simulate", tiny, tiny}
                                         << "/format: is \"nnpiper-problem\"; \"nnpiper-plan\" is expected";
        QTest::newRow("own file") << QStringList{"import", "auto", llama} << "/format: is \"nnpiper-project\"";
        QTest::newRow("no kept plan") << QStringList{"export", "chrome-trace", llama}
                                      << "holds no plan for its problem";
        QTest::newRow("no data") << QStringList{"evaluate", "--suite", "quality", "--data", "/nowhere"} << "/nowhere";
    }
    void badUsage()
    {
        QFETCH(QStringList, arguments);
        QFETCH(QString, says);
        const Result result = call(arguments);
        QCOMPARE(result.status, 2);
        QVERIFY(result.out.isEmpty());
        QVERIFY2(result.err.startsWith("nnpiper: ") && QString::fromUtf8(result.err).contains(says),
                 result.err.constData());
        QCOMPARE(result.err.count('\n'), 1);
    }

    void validateFaults_data()
    {
        QTest::addColumn<QByteArray>("from");
        QTest::addColumn<QByteArray>("to");
        QTest::addColumn<QString>("place");
        QTest::newRow("missing field") << QByteArray("\"memory_bandwidth_bytes_per_s\": 760000000000,") << QByteArray()
                                       << ": /cluster/devices/0/memory_bandwidth_bytes_per_s: missing";
        QTest::newRow("wrong type") << QByteArray("\"hidden\": 4096") << QByteArray("\"hidden\": \"4096\"")
                                    << ": /model/hidden: is";
        QTest::newRow("negative bandwidth") << QByteArray("\"bandwidth_bytes_per_s\": 1250000000")
                                            << QByteArray("\"bandwidth_bytes_per_s\": -1250000000")
                                            << ": /cluster/links/0/bandwidth_bytes_per_s: is -1250000000";
        QTest::newRow("link to nothing") << QByteArray("\"to\": \"switch\"") << QByteArray("\"to\": \"swich\"")
                                         << ": /cluster/links/0/to: ";
        QTest::newRow("two devices with one id")
            << QByteArray("\"id\": \"machine-a/gpu1\"") << QByteArray("\"id\": \"machine-a/gpu0\"")
            << ": /cluster/devices/1/id: ";
        QTest::newRow("syntax") << QByteArray("\"blocks\": 32,") << QByteArray("\"blocks\": 32") << ": line ";
    }
    void validateFaults()
    {
        QFETCH(QByteArray, from);
        QFETCH(QByteArray, to);
        QFETCH(QString, place);
        QFile source(llama);
        QVERIFY(source.open(QIODevice::ReadOnly));
        QByteArray text = source.readAll();
        const auto at = text.indexOf(from);
        QVERIFY(at >= 0);
        text.replace(at, from.size(), to);
        write("fault.nnpiper.json", text);
        const Result result = call({"validate", file("fault.nnpiper.json")});
        QCOMPARE(result.status, 2);
        QVERIFY2(QString::fromUtf8(result.err).startsWith("nnpiper: " + file("fault.nnpiper.json") + place),
                 result.err.constData());
        QCOMPARE(result.err.count('\n'), 1);
    }

    void validateGood()
    {
        for (const QString& path : {tiny, llama}) {
            const Result result = call({"validate", path});
            QVERIFY_OK(result);
            QVERIFY(result.err.isEmpty());
        }
        write("odd.problem.json", [] {
            QFile source(tiny);
            return source.open(QIODevice::ReadOnly)
                       ? source.readAll().replace("\"version\": 1", "\"version\": 1, \"mood\": 1")
                       : QByteArray();
        }());
        const Result odd = call({"validate", file("odd.problem.json")});
        QCOMPARE(odd.status, 0);
        QCOMPARE(odd.err, QByteArray("nnpiper: /mood is not known and is kept out\n"));
    }

    void planJsonAndBest()
    {
        const Result result = call({"plan", tiny, "--planner", "uniform,exact,greedy-speed", "--format", "json", "-o",
                                    file("best.plan.json")});
        QVERIFY_OK(result);
        const json document = parsed(result.out);
        QCOMPARE(document.size(), std::size_t(1));
        QCOMPARE(document.at("plans").size(), std::size_t(3));
        QCOMPARE(document["plans"][0]["planner"].get<std::string>(), std::string("uniform"));
        QCOMPARE(document["plans"][1]["planner"].get<std::string>(), std::string("exact"));
        QCOMPARE(document["plans"][2]["planner"].get<std::string>(), std::string("greedy-speed"));
        const json best = parsed_file(file("best.plan.json"));
        QCOMPARE(best["planner"].get<std::string>(), std::string("exact"));
        for (const json& plan : document["plans"])
            QVERIFY(plan["throughput_samples_per_s"].get<double>()
                    <= best["throughput_samples_per_s"].get<double>() * (1 + 1e-12));

        // The written plan is one that the other verbs take, with the same figures.
        const Result simulated =
            call({"simulate", tiny, file("best.plan.json"), "--format", "json", "--trace", file("trace.json")});
        QVERIFY_OK(simulated);
        QVERIFY(std::abs(parsed(simulated.out)["makespan_s"].get<double>() / best["makespan_s"].get<double>() - 1)
                < 1e-9);
        QCOMPARE(parsed(simulated.out)["cost_basis"].get<std::string>(), std::string("given"));
        QVERIFY(parsed_file(file("trace.json")).at("traceEvents").size() > 10);
        // A range cut in two: its halves are the whole.
        const double makespan = best["makespan_s"].get<double>();
        const QString middle = QString::number(makespan / 2, 'g', 17);
        const json halves[] = {
            parsed(call({"simulate", tiny, file("best.plan.json"), "--format", "json", "--range", ":" + middle}).out),
            parsed(call({"simulate", tiny, file("best.plan.json"), "--format", "json", "--range", middle + ":"}).out)};
        const json& stages = parsed(simulated.out)["stages"];
        for (std::size_t s = 0; s < stages.size(); ++s) {
            double busy = 0;
            for (const json& half : halves)
                busy += half["range"]["device_groups"][s]["busy_s"].get<double>();
            QVERIFY(std::abs(busy - stages[s]["busy_s"].get<double>()) < 1e-9 * makespan);
        }
        const Result table = call({"simulate", tiny, file("best.plan.json"), "--range", "0:1h", "--csv", file("ops.csv")});
        QVERIFY_OK(table);
        QVERIFY(table.out.contains("micro-batches finish"));
        QFile csv(file("ops.csv"));
        QVERIFY(csv.open(QIODevice::ReadOnly) && csv.readAll().startsWith("what,device_group,"));
        QCOMPARE(call({"simulate", tiny, file("best.plan.json"), "--range", "3"}).status, 2);
        QCOMPARE(call({"simulate", tiny, file("best.plan.json"), "--range", "soon:3"}).status, 2);
        QVERIFY_OK(call({"validate", file("best.plan.json"), "--problem", tiny}));
        const Result exported = call({"export", "plan-json", tiny, file("best.plan.json")});
        QVERIFY_OK(exported);
        QVERIFY(parsed(exported.out)["stages"] == best["stages"]);
        const Result trace = call({"export", "chrome-trace", tiny, file("best.plan.json"), "-o", file("trace2.json")});
        QVERIFY_OK(trace);
        QVERIFY(parsed_file(file("trace.json")) == parsed_file(file("trace2.json")));
    }

    void enginesAgree()
    {
        QVERIFY_OK(call({"plan", tiny, "--planner", "greedy-speed", "-o", file("g.plan.json")}));
        const json fast =
            parsed(call({"simulate", tiny, file("g.plan.json"), "--engine", "fast", "--format", "json"}).out);
        const json detailed =
            parsed(call({"simulate", tiny, file("g.plan.json"), "--engine", "detailed", "--format", "json"}).out);
        QCOMPARE(fast["engine"].get<std::string>(), std::string("fast"));
        for (const char* key : {"makespan_s", "iteration_s", "throughput_samples_per_s", "bubble_fraction"})
            QVERIFY2(std::abs(fast[key].get<double>() / detailed[key].get<double>() - 1) < 1e-9, key);
    }

    void planOptions()
    {
        const auto plan_of = [](QStringList arguments) {
            return parsed(call(QStringList{"plan", tiny, "--planner", "greedy-speed", "--format", "json"} + arguments)
                              .out)["plans"][0];
        };
        QCOMPARE(plan_of({"--stages", "2"})["stages"].size(), std::size_t(2));
        QCOMPARE(plan_of({"--stages", "3", "--micro-batches", "24"})["micro_batches"].get<int>(), 24);
        QCOMPARE(plan_of({"--schedule", "gpipe"})["schedule"].get<std::string>(), std::string("gpipe"));
        const Result table = call({"plan", tiny, "--planner", "greedy-speed,uniform", "--profile"});
        QVERIFY_OK(table);
        QVERIFY(table.out.startsWith("planner"));
        QVERIFY(table.out.contains("samples/s") && table.out.contains("1.000x"));
        QVERIFY(table.err.contains("greedy-speed") && table.err.contains("read "));
        const Result csv = call({"plan", tiny, "--planner", "greedy-speed,uniform", "--format", "csv"});
        QCOMPARE(csv.out.count('\n'), 3);
        QVERIFY(csv.out.startsWith("planner,status,feasible,schedule,stages,micro_batches,makespan_s,"));
    }

    void samePlanForOneSeed()
    {
        const QString problem = QStringLiteral(TEST_DATA "/problems/L016-D04-S04-0.problem.json");
        const QStringList arguments{"plan",        problem, "--planner", "subset-dp,exact,greedy-speed",
                                    "--budget-ms", "20000", "--format",  "json"};
        json first = parsed(call(arguments).out);
        json second = parsed(call(arguments).out);
        for (json* document : {&first, &second})
            for (json& plan : (*document)["plans"]) {
                plan.erase("planning_time_ms");
                plan.erase("detail");
            }
        QCOMPARE(QString::fromStdString(first.dump()), QString::fromStdString(second.dump()));
    }

    void noFeasiblePlan()
    {
        QFile source(tiny);
        QVERIFY(source.open(QIODevice::ReadOnly));
        write("small.problem.json",
              source.readAll().replace("\"memory_bytes\": 6000000000", "\"memory_bytes\": 60000000"));
        const Result result = call({"plan", file("small.problem.json"), "--planner", "greedy-speed", "--format", "json",
                                    "-o", file("none.plan.json")});
        QCOMPARE(result.status, 1);
        const json plan = parsed(result.out)["plans"][0];
        QCOMPARE(plan["feasible"].get<bool>(), false);
        QVERIFY(!plan["reason"].get<std::string>().empty());
        QVERIFY(result.err.startsWith("nnpiper: no feasible plan: "));
        QVERIFY(!QFile::exists(file("none.plan.json")));
    }

    void planThatDoesNotFit()
    {
        write("fat.plan.json",
              R"({"format": "nnpiper-plan", "version": 1, "schedule": "gpipe", "micro_batches": 8, "stages": [
            {"devices": [1], "first_layer": 0, "end_layer": 1}, {"devices": [2], "first_layer": 1, "end_layer": 6}]})");
        const Result result = call({"simulate", tiny, file("fat.plan.json"), "--format", "json"});
        QCOMPARE(result.status, 1);
        QCOMPARE(parsed(result.out)["feasible"].get<bool>(), false);
        QVERIFY2(result.err.contains("slow"), result.err.constData());
    }

    void textbookSchedules_data()
    {
        QTest::addColumn<QString>("row");
        const json document = parsed_file(QStringLiteral(TEST_DATA "/schedules.json"));
        for (const json& row : document.at("rows"))
            QTest::addRow("%s p=%d m=%d %s", row.at("schedule").get<std::string>().c_str(), row.at("stages").get<int>(),
                          row.at("micro_batches").get<int>(), row.contains("delay") ? row["delay"].dump().c_str() : "")
                << QString::fromStdString(row.dump());
    }
    void textbookSchedules()
    {
        QFETCH(QString, row);
        const json expected = json::parse(row.toStdString());
        const auto list = [](const json& values) {
            QStringList parts;
            for (const json& value : values)
                parts << QString::fromStdString(value.dump());
            return parts.join(',');
        };
        QStringList arguments{"schedule", QString::fromStdString(expected["schedule"]),
                              "-p",       QString::number(expected["stages"].get<int>()),
                              "-m",       QString::number(expected["micro_batches"].get<int>()),
                              "--format", "json"};
        if (expected.contains("forward")) {
            json half = expected["backward"];
            for (json& value : half)
                value = value.get<double>() / 2;
            arguments << "--forward-list" << list(expected["forward"]) << "--backward-input-list" << list(half)
                      << "--backward-weight-list" << list(half) << "--delay" << list(expected["delay"]);
        } else {
            arguments << "--forward" << QString::number(expected["tf"].get<double>()) << "--backward-input"
                      << QString::number(expected["tb"].get<double>() - 0.5) << "--backward-weight"
                      << "0.5";
        }
        const Result result = call(arguments);
        QVERIFY_OK(result);
        const json found = parsed(result.out);
        QCOMPARE(found["makespan_s"].get<double>(), expected["makespan_s"].get<double>());
        if (expected.contains("max_span_s")) {
            QCOMPARE(found["max_span_s"].get<double>(), expected["max_span_s"].get<double>());
            QVERIFY(std::abs(found["bubble_fraction"].get<double>() - expected["bubble_fraction"].get<double>())
                    < 1e-6);
            QVERIFY(found["peak_activations"] == expected["peak_activations"]);
        }
        QCOMPARE(found["ops"].size(),
                 std::size_t(2 * expected["stages"].get<int>() * expected["micro_batches"].get<int>()));
    }

    void drawings()
    {
        const Result ascii = call({"schedule", "1f1b", "-p", "2", "-m", "3"});
        QCOMPARE(QString::fromUtf8(ascii.out), QStringLiteral("1f1b, 2 stages, 3 micro-batches\n"
                                                              "stage 0 |F0-F1-......B0====F2-B1====...B2====|\n"
                                                              "stage 1 |...F0-B0====F1-B1====F2-B2====......|\n"
                                                              "makespan 12, longest span of a device 12, bubble 25.0 % (all devices idle "
                                                              "25.0 % of it)\n"
                                                              "of the bubble: warm-up 16.7 %, drain 33.3 %, waiting for other stages "
                                                              "50.0 %, for links 0.0 %, imbalance 0.0 %\n"
                                                              "peak activations (micro-batches): 2 1\n"));
        const Result svg = call({"schedule", "gpipe", "-p", "3", "-m", "4", "--format", "svg"});
        QVERIFY_OK(svg);
        QXmlStreamReader reader(svg.out);
        int boxes = 0;
        while (!reader.atEnd())
            if (reader.readNext() == QXmlStreamReader::StartElement && reader.name() == QStringLiteral("title"))
                ++boxes;
        QVERIFY2(!reader.hasError(), qPrintable(reader.errorString()));
        QCOMPARE(boxes, 2 * 3 * 4);
        const Result trace =
            call({"schedule", "gpipe", "-p", "3", "-m", "4", "--format", "trace", "-o", file("t.json")});
        QVERIFY_OK(trace);
        QVERIFY(trace.out.isEmpty());
        QVERIFY(parsed_file(file("t.json")).contains("traceEvents"));
    }

    void everyScheduleIsDrawn()
    {
        const Result list = call({"catalog", "schedules", "--format", "json"});
        QVERIFY_OK(list);
        int drawn = 0;
        const json document = parsed(list.out);
        for (const json& entry : document.at("schedules")) {
            const std::string name = entry.at("name");
            if (name == "custom")
                continue;
            for (const char* format : {"ascii", "json", "svg", "trace"}) {
                const Result result =
                    call({"schedule", QString::fromStdString(name), "-p", "4", "-m", "8", "--format", format});
                QVERIFY2(result.status == 0, result.err.constData());
                QVERIFY(!result.out.isEmpty());
                ++drawn;
            }
        }
        QCOMPARE(drawn, 15 * 4);
    }

    void customOrders()
    {
        write("good.csv", "0F0,0F1,0B0,0B1\n1F0,1B0,1F1,1B1\n");
        const Result good = call({"schedule", "custom", "-p", "2", "-m", "2", "--order", file("good.csv"), "--format", "json",
                                  "--backward-input", "2", "--backward-weight", "0"});
        QVERIFY_OK(good);
        QCOMPARE(parsed(good.out)["makespan_s"].get<double>(), 9.0);

        write("cycle.csv", "0F0,0B0,0F1,0B1\n1F0,1F1,1B0,1B1\n");
        const Result cycle = call({"schedule", "custom", "-p", "2", "-m", "2", "--order", file("cycle.csv")});
        QCOMPARE(cycle.status, 2);
        QVERIFY2(cycle.err.contains("deadlock: device 0 waits at BW0 of stage 0 for BW0 of stage 1"), cycle.err.constData());

        write("missing.csv", "0F0,0F1,0B0\n1F0,1B0,1F1,1B1\n");
        const Result missing = call({"schedule", "custom", "-p", "2", "-m", "2", "--order", file("missing.csv")});
        QCOMPARE(missing.status, 2);
        QVERIFY2(missing.err.contains("BW1 of stage 0 is missing"), missing.err.constData());
    }

    void catalogs_data()
    {
        QTest::addColumn<QString>("what");
        QTest::addColumn<int>("least");
        QTest::addColumn<QString>("name");
        QTest::newRow("devices") << "devices" << 40 << "RTX 4090";
        QTest::newRow("links") << "links" << 20 << "10 GbE TCP socket";
        QTest::newRow("models") << "models" << 10 << "LLaMA 7B";
        QTest::newRow("planners") << "planners" << 7 << "nn-piper";
        QTest::newRow("schedules") << "schedules" << 2 << "1f1b";
        QTest::newRow("formats") << "formats" << 5 << "chrome-trace";
    }
    void catalogs()
    {
        QFETCH(QString, what);
        QFETCH(int, least);
        QFETCH(QString, name);
        const Result table = call({"catalog", what});
        QVERIFY_OK(table);
        QVERIFY(table.out.contains(name.toUtf8()));
        const json list = parsed(call({"catalog", what, "--format", "json"}).out).at(what.toStdString());
        QVERIFY(static_cast<int>(list.size()) >= least);
        QVERIFY(std::any_of(list.begin(), list.end(),
                            [&](const json& item) { return item.at("name") == name.toStdString(); }));
    }

    void importConfig_data()
    {
        QTest::addColumn<QString>("format");
        QTest::newRow("named") << "hf-config";
        QTest::newRow("found out") << "auto";
    }
    void importConfig()
    {
        QFETCH(QString, format);
        write("config.json", R"({"model_type": "gpt2", "n_embd": 768, "n_layer": 12, "n_head": 12, "n_positions": 1024,
                                 "n_ctx": 1024, "vocab_size": 50257, "activation_function": "gelu_new"})");
        QVERIFY_OK(call({"import", format, file("config.json"), "-o", file("gpt2.nnpiper.json")}));
        const json project = parsed_file(file("gpt2.nnpiper.json"));
        QCOMPARE(project["model"]["hidden"].get<int>(), 768);
        QCOMPARE(project["model"]["sequence_length"].get<int>(), 1024);
        QCOMPARE(project["cluster"]["devices"].size(), std::size_t(4));
        QVERIFY_OK(call({"validate", file("gpt2.nnpiper.json")}));
        QVERIFY_OK(call({"plan", file("gpt2.nnpiper.json"), "--planner", "greedy-speed"}));
    }
    void importNothingKnown()
    {
        write("other.json", "{\"a\": 1}");
        const Result result = call({"import", "auto", file("other.json")});
        QCOMPARE(result.status, 2);
        QVERIFY(result.err.contains("hf-config"));
    }

    void examplesPlan_data()
    {
        QTest::addColumn<QString>("path");
        const QDir examples(QStringLiteral(EXAMPLES));
        for (const QString& name : examples.entryList({"*.json"}))
            QTest::newRow(qPrintable(name)) << examples.filePath(name);
    }
    void examplesPlan()
    {
        QFETCH(QString, path);
        const Result result = call({"plan", path, "--planner", "local-search,uniform,greedy-speed,pipedream",
                                    "--budget-ms", "300", "--format", "json"});
        QVERIFY_OK(result);
        const json plans = parsed(result.out)["plans"];
        QVERIFY(plans[0]["feasible"].get<bool>());
        for (const json& plan : plans)
            if (plan["feasible"].get<bool>())
                QVERIFY2(plans[0]["throughput_samples_per_s"].get<double>()
                             >= plan["throughput_samples_per_s"].get<double>() * (1 - 1e-9),
                         plan["planner"].get<std::string>().c_str());
    }

    void problemExport()
    {
        QVERIFY_OK(call({"export", "problem", llama, "-o", file("llama.problem.json")}));
        QVERIFY_OK(call({"validate", file("llama.problem.json")}));
        const auto makespan = [](const QString& path) {
            return parsed(call({"plan", path, "--planner", "greedy-speed", "--micro-batches", "32", "--format", "json"})
                              .out)["plans"][0]["iteration_s"]
                .get<double>();
        };
        const double project = makespan(llama);
        const double problem = makespan(file("llama.problem.json"));
        QVERIFY2(std::abs(problem / project - 1) < 1e-9, qPrintable(QString("%1 %2").arg(problem).arg(project)));
    }

    void interruptGivesTheBestSoFar()
    {
        const QString problem = QStringLiteral(TEST_DATA "/problems/L032-D08-S08-0.problem.json");
        QProcess process;
        process.start(QStringLiteral(CLI),
                      {"plan", problem, "--planner", "local-search", "--budget-ms", "120000", "--format", "json"});
        QVERIFY(process.waitForStarted());
        QTest::qWait(1500);
        ::kill(static_cast<pid_t>(process.processId()), SIGINT);
        QVERIFY(process.waitForFinished(20000));
        QCOMPARE(process.exitCode(), 0);
        const json plan = parsed(process.readAllStandardOutput())["plans"][0];
        QVERIFY(plan["feasible"].get<bool>());
        QVERIFY(plan["planning_time_ms"].get<double>() < 60000);
        QVERIFY(process.readAllStandardError().contains("stopped"));
    }

    void localeChangesNothing()
    {
        const QStringList arguments{"plan", tiny, "--planner", "greedy-speed", "--format", "csv"};
        const auto masked = [](QByteArray text) {  // all but the planning time
            QList<QByteArray> cells = text.split('\n').at(1).split(',');
            cells.removeAt(11);
            return cells.join(',');
        };
        const Result plain = call(arguments);
        const Result german = call(arguments, {"LC_ALL=de_DE.UTF-8", "LANG=de_DE.UTF-8"});
        QVERIFY_OK(german);
        QCOMPARE(masked(german.out), masked(plain.out));
    }
};

QTEST_GUILESS_MAIN(TestCli)
#include "test_cli.moc"
