// The attention kernels by name and what each supports. Not: how they are built or launched.
#pragma once

#include "src/core/attention_problem.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fa3prof::core {

/// Compute capability, for example 9.0 on Hopper.
struct ComputeCapability {
  int major = 0;
  int minor = 0;

  auto operator<=>(const ComputeCapability&) const = default;
};

/// What is known of one of our kernels without running it.
struct AttentionKernel {
  std::string_view name;      ///< the word on the command line and in reports: "fa2", "fa3"
  std::string_view schedule;  ///< of fa3: "full", or the mechanisms it has; else empty
  /// Its model in configs/pipelines, without ".json"; empty: it has none.
  std::string_view pipeline;
  std::string_view description;  ///< one line
  ComputeCapability min_capability;
  bool needs_exact_major = false;  ///< true: architecture-specific code (sm_90a runs on 9.x only)
  std::span<const std::int64_t> head_dims;
  std::span<const DataType> dtypes;
  /// Multiplies e4m3, which a kernel of its own makes of the problem's 16-bit Q, K and V before.
  bool quantizes = false;
};

/// NVIDIA's cuDNN, which a run can measure beside our kernels. Not one of attention_kernels().
inline constexpr std::string_view kCudnn = "cudnn";

/// fa3 in e4m3, and the one that adds P V to O in float32 after every kPvFlushKeys keys.
inline constexpr std::string_view kFp8 = "fa3_fp8";
inline constexpr std::string_view kFp8Flushing = "fa3_fp8-flush";
inline constexpr int kPvFlushKeys = 128;

/// The schedule of the kernel that has all mechanisms.
inline constexpr std::string_view kFullSchedule = "full";

/// All kernels: the oldest algorithm first, then e4m3, and last the schedules of fa3 that lack
/// mechanisms.
[[nodiscard]] std::span<const AttentionKernel> attention_kernels();

/// Those that are meant where none is named: without fa1, which is there for comparison, without
/// the schedules that lack mechanisms, and without e4m3, whose result is a coarser one.
[[nodiscard]] std::span<const AttentionKernel> complete_kernels();

/// The type of the numbers that the kernel multiplies: the problem's, or e4m3.
[[nodiscard]] DataType multiplied_type(const AttentionKernel& kernel,
                                       const AttentionProblem& problem);

/// The schedules of fa3, from none of its mechanisms to all.
[[nodiscard]] std::vector<std::string_view> schedules();

/// The fa3 kernel of that schedule. Throws UsageError that lists the known ones.
[[nodiscard]] const AttentionKernel& find_schedule(std::string_view schedule);

/// Throws UsageError that lists the known names, and those of plugins in `also_there`.
[[nodiscard]] const AttentionKernel& find_kernel(std::string_view name,
                                                 const std::vector<std::string>& also_there = {});

/// Why this kernel cannot solve this problem ("fa3 has no head_dim 96; it has 128"), or nothing.
[[nodiscard]] std::optional<std::string> why_unsupported(const AttentionKernel& kernel,
                                                         const AttentionProblem& problem);

/// Why this kernel cannot run on that capability, or nothing.
[[nodiscard]] std::optional<std::string> why_unsupported(const AttentionKernel& kernel,
                                                         ComputeCapability capability);

}  // namespace fa3prof::core
