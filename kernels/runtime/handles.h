// Move-only owners of CUDA objects. Destructors ignore errors: they may run while one is thrown.
#pragma once

#include "kernels/runtime/cuda_check.h"

#include <cuda_runtime_api.h>

#include <cstddef>
#include <utility>

namespace fa3prof::kernels {

/// Owns one `Handle`, released with `Release`. The null value (Handle{}) owns nothing.
template <typename Handle, cudaError_t (*Release)(Handle)>
class Owner {
 public:
  Owner() = default;

  explicit Owner(Handle handle) : handle_(handle) {}

  Owner(Owner&& other) noexcept : handle_(std::exchange(other.handle_, Handle{})) {}

  Owner& operator=(Owner&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }

  Owner(const Owner&) = delete;
  Owner& operator=(const Owner&) = delete;

  ~Owner() {
    if (handle_ != Handle{}) Release(handle_);
  }

  [[nodiscard]] Handle get() const { return handle_; }

 private:
  Handle handle_{};
};

using Stream = Owner<cudaStream_t, cudaStreamDestroy>;
using Event = Owner<cudaEvent_t, cudaEventDestroy>;

/// A stream that does not wait for the default stream.
[[nodiscard]] inline Stream make_stream() {
  cudaStream_t stream = nullptr;
  cuda_check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  return Stream(stream);
}

/// An event with timing.
[[nodiscard]] inline Event make_event() {
  cudaEvent_t event = nullptr;
  cuda_check(cudaEventCreate(&event));
  return Event(event);
}

/// Device memory of a fixed size, aligned to 256 bytes, uninitialised.
class DeviceBuffer {
 public:
  DeviceBuffer() = default;

  explicit DeviceBuffer(std::size_t size_bytes) : size_bytes_(size_bytes) {
    void* pointer = nullptr;
    cuda_check(cudaMalloc(&pointer, size_bytes));
    memory_ = Owner<void*, cudaFree>(pointer);
  }

  [[nodiscard]] void* get() const { return memory_.get(); }

  [[nodiscard]] std::size_t size_bytes() const { return size_bytes_; }

 private:
  Owner<void*, cudaFree> memory_;
  std::size_t size_bytes_ = 0;
};

}  // namespace fa3prof::kernels
