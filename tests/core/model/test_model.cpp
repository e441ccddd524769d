// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/error.h"
#include "core/model/model.h"

#include <QtTest>

#include <nlohmann/json.hpp>

#include <fstream>
#include <functional>
#include <set>

using namespace nnpiper;
using nlohmann::json;

namespace {

const json& figures()
{
    static const json document = json::parse(std::ifstream(TEST_DATA "/models.json"));
    return document;
}

const ModelEntry& entry_named(const std::string& name)
{
    for (const ModelEntry& entry : model_catalog()) {
        if (entry.name == name)
            return entry;
    }
    throw std::runtime_error(name + " is not in the catalogue");
}

void rows(const char* list)
{
    QTest::addColumn<int>("index");
    const json& items = figures().at(list);
    for (std::size_t i = 0; i < items.size(); ++i)
        QTest::addRow("%s %d", items[i].at("name").get<std::string>().c_str(), static_cast<int>(i))
            << static_cast<int>(i);
}

const json& row(const char* list)
{
    QFETCH(int, index);
    return figures().at(list).at(static_cast<std::size_t>(index));
}

std::vector<Layer> layers_for(const json& item, int micro_batch_tokens = 0)
{
    const int tokens = micro_batch_tokens ? micro_batch_tokens : item.at("sequence_length").get<int>();
    return layers_of({entry_named(item.at("name")).architecture, tokens}, "bf16");
}

double total(const std::vector<Layer>& layers, double Layer::*field)
{
    double sum = 0;
    for (const Layer& layer : layers)
        sum += layer.*field;
    return sum;
}

}  // namespace

class TestModel : public QObject {
    Q_OBJECT

private slots:
    void counts_data() { rows("models"); }
    void counts()
    {
        const json& item = row("models");
        const Architecture& a = entry_named(item.at("name")).architecture;
        const int s = item.at("sequence_length");
        QCOMPARE(parameter_count(a), item.at("parameters").get<double>());
        QCOMPARE(forward_linear_flops_per_token(a), item.at("linear_flops_per_token").get<double>());
        QCOMPARE(forward_flops_per_token(a, s, false), item.at("flops_per_token").get<double>());
        QCOMPARE(forward_flops_per_token(a, s, true), item.at("causal_flops_per_token").get<double>());

        const std::vector<Layer> layers = layers_for(item);
        QCOMPARE(layers[1].parameters, item.at("block_parameters").get<double>());
        QCOMPARE(layers[0].output_bytes / s, item.at("boundary_bytes_per_token").get<double>());
        QCOMPARE(layers[1].output_bytes / s, item.at("boundary_bytes_per_token").get<double>());
    }

    void more_counts_data() { rows("more_published_parameters"); }
    void more_counts()
    {
        const json& item = row("more_published_parameters");
        QCOMPARE(parameter_count(entry_named(item.at("name")).architecture), item.at("parameters").get<double>());
    }

    /// The chain holds exactly the model: nothing is lost or counted twice between layers.
    void chain_adds_up()
    {
        for (const ModelEntry& entry : model_catalog()) {
            const Architecture& a = entry.architecture;
            const int s = std::min(a.positions, 1024);
            const std::vector<Layer> layers = layers_of({a, s}, "bf16");
            QCOMPARE(static_cast<int>(layers.size()), a.blocks + 2);
            QCOMPARE(layers.front().kind, LayerKind::embedding);
            QCOMPARE(layers.back().kind, LayerKind::head);
            QCOMPARE(total(layers, &Layer::parameters), parameter_count(a));
            const double forward = s * forward_flops_per_token(a, s, false);
            QCOMPARE(total(layers, &Layer::forward_flops), forward);
            // Input and weight gradient together are twice the forward pass.
            QCOMPARE(total(layers, &Layer::backward_input_flops) + total(layers, &Layer::backward_weight_flops),
                     2 * forward);
            QCOMPARE(layers.back().tied_parameters,
                     a.tied_embeddings ? static_cast<double>(a.vocabulary) * a.hidden : 0.0);
            QCOMPARE(layers.back().output_bytes, 0.0);
            std::set<std::string> names;
            for (const Layer& layer : layers) {
                names.insert(layer.name);
                QVERIFY(layer.stored_bytes >= layer.stored_bytes_selective);
                QVERIFY(layer.stored_bytes_selective >= layer.stored_bytes_full);
                QVERIFY(layer.stored_bytes_full >= 0 && layer.transient_bytes > 0 && layer.forward_bytes_moved > 0);
            }
            QCOMPARE(names.size(), layers.size());
        }
    }

    void head_costs_more_than_embedding()
    {
        const std::vector<Layer> layers = layers_of({entry_named("LLaMA-3 8B").architecture, 8192}, "bf16");
        QCOMPARE(layers.front().forward_flops, 0.0);
        // Equal parameters (untied), yet the head is worth nearly two blocks of time.
        QCOMPARE(layers.back().parameters - 4096, layers.front().parameters);
        QVERIFY(layers.back().forward_flops > 1.5 * layers[1].forward_flops);
    }

    void gpt_activations_data() { rows("gpt_activations"); }
    void gpt_activations()
    {
        const json& item = row("gpt_activations");
        const Layer block = layers_for(item)[1];
        const double b = item.at("micro_batch");
        QCOMPARE(b * block.stored_bytes, item.at("block_bytes").get<double>());
        QCOMPARE(b * block.stored_bytes_full, item.at("block_bytes_full_recompute").get<double>());
        const Architecture& a = entry_named(item.at("name")).architecture;
        QCOMPARE(block.stored_bytes_selective, 34.0 * item.at("sequence_length").get<double>() * a.hidden);
    }

    void llama_activations_data() { rows("llama_activations"); }
    void llama_activations()
    {
        const json& item = row("llama_activations");
        QCOMPARE(layers_for(item)[1].stored_bytes_selective, item.at("block_bytes").get<double>());
    }

    void boundary_data() { rows("boundary_bytes"); }
    void boundary()
    {
        const json& item = row("boundary_bytes");
        QCOMPARE(item.at("micro_batch").get<double>() * layers_for(item)[1].output_bytes,
                 item.at("bytes").get<double>());
    }

    /// Korthikanti et al. 2022: the last stage keeps 4 s h (1 + V/h) for norm, projection and fp32 logits.
    void head_keeps_fp32_logits()
    {
        const Architecture& a = entry_named("GPT-3 175B").architecture;
        const Layer head = layers_of({a, 2048}, "fp16").back();
        QCOMPARE(head.stored_bytes, 4.0 * 2048 * (a.hidden + a.vocabulary));
    }

    void catalogue()
    {
        std::set<std::string> names;
        for (const ModelEntry& entry : model_catalog()) {
            QVERIFY2(names.insert(entry.name).second, entry.name.c_str());
            QVERIFY2(!entry.source.empty(), entry.name.c_str());
            QCOMPARE(entry.architecture.name, entry.name);
        }
        for (const char* name :
             {"GPT-2 small", "GPT-2 medium",   "GPT-2 large", "GPT-2 XL",         "GPT-3 6.7B",  "GPT-3 13B",
              "GPT-3 175B",  "Pythia 1B",      "LLaMA-2 7B",  "LLaMA-2 13B",      "LLaMA-2 70B", "LLaMA-3 8B",
              "LLaMA-3 70B", "LLaMA-3.1 405B", "Mistral 7B",  "Mistral Nemo 12B", "Qwen3 0.6B",  "Qwen3 1.7B",
              "Qwen3 4B",    "Qwen3 8B",       "Qwen3 14B",   "Qwen3 32B",        "BERT base",   "BERT large"})
            QVERIFY2(names.count(name), name);
    }

    void names_round_trip()
    {
        for (const Family family :
             {Family::gpt2, Family::gpt_neox, Family::llama, Family::mistral, Family::qwen3, Family::bert})
            QCOMPARE(family_from_name(name_of(family)), family);
        try {
            family_from_name("mamba", "file: /model_type");
            QFAIL("accepted");
        } catch (const Error& error) {
            QCOMPARE(error.place(), std::string("file: /model_type"));
            QVERIFY(error.found().find("mamba") != std::string::npos);
            QVERIFY(error.allowed().find("gpt_neox") != std::string::npos);
        }
    }

    void element_sizes()
    {
        QCOMPARE(element_bytes("fp32"), 4.0);
        QCOMPARE(element_bytes("tf32"), 4.0);
        QCOMPARE(element_bytes("bf16"), 2.0);
        QCOMPARE(element_bytes("fp8"), 2.0);
        QVERIFY_EXCEPTION_THROWN(element_bytes("int4"), Error);
    }

    void refuses_data()
    {
        QTest::addColumn<QString>("pointer");
        QTest::addColumn<int>("fault");
        const char* pointers[] = {"/m/hidden",          "/m/blocks",     "/m/heads",      "/m/key_value_heads",
                                  "/m/key_value_heads", "/m/head_dim",   "/m/vocabulary", "/m/feed_forward",
                                  "/m/positions",       "/m/token_types"};
        for (int i = 0; i < 10; ++i)
            QTest::addRow("%d %s", i, pointers[i]) << pointers[i] << i;
    }
    void refuses()
    {
        QFETCH(QString, pointer);
        QFETCH(int, fault);
        Architecture a = entry_named("GPT-2 small").architecture;
        const std::function<void()> faults[] = {[&] { a.hidden = 0; },          [&] { a.blocks = -1; },
                                                [&] { a.heads = 0; },           [&] { a.key_value_heads = 5; },
                                                [&] { a.key_value_heads = 4; }, [&] { a.head_dim = 32; },
                                                [&] { a.vocabulary = 0; },      [&] { a.feed_forward = 0; },
                                                [&] { a.positions = 0; },       [&] { a.token_types = -1; }};
        check(a, "/m");
        faults[fault]();
        try {
            check(a, "/m");
            QFAIL("accepted");
        } catch (const Error& error) {
            QCOMPARE(QString::fromStdString(error.place()), pointer);
        }
    }

    void refuses_a_sequence_beyond_the_table()
    {
        QVERIFY_EXCEPTION_THROWN(layers_of({entry_named("GPT-2 small").architecture, 1025}, "bf16"), Error);
        QVERIFY_EXCEPTION_THROWN(layers_of({entry_named("GPT-2 small").architecture, 0}, "bf16"), Error);
        // Rotary positions have no table.
        QCOMPARE(layers_of({entry_named("LLaMA-2 7B").architecture, 8192}, "bf16").size(), std::size_t{34});
    }
};

QTEST_APPLESS_MAIN(TestModel)
#include "test_model.moc"
