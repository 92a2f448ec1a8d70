#include "src/core/method.h"

#include <fmt/format.h>

#include <cstdint>

namespace fa3prof::core {

std::string describe(const Method& method) {
  std::string text = fmt::format(
      "timer={}, mode={}, inputs={}, settle_ms={}, warmup_rounds={}, includes_quantization={}",
      method.timer, method.mode, method.inputs, method.settle_ms, method.warmup_rounds,
      method.includes_quantization);
  if (method.steady_clock_ratio != 0.0) {
    text += fmt::format(", steady_clock_ratio={}", method.steady_clock_ratio);
  }
  if (method.pause_ms != 0.0) text += fmt::format(", pause_ms={}", method.pause_ms);
  return text;
}

std::string fingerprint(const Method& method) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char c : describe(method)) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x100000001b3U;
  }
  return fmt::format("{:016x}", hash);
}

}  // namespace fa3prof::core
