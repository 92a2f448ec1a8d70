// Strict reading of JSON: every error names the file and the JSON pointer of the value, and keys
// that nobody asked for are refused. Not: writing JSON (src/report).
#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fa3prof::core {

using Json = nlohmann::ordered_json;

/// Parses `text`; `file` is what errors call it. Throws ConfigError with line and column for
/// malformed text, with a pointer for a key that an object has twice.
[[nodiscard]] Json parse_json(std::string_view text, const std::string& file);

/// Reads and parses a file. Throws ConfigError if it cannot be read or is malformed.
[[nodiscard]] Json load_json(const std::string& path);

/// Bounds of a number, both included.
struct NumberRange {
  double min = std::numeric_limits<double>::lowest();
  double max = std::numeric_limits<double>::max();
};

/// Any number above zero; the bound is the smallest normal double.
inline constexpr NumberRange kPositive{.min = std::numeric_limits<double>::min()};
inline constexpr NumberRange kNotNegative{.min = 0.0};
inline constexpr NumberRange kRatio{.min = 0.0, .max = 1.0};

/// Bounds of an integer, both included.
struct IntegerRange {
  std::int64_t min = std::numeric_limits<std::int64_t>::min();
  std::int64_t max = std::numeric_limits<std::int64_t>::max();
};

/// A physical number with where it comes from: {"value": 989.4, "source": "H100 datasheet 2023"}.
struct SourcedNumber {
  double value = 0.0;
  std::string source;
};

/// What finish() makes of keys that nobody asked for. A document of a newer minor version may have
/// some that this program does not know.
enum class UnknownKeys { kRefused, kIgnored };

/// A cursor on one value of a document, which must outlive it. Every getter throws ConfigError with
/// file and pointer when the value has another type or is out of range.
///
///   JsonReader root(document, "machine.json");
///   const double clock_mhz = root.at("clock_mhz").number(kPositive);
///   if (auto notes = root.find("notes")) text = notes->string();
///   root.finish();  // "machine.json at /clok_mhz: unknown key; did you mean clock_mhz? ..."
class JsonReader {
 public:
  JsonReader(const Json& value, std::string file, std::string pointer = "");

  /// From here on, and for all that is read below; before that they are refused.
  void set_unknown_keys(UnknownKeys unknown_keys) { unknown_keys_ = unknown_keys; }

  /// The member `key` of this object; a missing one is an error.
  [[nodiscard]] JsonReader at(std::string_view key);

  /// The member `key` of this object, or nothing.
  [[nodiscard]] std::optional<JsonReader> find(std::string_view key);

  /// The elements of this array, in order.
  [[nodiscard]] std::vector<JsonReader> items() const;

  /// The keys of this object, in the order of the file; they count as asked for.
  [[nodiscard]] std::vector<std::string> keys();

  [[nodiscard]] std::string string() const;
  [[nodiscard]] bool boolean() const;
  /// A finite number; 3 and 3.0 both are.
  [[nodiscard]] double number(const NumberRange& range = {}) const;
  /// A number written without fraction and exponent.
  [[nodiscard]] std::int64_t integer(const IntegerRange& range = {}) const;
  /// {"value": number in range, "source": non-empty text}.
  [[nodiscard]] SourcedNumber sourced_number(const NumberRange& range = {}) const;

  [[nodiscard]] bool is_string() const { return value_->is_string(); }

  [[nodiscard]] bool is_number() const { return value_->is_number(); }

  [[nodiscard]] bool is_array() const { return value_->is_array(); }

  [[nodiscard]] bool is_object() const { return value_->is_object(); }

  /// Refuses the members of this object that at(), find() and keys() have not asked for, unless
  /// they are to be ignored.
  void finish() const;

  /// Throws ConfigError at this value.
  [[noreturn]] void fail(const std::string& text) const;

  /// What is read here.
  [[nodiscard]] const Json& value() const { return *value_; }

  [[nodiscard]] const std::string& file() const { return file_; }

  [[nodiscard]] const std::string& pointer() const { return pointer_; }

 private:
  void expect_object() const;
  [[nodiscard]] JsonReader below(const Json& value, const std::string& step) const;

  const Json* value_;
  std::string file_;
  std::string pointer_;
  std::vector<std::string> known_keys_;
  UnknownKeys unknown_keys_ = UnknownKeys::kRefused;
};

}  // namespace fa3prof::core
