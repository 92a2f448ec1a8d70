// Launches an attention kernel with stamps and brings them to the host.
#pragma once

#include "kernels/runtime/handles.h"
#include "kernels/stage_trace.h"
#include "src/core/attention_kernel.h"
#include "src/core/stage_trace.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace fa3prof::profile {

/// What of a launch is traced.
struct TracePlan {
  std::vector<int> ctas;        ///< numbers in the grid, at most kernels::kMostTracedCtas
  std::size_t capacity = 0;     ///< records of a role that are kept; a power of two
  int grid = 0;                 ///< CTAs of the launch
  std::int64_t key_blocks = 0;  ///< of all its tiles
};

/// The CTAs asked for, without those that the grid lacks; for none the first and the last one.
/// Room for half as many records again as an even share of the key blocks needs. Throws
/// UsageError for more than kernels::kMostTracedCtas, or where the grid has none of them.
[[nodiscard]] TracePlan plan_trace(const core::AttentionProblem& problem,
                                   const kernels::LaunchDescription& launch,
                                   const std::vector<int>& ctas);

class StageTracer {
 public:
  /// Allocates the rings on the current device. The kernel must have an instance with stamps.
  StageTracer(const core::AttentionKernel& kernel, const core::AttentionProblem& problem,
              TracePlan plan);

  /// Enqueues a launch, whose stamps take the place of those of the one before.
  void launch(const kernels::AttentionTensors& tensors, cudaStream_t stream) const;

  /// The stamps of the latest launch. Waits for the stream.
  [[nodiscard]] core::StageTrace collect(cudaStream_t stream) const;

 private:
  [[nodiscard]] std::size_t slots() const;

  core::AttentionKernel kernel_;
  core::AttentionProblem problem_;
  TracePlan plan_;
  kernels::DeviceBuffer records_;
  kernels::DeviceBuffer counts_;
  kernels::DeviceBuffer ctas_;
  kernels::TraceRings rings_;
};

}  // namespace fa3prof::profile
