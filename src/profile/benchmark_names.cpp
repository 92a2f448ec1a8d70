#include "src/core/error.h"
#include "src/profile/calibration.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace fa3prof::profile {

std::vector<std::string> benchmark_names() {
  return {kernels::kMicrobenchmarks.begin(), kernels::kMicrobenchmarks.end()};
}

void require_benchmark(const std::string& name) {
  const std::vector<std::string> names = benchmark_names();
  if (std::ranges::find(names, name) != names.end()) return;
  throw core::UsageError(
      fmt::format("there is no microbenchmark '{}'; choose from {}", name, fmt::join(names, ", ")));
}

}  // namespace fa3prof::profile
