// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nnpiper/safetensors.h"

#include "core/base/error.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <bit>
#include <cstring>
#include <fstream>
#include <set>
#include <system_error>

namespace nnpiper {

namespace {

constexpr std::uint64_t largest_file = std::uint64_t{1} << 30;
constexpr std::uint64_t largest_header = std::uint64_t{1} << 24;

std::uint64_t little_endian_64(std::string_view bytes)
{
    std::uint64_t value = 0;
    for (std::size_t i = 8; i-- > 0;)
        value = value << 8 | static_cast<unsigned char>(bytes[i]);
    return value;
}

/// Swaps on a big-endian machine, else copies.
void copy_floats(const char* from, float* to, std::size_t count)
{
    std::memcpy(to, from, count * sizeof(float));
    if constexpr (std::endian::native == std::endian::big)
        for (std::size_t i = 0; i < count; ++i) {
            auto* bytes = reinterpret_cast<unsigned char*>(to + i);
            std::swap(bytes[0], bytes[3]);
            std::swap(bytes[1], bytes[2]);
        }
}

struct Range {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::string name;
};

std::uint64_t unsigned_at(const nlohmann::json& value, const std::string& place)
{
    if (!value.is_number_unsigned())
        throw Error(place, "not a whole number of at least 0");
    return value.get<std::uint64_t>();
}

/// Product of the dimensions, refused before it can overflow.
std::uint64_t count_of(const std::vector<std::int64_t>& shape, const std::string& place)
{
    std::uint64_t count = 1;
    for (const auto dimension : shape) {
        const auto n = static_cast<std::uint64_t>(dimension);
        if (n != 0 && count > largest_file / n)
            throw Error(place, "too many values");
        count *= n;
    }
    return count;
}

/// Finds a key that stands twice in one object; the parser itself would silently let the last one win.
class RepeatedKey : public nlohmann::json_sax<nlohmann::json> {
public:
    std::string repeated;

    bool null() override { return true; }
    bool boolean(bool) override { return true; }
    bool number_integer(number_integer_t) override { return true; }
    bool number_unsigned(number_unsigned_t) override { return true; }
    bool number_float(number_float_t, const string_t&) override { return true; }
    bool string(string_t&) override { return true; }
    bool binary(binary_t&) override { return true; }
    bool start_array(std::size_t) override { return true; }
    bool end_array() override { return true; }
    bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override { return false; }
    bool start_object(std::size_t) override
    {
        keys_.emplace_back();
        return true;
    }
    bool end_object() override
    {
        keys_.pop_back();
        return true;
    }
    bool key(string_t& name) override
    {
        if (!keys_.back().insert(name).second)
            repeated = name;
        return repeated.empty();
    }

private:
    std::vector<std::set<std::string>> keys_;
};

nlohmann::json parse_header(std::string_view text, const std::string& place)
{
    RepeatedKey checker;
    nlohmann::json::sax_parse(text, &checker);
    if (!checker.repeated.empty())
        throw Error(place, "the header names \"" + checker.repeated + "\" twice");
    auto header = nlohmann::json::parse(text, nullptr, false);
    if (!header.is_object())
        throw Error(place, "the header is not a JSON object");
    return header;
}

}  // namespace

TensorFile parse_tensors(std::string_view bytes, const std::string& place)
{
    if (bytes.size() < 8)
        throw Error(place, "only " + std::to_string(bytes.size()) + " bytes", "a weights file starts with an 8-byte length");
    const std::uint64_t length = little_endian_64(bytes.substr(0, 8));
    if (length > largest_header || length > bytes.size() - 8)
        throw Error(place, "a header of " + std::to_string(length) + " bytes in a file of " + std::to_string(bytes.size()));
    const auto header = parse_header(bytes.substr(8, length), place);
    const auto data = bytes.substr(8 + length);

    TensorFile file;
    std::vector<Range> ranges;
    for (const auto& [name, entry] : header.items()) {
        const std::string where = place + ": /" + name;
        if (!entry.is_object())
            throw Error(where, "not an object");
        if (name == "__metadata__") {
            for (const auto& [key, value] : entry.items()) {
                if (!value.is_string())
                    throw Error(where + "/" + key, "not a text");
                file.metadata[key] = value.get<std::string>();
            }
            continue;
        }
        if (!entry.contains("dtype") || entry["dtype"] != "F32")
            throw Error(where + "/dtype", "missing or not known", "only \"F32\" is read");
        if (!entry.contains("shape") || !entry["shape"].is_array() || entry["shape"].size() > 8)
            throw Error(where + "/shape", "missing or not an array of at most 8 numbers");
        if (!entry.contains("data_offsets") || !entry["data_offsets"].is_array() || entry["data_offsets"].size() != 2)
            throw Error(where + "/data_offsets", "missing or not a pair of numbers");
        Tensor tensor;
        for (const auto& dimension : entry["shape"]) {
            const auto n = unsigned_at(dimension, where + "/shape");
            if (n > largest_file)
                throw Error(where + "/shape", "too many values");
            tensor.shape.push_back(static_cast<std::int64_t>(n));
        }
        const Range range{unsigned_at(entry["data_offsets"][0], where + "/data_offsets"),
                          unsigned_at(entry["data_offsets"][1], where + "/data_offsets"), name};
        if (range.begin > range.end || range.end > data.size())
            throw Error(where + "/data_offsets",
                        std::to_string(range.begin) + " to " + std::to_string(range.end) + " in "
                            + std::to_string(data.size()) + " bytes of data");
        const auto count = count_of(tensor.shape, where + "/shape");
        if (count * sizeof(float) != range.end - range.begin)
            throw Error(where, std::to_string(count) + " values of 4 bytes in " + std::to_string(range.end - range.begin)
                                   + " bytes");
        ranges.push_back(range);
        file.tensors[name] = std::move(tensor);
    }
    std::sort(ranges.begin(), ranges.end(), [](const Range& a, const Range& b) {
        return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
    });
    std::uint64_t end = 0;
    for (const auto& range : ranges) {
        if (range.begin != end)
            throw Error(place + ": /" + range.name + "/data_offsets",
                        range.begin < end ? "the range overlaps another tensor's" : "a gap before it that no tensor names");
        end = range.end;
    }
    if (end != data.size())
        throw Error(place, std::to_string(data.size() - end) + " bytes after the last tensor");
    for (const auto& range : ranges) {  // only now: overlapping ranges could ask for far more than the file holds
        auto& values = file.tensors[range.name].values;
        values.resize((range.end - range.begin) / sizeof(float));
        copy_floats(data.data() + range.begin, values.data(), values.size());
    }
    return file;
}

TensorFile read_tensors(const std::filesystem::path& path)
{
    std::error_code error;
    const auto size = std::filesystem::file_size(path, error);
    if (error)
        throw Error(path.string(), "cannot be read (" + error.message() + ")");
    if (size > largest_file)
        throw Error(path.string(), std::to_string(size) + " bytes", "a weights file has at most 1 GiB");
    std::ifstream stream(path, std::ios::binary);
    std::string bytes(size, '\0');
    if (!stream.read(bytes.data(), static_cast<std::streamsize>(size)))
        throw Error(path.string(), "cannot be read");
    return parse_tensors(bytes, path.string());
}

std::string serialize_tensors(const TensorFile& file)
{
    nlohmann::ordered_json header;
    header["__metadata__"] = file.metadata;
    std::uint64_t offset = 0;
    for (const auto& [name, tensor] : file.tensors) {
        const std::uint64_t end = offset + tensor.values.size() * sizeof(float);
        header[name] = {{"dtype", "F32"}, {"shape", tensor.shape}, {"data_offsets", {offset, end}}};
        offset = end;
    }
    std::string text = header.dump();
    text.resize((text.size() + 7) / 8 * 8, ' ');  // the data starts aligned
    std::string bytes;
    bytes.reserve(8 + text.size() + offset);
    for (std::size_t i = 0; i < 8; ++i)
        bytes.push_back(static_cast<char>(static_cast<std::uint64_t>(text.size()) >> (8 * i) & 0xff));
    bytes += text;
    for (const auto& [name, tensor] : file.tensors)
        for (const float value : tensor.values) {
            const auto word = std::bit_cast<std::uint32_t>(value);
            for (unsigned shift = 0; shift < 32; shift += 8)
                bytes.push_back(static_cast<char>(word >> shift & 0xff));
        }
    return bytes;
}

void write_tensors(const std::filesystem::path& path, const TensorFile& file)
{
    auto beside = path;
    beside += ".part";
    const auto bytes = serialize_tensors(file);
    {
        std::ofstream stream(beside, std::ios::binary | std::ios::trunc);
        stream.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
        stream.flush();
        if (!stream)
            throw Error(beside.string(), "cannot be written");
    }
    std::error_code error;
    std::filesystem::rename(beside, path, error);
    if (error)
        throw Error(path.string(), "cannot be replaced (" + error.message() + ")");
}

}  // namespace nnpiper
