#include "kernels/runtime/launch.h"

#include "kernels/runtime/cuda_check.h"

namespace fa3prof::kernels {

int multiprocessors() {
  int device = 0;
  int count = 0;
  cuda_check(cudaGetDevice(&device));
  cuda_check(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device));
  return count;
}

void allow_shared_memory(const void* function, std::size_t bytes) {
  cuda_check(cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                  static_cast<int>(bytes)));
}

LaunchDescription describe_function(const void* function, int threads,
                                    std::size_t shared_memory_bytes) {
  allow_shared_memory(function, shared_memory_bytes);
  cudaFuncAttributes attributes{};
  cuda_check(cudaFuncGetAttributes(&attributes, function));
  LaunchDescription description;
  cuda_check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&description.ctas_per_sm, function,
                                                           threads, shared_memory_bytes));
  description.threads = threads;
  description.registers_per_thread = attributes.numRegs;
  description.shared_memory_bytes = static_cast<std::int64_t>(shared_memory_bytes);
  description.local_memory_bytes = static_cast<std::int64_t>(attributes.localSizeBytes);
  return description;
}

}  // namespace fa3prof::kernels
