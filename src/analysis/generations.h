// The generations of FlashAttention beside each other, and each beside what the FlashAttention-3
// guide says of it. Not: how that is printed (src/report).
#pragma once

#include "src/analysis/comparison.h"
#include "src/core/report.h"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fa3prof::analysis {

/// A column of the guide's table "Comparative Breakdown: FlashAttention Generations". Its TFLOPS
/// are of an H100, of a problem that it does not state.
struct GuideGeneration {
  std::string_view name;    ///< "FlashAttention-1"
  std::string_view kernel;  ///< ours of that generation
  std::string_view transfer;
  std::string_view instruction;
  std::string_view warps;
  std::string_view overlap;
  std::string_view numerics;
  double tflops = 0.0;
  double peak_ratio = 0.0;
};

/// FA1, FA2, FA3 in FP16 and FA3 in FP8.
[[nodiscard]] const std::array<GuideGeneration, 4>& guide_generations();

/// What brings Q, K and V from global to shared memory.
enum class TransferEngine { kRegisters, kCpAsync, kTma };

/// "registers", "cp_async", "tma".
[[nodiscard]] std::string_view name_of(TransferEngine engine);

enum class TensorInstruction { kMmaSync, kWgmma };

/// "mma_sync", "wgmma".
[[nodiscard]] std::string_view name_of(TensorInstruction instruction);

/// Warps of a CTA that do the same.
struct WarpRole {
  std::string name;
  int instances = 1;
  int warps = 1;  ///< of each instance
};

/// One generation on one problem. Absent: not counted, or the kernel was not run.
struct Generation {
  const GuideGeneration* guide = nullptr;
  const core::Result* measured = nullptr;  ///< null, or without a time: not run
  std::optional<TransferEngine> engine;    ///< the most capable one that was seen at work
  std::optional<TensorInstruction> instruction;
  /// From the kernel's pipeline, whose roles tests hold against the kernel; empty where the launch
  /// had other threads.
  std::vector<WarpRole> roles;
  /// Share of the SM cycles in which tensor pipe and MUFU, which the softmax needs for each score,
  /// must both have been busy: what their busy shares exceed 1 by, or 0.
  std::optional<double> both_busy_ratio;
  /// Of the cycles, where the model has the tensor pipe wait for the softmax.
  std::optional<double> simulated_softmax_exposed_ratio;
  std::optional<double> peak_ratio;
  std::optional<Speedup> speedup;  ///< over the generation before
  std::optional<double> guide_speedup;
};

struct GenerationTable {
  core::AttentionProblem problem;
  std::vector<Generation> generations;  ///< as guide_generations()
  /// Where the guide and what was measured contradict each other.
  std::vector<std::string> notes;
};

/// A table for each problem for which fa1, which is there for nothing else, was to be measured.
/// Pointers are into the report.
[[nodiscard]] std::vector<GenerationTable> generation_tables(const core::Report& report);
std::vector<GenerationTable> generation_tables(core::Report&&) = delete;

/// The notes of a table, from its generations. `gpu`: its name; empty: unknown.
[[nodiscard]] std::vector<std::string> generation_notes(const std::vector<Generation>& generations,
                                                        std::string_view gpu);

}  // namespace fa3prof::analysis
