// Calibration in a build without CUDA: says so, and how to get one that measures.
#include "src/core/error.h"
#include "src/profile/calibration.h"

namespace fa3prof::profile {

std::vector<Series> measure_machine(const CalibrationRequest&, const CalibrationProgress&) {
  throw core::UnavailableError(
      "this build has no microbenchmarks: it was made without CUDA",
      "build with CUDA 12.3 or newer: put nvcc on PATH and configure with -DFA3PROF_CUDA=ON");
}

}  // namespace fa3prof::profile
