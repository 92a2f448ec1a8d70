// Writes what json_fields.h lays out: values, lists of them and structs as JSON.
#pragma once

#include "src/core/json_reader.h"
#include "src/report/json_fields.h"
#include "src/report/json_what_if_fields.h"

#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace fa3prof::report {

template <typename T>
concept Scalar = std::is_arithmetic_v<T>;

/// A value as JSON; a struct, of which json_fields.h has the layout, becomes an object.
template <Scalar T>
core::Json to_value(T number) {
  return number;
}

inline core::Json to_value(const std::string& text) { return text; }

inline core::Json to_value(core::DataType dtype) { return std::string(core::name_of(dtype)); }

inline core::Json to_value(core::ResultSource source) { return std::string(core::name_of(source)); }

inline core::Json to_value(core::Counters::Status status) {
  return std::string(status_name(status));
}

inline core::Json to_value(const std::map<std::string, double>& values) { return values; }

inline core::Json to_value(const core::ConfigValue& value) {
  return std::visit([](const auto& held) { return core::Json(held); }, value);
}

template <typename T>
core::Json to_value(const std::vector<T>& list);

template <typename T>
requires std::is_class_v<T> core::Json to_value(const T& fields);

/// Whether an optional field is absent; see json_fields.h.
template <typename T>
bool holds_nothing(const std::optional<T>& value) {
  return !value.has_value();
}

template <Scalar T>
bool holds_nothing(T number) {
  return number == T{};
}

inline bool holds_nothing(const core::Counters& counters) {
  return counters.status == core::Counters::Status::kNotRequested;
}

template <typename T>

requires requires(const T& list) { list.empty(); }

bool holds_nothing(const T& list) { return list.empty(); }

/// Walks a struct's fields into an object.
class Writer {
 public:
  void required(const char* key, const auto& value) { object_[key] = to_value(value); }

  template <typename T>
  void optional(const char* key, const std::optional<T>& value) {
    if (value) required(key, *value);
  }

  void optional(const char* key, const auto& value) {
    if (!holds_nothing(value)) required(key, value);
  }

  void finite(const char* key, double value) {
    if (std::isfinite(value)) required(key, value);
  }

  void derived(const char* key, const auto& compute) {
    const std::optional<double> value = compute();
    optional(key, value);
  }

  void derived_text(const char* key, const auto& compute) { required(key, compute()); }

  [[nodiscard]] core::Json take() { return std::move(object_); }

 private:
  core::Json object_ = core::Json::object();
};

template <typename T>
core::Json to_value(const std::vector<T>& list) {
  core::Json array = core::Json::array();
  for (const T& item : list) array.push_back(to_value(item));
  return array;
}

template <typename T>

requires std::is_class_v<T> core::Json to_value(const T& fields) {
  Writer writer;
  walk(writer, fields);
  return writer.take();
}

}  // namespace fa3prof::report
