// Turns a failed CUDA runtime or driver call into core::DeviceError with the place it happened.
#pragma once

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <source_location>

namespace fa3prof::kernels {

/// Throws DeviceError with the status's name, text and file:line unless `status` is cudaSuccess.
void cuda_check(cudaError_t status, std::source_location where = std::source_location::current());

/// The same for a driver call, whose name is given since the driver library is opened at run time.
void driver_check(CUresult status, const char* call,
                  std::source_location where = std::source_location::current());

}  // namespace fa3prof::kernels
