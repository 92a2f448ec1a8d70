// The search for the variants of pipelines that the model takes for the fastest.
#pragma once

#include "sim/design_space.h"
#include "src/core/result.h"

#include <array>
#include <cstddef>
#include <string>
#include <vector>

namespace fa3prof::sim {

/// A variant that was simulated.
struct TunedPoint {
  std::string pipeline;  ///< whose variant it is
  std::string kernel;
  DesignPoint point;
  bool is_stated = false;         ///< as the pipeline's file has it
  double registers_needed = 0.0;  ///< estimate (register_need.h)
  double registers_there = 0.0;
  double shared_memory_bytes = 0.0;
  double bound_cycles = 0.0;  ///< by the closed form
  core::Result result;        ///< of the event engine, without terms
};

struct Tuning {
  core::AttentionProblem problem;
  std::string machine;
  std::size_t points = 0;    ///< of all spaces
  std::size_t feasible = 0;  ///< that fit the machine; all of them have a bound
  std::array<std::size_t, kObstacleNames.size()>
      obstacles{};                    ///< points that each keeps from running
  std::vector<TunedPoint> simulated;  ///< by the event engine, fastest first
  std::vector<std::string> left_out;  ///< pipelines that cannot run the problem, with the reason
  double seconds = 0.0;               ///< of one core, that the search took
};

struct TuneRequest {
  const Machine& machine;
  const std::vector<Pipeline>& pipelines;
  core::AttentionProblem problem;
  std::size_t simulated_points = 240;  ///< of the event engine; those with the best bounds, and the
                                       ///< pipelines as they are
};

/// Every feasible point of every pipeline by the closed form, then the best of these by the event
/// engine, whose ranking it is. Throws UsageError where no point can run.
[[nodiscard]] Tuning tune(const TuneRequest& request);

}  // namespace fa3prof::sim
