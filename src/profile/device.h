// The GPU by the CUDA runtime: which one, what it is, what is free on it.
#pragma once

#include "src/core/report.h"

#include <optional>
#include <string>

namespace fa3prof::profile {

/// Why no GPU can be used.
struct NoGpu {
  std::string reason;
  std::string cure;
};

/// Nothing when the runtime finds at least one GPU; reads no GPU's memory and makes no context.
[[nodiscard]] std::optional<NoGpu> why_no_gpu();

/// How many the runtime finds; 0 without a driver.
[[nodiscard]] int count_gpus();

/// Properties of GPU `ordinal`. Throws UnavailableError without any GPU, UsageError that lists the
/// choices for an ordinal that does not exist.
[[nodiscard]] core::Gpu describe_gpu(int ordinal);

/// Makes `ordinal` the calling thread's device, with a context. Throws like describe_gpu.
void use_gpu(int ordinal);

/// The error that every call returns since a kernel or the GPU broke the context
/// ("cudaErrorIllegalAddress"), or empty. Waits for nothing.
[[nodiscard]] std::string sticky_error();

/// Free bytes on the current device.
[[nodiscard]] double free_memory_bytes();

}  // namespace fa3prof::profile
