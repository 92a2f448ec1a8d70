#include "src/cli/ratio.h"

#include "src/core/error.h"

#include <fmt/format.h>

#include <charconv>

namespace fa3prof::cli {

double parse_ratio(std::string_view text, std::string_view flag) {
  std::string_view digits = text;
  const bool is_percent = digits.ends_with('%');
  if (is_percent) digits.remove_suffix(1);
  double number = 0.0;
  const char* const end = digits.data() + digits.size();
  const auto [rest, error] = std::from_chars(digits.data(), end, number);
  const double ratio = is_percent ? number / 100.0 : number;
  // Written so that NaN fails it.
  const bool is_in_range = ratio >= 0.0 && ratio <= 1.0;
  if (error != std::errc() || rest != end || !is_in_range) {
    throw core::UsageError(
        fmt::format("{}: '{}' is no ratio from 0 to 1; write 0.03 or 3%", flag, text));
  }
  return ratio;
}

}  // namespace fa3prof::cli
