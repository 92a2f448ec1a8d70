// From what was measured of one kernel to its core::Result.
#pragma once

#include "src/core/report.h"
#include "src/core/result.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace fa3prof::profile {

struct Measurement {
  std::string kernel;
  std::string kernel_version;  ///< as in core::Result
  core::AttentionProblem problem;
  std::optional<core::Launch> launch;   ///< nothing for a plugin, which does not say
  std::int64_t local_memory_bytes = 0;  ///< per thread; more than 0 means spilled registers
  std::string unsupported_reason;       ///< not empty: it was not run, and no other field counts
  core::Verification verification;
  std::vector<double> samples_us;                          ///< empty when verification failed
  std::vector<double> samples_clock_mhz;                   ///< as in core::Timing
  std::vector<double> samples_power_watts = {};            ///< as in core::Timing
  std::vector<std::string> samples_throttle_reasons = {};  ///< as in core::Timing
  std::vector<double> samples_temperature_celsius = {};    ///< as in core::Timing
  std::optional<core::Method> method = std::nullopt;       ///< as in core::Timing
  std::optional<core::WarmUp> warm_up = std::nullopt;      ///< as in core::Timing
  std::vector<std::string> in_turn = {};                   ///< as in core::Timing
  std::string cache;                                       ///< as in core::Timing
  std::string stopped_by;                                  ///< as in core::Timing
  std::optional<double> target_ci95_ratio;                 ///< as in core::Timing
  std::optional<core::ClockRecord> clocks;
  std::optional<core::Quantization> quantization;
  core::DataType multiplies = core::DataType::kFloat16;  ///< decides what peak counts
  core::Counters counters;
  std::shared_ptr<const core::StageTrace> stage_trace;
  std::string not_traced_reason;             ///< why there is no trace although one was asked for
  std::vector<std::string> neighbours = {};  ///< warnings of others on the same GPU
};

/// Fills every field of a measured result, with warnings for whatever makes it less trustworthy.
/// A kernel that failed verification keeps its launch and verification and gets no speed at all.
[[nodiscard]] core::Result make_result(const Measurement& measurement, const core::Gpu& gpu);

}  // namespace fa3prof::profile
