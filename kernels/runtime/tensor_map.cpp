#include "kernels/runtime/tensor_map.h"

#include "kernels/runtime/cuda_check.h"
#include "src/core/error.h"

#include <cudaTypedefs.h>

#include <array>

namespace fa3prof::kernels {
namespace {

constexpr int kSwizzleElements = 64;  // 128 bytes of 2-byte elements
constexpr std::uint64_t kElementBytes = 2;

PFN_cuTensorMapEncodeTiled_v12000 find_encoder() {
  void* entry = nullptr;
  cudaDriverEntryPointQueryResult found{};
  constexpr const char* kName = "cuTensorMapEncodeTiled";
#if CUDART_VERSION >= 12050
  constexpr unsigned kSinceCuda = 12000;
  cuda_check(
      cudaGetDriverEntryPointByVersion(kName, &entry, kSinceCuda, cudaEnableDefault, &found));
#else
  cuda_check(cudaGetDriverEntryPoint(kName, &entry, cudaEnableDefault, &found));
#endif
  if (found != cudaDriverEntryPointSuccess) {
    throw core::UnavailableError("this driver has no cuTensorMapEncodeTiled",
                                 "install a driver for CUDA 12.0 or newer");
  }
  return reinterpret_cast<PFN_cuTensorMapEncodeTiled_v12000>(entry);
}

}  // namespace

CUtensorMap make_tile_map(const TileGeometry& geometry) {
  static const PFN_cuTensorMapEncodeTiled_v12000 encode = find_encoder();
  const auto size = [](std::int64_t n) { return static_cast<std::uint64_t>(n); };
  const auto bytes = [&](std::int64_t elements) { return size(elements) * kElementBytes; };

  // The head dimension is split into 64-element columns so that one copy fills all column blocks.
  const std::array<std::uint64_t, 5> dims{kSwizzleElements, size(geometry.seqlen),
                                          size(geometry.head_dim / kSwizzleElements),
                                          size(geometry.heads), size(geometry.batch)};
  const std::array<std::uint64_t, 4> strides{bytes(geometry.strides.seq), bytes(kSwizzleElements),
                                             bytes(geometry.strides.head),
                                             bytes(geometry.strides.batch)};
  const std::array<std::uint32_t, 5> box{
      kSwizzleElements, static_cast<std::uint32_t>(geometry.tile_rows),
      static_cast<std::uint32_t>(geometry.head_dim / kSwizzleElements), 1, 1};
  const std::array<std::uint32_t, 5> element_strides{1, 1, 1, 1, 1};

  CUtensorMap map{};
  driver_check(
      encode(&map, CU_TENSOR_MAP_DATA_TYPE_UINT16, dims.size(), const_cast<void*>(geometry.base),
             dims.data(), strides.data(), box.data(), element_strides.data(),
             CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
             CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE),
      "cuTensorMapEncodeTiled");
  return map;
}

}  // namespace fa3prof::kernels
