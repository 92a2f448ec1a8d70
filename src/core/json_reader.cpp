#include "src/core/json_reader.h"

#include "src/core/error.h"
#include "src/core/near_match.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>
#include <utility>

namespace fa3prof::core {
namespace {

/// A key as a step of a JSON pointer (RFC 6901).
std::string escaped(std::string_view key) {
  std::string text;
  for (const char c : key) {
    if (c == '~') {
      text += "~0";
    } else if (c == '/') {
      text += "~1";
    } else {
      text += c;
    }
  }
  return text;
}

/// Watches the parser and throws at a key that its object already has: JSON leaves open which of
/// two values counts, so a config with both says nothing. Throws at too deep a nesting as well.
class StructureCheck {
 public:
  explicit StructureCheck(const std::string& file) : file_(file) {}

  bool operator()(Json::parse_event_t event, const Json& parsed) {
    using Event = Json::parse_event_t;
    switch (event) {
      case Event::object_start:
      case Event::array_start:
        next_element();
        enter({.is_array = event == Event::array_start});
        break;
      case Event::object_end:
      case Event::array_end:
        frames_.pop_back();
        break;
      case Event::key:
        enter_key(parsed.get<std::string>());
        break;
      case Event::value:
        next_element();
        break;
    }
    return true;
  }

 private:
  struct Frame {
    bool is_array = false;
    std::size_t elements = 0;
    std::vector<std::string> keys = {};
  };

  /// The library copies a value along with all that is in it by recursion.
  void enter(Frame frame) {
    constexpr std::size_t kDeepest = 1000;
    if (frames_.size() == kDeepest) {
      throw ConfigError(file_, "", fmt::format("is nested more than {} deep", kDeepest));
    }
    frames_.push_back(std::move(frame));
  }

  void next_element() {
    if (!frames_.empty() && frames_.back().is_array) ++frames_.back().elements;
  }

  void enter_key(const std::string& key) {
    auto& keys = frames_.back().keys;
    const bool is_new = std::ranges::find(keys, key) == keys.end();
    keys.push_back(key);
    if (!is_new) throw ConfigError(file_, pointer(), "this object has the key twice; keep one");
  }

  [[nodiscard]] std::string pointer() const {
    std::string text;
    for (const Frame& frame : frames_) {
      text += '/';
      text += frame.is_array ? std::to_string(frame.elements - 1) : escaped(frame.keys.back());
    }
    return text;
  }

  const std::string& file_;
  std::vector<Frame> frames_;
};

/// " did you mean tile_m?" where one of `known` is near the key.
std::string suggestion(const std::string& key, const std::vector<std::string>& known) {
  const std::vector<std::string> near = near_matches(key, known, 1);
  return near.empty() ? "" : " did you mean " + near.front() + "?";
}

template <typename Range>
std::string bounds(const Range& range) {
  if (static_cast<double>(range.min) == kPositive.min) return "> 0";
  if (range.max == Range{}.max) return fmt::format(">= {}", range.min);
  if (range.min == Range{}.min) return fmt::format("<= {}", range.max);
  return fmt::format("between {} and {}", range.min, range.max);
}

}  // namespace

Json parse_json(std::string_view text, const std::string& file) {
  try {
    return Json::parse(
        text.begin(), text.end(),
        [check = StructureCheck(file)](int, Json::parse_event_t event, const Json& parsed) mutable {
          return check(event, parsed);
        });
  } catch (const Json::exception& error) {
    // "[json.exception.parse_error.101] parse error at line 3, column 5: ..."
    std::string what = error.what();
    const auto line = what.find("line ");
    const auto bracket = what.find("] ");
    if (line != std::string::npos) {
      what = what.substr(line);
    } else if (bracket != std::string::npos) {
      what = what.substr(bracket + 2);
    }
    throw ConfigError(file, "", "no valid JSON: " + what);
  }
}

Json load_json(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream text;
  // Opening a directory succeeds, reading from it does not; an empty file sets failbit on `text`.
  if (!stream || (stream.peek(), stream.bad())) {
    throw ConfigError(path, "", "cannot read this file; check the path and its permissions");
  }
  text << stream.rdbuf();
  return parse_json(text.str(), path);
}

JsonReader::JsonReader(const Json& value, std::string file, std::string pointer)
    : value_(&value), file_(std::move(file)), pointer_(std::move(pointer)) {}

void JsonReader::fail(const std::string& text) const { throw ConfigError(file_, pointer_, text); }

void JsonReader::expect_object() const {
  if (!value_->is_object()) fail(fmt::format("is {}, must be an object", value_->type_name()));
}

JsonReader JsonReader::below(const Json& value, const std::string& step) const {
  JsonReader reader(value, file_, pointer_ + "/" + step);
  reader.unknown_keys_ = unknown_keys_;
  return reader;
}

std::optional<JsonReader> JsonReader::find(std::string_view key) {
  expect_object();
  if (std::ranges::find(known_keys_, key) == known_keys_.end()) known_keys_.emplace_back(key);
  const auto member = value_->find(std::string(key));
  if (member == value_->end()) return std::nullopt;
  return below(*member, escaped(key));
}

JsonReader JsonReader::at(std::string_view key) {
  if (auto member = find(key)) return *std::move(member);
  fail(fmt::format("the key '{}' is missing", key));
}

std::vector<JsonReader> JsonReader::items() const {
  if (!value_->is_array()) fail(fmt::format("is {}, must be an array", value_->type_name()));
  std::vector<JsonReader> readers;
  readers.reserve(value_->size());
  for (std::size_t i = 0; i < value_->size(); ++i) {
    readers.push_back(below((*value_)[i], std::to_string(i)));
  }
  return readers;
}

std::vector<std::string> JsonReader::keys() {
  expect_object();
  std::vector<std::string> names;
  for (const auto& member : value_->items()) names.push_back(member.key());
  known_keys_.insert(known_keys_.end(), names.begin(), names.end());
  return names;
}

std::string JsonReader::string() const {
  if (!value_->is_string()) fail(fmt::format("is {}, must be a string", value_->type_name()));
  return value_->get<std::string>();
}

bool JsonReader::boolean() const {
  if (!value_->is_boolean()) fail(fmt::format("is {}, must be true or false", value_->type_name()));
  return value_->get<bool>();
}

double JsonReader::number(const NumberRange& range) const {
  if (!value_->is_number()) fail(fmt::format("is {}, must be a number", value_->type_name()));
  const double number = value_->get<double>();
  if (!std::isfinite(number)) fail("must be a finite number");
  if (number < range.min || number > range.max) {
    fail(fmt::format("is {}, must be {}", number, bounds(range)));
  }
  return number;
}

std::int64_t JsonReader::integer(const IntegerRange& range) const {
  if (!value_->is_number_integer()) {
    // The text of a whole tree would say nothing.
    fail(fmt::format("is {}, must be an integer",
                     value_->is_structured() ? value_->type_name() : value_->dump()));
  }
  const bool fits =
      !value_->is_number_unsigned() || std::in_range<std::int64_t>(value_->get<std::uint64_t>());
  const std::int64_t number = fits ? value_->get<std::int64_t>() : 0;
  if (!fits || number < range.min || number > range.max) {
    fail(fmt::format("is {}, must be {}", value_->dump(), bounds(range)));
  }
  return number;
}

SourcedNumber JsonReader::sourced_number(const NumberRange& range) const {
  JsonReader reader(*value_, file_, pointer_);
  if (!value_->is_object()) {
    fail(R"(must be {"value": number, "source": "where the number comes from"})");
  }
  SourcedNumber result{.value = reader.at("value").number(range),
                       .source = reader.at("source").string()};
  if (result.source.empty()) reader.at("source").fail("must say where the number comes from");
  reader.finish();
  return result;
}

void JsonReader::finish() const {
  if (!value_->is_object() || unknown_keys_ == UnknownKeys::kIgnored) return;
  for (const auto& member : value_->items()) {
    if (std::ranges::find(known_keys_, member.key()) != known_keys_.end()) continue;
    throw ConfigError(
        file_, pointer_ + "/" + escaped(member.key()),
        fmt::format("unknown key;{} Known here: {}", suggestion(member.key(), known_keys_),
                    fmt::join(known_keys_, ", ")));
  }
}

}  // namespace fa3prof::core
