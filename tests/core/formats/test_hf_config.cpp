// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/error.h"
#include "core/formats/hf_config.h"
#include "core/model/model.h"

#include <QtTest>

#include <fstream>
#include <sstream>

using namespace nnpiper;

namespace {

Architecture from_file(const char* name)
{
    std::ifstream file(std::string(TEST_DATA "/hf-config/") + name);
    std::ostringstream text;
    text << file.rdbuf();
    return read_hf_config(text.str(), name);
}

/// A LLaMA config with one more entry, or with an entry replaced.
std::string with(const std::string& entry)
{
    std::string text = R"({"model_type": "llama", "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4,)"
                       R"("intermediate_size": 128, "max_position_embeddings": 256, "vocab_size": 100})";
    const std::string key = entry.substr(0, entry.find(':'));
    if (const auto at = text.find(key + ":"); at != std::string::npos) {
        const auto end = text.find_first_of(",}", at);
        return text.replace(at, end - at, entry);
    }
    return text.insert(text.size() - 1, ", " + entry);
}

}  // namespace

class TestHfConfig : public QObject {
    Q_OBJECT

private slots:
    void reads_data()
    {
        QTest::addColumn<QString>("file");
        QTest::addColumn<QString>("name");
        QTest::addColumn<double>("parameters");
        QTest::newRow("other key names, tied by default") << "gpt2-short-keys.json"
                                                          << "GPT-2 small" << 124439808.0;
        // 2 V h + P h + L (2 h f + 4 h^2 + 9 h + f) + 2 h
        QTest::newRow("type from the class, own feed-forward size, untied")
            << "gpt2-untied-wide.json"
            << "wide-gpt"
            << 2 * 1000 * 512.0 + 512 * 512 + 4 * (2 * 512 * 3072.0 + 4 * 512 * 512 + 9 * 512 + 3072) + 2 * 512;
        QTest::newRow("as many groups as heads, untied by default") << "llama-no-groups.json"
                                                                    << "LLaMA-2 7B" << 6738415616.0;
        // The published count of this shape without biases is 1235814400; q, k, v and o get 2048 + 2 512 + 2048 each
        // block.
        QTest::newRow("biases and tie as told") << "llama-biased-tied.json"
                                                << "llama 1.2B" << 1235814400.0 + 16 * (2048 + 1024 + 2048);
        QTest::newRow("eight groups by default") << "mistral-default-groups.json"
                                                 << "Mistral 7B" << 7241732096.0;
        QTest::newRow("head size is not hidden / heads") << "mistral-head-dim.json"
                                                         << "Mistral Nemo 12B" << 12247782400.0;
        QTest::newRow("head size twice hidden / heads, tied") << "qwen3-head-dim.json"
                                                              << "Qwen3 0.6B" << 596049920.0;
        QTest::newRow("biases by default") << "gpt-neox.json"
                                           << "Pythia 1B" << 1011781632.0;
        QTest::newRow("experts by default") << "mixtral-defaults.json"
                                            << "Mixtral 8x7B" << 46702792704.0;
        QTest::newRow("small experts, own size") << "qwen3-moe.json"
                                                 << "Qwen3 30B-A3B" << 30532122624.0;
        QTest::newRow("biases on q, k and v only") << "qwen2.json"
                                                   << "Qwen2.5 7B" << 7615616512.0;
        QTest::newRow("two rows of positions more") << "opt.json"
                                                    << "OPT 125M" << 125239296.0;
        QTest::newRow("no biases on q, k and v, feed-forward null") << "gpt-neo.json"
                                                                    << "GPT-Neo 1.3B" << 1315575808.0;
        QTest::newRow("as many decoder blocks as encoder blocks") << "t5.json"
                                                                  << "T5 3B" << 2851598336.0;
        QTest::newRow("gated, untied, type from the class") << "t5-gated.json"
                                                            << "Flan-T5 XL" << 2849757184.0;
        QTest::newRow("classes by their labels") << "vit.json"
                                                 << "vit-three" << 85800963.0;
        QTest::newRow("two parts with defaults") << "clip.json"
                                                 << "CLIP ViT-B/32" << 151277313.0;
        QTest::newRow("two parts") << "clip-large.json"
                                   << "CLIP ViT-L/14" << 427616513.0;
        QTest::newRow("segments and pooler") << "bert.json"
                                             << "BERT large" << 335141888.0;
        QTest::newRow("numbers as Python writes them") << "python-infinity.json"
                                                       << "LLaMA-2 7B" << 6738415616.0;
    }
    void reads()
    {
        QFETCH(QString, file);
        QFETCH(QString, name);
        QFETCH(double, parameters);
        const Architecture a = from_file(qPrintable(file));
        QCOMPARE(parameter_count(a), parameters);
        QCOMPARE(QString::fromStdString(a.name), name);
    }

    void defaults_of_qwen3()
    {
        const Architecture a = from_file("qwen3-defaults.json");
        QCOMPARE(a.head_dim, 128);
        QCOMPARE(a.key_value_heads, 32);
        QVERIFY(!a.tied_embeddings);
    }

    void refuses_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("place");
        QTest::addColumn<QString>("mentions");
        const auto row = [](const char* title, const std::string& text, const char* place, const char* mentions) {
            QTest::newRow(title) << QString::fromStdString(text) << place << mentions;
        };
        row("state space model", with(R"("model_type": "mamba")"), "c.json: /model_type",
            "known are gpt2, gpt_neo, gpt_neox, opt, llama");
        row("patches that do not fit",
            R"({"model_type": "vit", "hidden_size": 768, "num_hidden_layers": 1, "num_attention_heads": 12,)"
            R"("intermediate_size": 3072, "patch_size": 15})",
            "c.json: /patch_size", "does not divide the image's 224 pixels");
        row("part that is no object", R"({"model_type": "clip", "text_config": 3})", "c.json: /text_config", "object");
        row("fault in a part", R"({"model_type": "clip", "vision_config": {"hidden_size": -3}})",
            "c.json: /vision_config/hidden_size", "whole number");
        row("norms behind", with(R"("model_type": "opt", "do_layer_norm_before": false)"),
            "c.json: /do_layer_norm_before", "not known");
        row("narrow embedding", with(R"("model_type": "opt", "word_embed_proj_dim": 32)"),
            "c.json: /word_embed_proj_dim", "another width");
        row("dense blocks between", with(R"("model_type": "qwen3_moe", "decoder_sparse_step": 2)"),
            "c.json: /decoder_sparse_step", "1 is expected");
        row("more than all experts", with(R"("model_type": "mixtral", "num_key_value_heads": 4, "num_experts_per_tok": 9)"),
            "c.json: /experts_per_token", "at most all 8");
        row("other distances",
            R"({"model_type": "t5", "d_model": 64, "num_layers": 2, "num_heads": 4, "d_ff": 128,)"
            R"("relative_attention_num_buckets": 64, "vocab_size": 100})",
            "c.json: /relative_attention_num_buckets", "32 is expected");
        row("parts", R"({"model_type": "llama4", "text_config": {"model_type": "llama"}})", "c.json: /model_type",
            "known are");
        row("parts without a type", R"({"text_config": {"hidden_size": 8}})", "c.json: /model_type", "nested");
        row("unknown class", R"({"architectures": ["MambaForCausalLM"]})", "c.json: /architectures/0",
            "MambaForCausalLM");
        row("no type", R"({"hidden_size": 8})", "c.json: /model_type", "missing");
        row("experts in a dense type", with(R"("num_local_experts": 8)"), "c.json: /num_local_experts", "dense");
        row("contradiction", with(R"("n_embd": 128)"), "c.json: /n_embd", "contradicts hidden_size 64");
        row("text for a number", with(R"("hidden_size": "64")"), "c.json: /hidden_size", "whole number");
        row("broken number", with(R"("hidden_size": 64.5)"), "c.json: /hidden_size", "whole number");
        row("negative", with(R"("num_hidden_layers": -2)"), "c.json: /num_hidden_layers", "whole number");
        row("huge", with(R"("vocab_size": 3000000000)"), "c.json: /vocab_size", "whole number");
        row("groups", with(R"("num_key_value_heads": 3)"), "c.json: /num_key_value_heads", "does not divide");
        row("head size", with(R"("num_attention_heads": 3)"), "c.json: /head_dim", "no multiple");
        row("flag", with(R"("tie_word_embeddings": "yes")"), "c.json: /tie_word_embeddings", "true or false");
        row("feed-forward biases", with(R"("mlp_bias": true)"), "c.json: /mlp_bias", "not known");
        row("missing size", R"({"model_type": "llama", "hidden_size": 64})", "c.json: /num_hidden_layers", "n_layer");
        row("missing feed-forward", R"({"model_type": "llama", "hidden_size": 64, "n_layer": 1, "n_head": 4})",
            "c.json: /intermediate_size", "needed");
        row("relative positions",
            R"({"model_type": "bert", "position_embedding_type": "relative_key", "hidden_size": 64})",
            "c.json: /position_embedding_type", "absolute");
        row("not an object", "[1, 2]", "c.json", "object");
        row("no JSON", "{\"model_type\": \"llama\",\n oops}", "c.json: line 2", "");
        row("a key twice", R"({"model_type": "llama", "model_type": "bert"})", "c.json: /model_type", "twice");
        row("empty", "", "c.json", "");
    }
    void refuses()
    {
        QFETCH(QString, text);
        QFETCH(QString, place);
        QFETCH(QString, mentions);
        try {
            read_hf_config(text.toStdString(), "c.json");
            QFAIL("accepted");
        } catch (const Error& error) {
            const QString what = QString::fromUtf8(error.what());
            QVERIFY2(QString::fromStdString(error.place()).startsWith(place), qPrintable(what));
            QVERIFY2(what.contains(mentions), qPrintable(what));
            QVERIFY2(!what.contains('\n'), qPrintable(what));
        }
    }
};

QTEST_APPLESS_MAIN(TestHfConfig)
#include "test_hf_config.moc"
