#include "sim/size.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <sstream>

namespace fa3prof::sim {

Size::Factor Size::read_factor(const core::JsonReader& reader, std::string_view word) {
  const auto name = std::ranges::find(kSizeNames, word) - kSizeNames.begin();
  if (name < std::ssize(kSizeNames)) return {.name = static_cast<int>(name)};
  double constant = 0.0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), constant);
  if (error != std::errc() || end != word.data() + word.size() || !std::isfinite(constant) ||
      constant <= 0.0) {
    reader.fail(fmt::format(
        "'{}' is neither a number above 0 nor a name; write a product such as \"64 * tile_n\" of "
        "{}, with spaces around * and /",
        word, fmt::join(kSizeNames, ", ")));
  }
  return {.constant = constant};
}

Size Size::read(const core::JsonReader& reader) {
  if (reader.is_number()) return Size(reader.number(core::kNotNegative));
  Size size;
  std::istringstream words(reader.string());
  std::string word;
  bool divides = false;
  while (words >> word) {
    size.factors_.push_back(read_factor(reader, word));
    size.factors_.back().divides = divides;
    if (!(words >> word)) return size;
    if (word != "*" && word != "/") reader.fail(fmt::format("expected * or /, not '{}'", word));
    divides = word == "/";
  }
  reader.fail("a size must be a number or a product such as \"64 * tile_n\"");
}

double Size::Factor::value(const SizeScope& scope) const {
  return name < 0 ? constant : scope[static_cast<SizeName>(name)];
}

double Size::value(const SizeScope& scope) const {
  if (factors_.empty()) return 0.0;
  double product = 1.0;
  for (const Factor& factor : factors_) {
    product = factor.divides ? product / factor.value(scope) : product * factor.value(scope);
  }
  return product;
}

std::string Size::formula(const SizeScope& scope) const {
  std::string text;
  for (const Factor& factor : factors_) {
    if (!text.empty()) text += factor.divides ? " / " : " * ";
    text += fmt::format("{}", factor.value(scope));
  }
  return text.empty() ? "0" : text;
}

bool Size::names(SizeName name) const {
  return std::ranges::any_of(
      factors_, [name](const Factor& factor) { return factor.name == static_cast<int>(name); });
}

}  // namespace fa3prof::sim
