// The rows of a tile that one consumer warpgroup owns, with the softmax of 16-bit inputs.
#pragma once

#include "kernels/fa3/own_rows.cuh"
#include "kernels/fa3_fp16/storage.cuh"
#include "kernels/tile/exact_softmax.cuh"
#include "kernels/tile/online_softmax.cuh"

#include <type_traits>

namespace fa3prof::kernels::fa3_fp16 {

/// A warpgroup's 64 rows, as one of its threads sees them.
template <typename Instance>
class OwnRows : public fa3::OwnRows<Instance, Parameters, fa3::KeptThread> {
  using Base = fa3::OwnRows<Instance, Parameters, fa3::KeptThread>;

 public:
  using Base::Base;
  using Softmax =
      std::conditional_t<Instance::kConfig.keeps_maximum, tile::ExactSoftmax, tile::OnlineSoftmax>;

  /// Epilogue: normalises and writes the rows that exist.
  __device__ __forceinline__ void store(const Work& work, Softmax softmax,
                                        const float (&output)[Base::kOutputs]) const {
    softmax.finish_sums();
    this->store_rows(work, softmax, output, [&](int r) { return softmax.normalizer(r); });
  }
};

}  // namespace fa3prof::kernels::fa3_fp16
