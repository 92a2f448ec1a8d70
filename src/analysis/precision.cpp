#include "src/analysis/precision.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

namespace fa3prof::analysis {
namespace {

using core::Result;

constexpr std::string_view kSixteenBits = "fa3";

bool was_timed(const Result& result) {
  return result.source == core::ResultSource::kMeasured && result.time_us.has_value();
}

const Result* find_sixteen_bits(const std::vector<Result>& results,
                                const core::AttentionProblem& problem) {
  const auto found = std::ranges::find_if(results, [&problem](const Result& result) {
    return result.kernel == kSixteenBits && result.problem == problem && was_timed(result);
  });
  return found == results.end() ? nullptr : &*found;
}

std::string text_of(std::string_view what, double ratio) {
  return fmt::format("{} takes {:.2f} times the time of {}", what, ratio, kSixteenBits);
}

}  // namespace

void warn_of_slow_quantized(std::vector<Result>& results) {
  for (Result& result : results) {
    if (!result.quantization || !was_timed(result)) continue;
    const Result* exact = find_sixteen_bits(results, result.problem);
    if (exact == nullptr) continue;
    const double ratio = *result.time_us / *exact->time_us;
    const bool is_included = result.quantization->is_included;
    const double whole = ratio + result.quantization->time_us / *exact->time_us;
    if (ratio >= 1.0) {
      result.warnings.push_back(text_of(is_included ? "with its quantization it" : "it", ratio));
    } else if (!is_included && whole >= 1.0) {
      result.warnings.push_back(text_of("with its quantization it", whole));
    }
  }
}

}  // namespace fa3prof::analysis
