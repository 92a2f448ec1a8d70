// What less precision brings: e4m3 beside 16 bits.
#pragma once

#include "src/core/result.h"

#include <vector>

namespace fa3prof::analysis {

/// Adds a warning to every measured result of a kernel that quantizes where fa3, on the same
/// problem, took no longer: alone, or together with the quantization where that is not in the time.
void warn_of_slow_quantized(std::vector<core::Result>& results);

}  // namespace fa3prof::analysis
