#include "src/profile/cudnn_descriptor.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

namespace fa3prof::profile {
namespace {

const char* name_of(CudnnDescriptorType type) {
  switch (type) {
    case CudnnDescriptorType::kPointwise:
      return "pointwise";
    case CudnnDescriptorType::kEngineConfig:
      return "engine configuration";
    case CudnnDescriptorType::kEngineHeuristics:
      return "engine heuristics";
    case CudnnDescriptorType::kExecutionPlan:
      return "execution plan";
    case CudnnDescriptorType::kPointwiseOperation:
      return "pointwise operation";
    case CudnnDescriptorType::kOperationGraph:
      return "operation graph";
    case CudnnDescriptorType::kVariantPack:
      return "variant pack";
    case CudnnDescriptorType::kTensor:
      return "tensor";
    case CudnnDescriptorType::kMatmul:
      return "matmul";
    case CudnnDescriptorType::kMatmulOperation:
      return "matmul operation";
    case CudnnDescriptorType::kReduction:
      return "reduction";
    case CudnnDescriptorType::kReductionOperation:
      return "reduction operation";
  }
  return "descriptor";
}

}  // namespace

CudnnDescriptor::CudnnDescriptor(const CudnnLibrary& library, CudnnDescriptorType type)
    : library_(&library), type_(type) {
  library.check(library.functions().BackendCreateDescriptor(type, &handle_),
                fmt::format("cudnnBackendCreateDescriptor({})", name_of(type)));
}

CudnnDescriptor::CudnnDescriptor(CudnnDescriptor&& other) noexcept
    : library_(other.library_),
      type_(other.type_),
      handle_(std::exchange(other.handle_, nullptr)) {}

CudnnDescriptor& CudnnDescriptor::operator=(CudnnDescriptor&& other) noexcept {
  std::swap(library_, other.library_);
  std::swap(type_, other.type_);
  std::swap(handle_, other.handle_);
  return *this;
}

CudnnDescriptor::~CudnnDescriptor() {
  if (handle_ != nullptr) library_->functions().BackendDestroyDescriptor(handle_);
}

void CudnnDescriptor::set_raw(CudnnAttribute attribute, CudnnAttributeType type, std::size_t count,
                              const void* elements) {
  const auto status = library_->functions().BackendSetAttribute(
      handle_, attribute, type, static_cast<std::int64_t>(count), elements);
  library_->check(status, fmt::format("cudnnBackendSetAttribute({}, {})", name_of(type_),
                                      static_cast<int>(attribute)));
}

void CudnnDescriptor::set(CudnnAttribute attribute, std::span<const std::int64_t> values) {
  set_raw(attribute, CudnnAttributeType::kInt64, values.size(), values.data());
}

void CudnnDescriptor::set(CudnnAttribute attribute, std::span<void* const> pointers) {
  set_raw(attribute, CudnnAttributeType::kVoidPointer, pointers.size(), pointers.data());
}

void CudnnDescriptor::set(CudnnAttribute attribute, std::span<const CudnnDescriptor> descriptors) {
  std::vector<CudnnDescriptorHandle> handles;
  for (const CudnnDescriptor& descriptor : descriptors) handles.push_back(descriptor.get());
  set_raw(attribute, CudnnAttributeType::kDescriptor, handles.size(), handles.data());
}

void CudnnDescriptor::set(CudnnAttribute attribute, const CudnnDescriptor& descriptor) {
  set(attribute, std::span(&descriptor, 1));
}

void CudnnDescriptor::set(CudnnAttribute attribute, CudnnHandle handle) {
  set_raw(attribute, CudnnAttributeType::kHandle, 1, &handle);
}

void CudnnDescriptor::set(CudnnAttribute attribute, std::int64_t value) {
  set_raw(attribute, CudnnAttributeType::kInt64, 1, &value);
}

void CudnnDescriptor::set(CudnnAttribute attribute, CudnnDataType type) {
  set_raw(attribute, CudnnAttributeType::kDataType, 1, &type);
}

void CudnnDescriptor::set(CudnnAttribute attribute, CudnnPointwise mode) {
  set_raw(attribute, CudnnAttributeType::kPointwiseMode, 1, &mode);
}

void CudnnDescriptor::set(CudnnAttribute attribute, CudnnReduction mode) {
  set_raw(attribute, CudnnAttributeType::kReductionMode, 1, &mode);
}

void CudnnDescriptor::set(CudnnAttribute attribute, CudnnHeuristics mode) {
  set_raw(attribute, CudnnAttributeType::kHeuristicsMode, 1, &mode);
}

void CudnnDescriptor::finalize() {
  library_->check(library_->functions().BackendFinalize(handle_),
                  fmt::format("cudnnBackendFinalize({})", name_of(type_)));
}

std::int64_t CudnnDescriptor::get_int64(CudnnAttribute attribute) const {
  std::int64_t value = 0;
  std::int64_t count = 0;
  const auto status = library_->functions().BackendGetAttribute(
      handle_, attribute, CudnnAttributeType::kInt64, 1, &count, &value);
  library_->check(status, fmt::format("cudnnBackendGetAttribute({}, {})", name_of(type_),
                                      static_cast<int>(attribute)));
  return value;
}

std::vector<CudnnDescriptor> CudnnDescriptor::get_descriptors(CudnnAttribute attribute,
                                                              CudnnDescriptorType type) const {
  const auto get = [this, attribute](std::int64_t room, std::int64_t& count, void* elements) {
    const auto status = library_->functions().BackendGetAttribute(
        handle_, attribute, CudnnAttributeType::kDescriptor, room, &count, elements);
    library_->check(status, fmt::format("cudnnBackendGetAttribute({}, {})", name_of(type_),
                                        static_cast<int>(attribute)));
  };
  std::int64_t count = 0;
  get(0, count, nullptr);
  std::vector<CudnnDescriptor> descriptors;
  std::vector<CudnnDescriptorHandle> handles;
  for (std::int64_t i = 0; i < count; ++i) {
    handles.push_back(descriptors.emplace_back(*library_, type).get());
  }
  const std::int64_t room = count;
  if (room > 0) get(room, count, handles.data());
  descriptors.erase(descriptors.begin() + std::min(count, room), descriptors.end());
  return descriptors;
}

}  // namespace fa3prof::profile
