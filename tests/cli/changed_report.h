// A recorded report, changed: what another build or another machine might have measured.
#pragma once

#include "src/core/json_reader.h"

#include <stdexcept>
#include <string>

namespace fa3prof::tests {

/// Multiplies every time of a kernel, at the same clock.
inline void slow_down(core::Json& document, const std::string& kernel, double factor) {
  for (core::Json& result : document["results"]) {
    if (result["kernel"] != kernel || !result.contains("timing")) continue;
    result["time_us"] = result["time_us"].get<double>() * factor;
    for (core::Json& sample : result["timing"]["samples_us"]) {
      sample = sample.get<double>() * factor;
    }
  }
}

/// The measured result of a kernel.
inline core::Json& result_of(core::Json& document, const std::string& kernel) {
  for (core::Json& result : document["results"]) {
    if (result["kernel"] == kernel && result["source"] == "measured") return result;
  }
  throw std::runtime_error("no measured " + kernel);
}

}  // namespace fa3prof::tests
