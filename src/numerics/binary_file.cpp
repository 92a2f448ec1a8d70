#include "src/numerics/binary_file.h"

#include "src/core/error.h"
#include "src/numerics/float_conversion.h"

#include <bit>
#include <filesystem>
#include <system_error>

namespace fa3prof::numerics {

BinaryFile::BinaryFile(const std::string& path) : path_(path) {
  // A pipe or a terminal would have to be waited for, and has no size.
  std::error_code missing;
  if (!std::filesystem::is_regular_file(path, missing)) {
    throw core::ConfigError(path, "", "cannot be read; give a regular file that exists");
  }
  stream_.open(path, std::ios::binary | std::ios::ate);
  const std::streamoff end = stream_ ? static_cast<std::streamoff>(stream_.tellg()) : -1;
  if (end < 0) throw core::ConfigError(path, "", "cannot be read; check its permissions");
  size_ = static_cast<std::uint64_t>(end);
}

std::string BinaryFile::read(std::uint64_t offset, std::uint64_t count) {
  if (offset > size_ || count > size_ - offset) {
    throw core::ConfigError(path_, "",
                            "ends after " + std::to_string(size_) + " bytes, " +
                                std::to_string(count) + " were expected from byte " +
                                std::to_string(offset) + " on");
  }
  std::string bytes(static_cast<std::size_t>(count), '\0');
  stream_.seekg(static_cast<std::streamoff>(offset));
  stream_.read(bytes.data(), static_cast<std::streamsize>(count));
  if (!stream_) throw core::ConfigError(path_, "", "cannot be read to its end");
  return bytes;
}

std::uint64_t little_endian(const std::string& bytes, std::size_t count) {
  std::uint64_t value = 0;
  for (std::size_t i = count; i-- > 0;) {
    value = (value << 8U) | static_cast<unsigned char>(bytes.at(i));
  }
  return value;
}

std::uint64_t bytes_of(FileType type) {
  switch (type) {
    case FileType::kFloat64:
      return 8;
    case FileType::kFloat32:
      return 4;
    case FileType::kFloat16:
    case FileType::kBFloat16:
      break;
  }
  return 2;
}

std::vector<float> decode_elements(const std::string& bytes, FileType type) {
  const auto width = static_cast<std::size_t>(bytes_of(type));
  std::vector<float> values(bytes.size() / width);
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::uint64_t bits = 0;
    for (std::size_t byte = width; byte-- > 0;) {
      bits = (bits << 8U) | static_cast<unsigned char>(bytes[i * width + byte]);
    }
    switch (type) {
      case FileType::kFloat16:
        values[i] = decode_float16(static_cast<std::uint16_t>(bits));
        break;
      case FileType::kBFloat16:
        values[i] = decode_bfloat16(static_cast<std::uint16_t>(bits));
        break;
      case FileType::kFloat32:
        values[i] = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
        break;
      case FileType::kFloat64:
        values[i] = static_cast<float>(std::bit_cast<double>(bits));
        break;
    }
  }
  return values;
}

std::optional<std::uint64_t> elements_of(const std::vector<std::int64_t>& shape,
                                         std::uint64_t most) {
  std::uint64_t elements = 1;
  for (const std::int64_t size : shape) {
    if (size < 1 || static_cast<std::uint64_t>(size) > most / elements) return std::nullopt;
    elements *= static_cast<std::uint64_t>(size);
  }
  return elements;
}

}  // namespace fa3prof::numerics
