// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/error.h"
#include "core/model/model.h"

#include <QtTest>

#include <nlohmann/json.hpp>

#include <cmath>
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
    return layers_of({entry_named(item.at("name")).architecture, tokens, 0}, "bf16");
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

        const std::vector<Layer> layers = layers_for(item);
        const double flops = total(layers, &Layer::forward_flops);
        const double attention = total(layers, &Layer::attention_flops);
        QCOMPARE((flops - attention) / s, item.at("linear_flops_per_token").get<double>());
        QCOMPARE(flops / s, item.at("flops_per_token").get<double>());
        QCOMPARE((flops - attention / 2) / s, item.at("causal_flops_per_token").get<double>());
        QCOMPARE(total(layers, &Layer::masked_flops), is_causal(a.family) ? attention / 2 : 0.0);
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
            const std::vector<Layer> layers = layers_of({a, s, 0}, "bf16");
            QCOMPARE(static_cast<int>(layers.size()), layer_count(a));
            QCOMPARE(layers.front().kind, LayerKind::embedding);
            QCOMPARE(layers.back().kind, LayerKind::head);
            QCOMPARE(total(layers, &Layer::parameters), parameter_count(a));
            // Input and weight gradient together are twice the forward pass; pixels need no gradient.
            const double forward = total(layers, &Layer::forward_flops);
            QCOMPARE(total(layers, &Layer::backward_input_flops) + total(layers, &Layer::backward_weight_flops),
                     2 * forward - layers.front().forward_flops);
            QCOMPARE(layers.back().tied_parameters,
                     a.tied_embeddings ? static_cast<double>(a.vocabulary) * a.hidden : 0.0);
            QCOMPARE(layers.back().output_bytes, 0.0);
            std::set<std::string> names;
            for (const Layer& layer : layers) {
                names.insert(layer.name);
                QVERIFY(layer.stored_bytes >= layer.stored_bytes_selective);
                QVERIFY(layer.stored_bytes_selective >= layer.stored_bytes_full);
                QVERIFY(layer.whole_stored_bytes >= 0 && layer.whole_stored_bytes <= layer.stored_bytes_selective);
                QVERIFY(layer.whole_parameters >= 0 && layer.whole_parameters <= layer.parameters);
                QVERIFY(layer.whole_bytes_moved > 0 && layer.whole_bytes_moved <= layer.forward_bytes_moved);
                QVERIFY(layer.whole_transient_bytes <= layer.transient_bytes);
                QVERIFY(layer.masked_flops <= layer.attention_flops);
                QVERIFY(layer.expert_flops + layer.attention_flops <= layer.forward_flops);
                QVERIFY(layer.stored_bytes_full >= 0 && layer.transient_bytes > 0 && layer.forward_bytes_moved > 0);
            }
            QCOMPARE(names.size(), layers.size());
        }
    }

    /// Encoder and decoder of one chain, by the published formula with full attention.
    void t5_flops_data() { rows("t5_flops"); }
    void t5_flops()
    {
        const json& item = row("t5_flops");
        const Architecture& a = entry_named(item.at("name")).architecture;
        const int source = item.at("source");
        const int target = item.at("target");
        const std::vector<Layer> layers = layers_of({a, source, target}, "bf16");
        QCOMPARE(total(layers, &Layer::forward_flops), item.at("forward_flops").get<double>());

        // Behind the encoder each boundary hands on the decoder's tokens and the encoder's, the last one the decoder's.
        const double token = 2.0 * a.hidden;
        const auto last_encoder = static_cast<std::size_t>(a.blocks);
        QCOMPARE(layers[last_encoder].output_bytes, source * token);
        QCOMPARE(layers[last_encoder].carried_bytes, 0.0);
        for (std::size_t l = last_encoder + 1; l + 2 < layers.size(); ++l) {
            QCOMPARE(layers[l].output_bytes, (source + target) * token);
            QCOMPARE(layers[l].carried_bytes, source * token);
        }
        QCOMPARE(layers[layers.size() - 2].output_bytes, target * token);
        QCOMPARE(layers_of({a, source, 0}, "bf16").back().forward_flops, layers.back().forward_flops * source / target);
    }

    /// The figures charge the projection of patches for the class token too and have no head; ours does neither.
    void image_flops_data() { rows("image_flops"); }
    void image_flops()
    {
        const json& item = row("image_flops");
        const Architecture& a = entry_named(item.at("name")).architecture;
        const bool clip = a.family == Family::clip;
        const std::vector<Layer> layers = layers_of({a, clip ? 77 : image_tokens(a), 0}, "bf16");
        const double tokens = item.at("tokens").get<double>();
        QCOMPARE(image_tokens(a), static_cast<int>(tokens));
        const double patches = layers[0].forward_flops * tokens / (tokens - 1);
        const int blocks = clip ? a.image_tower.blocks : a.blocks;
        QCOMPARE(patches + blocks * layers[1].forward_flops, item.at("forward_flops").get<double>());
    }

    void text_tower_flops_data() { rows("text_tower_flops"); }
    void text_tower_flops()
    {
        const json& item = row("text_tower_flops");
        const Architecture& a = entry_named(item.at("name")).architecture;
        const std::vector<Layer> layers = layers_of({a, item.at("tokens").get<int>(), 0}, "bf16");
        const Layer& block = layers[layers.size() - 2];
        QCOMPARE(a.blocks * block.forward_flops, item.at("forward_flops").get<double>());
        // The image's projection travels along to the contrastive head.
        QCOMPARE(block.carried_bytes, 2.0 * a.projection);
        QCOMPARE(block.output_bytes, 2.0 * (77 * a.hidden + a.projection));
        QCOMPARE(layers[static_cast<std::size_t>(a.image_tower.blocks) + 1].output_bytes, 2.0 * a.projection);
    }

    /// Forward, twice that backward, and the blocks once more.
    void full_recompute_flops_data() { rows("full_recompute_flops"); }
    void full_recompute_flops()
    {
        const json& item = row("full_recompute_flops");
        const std::vector<Layer> layers = layers_for(item);
        const double forward = total(layers, &Layer::forward_flops);
        QCOMPARE((4 * forward - layers.back().forward_flops) / item.at("sequence_length").get<double>(),
                 item.at("flops_per_token").get<double>());
    }

    /// Two of eight experts work on a token, all eight are held (Jiang et al. 2024: 47B parameters, 13B active).
    void experts()
    {
        const Architecture& a = entry_named("Mixtral 8x7B").architecture;
        const Layer block = layers_of({a, 1024, 0}, "bf16")[1];
        const double expert = 3.0 * 4096 * 14336;
        QCOMPARE(block.expert_flops, 1024 * 2 * 2 * expert);
        QCOMPARE(block.routed_bytes, 2 * 1024 * 4096 * 2.0);
        const double active = parameter_count(a) - 32 * 6 * expert;
        QVERIFY(std::abs(active / 1e9 - 12.9) < 0.1);
    }

    void head_costs_more_than_embedding()
    {
        const std::vector<Layer> layers = layers_of({entry_named("LLaMA-3 8B").architecture, 8192, 0}, "bf16");
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
        const Layer head = layers_of({a, 2048, 0}, "fp16").back();
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
             {"GPT-2 small",  "GPT-2 medium",   "GPT-2 large", "GPT-2 XL",         "GPT-3 6.7B",  "GPT-3 13B",
              "GPT-3 175B",   "Pythia 1B",      "LLaMA-2 7B",  "LLaMA-2 13B",      "LLaMA-2 70B", "LLaMA-3 8B",
              "LLaMA-3 70B",  "LLaMA-3.1 405B", "Mistral 7B",  "Mistral Nemo 12B", "Qwen3 0.6B",  "Qwen3 1.7B",
              "Qwen3 4B",     "Qwen3 8B",       "Qwen3 14B",   "Qwen3 32B",        "BERT base",   "BERT large",
              "Mixtral 8x7B", "T5 11B",         "ViT-H/14",    "CLIP ViT-B/32",    "OPT 13B",     "GPT-Neo 2.7B",
              "Qwen2.5 7B"})
            QVERIFY2(names.count(name), name);
    }

    void names_round_trip()
    {
        QCOMPARE(all_families().size(), std::size_t{14});
        for (const Family family : all_families())
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
        const char* pointers[] = {"/m/hidden",
                                  "/m/blocks",
                                  "/m/heads",
                                  "/m/key_value_heads",
                                  "/m/key_value_heads",
                                  "/m/head_dim",
                                  "/m/vocabulary",
                                  "/m/feed_forward",
                                  "/m/positions",
                                  "/m/token_types",
                                  "/m/experts",
                                  "/m/decoder_blocks",
                                  "/m/gated_feed_forward",
                                  "/m/patch_size",
                                  "/m/projection"};
        for (int i = 0; i < 15; ++i)
            QTest::addRow("%d %s", i, pointers[i]) << pointers[i] << i;
    }
    void refuses()
    {
        QFETCH(QString, pointer);
        QFETCH(int, fault);
        Architecture a = entry_named("GPT-2 small").architecture;
        const std::function<void()> faults[] = {[&] { a.hidden = 0; },
                                                [&] { a.blocks = -1; },
                                                [&] { a.heads = 0; },
                                                [&] { a.key_value_heads = 5; },
                                                [&] { a.key_value_heads = 4; },
                                                [&] { a.head_dim = 32; },
                                                [&] { a.vocabulary = 0; },
                                                [&] { a.feed_forward = 0; },
                                                [&] { a.positions = 0; },
                                                [&] { a.token_types = -1; },
                                                [&] { a.experts = 8; },
                                                [&] { a.decoder_blocks = 2; },
                                                [&] { a.gated_feed_forward = true; },
                                                [&] { a.patch_size = 16; },
                                                [&] { a.projection = 512; }};
        check(a, "/m");
        faults[fault]();
        try {
            check(a, "/m");
            QFAIL("accepted");
        } catch (const Error& error) {
            QCOMPARE(QString::fromStdString(error.place()), pointer);
        }
    }

    void refuses_parts_that_do_not_fit_data()
    {
        QTest::addColumn<QString>("model");
        QTest::addColumn<QString>("pointer");
        QTest::addColumn<int>("fault");
        int fault = 0;
        for (const auto& [model, pointer] :
             {std::pair{"Mixtral 8x7B", "/m/experts_per_token"}, std::pair{"T5 base", "/m/decoder_blocks"},
              std::pair{"ViT-B/16", "/m/patch_size"}, std::pair{"ViT-B/16", "/m/positions"},
              std::pair{"ViT-B/16", "/m/patch_size"}, std::pair{"CLIP ViT-B/32", "/m/image_tower/heads"},
              std::pair{"CLIP ViT-B/32", "/m/image_tower/blocks"}}) {
            QTest::addRow("%d %s", fault, pointer) << model << pointer << fault;
            ++fault;
        }
    }
    void refuses_parts_that_do_not_fit()
    {
        QFETCH(QString, model);
        QFETCH(QString, pointer);
        QFETCH(int, fault);
        Architecture a = entry_named(model.toStdString()).architecture;
        const std::function<void()> faults[] = {[&] { a.experts_per_token = 9; },
                                                [&] { a.decoder_blocks = 0; },
                                                [&] { a.patch_size = 15; },
                                                [&] { a.positions = 196; },
                                                [&] {
                                                    a.image_size = 1000000;
                                                    a.patch_size = 1;
                                                },
                                                [&] { a.image_tower.heads = 7; },
                                                [&] { a.image_tower = {}; }};
        faults[fault]();
        try {
            check(a, "/m");
            QFAIL("accepted");
        } catch (const Error& error) {
            if (fault == 6)
                QVERIFY(QString::fromStdString(error.place()).startsWith("/m/image_tower/"));
            else
                QCOMPARE(QString::fromStdString(error.place()), pointer);
        }
    }

    void refuses_lengths_that_do_not_fit()
    {
        QVERIFY_EXCEPTION_THROWN(layers_of({entry_named("ViT-B/16").architecture, 196, 0}, "bf16"), Error);
        QVERIFY_EXCEPTION_THROWN(layers_of({entry_named("CLIP ViT-B/32").architecture, 78, 0}, "bf16"), Error);
        QVERIFY_EXCEPTION_THROWN(layers_of({entry_named("GPT-2 small").architecture, 64, 64}, "bf16"), Error);
        QVERIFY_EXCEPTION_THROWN(layers_of({entry_named("T5 base").architecture, 64, -1}, "bf16"), Error);
    }

    void refuses_a_sequence_beyond_the_table()
    {
        QVERIFY_EXCEPTION_THROWN(layers_of({entry_named("GPT-2 small").architecture, 1025, 0}, "bf16"), Error);
        QVERIFY_EXCEPTION_THROWN(layers_of({entry_named("GPT-2 small").architecture, 0, 0}, "bf16"), Error);
        // Rotary positions have no table.
        QCOMPARE(layers_of({entry_named("LLaMA-2 7B").architecture, 8192, 0}, "bf16").size(), std::size_t{34});
    }
};

QTEST_APPLESS_MAIN(TestModel)
#include "test_model.moc"
