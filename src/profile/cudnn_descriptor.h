// One object of cuDNN's backend: created, given its attributes, made final.
#pragma once

#include "src/profile/cudnn_library.h"

#include <concepts>
#include <cstdint>
#include <span>
#include <vector>

namespace fa3prof::profile {

/// Owns a backend descriptor. `library` must outlive it. All calls throw CudnnError.
class CudnnDescriptor {
 public:
  CudnnDescriptor(const CudnnLibrary& library, CudnnDescriptorType type);
  CudnnDescriptor(CudnnDescriptor&& other) noexcept;
  CudnnDescriptor& operator=(CudnnDescriptor&& other) noexcept;
  CudnnDescriptor(const CudnnDescriptor&) = delete;
  CudnnDescriptor& operator=(const CudnnDescriptor&) = delete;
  ~CudnnDescriptor();

  [[nodiscard]] CudnnDescriptorHandle get() const { return handle_; }

  void set(CudnnAttribute attribute, std::span<const std::int64_t> values);
  void set(CudnnAttribute attribute, std::span<void* const> pointers);
  void set(CudnnAttribute attribute, std::span<const CudnnDescriptor> descriptors);
  void set(CudnnAttribute attribute, const CudnnDescriptor& descriptor);
  void set(CudnnAttribute attribute, CudnnHandle handle);
  void set(CudnnAttribute attribute, std::int64_t value);
  void set(CudnnAttribute attribute, CudnnDataType type);
  void set(CudnnAttribute attribute, CudnnPointwise mode);
  void set(CudnnAttribute attribute, CudnnReduction mode);
  void set(CudnnAttribute attribute, CudnnHeuristics mode);

  /// A template, lest a pointer turn into a boolean.
  void set(CudnnAttribute attribute, std::same_as<bool> auto value) {
    set_raw(attribute, CudnnAttributeType::kBoolean, 1, &value);
  }

  /// No attribute can be set afterwards.
  void finalize();

  [[nodiscard]] std::int64_t get_int64(CudnnAttribute attribute) const;

  /// A list of descriptors of that type.
  [[nodiscard]] std::vector<CudnnDescriptor> get_descriptors(CudnnAttribute attribute,
                                                             CudnnDescriptorType type) const;

 private:
  void set_raw(CudnnAttribute attribute, CudnnAttributeType type, std::size_t count,
               const void* elements);

  const CudnnLibrary* library_;
  CudnnDescriptorType type_;
  CudnnDescriptorHandle handle_ = nullptr;
};

}  // namespace fa3prof::profile
