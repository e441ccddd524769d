// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/error.h"
#include "core/base/random.h"
#include "core/nnpiper/network_shape.h"
#include "core/nnpiper/safetensors.h"

#include <QTemporaryDir>
#include <QTest>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

using namespace nnpiper;

namespace {

TensorFile small_file()
{
    TensorFile file;
    file.metadata = {{"architecture", "none"}, {"seed", "7"}};
    file.tensors["a"] = {{2, 3}, {1, 2, 3, 4, 5, -6.5F}};
    file.tensors["b"] = {{}, {0.25F}};
    file.tensors["empty"] = {{0, 4}, {}};
    return file;
}

std::string with_header(const std::string& header, std::size_t data_bytes)
{
    std::string bytes;
    for (unsigned i = 0; i < 8; ++i)
        bytes.push_back(static_cast<char>(header.size() >> (8 * i) & 0xff));
    return bytes + header + std::string(data_bytes, '\0');
}

TensorFile weights(const NetworkShape& shape)
{
    TensorFile file;
    file.metadata["architecture"] = describe(shape);
    for (const auto& parameter : parameter_layout(shape)) {
        std::size_t size = 1;
        for (const auto n : parameter.shape)
            size *= static_cast<std::size_t>(n);
        file.tensors[parameter.name] = {parameter.shape, std::vector<float>(size, 0.5F)};
    }
    return file;
}

/// The message of the Error that `work` throws; empty when it throws none.
template <class Work>
QString error_of(Work&& work)
{
    try {
        work();
    } catch (const Error& error) {
        return QString::fromStdString(error.what());
    }
    return {};
}

}  // namespace

class TestSafetensors : public QObject {
    Q_OBJECT
private slots:
    void writes_what_it_reads()
    {
        QTemporaryDir folder;
        const std::filesystem::path path = folder.filePath("w.safetensors").toStdString();
        write_tensors(path, small_file());
        QCOMPARE(read_tensors(path), small_file());
        QVERIFY(!std::filesystem::exists(path.string() + ".part"));
        write_tensors(path, {});  // replaces
        QVERIFY(read_tensors(path).tensors.empty());
    }

    void lays_bytes_out_as_the_format_says()
    {
        TensorFile file;
        file.tensors["x"] = {{1}, {1.0F}};
        const auto bytes = serialize_tensors(file);
        const auto length = static_cast<std::size_t>(static_cast<unsigned char>(bytes[0]));
        QCOMPARE(length % 8, 0U);
        QCOMPARE(bytes.size(), 8 + length + 4);
        QCOMPARE(bytes.substr(8, 1), std::string("{"));
        QCOMPARE(bytes.substr(8 + length), std::string("\x00\x00\x80\x3f", 4));  // 1.0 little-endian
    }

    void tells_every_fault_data()
    {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<QString>("names");
        const auto row = [](const char* name, const std::string& bytes, const char* names) {
            QTest::newRow(name) << QByteArray(bytes.data(), static_cast<qsizetype>(bytes.size())) << names;
        };
        row("empty", "", "0 bytes");
        row("half a length", "\x01\x02", "2 bytes");
        row("header longer than the file", std::string("\xff\x00\x00\x00\x00\x00\x00\x00{}", 10), "255");
        row("huge header", std::string("\xff\xff\xff\xff\xff\xff\xff\xff", 8), "18446744073709551615");
        row("no json", with_header("hello", 0), "JSON");
        row("array", with_header("[]", 0), "JSON object");
        row("metadata of numbers", with_header(R"({"__metadata__":{"a":1}})", 0), "__metadata__/a");
        row("type", with_header(R"({"x":{"dtype":"F64","shape":[1],"data_offsets":[0,8]}})", 8), "/x/dtype");
        row("no type", with_header(R"({"x":{"shape":[1],"data_offsets":[0,4]}})", 4), "/x/dtype");
        row("shape", with_header(R"({"x":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}})", 4), "/x/shape");
        row("fractional shape", with_header(R"({"x":{"dtype":"F32","shape":[1.5],"data_offsets":[0,4]}})", 4), "/x/shape");
        row("shape overflow",
            with_header(R"({"x":{"dtype":"F32","shape":[4294967296,4294967296,4294967296],"data_offsets":[0,0]}})", 0), "too many");
        row("one offset", with_header(R"({"x":{"dtype":"F32","shape":[1],"data_offsets":[0]}})", 4), "/x/data_offsets");
        row("offsets reversed", with_header(R"({"x":{"dtype":"F32","shape":[1],"data_offsets":[4,0]}})", 4), "4 to 0");
        row("offset behind the end", with_header(R"({"x":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})", 4), "0 to 8");
        row("size against shape", with_header(R"({"x":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}})", 4), "2 values");
        row("overlap",
            with_header(R"({"x":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"y":{"dtype":"F32","shape":[2],"data_offsets":[4,12]}})", 12),
            "overlaps");
        row("gap",
            with_header(R"({"x":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"y":{"dtype":"F32","shape":[1],"data_offsets":[8,12]}})", 12),
            "gap");
        row("left over", with_header(R"({"x":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})", 9), "5 bytes after");
        row("twice",
            with_header(R"({"x":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"x":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})", 4),
            "twice");
    }

    void tells_every_fault()
    {
        QFETCH(QByteArray, bytes);
        QFETCH(QString, names);
        const auto message = error_of([&] { parse_tensors({bytes.data(), static_cast<std::size_t>(bytes.size())}, "w.safetensors"); });
        QVERIFY2(message.startsWith("w.safetensors"), qPrintable(message));
        QVERIFY2(message.contains(names), qPrintable(message));
    }

    void survives_any_damage()
    {
        const auto good = serialize_tensors(small_file());
        for (std::size_t length = 0; length < good.size(); ++length)  // cut anywhere
            QVERIFY(!error_of([&] { parse_tensors({good.data(), length}, "w"); }).isEmpty());
        Random random(3);
        int refused = 0;
        for (int round = 0; round < 3000; ++round) {
            auto bad = good;
            for (int i = 0; i <= random.below(4); ++i)
                bad[static_cast<std::size_t>(random.below(static_cast<int>(bad.size())))] = static_cast<char>(random.below(256));
            refused += error_of([&] { parse_tensors(bad, "w"); }).isEmpty() ? 0 : 1;  // no other exception, no crash
        }
        QVERIFY(refused > 1000);
    }

    void missing_file()
    {
        QVERIFY(error_of([] { read_tensors("/nowhere/w.safetensors"); }).contains("cannot be read"));
    }

    void checks_the_architecture()
    {
        NetworkShape shape;
        shape.width = 32;
        shape.layers = 1;
        const auto good = weights(shape);
        QCOMPARE(check_weights(good, "w"), shape);

        auto bad = good;
        bad.metadata.clear();
        QVERIFY(error_of([&] { check_weights(bad, "w"); }).contains("architecture"));
        bad = good;
        bad.metadata["architecture"] = "[";
        QVERIFY(error_of([&] { check_weights(bad, "w"); }).contains("not the network"));
        bad = good;
        bad.metadata["architecture"].replace(bad.metadata["architecture"].find("\"heads\":4"), 9, "\"heads\":0");
        QVERIFY(error_of([&] { check_weights(bad, "w"); }).contains("heads"));
        bad = good;
        bad.tensors.erase("decoder.start");
        QVERIFY(error_of([&] { check_weights(bad, "w"); }).contains("decoder.start: missing"));
        bad = good;
        bad.tensors["decoder.start"].shape = {33};
        QVERIFY(error_of([&] { check_weights(bad, "w"); }).contains("[32] for this architecture"));
        bad = good;
        bad.tensors["decoder.start"].values[3] = std::numeric_limits<float>::quiet_NaN();
        QVERIFY(error_of([&] { check_weights(bad, "w"); }).contains("finite"));
        bad = good;
        bad.tensors["extra"] = {{1}, {1}};
        QVERIFY(!error_of([&] { check_weights(bad, "w"); }).isEmpty());
    }
};

QTEST_APPLESS_MAIN(TestSafetensors)
#include "test_safetensors.moc"
