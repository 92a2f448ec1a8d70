// The launches of quantize() for one head_dim and element type: see quantize.h.
#pragma once

#include "kernels/quantize/quantize.h"
#include "kernels/quantize/rows.cuh"
#include "kernels/quantize/values.cuh"
#include "kernels/runtime/cuda_check.h"

namespace fa3prof::kernels::quantize {

/// Everything of one quantisation, worked out on the host.
struct Tasks {
  RowsTask q;
  RowsTask k;
  ValuesTask v;
  int heads;
  int heads_kv;
  int batch;
};

[[nodiscard]] inline unsigned blocks_of(int rows, int unit) {
  return static_cast<unsigned>((rows + unit - 1) / unit);
}

template <int kHeadDim, ptx::Element kElement>
void launch_rows(const RowsTask& task, int heads, int batch, cudaStream_t stream) {
  const dim3 grid(static_cast<unsigned>(heads), blocks_of(task.source.padded_rows, task.block_rows),
                  static_cast<unsigned>(batch));
  const int threads = RowPart<kHeadDim, kElement>::threads_for(task.block_rows);
  if (task.head_factors != nullptr) {
    measure_rows<kHeadDim, kElement><<<grid, threads, 0, stream>>>(task);
    cuda_check(cudaGetLastError());
  }
  quantize_rows<kHeadDim, kElement><<<grid, threads, 0, stream>>>(task);
  cuda_check(cudaGetLastError());
}

template <int kHeadDim, ptx::Element kElement>
void launch_values(const ValuesTask& task, int heads, int batch, cudaStream_t stream) {
  const dim3 grid(static_cast<unsigned>(heads), static_cast<unsigned>(task.blocks),
                  static_cast<unsigned>(batch));
  const int threads = ValuePart<kHeadDim, kElement>::threads_for(task.block_keys);
  if (task.removes_mean) {
    sum_channels<kHeadDim, kElement><<<grid, threads, 0, stream>>>(task);
    cuda_check(cudaGetLastError());
  }
  finish_mean<kHeadDim><<<grid.x * grid.z, kHeadDim, 0, stream>>>(task);
  cuda_check(cudaGetLastError());
  if (task.head_factors != nullptr) {
    measure_values<kHeadDim, kElement><<<grid, threads, 0, stream>>>(task);
    cuda_check(cudaGetLastError());
  }
  quantize_values<kHeadDim, kElement><<<grid, threads, 0, stream>>>(task);
  cuda_check(cudaGetLastError());
}

template <int kHeadDim, ptx::Element kElement>
void launch_tasks(const Tasks& tasks, cudaStream_t stream) {
  launch_rows<kHeadDim, kElement>(tasks.q, tasks.heads, tasks.batch, stream);
  launch_rows<kHeadDim, kElement>(tasks.k, tasks.heads_kv, tasks.batch, stream);
  launch_values<kHeadDim, kElement>(tasks.v, tasks.heads_kv, tasks.batch, stream);
}

}  // namespace fa3prof::kernels::quantize
