// The program in-process, on a GPU that is only claimed: a fake profiler answers in its place.
#pragma once

#include "src/commands/context.h"
#include "src/core/report.h"

#include <cstdint>
#include <string>
#include <vector>

namespace fa3prof::tests {

/// What the fake machine is like.
struct FakeMachine {
  bool has_gpu = true;
  int gpus = 1;
  int foreign_gpu = -1;  ///< this one has fewer SMs
  int lagging_gpu = -1;  ///< this one is 5 % slower, at a clock that is as much lower
  bool has_counters = true;
  core::ComputeCapability capability{9, 0};
  std::string failing_kernel = {};           ///< this one fails verification
  std::int64_t lost_at_seqlen = 0;           ///< the GPU is lost at problems of this seqlen_q
  std::int64_t interrupted_at_seqlen = 0;    ///< SIGINT comes while these are measured
  std::string stuck_kernel = {};             ///< a launch of this one never ends
  std::string refusing_kernel = {};          ///< this one takes no problem on this GPU
  std::vector<profile::Series> series = {};  ///< what calibrate measures
};

struct Outcome {
  core::ExitCode code = core::ExitCode::kDone;
  std::string out;
  std::string err;
};

/// What a run with --json - wrote.
[[nodiscard]] core::Report report_of(const Outcome& outcome);

/// Runs `fa3prof <arguments>`, as main does. What main would catch is thrown.
[[nodiscard]] Outcome run_program(const std::vector<std::string>& arguments,
                                  const FakeMachine& machine = {},
                                  const cli::Terminal& terminal = {});

}  // namespace fa3prof::tests
