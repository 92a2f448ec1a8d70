// From the wish for a machine file to measured series. Free of CUDA types; CMake picks
// calibration_cuda.cpp or calibration_none.cpp.
#pragma once

#include "kernels/microbenchmarks.h"
#include "src/profile/profiler.h"

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace fa3prof::profile {

using kernels::MeasuredPoint;
using kernels::Series;

struct CalibrationRequest {
  int device = 0;
  std::vector<std::string> benchmarks;  ///< of benchmark_names(); empty: all
};

/// Called before each benchmark: how many are done, of how many, and its name.
using CalibrationProgress =
    std::function<void(std::size_t done, std::size_t total, const std::string& what)>;

/// What can be measured, in the order in which it is.
[[nodiscard]] std::vector<std::string> benchmark_names();

/// Throws UsageError that lists the choices for a name that is none of benchmark_names().
void require_benchmark(const std::string& name);

/// Runs the benchmarks, some 10 s for all. Throws UnavailableError without a GPU of compute
/// capability 9.0 or in a build without CUDA, DeviceError if a CUDA call fails.
[[nodiscard]] std::vector<Series> measure_machine(const CalibrationRequest& request,
                                                  const CalibrationProgress& progress);

}  // namespace fa3prof::profile
