// TMA copies of the FA3-style kernel into shared memory, for one thread to start.
#pragma once

#include "kernels/fa3_fp16/storage.cuh"
#include "kernels/ptx/mbarrier.cuh"
#include "kernels/ptx/tma.cuh"

#include <cstdint>

namespace fa3prof::kernels::fa3_fp16 {

struct TensorMaps {
  const CUtensorMap& q;
  const CUtensorMap& k;
  const CUtensorMap& v;
};

/// Fills buffers that are free; their full barriers say when the data is there.
template <typename Instance>
class Loader {
 public:
  /// Where a tile comes from. Worked out once a tile: a buffer that becomes free is to be filled
  /// again at once.
  struct Source {
    int first_row;
    int head;
    int kv_head;
    int batch;
    int key_blocks;
  };

  __device__ __forceinline__ Loader(SharedStorage<Instance>& shared, const Parameters& p,
                                    const TensorMaps& maps)
      : shared_(shared), p_(p), maps_(maps) {}

  __device__ __forceinline__ Source source_of(const Work& work) const {
    const int head = tile::head_of(p_.order, work.pair);
    return {work.first_row, head, p_.heads_per_kv_head.quotient(head),
            tile::batch_of(p_.order, work.pair), work.key_blocks};
  }

  /// The 64 rows of one consumer warpgroup.
  __device__ __forceinline__ void load_q(const Source& source, int warpgroup) const {
    ptx::mbarrier_arrive_expect_tx(&shared_.q_full[warpgroup], kQBytes);
    ptx::tma_load_tile(shared_.q[warpgroup], &maps_.q,
                       {source.first_row + warpgroup * kWarpgroupRows, source.head, source.batch},
                       &shared_.q_full[warpgroup], ptx::CacheHint::kEvictFirst);
  }

  __device__ __forceinline__ void load_k(const KeyBlock& keys, int stage) const {
    ptx::mbarrier_arrive_expect_tx(&shared_.k_full[stage], kKBytes);
    ptx::tma_load_tile(shared_.k[stage], &maps_.k, coordinates(keys), &shared_.k_full[stage],
                       ptx::CacheHint::kEvictLast);
  }

  __device__ __forceinline__ void load_k(const Source& source, int block, int stage) const {
    load_k(key_block(source, block), stage);
  }

  __device__ __forceinline__ void load_v(const Source& source, int block, int stage) const {
    load_v(key_block(source, block), stage);
  }

  __device__ __forceinline__ void load_v(const KeyBlock& keys, int stage) const {
    ptx::mbarrier_arrive_expect_tx(&shared_.v_full[stage], kVBytes);
    ptx::tma_load_tile(shared_.v[stage], &maps_.v, coordinates(keys), &shared_.v_full[stage],
                       ptx::CacheHint::kEvictLast);
  }

 private:
  static constexpr unsigned kQBytes = SharedStorage<Instance>::kQBytes;
  static constexpr unsigned kKBytes = SharedStorage<Instance>::kKBytes;
  static constexpr unsigned kVBytes = SharedStorage<Instance>::kVBytes;

  static __device__ __forceinline__ KeyBlock key_block(const Source& source, int block) {
    return {.tile = 0, .kv_head = source.kv_head, .batch = source.batch, .block = block};
  }

  static __device__ __forceinline__ ptx::TileCoordinates coordinates(const KeyBlock& keys) {
    return {keys.block * Instance::kConfig.tile_n, keys.kv_head, keys.batch};
  }

  SharedStorage<Instance>& shared_;
  const Parameters& p_;
  const TensorMaps& maps_;
};

}  // namespace fa3prof::kernels::fa3_fp16
