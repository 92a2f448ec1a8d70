#include "src/core/error.h"
#include "src/core/json_reader.h"
#include "src/numerics/binary_file.h"
#include "src/numerics/tensor_file.h"

#include <algorithm>
#include <string_view>

namespace fa3prof::numerics {
namespace {

constexpr std::uint64_t kLengthBytes = 8;
constexpr std::uint64_t kLongestHeader = 100'000'000;  // the format's own limit
constexpr std::size_t kMostNames = 8;                  // in an error

FileType type_of(const core::JsonReader& dtype, const std::string& file) {
  const std::string text = dtype.string();
  if (text == "F16") return FileType::kFloat16;
  if (text == "BF16") return FileType::kBFloat16;
  if (text == "F32") return FileType::kFloat32;
  if (text == "F64") return FileType::kFloat64;
  throw core::ConfigError(file, "",
                          "has a tensor of type '" + text +
                              "'; F16, BF16, F32 and F64 "
                              "can be read");
}

core::Json header_of(BinaryFile& file) {
  const std::uint64_t length = little_endian(file.read(0, kLengthBytes), kLengthBytes);
  if (length > kLongestHeader) {
    throw core::ConfigError(
        file.path(), "",
        "is no safetensors file: its header would have " + std::to_string(length) + " bytes");
  }
  return core::parse_json(file.read(kLengthBytes, length), file.path());
}

[[noreturn]] void refuse_name(core::JsonReader& root, const std::string& name,
                              const std::string& file) {
  std::string names;
  std::size_t count = 0;
  for (const std::string& key : root.keys()) {
    if (key == "__metadata__") continue;
    if (++count <= kMostNames) names += (names.empty() ? "" : ", ") + key;
  }
  if (count > kMostNames) names += " and " + std::to_string(count - kMostNames) + " more";
  throw core::ConfigError(
      file, "", "has no tensor '" + name + "', but: " + names + "; name one as FILE:NAME");
}

/// Where a tensor's bytes lie, counted from the end of the header.
struct Extent {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

Extent extent_of(core::JsonReader& tensor, std::uint64_t data_bytes, const std::string& file) {
  const auto offsets = tensor.at("data_offsets").items();
  const core::IntegerRange range{.min = 0};
  if (offsets.size() == 2) {
    const Extent extent{.begin = static_cast<std::uint64_t>(offsets[0].integer(range)),
                        .end = static_cast<std::uint64_t>(offsets[1].integer(range))};
    if (extent.begin <= extent.end && extent.end <= data_bytes) return extent;
  }
  throw core::ConfigError(file, "", "has data_offsets that lie outside of it");
}

}  // namespace

FileTensor load_safetensors(const std::string& path, const std::string& name) {
  BinaryFile file(path);
  const core::Json header = header_of(file);
  const std::uint64_t data_begin =
      kLengthBytes + little_endian(file.read(0, kLengthBytes), kLengthBytes);
  core::JsonReader root(header, path);
  auto tensor = name == "__metadata__" ? std::nullopt : root.find(name);
  if (!tensor) refuse_name(root, name, path);
  const FileType type = type_of(tensor->at("dtype"), path);
  const Extent extent = extent_of(*tensor, file.size() - data_begin, path);
  FileTensor result{.source = path + ":" + name, .shape = {}, .values = {}};
  for (const core::JsonReader& size : tensor->at("shape").items()) {
    result.shape.push_back(size.integer());
  }
  const std::uint64_t bytes = extent.end - extent.begin;
  const auto elements = elements_of(result.shape, bytes / bytes_of(type));
  if (!elements || *elements * bytes_of(type) != bytes) {
    throw core::ConfigError(
        path, "/" + name,
        "has " + std::to_string(bytes) + " bytes of data, which is not what its shape says");
  }
  result.values = decode_elements(file.read(data_begin + extent.begin, bytes), type);
  return result;
}

}  // namespace fa3prof::numerics
