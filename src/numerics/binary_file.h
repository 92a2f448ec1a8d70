// A file read by position, with its length known from the start.
#pragma once

#include <cstdint>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

namespace fa3prof::numerics {

class BinaryFile {
 public:
  /// Throws ConfigError if the file cannot be read.
  explicit BinaryFile(const std::string& path);

  [[nodiscard]] const std::string& path() const { return path_; }

  [[nodiscard]] std::uint64_t size() const { return size_; }

  /// `count` bytes from `offset` on. Throws ConfigError, before it allocates, if the file ends
  /// earlier.
  [[nodiscard]] std::string read(std::uint64_t offset, std::uint64_t count);

 private:
  std::string path_;
  std::ifstream stream_;
  std::uint64_t size_ = 0;
};

/// A little-endian number from the first `count` bytes of `bytes`, 1 to 8.
[[nodiscard]] std::uint64_t little_endian(const std::string& bytes, std::size_t count);

/// Types of elements in tensor files.
enum class FileType { kFloat16, kBFloat16, kFloat32, kFloat64 };

[[nodiscard]] std::uint64_t bytes_of(FileType type);

/// `bytes` as floats; a double is rounded to the nearest.
[[nodiscard]] std::vector<float> decode_elements(const std::string& bytes, FileType type);

/// Product of a shape; nothing where a dimension is below 1 or there are more elements than `most`.
[[nodiscard]] std::optional<std::uint64_t> elements_of(const std::vector<std::int64_t>& shape,
                                                       std::uint64_t most);

}  // namespace fa3prof::numerics
