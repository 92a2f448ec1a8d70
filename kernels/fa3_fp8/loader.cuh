// Bulk copies of the FA3-style kernel for e4m3 into shared memory, for one thread to start. What
// the quantising kernels wrote is laid out as shared memory is to hold it.
#pragma once

#include "kernels/fa3_fp8/storage.cuh"
#include "kernels/ptx/bulk_copy.cuh"
#include "kernels/ptx/mbarrier.cuh"

#include <cstdint>

namespace fa3prof::kernels::fa3_fp8 {

/// Fills buffers that are free; their full barriers say when the data is there.
template <typename Instance>
class Loader {
 public:
  /// Where a tile comes from. Worked out once a tile: a buffer that becomes free is to be filled
  /// again at once.
  struct Source {
    const std::uint8_t* q;  ///< the tile's first row
    const std::uint8_t* k;  ///< the head's first key
    const std::uint8_t* v;
    int key_blocks;
  };

  __device__ __forceinline__ Loader(SharedStorage<Instance>& shared, const Parameters& p)
      : shared_(shared), p_(p) {}

  __device__ __forceinline__ Source source_of(const Work& work) const {
    constexpr std::int64_t kRowBytes = Instance::kConfig.head_dim;
    const std::int64_t row = std::int64_t{work.pair} * p_.query_rows + work.first_row;
    const std::int64_t block = std::int64_t{kv_pair_of(p_, work.pair)} * p_.key_blocks;
    return {p_.inputs.q + row * kRowBytes, p_.inputs.k + block * kKBytes,
            p_.inputs.v + block * kVBytes, work.key_blocks};
  }

  /// The 64 rows of one consumer warpgroup.
  __device__ __forceinline__ void load_q(const Source& source, int warpgroup) const {
    load(shared_.q[warpgroup], source.q + warpgroup * kQBytes, shared_.q_full[warpgroup],
         ptx::CacheHint::kEvictFirst);
  }

  __device__ __forceinline__ void load_k(const Source& source, int block, int stage) const {
    load(shared_.k[stage], source.k + block * std::int64_t{kKBytes}, shared_.k_full[stage],
         ptx::CacheHint::kEvictLast);
  }

  __device__ __forceinline__ void load_v(const Source& source, int block, int stage) const {
    load(shared_.v[stage], source.v + block * std::int64_t{kVBytes}, shared_.v_full[stage],
         ptx::CacheHint::kEvictLast);
  }

 private:
  static constexpr unsigned kQBytes = SharedStorage<Instance>::kQBytes;
  static constexpr unsigned kKBytes = SharedStorage<Instance>::kKBytes;
  static constexpr unsigned kVBytes = SharedStorage<Instance>::kVBytes;

  template <int kBytes>
  static __device__ __forceinline__ void load(std::uint8_t (&buffer)[kBytes],
                                              const std::uint8_t* source, std::uint64_t& full,
                                              ptx::CacheHint hint) {
    ptx::mbarrier_arrive_expect_tx(&full, kBytes);
    ptx::bulk_load(buffer, source, kBytes, &full, hint);
  }

  SharedStorage<Instance>& shared_;
  const Parameters& p_;
};

}  // namespace fa3prof::kernels::fa3_fp8
