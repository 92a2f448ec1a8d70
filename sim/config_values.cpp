#include "sim/config_values.h"

#include "src/core/error.h"
#include "src/core/unit.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>

namespace fa3prof::sim {
namespace {

using core::Json;

/// Keys of a step whose value names it.
constexpr std::array<std::string_view, 13> kVerbs{
    "load",       "store",   "mma",    "elementwise",     "wait",       "arrive", "sync",
    "wait_group", "barrier", "atomic", "register_change", "tensor_map", "delay"};

/// Keys whose text says what a thing is, belongs to or waits for, not how much of it there is.
constexpr std::array<std::string_view, 11> kTies{"name", "kernel",  "description", "source",
                                                 "kind", "signals", "with",        "without",
                                                 "for",  "of",      "dtype"};

bool is_one_of(std::string_view word, const auto& words) {
  return std::ranges::find(words, word) != words.end();
}

bool is_sourced(const Json& value) { return value.is_object() && value.contains("source"); }

bool is_value(std::string_view key, const Json& value) {
  if (value.is_string()) return !is_one_of(key, kVerbs) && !is_one_of(key, kTies);
  return value.is_number() || value.is_boolean();
}

/// What an element of a list is called: a role by "name", a step by its verb's.
std::optional<std::string> name_of_element(const Json& element) {
  if (!element.is_object()) return std::nullopt;
  for (const auto& member : element.items()) {
    const bool names = member.key() == "name" || is_one_of(member.key(), kVerbs);
    if (names && member.value().is_string()) return member.value().get<std::string>();
  }
  return std::nullopt;
}

std::vector<std::string> steps_of(std::string_view path) {
  const bool is_pointer = path.starts_with('/');
  if (is_pointer) path.remove_prefix(1);
  std::vector<std::string> steps;
  while (true) {
    const std::size_t end = path.find(is_pointer ? '/' : '.');
    steps.emplace_back(path.substr(0, end));
    if (end == std::string_view::npos) return steps;
    path.remove_prefix(end + 1);
  }
}

/// Members of `at` that `step` names, each with its place.
std::vector<FoundValue> members_of(const FoundValue& at, const std::string& step) {
  std::vector<FoundValue> members;
  for (auto& member : at.value->items()) {
    const bool is_in_list = at.value->is_array();
    const bool has_name = is_in_list && name_of_element(member.value()) == step;
    if (step != "*" && step != member.key() && !has_name) continue;
    members.push_back({.pointer = at.pointer + "/" + member.key(),
                       .key = is_in_list ? at.key : member.key(),
                       .value = &member.value()});
  }
  return members;
}

/// Names of `value` and all below it, under `name`.
void add_names(const std::string& name, std::string_view key, const Json& value,
               std::vector<NamedValue>& names) {
  if (is_sourced(value)) return add_names(name, key, value.at("value"), names);
  if (value.is_structured()) {
    for (const auto& member : value.items()) {
      std::string step = member.key();
      if (value.is_array()) step = name_of_element(member.value()).value_or(step);
      add_names(name.empty() ? step : name + "." + step, value.is_array() ? key : member.key(),
                member.value(), names);
    }
    return;
  }
  if (!is_value(key, value)) return;
  const auto known = std::ranges::find(names, name, &NamedValue::name);
  NamedValue& named =
      known != names.end()
          ? *known
          : names.emplace_back(NamedValue{.name = name, .texts = {}, .unit = core::unit_of(key)});
  const std::string text = value.is_string() ? value.get<std::string>() : value.dump();
  if (!is_one_of(text, named.texts)) named.texts.push_back(text);
}

struct Unit {
  std::string_view name;
  std::string_view base;
  double factor;
};

constexpr std::array kUnits{
    Unit{"kHz", "MHz", 1e-3},    Unit{"GHz", "MHz", 1e3},        Unit{"kB", "B", 1e3},
    Unit{"MB", "B", 1e6},        Unit{"GB", "B", 1e9},           Unit{"KiB", "B", 1024.0},
    Unit{"MiB", "B", 1048576.0}, Unit{"GiB", "B", 1073741824.0}, Unit{"GB/s", "B/s", 1e9},
    Unit{"TB/s", "B/s", 1e12},   Unit{"ns", "us", 1e-3},         Unit{"ms", "us", 1e3},
    Unit{"cycle", "cycles", 1.0}};

/// How many of `base` one of `unit` is; nothing where it is not one of them.
std::optional<double> factor_to(std::string_view base, std::string_view unit) {
  if (unit.empty() || unit == base) return 1.0;
  const auto known = std::ranges::find_if(
      kUnits, [&](const Unit& each) { return each.name == unit && each.base == base; });
  return known == kUnits.end() ? std::nullopt : std::optional(known->factor);
}

std::string units_for(std::string_view base) {
  std::vector<std::string_view> names;
  if (!base.empty()) names.push_back(base);
  for (const Unit& unit : kUnits) {
    if (unit.base == base) names.push_back(unit.name);
  }
  return names.empty() ? "no unit" : fmt::format("{}", fmt::join(names, ", "));
}

/// The number that `text` begins with and what follows it.
std::optional<std::pair<double, std::string_view>> leading_number(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double number = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || !std::isfinite(number)) return std::nullopt;
  return std::pair(number, text.substr(static_cast<std::size_t>(end - text.data())));
}

/// 2 of "2x", 0.9 of "-10%".
std::optional<double> factor_of(std::string_view stated) {
  const auto number = leading_number(stated);
  if (!number) return std::nullopt;
  if (number->second == "x") return number->first;
  const bool is_signed = stated.starts_with('+') || stated.starts_with('-');
  if (number->second == "%" && is_signed) return 1.0 + number->first / 100.0;
  return std::nullopt;
}

/// Integers stay integers where they can: files tell 3 from 3.5.
Json number_like(double number) {
  constexpr double kExact = 9007199254740992.0;  // 2^53
  if (number == std::floor(number) && std::abs(number) < kExact) {
    return static_cast<std::int64_t>(number);
  }
  return number;
}

Json scaled(const Json& present, double factor, std::string_view stated) {
  if (present.is_string()) {
    return fmt::format("{} * {}", factor, present.get<std::string>());
  }
  if (!present.is_number()) {
    throw core::UsageError(fmt::format("--what-if: '{}' is a factor, but the value is {}; state {}",
                                       stated, present.dump(),
                                       present.is_boolean() ? "true or false" : "a value"));
  }
  return number_like(present.get<double>() * factor);
}

}  // namespace

std::vector<FoundValue> find_values(Json& document, std::string_view path) {
  std::vector<FoundValue> found{{.pointer = "", .key = "", .value = &document}};
  for (const std::string& step : steps_of(path)) {
    std::vector<FoundValue> below;
    for (const FoundValue& at : found) {
      if (!at.value->is_structured()) continue;
      const std::vector<FoundValue> members = members_of(at, step);
      below.insert(below.end(), members.begin(), members.end());
    }
    found = std::move(below);
  }
  for (FoundValue& each : found) {
    if (!is_sourced(*each.value)) continue;
    each.pointer += "/value";
    each.value = &each.value->at("value");
  }
  std::erase_if(found, [](const FoundValue& each) { return !is_value(each.key, *each.value); });
  return found;
}

std::vector<NamedValue> named_values(const Json& document) {
  std::vector<NamedValue> names;
  add_names("", "", document, names);
  return names;
}

Json changed_value(const Json& present, std::string_view key, std::string_view stated) {
  if (const auto factor = factor_of(stated)) return scaled(present, *factor, stated);
  if (stated == "true" || stated == "false") return stated == "true";
  const auto number = leading_number(stated);
  const bool is_product = present.is_string() && stated.find('*') != std::string_view::npos;
  if (!number || is_product) {
    if (present.is_string()) return std::string(stated);
    throw core::UsageError(fmt::format(
        "--what-if: '{}' is no value for {}: state a number ({}), or a factor such as 2x "
        "or -10%",
        stated, key, units_for(core::unit_of(key))));
  }
  const auto factor = factor_to(core::unit_of(key), number->second);
  if (!factor) {
    throw core::UsageError(fmt::format("--what-if: '{}' is no unit of {}, which takes {}",
                                       number->second, key, units_for(core::unit_of(key))));
  }
  return number_like(number->first * *factor);
}

bool is_factor(std::string_view stated) { return factor_of(stated).has_value(); }

core::ConfigValue config_value(const Json& value) {
  if (value.is_boolean()) return value.get<bool>();
  if (value.is_string()) return value.get<std::string>();
  return value.get<double>();
}

}  // namespace fa3prof::sim
