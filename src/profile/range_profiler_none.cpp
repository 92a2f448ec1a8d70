// Counters in a build whose toolkit has no range profiler: there are none, and this says why.
#include "src/profile/range_profiler.h"

namespace fa3prof::profile {

class RangeProfiler::Session {};

namespace {

core::Counters unavailable() {
  core::Counters counters;
  counters.status = core::Counters::Status::kUnavailable;
  counters.reason = "this build's CUDA toolkit has no CUPTI range profiler";
  counters.cure = "build with CUDA 12.6 or newer, with its CUPTI";
  return counters;
}

}  // namespace

RangeProfiler::RangeProfiler(int device) : device_(device) {}

RangeProfiler::~RangeProfiler() = default;

core::Counters RangeProfiler::collect(const std::function<void()>&, const std::function<void()>&) {
  return unavailable();
}

std::optional<std::string> RangeProfiler::library_path() { return std::nullopt; }

core::Counters RangeProfiler::probe() { return unavailable(); }

}  // namespace fa3prof::profile
