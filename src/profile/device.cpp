#include "src/profile/device.h"

#include "kernels/runtime/cuda_check.h"
#include "src/core/error.h"
#include "src/profile/nvml.h"

#include <fmt/format.h>

#include <cuda_runtime_api.h>

#include <cstddef>

namespace fa3prof::profile {
namespace {

using kernels::cuda_check;

constexpr double kMhzPerKhz = 1e-3;

int attribute(cudaDeviceAttr which, int ordinal) {
  int value = 0;
  cuda_check(cudaDeviceGetAttribute(&value, which, ordinal));
  return value;
}

std::string text_of(const cudaUUID_t& uuid) {
  std::string text = "GPU-";
  int position = 0;
  for (const char byte : uuid.bytes) {
    if (position == 4 || position == 6 || position == 8 || position == 10) text += '-';
    text += fmt::format("{:02x}", static_cast<unsigned char>(byte));
    ++position;
  }
  return text;
}

std::string version_text(int version) {
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

NoGpu explain(cudaError_t status) {
  int driver = 0;
  static_cast<void>(cudaDriverGetVersion(&driver));
  if (driver == 0) {
    return {"no NVIDIA driver was found",
            "install it, or in a container pass the GPU through (docker run --gpus all)"};
  }
  if (status == cudaErrorInsufficientDriver) {
    return {fmt::format("the driver serves CUDA {} and this build needs {}", version_text(driver),
                        version_text(CUDART_VERSION)),
            "update the driver, or build with the older toolkit"};
  }
  if (status == cudaErrorNoDevice) {
    return {"the driver finds no GPU", "check nvidia-smi and CUDA_VISIBLE_DEVICES"};
  }
  return {fmt::format("CUDA cannot start: {} ({})", cudaGetErrorName(status),
                      cudaGetErrorString(status)),
          "check nvidia-smi and the kernel log"};
}

void require_ordinal(int ordinal) {
  if (const auto no_gpu = why_no_gpu()) throw core::UnavailableError(no_gpu->reason, no_gpu->cure);
  int count = 0;
  cuda_check(cudaGetDeviceCount(&count));
  if (ordinal >= 0 && ordinal < count) return;
  throw core::UsageError(fmt::format("--device {}: this machine has {} GPU(s), choose 0{}", ordinal,
                                     count, count > 1 ? fmt::format("..{}", count - 1) : ""));
}

}  // namespace

std::optional<NoGpu> why_no_gpu() {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status == cudaSuccess && count > 0) return std::nullopt;
  static_cast<void>(
      cudaGetLastError());  // the failure was dealt with; later checks must not see it
  return explain(status == cudaSuccess ? cudaErrorNoDevice : status);
}

int count_gpus() {
  if (why_no_gpu()) return 0;
  int count = 0;
  cuda_check(cudaGetDeviceCount(&count));
  return count;
}

core::Gpu describe_gpu(int ordinal) {
  require_ordinal(ordinal);
  cudaDeviceProp properties{};
  cuda_check(cudaGetDeviceProperties(&properties, ordinal));
  core::Gpu gpu;
  gpu.name = properties.name;
  gpu.uuid = text_of(properties.uuid);
  gpu.capability = {properties.major, properties.minor};
  gpu.sm_count = properties.multiProcessorCount;
  gpu.max_sm_clock_mhz = attribute(cudaDevAttrClockRate, ordinal) * kMhzPerKhz;
  gpu.max_memory_clock_mhz = attribute(cudaDevAttrMemoryClockRate, ordinal) * kMhzPerKhz;
  gpu.memory_bus_width_bits = attribute(cudaDevAttrGlobalMemoryBusWidth, ordinal);
  gpu.memory_bytes = static_cast<std::int64_t>(properties.totalGlobalMem);
  gpu.l2_bytes = properties.l2CacheSize;
  gpu.shared_memory_per_sm_bytes = static_cast<std::int64_t>(properties.sharedMemPerMultiprocessor);
  if (const auto nvml = NvmlDevice::open(gpu.uuid)) {
    gpu.power_limit_watts = nvml->power_limit_watts().value_or(0.0);
    gpu.pci_device_id = nvml->pci_device_id().value_or(0);
  }
  return gpu;
}

void use_gpu(int ordinal) {
  require_ordinal(ordinal);
  cuda_check(cudaSetDevice(ordinal));
  cuda_check(cudaFree(nullptr));  // makes the context now, so that memory counts include it
}

std::string sticky_error() {
  const cudaError_t status = cudaStreamQuery(nullptr);
  const bool is_well = status == cudaSuccess || status == cudaErrorNotReady;
  return is_well ? "" : cudaGetErrorName(status);
}

double free_memory_bytes() {
  std::size_t free_bytes = 0;
  std::size_t total_bytes = 0;
  cuda_check(cudaMemGetInfo(&free_bytes, &total_bytes));
  return static_cast<double>(free_bytes);
}

}  // namespace fa3prof::profile
