#include "src/core/error.h"
#include "src/numerics/binary_file.h"
#include "src/numerics/tensor_file.h"

#include <cctype>
#include <charconv>
#include <string_view>

namespace fa3prof::numerics {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::uint64_t kLongestHeader = 65536;

struct Header {
  std::string descr;
  bool is_fortran_order = false;
  std::vector<std::int64_t> shape;
};

/// Reads the Python literal that a header is:
/// {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
class HeaderReader {
 public:
  HeaderReader(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  Header read() {
    expect('{');
    while (!accept('}')) {
      const std::string key = quoted();
      expect(':');
      read_value(key);
      if (accept(',')) continue;
      expect('}');
      break;
    }
    skip_spaces();
    if (!text_.empty()) fail("text behind the header's dictionary");
    if (keys_ != kAllKeys) fail("the header needs descr, fortran_order and shape");
    return header_;
  }

 private:
  static constexpr unsigned kAllKeys = 7;

  [[noreturn]] void fail(const std::string& text) const {
    throw core::ConfigError(file_, "", "no .npy file that can be read here: " + text);
  }

  void skip_spaces() {
    while (!text_.empty() && std::isspace(static_cast<unsigned char>(text_.front())) != 0) {
      text_.remove_prefix(1);
    }
  }

  bool accept(char wanted) {
    skip_spaces();
    if (text_.empty() || text_.front() != wanted) return false;
    text_.remove_prefix(1);
    return true;
  }

  void expect(char wanted) {
    if (!accept(wanted)) fail(std::string("the header lacks a '") + wanted + "'");
  }

  bool accept_word(std::string_view word) {
    skip_spaces();
    if (!text_.starts_with(word)) return false;
    text_.remove_prefix(word.size());
    return true;
  }

  std::string quoted() {
    expect('\'');
    const std::size_t end = text_.find('\'');
    if (end == std::string_view::npos) fail("the header has a text without an end");
    std::string value(text_.substr(0, end));
    text_.remove_prefix(end + 1);
    return value;
  }

  void note(unsigned key) {
    if ((keys_ & key) != 0) fail("the header has a key twice");
    keys_ |= key;
  }

  void read_value(const std::string& key) {
    if (key == "descr") {
      header_.descr = quoted();
      note(1U);
    } else if (key == "fortran_order") {
      header_.is_fortran_order = accept_word("True");
      if (!header_.is_fortran_order && !accept_word("False")) fail("fortran_order is no boolean");
      note(2U);
    } else if (key == "shape") {
      read_shape();
      note(4U);
    } else {
      fail("the header has an unknown key '" + key + "'");
    }
  }

  void read_shape() {
    expect('(');
    while (!accept(')')) {
      skip_spaces();
      std::int64_t size = 0;
      const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), size);
      if (error != std::errc()) fail("the shape is no list of numbers");
      text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
      header_.shape.push_back(size);
      if (accept(',')) continue;
      expect(')');
      break;
    }
  }

  std::string_view text_;
  const std::string& file_;
  Header header_;
  unsigned keys_ = 0;
};

FileType type_of(const std::string& descr, const std::string& file) {
  if (descr == "<f2") return FileType::kFloat16;
  if (descr == "<f4") return FileType::kFloat32;
  if (descr == "<f8") return FileType::kFloat64;
  throw core::ConfigError(
      file, "",
      "has elements of type '" + descr + "'; save float16, float32 or float64 (a.astype('<f4'))");
}

}  // namespace

FileTensor load_npy(const std::string& path) {
  BinaryFile file(path);
  const std::string start = file.read(0, 10);
  const auto major = static_cast<unsigned char>(start[6]);
  if (!start.starts_with(kMagic) || major < 1 || major > 3) {
    throw core::ConfigError(path, "", "does not start as a .npy file of format 1 to 3 does");
  }
  const std::uint64_t length_bytes = major == 1 ? 2 : 4;
  const std::uint64_t length = little_endian(file.read(8, length_bytes), length_bytes);
  if (length > kLongestHeader) {
    throw core::ConfigError(path, "", "has a header of " + std::to_string(length) + " bytes");
  }
  const std::uint64_t data_begin = 8 + length_bytes + length;
  const std::string text = file.read(8 + length_bytes, length);
  const Header header = HeaderReader(text, path).read();
  const FileType type = type_of(header.descr, path);
  if (header.is_fortran_order) {
    throw core::ConfigError(path, "", "is in Fortran order; save numpy.ascontiguousarray(a)");
  }
  const std::uint64_t data_bytes = file.size() - data_begin;
  const auto elements = elements_of(header.shape, data_bytes / bytes_of(type));
  if (!elements || *elements * bytes_of(type) != data_bytes) {
    throw core::ConfigError(
        path, "",
        "holds " + std::to_string(data_bytes) + " bytes of data, which is not what its shape says");
  }
  return {.source = path,
          .shape = header.shape,
          .values = decode_elements(file.read(data_begin, data_bytes), type)};
}

}  // namespace fa3prof::numerics
