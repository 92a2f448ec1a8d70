// The compiled instances of our kernels and what each may use of an SM, as their config.h state it.
// Plain C++: known without a GPU and in a build without CUDA.
#pragma once

#include "kernels/fa1/config.h"
#include "kernels/fa2/config.h"
#include "kernels/fa3_fp16/config.h"
#include "kernels/fa3_fp8/config.h"
#include "src/core/attention_kernel.h"

#include <cstdint>
#include <string>
#include <vector>

namespace fa3prof::kernels {

struct KernelInstance {
  std::string kernel;  ///< as in core::attention_kernels()
  int head_dim = 0;
  int tile_m = 0;  ///< query rows of a CTA
  int tile_n = 0;  ///< keys of a block
  int stages = 0;  ///< shared-memory buffers of K and of V
  int threads = 0;
  int ctas_per_sm = 0;
  std::string registers;  ///< per thread: "255", "24 producer, 240 consumer"
  int shared_memory_bytes = 0;
};

template <typename Config>
[[nodiscard]] KernelInstance kernel_instance(const std::string& kernel, const Config& config) {
  return {.kernel = kernel,
          .head_dim = config.head_dim,
          .tile_m = config.tile_m,
          .tile_n = config.tile_n,
          .stages = config.stages,
          .threads = config.threads(),
          .ctas_per_sm = 1,
          .registers = "",
          .shared_memory_bytes = config.shared_memory_bytes()};
}

/// "24 producer, 240 consumer".
template <typename Config>
[[nodiscard]] std::string registers_of(const Config& config) {
  return std::to_string(config.producer_registers) + " producer, " +
         std::to_string(config.consumer_registers) + " consumer";
}

inline void add_fa1_instances(std::vector<KernelInstance>& instances) {
  for (const std::int64_t head_dim : core::find_kernel("fa1").head_dims) {
    const fa1::Config config = fa1::config_for({.head_dim = head_dim});
    instances.push_back(kernel_instance("fa1", config));
    instances.back().ctas_per_sm = config.ctas_per_sm;
    instances.back().registers = std::to_string(config.registers());
  }
}

inline void add_fp8_instances(std::vector<KernelInstance>& instances) {
  for (const bool flushes : {false, true}) {
    const std::string kernel(flushes ? core::kFp8Flushing : core::kFp8);
    for (const std::int64_t head_dim : core::find_kernel(kernel).head_dims) {
      const auto config = fa3_fp8::config_for({.head_dim = head_dim, .flushes = flushes});
      instances.push_back(kernel_instance(kernel, config));
      instances.back().registers = registers_of(config);
    }
  }
}

/// By kernel, then head_dim. The same for every data type.
[[nodiscard]] inline std::vector<KernelInstance> kernel_instances() {
  std::vector<KernelInstance> instances;
  add_fa1_instances(instances);
  for (const fa2::Config& config : fa2::kConfigs) {
    instances.push_back(kernel_instance("fa2", config));
    instances.back().ctas_per_sm = config.ctas_per_sm;
    instances.back().registers = std::to_string(config.registers());
  }
  for (const auto& [kernel, schedule] : fa3_fp16::kSchedules) {
    for (const std::int64_t head_dim : core::find_kernel(kernel).head_dims) {
      const fa3_fp16::Config config = fa3_fp16::config_for(head_dim, schedule);
      instances.push_back(kernel_instance(std::string(kernel), config));
      instances.back().registers = config.specializes_warps
                                       ? registers_of(config)
                                       : std::to_string(config.consumer_registers);
    }
  }
  add_fp8_instances(instances);
  return instances;
}

}  // namespace fa3prof::kernels
