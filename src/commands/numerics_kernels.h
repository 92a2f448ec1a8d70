// The flags of `fa3prof numerics` that say how a kernel computes, and what they are called in
// tables.
#pragma once

#include "src/numerics/kernel_numerics.h"

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace fa3prof::commands {

/// Where V's scales go, as one word: at the flush, into P, into P as powers of two.
enum class VScales { kFlush, kIntoP, kIntoPAsPowersOfTwo };

/// Each list may hold several values; an empty one means "not stated".
struct KernelLists {
  std::vector<numerics::ElementFormat> formats;
  std::vector<numerics::ScaleGranularity> scales;
  std::vector<bool> rotations;
  std::vector<int> p_offsets;
  std::vector<double> p_headrooms;
  std::vector<double> p_raises;
  std::vector<numerics::KeyOrder> orders;
  std::vector<numerics::Accumulator> accumulators;
  std::vector<std::int64_t> pv_flushes;
  std::vector<VScales> v_scales;
  std::vector<std::int64_t> tile_ns;
  std::int64_t block_rows = 128;
  bool is_v_smoothed = false;
  bool sums_casts = false;
};

/// `lists` must live until the app has parsed; a bad value throws UsageError from the parse.
void add_kernel_options(CLI::App& app, KernelLists& lists);

/// The product of all lists, the last varying fastest; a 16-bit format has no scales, rotation or
/// narrow sums and stands once. With nothing stated: FP16, then E4M3 with one more remedy a row.
[[nodiscard]] std::vector<numerics::KernelNumerics> kernels_of(const KernelLists& lists);

[[nodiscard]] std::string name_of(numerics::ScaleGranularity scales);
[[nodiscard]] std::string name_of(numerics::KeyOrder order);
[[nodiscard]] std::string name_of(numerics::Accumulator accumulator);
[[nodiscard]] std::string name_of(VScales v_scales);
[[nodiscard]] VScales v_scales_of(const numerics::KernelNumerics& kernel);

}  // namespace fa3prof::commands
