// Device memory between two guard zones.
#pragma once

#include "kernels/runtime/handles.h"
#include "src/profile/guard_zones.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fa3prof::profile {

class GuardedBuffer {
 public:
  /// `size_bytes` of zeros, aligned to 256 bytes; may be 0.
  explicit GuardedBuffer(std::size_t size_bytes);

  /// Null when the size is 0.
  [[nodiscard]] void* get() const;

  [[nodiscard]] std::size_t size_bytes() const { return size_bytes_; }

  /// Makes both guard zones whole again, on `stream`.
  void restore_guards(cudaStream_t stream) const;

  /// As find_overwrite of guard_zones.h, after waiting for `stream`.
  [[nodiscard]] std::optional<std::string> find_overwrite(std::string_view tensor,
                                                          cudaStream_t stream) const;

 private:
  [[nodiscard]] std::uint8_t* at(std::size_t offset) const;

  std::size_t size_bytes_;
  kernels::DeviceBuffer memory_;  // kGuardBytes, size_bytes_, kGuardBytes
};

}  // namespace fa3prof::profile
