#include "kernels/microbench/benchmarks.h"
#include "kernels/runtime/cuda_check.h"

#include <cuda_runtime_api.h>

#include <cstddef>

namespace fa3prof::kernels::microbench {

std::vector<Series> device_sizes(Session&) {
  int device = 0;
  cuda_check(cudaGetDevice(&device));
  const auto attribute = [device](const char* name, const char* unit, cudaDeviceAttr which) {
    int value = 0;
    cuda_check(cudaDeviceGetAttribute(&value, which, device));
    return single(name, unit, {static_cast<double>(value)});
  };
  std::size_t free_bytes = 0;
  std::size_t total_bytes = 0;
  cuda_check(cudaMemGetInfo(&free_bytes, &total_bytes));
  return {
      single("memory_bytes", "bytes", {static_cast<double>(total_bytes)}),
      attribute("sm_count", "1", cudaDevAttrMultiProcessorCount),
      attribute("clock_max_khz", "khz", cudaDevAttrClockRate),
      attribute("l2_bytes", "bytes", cudaDevAttrL2CacheSize),
      attribute("shared_memory_per_cta_bytes", "bytes", cudaDevAttrMaxSharedMemoryPerBlockOptin),
      attribute("shared_memory_per_sm_bytes", "bytes", cudaDevAttrMaxSharedMemoryPerMultiprocessor),
      attribute("shared_memory_reserved_bytes", "bytes", cudaDevAttrReservedSharedMemoryPerBlock),
      attribute("registers_per_sm", "1", cudaDevAttrMaxRegistersPerMultiprocessor),
      attribute("threads_per_sm", "1", cudaDevAttrMaxThreadsPerMultiProcessor)};
}

}  // namespace fa3prof::kernels::microbench
