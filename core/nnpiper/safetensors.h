// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace nnpiper {

/// A named array of 32-bit floats, row-major.
struct Tensor {
    std::vector<std::int64_t> shape;
    std::vector<float> values;

    bool operator==(const Tensor&) const = default;
};

/// Contents of a weights file in the safetensors layout: 8-byte little-endian length of the header, a JSON header naming
/// type, shape and byte range of every tensor, then raw little-endian data. Reading it can never run code.
struct TensorFile {
    std::map<std::string, std::string> metadata;
    std::map<std::string, Tensor> tensors;

    bool operator==(const TensorFile&) const = default;
};

/// Reads a whole file of at most 1 GiB, trusting nothing: the header's length, every name, type (F32 only), shape and
/// offset is checked, ranges must tile the data exactly. Throws Error naming the file and the fault.
TensorFile read_tensors(const std::filesystem::path& path);
/// The same from memory; `place` stands for the file in errors.
TensorFile parse_tensors(std::string_view bytes, const std::string& place);

std::string serialize_tensors(const TensorFile& file);
/// Writes beside the target and renames, so that a reader never sees half a file. Throws Error when it cannot.
void write_tensors(const std::filesystem::path& path, const TensorFile& file);

}  // namespace nnpiper
