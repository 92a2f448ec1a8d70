#include "src/profile/attention_buffers.h"

#include "src/numerics/random_tensors.h"

#include <cstddef>
#include <span>

namespace fa3prof::profile {
namespace {

using kernels::cuda_check;

std::size_t elements_q(const core::AttentionProblem& p) {
  return static_cast<std::size_t>(p.batch * p.seqlen_q * p.num_heads * p.head_dim);
}

std::size_t elements_kv(const core::AttentionProblem& p) {
  return static_cast<std::size_t>(p.batch * p.seqlen_kv * p.num_heads_kv * p.head_dim);
}

kernels::DeviceBuffer upload(std::span<const std::uint16_t> values) {
  kernels::DeviceBuffer buffer(values.size_bytes());
  cuda_check(cudaMemcpy(buffer.get(), values.data(), values.size_bytes(), cudaMemcpyHostToDevice));
  return buffer;
}

}  // namespace

HostInputs make_inputs(const core::AttentionProblem& problem, std::uint64_t seed) {
  HostInputs inputs;
  inputs.q.resize(elements_q(problem));
  inputs.k.resize(elements_kv(problem));
  inputs.v.resize(elements_kv(problem));
  numerics::fill_normal(inputs.q, problem.dtype, seed, 0);
  numerics::fill_normal(inputs.k, problem.dtype, seed, 1);
  numerics::fill_normal(inputs.v, problem.dtype, seed, 2);
  return inputs;
}

AttentionBuffers::AttentionBuffers(const core::AttentionProblem& problem, const HostInputs& inputs)
    : q_(upload(inputs.q)),
      k_(upload(inputs.k)),
      v_(upload(inputs.v)),
      o_(elements_q(problem) * sizeof(std::uint16_t)),
      lse_(elements_q(problem) / static_cast<std::size_t>(problem.head_dim) * sizeof(float)),
      workspace_(kernels::kWorkspaceBytes),
      host_o_(elements_q(problem)),
      host_lse_(elements_q(problem) / static_cast<std::size_t>(problem.head_dim)) {
  cuda_check(cudaMemset(workspace_.get(), 0, workspace_.size_bytes()));
  // Both memset and the copies above may return before the device is done; streams that do not
  // wait for the default stream would start too early.
  cuda_check(cudaDeviceSynchronize());
  const auto strides_q =
      kernels::dense_strides(problem.seqlen_q, problem.num_heads, problem.head_dim);
  const auto strides_kv =
      kernels::dense_strides(problem.seqlen_kv, problem.num_heads_kv, problem.head_dim);
  tensors_ = {.q = q_.get(),
              .k = k_.get(),
              .v = v_.get(),
              .o = o_.get(),
              .lse = static_cast<float*>(lse_.get()),
              .q_strides = strides_q,
              .k_strides = strides_kv,
              .v_strides = strides_kv,
              .o_strides = strides_q,
              .softmax_scale = static_cast<float>(core::softmax_scale(problem)),
              .workspace = workspace_.get()};
}

void AttentionBuffers::poison_outputs(cudaStream_t stream) const {
  cuda_check(cudaMemsetAsync(o_.get(), kPoisonByte, o_.size_bytes(), stream));
  cuda_check(cudaMemsetAsync(lse_.get(), kPoisonByte, lse_.size_bytes(), stream));
}

Output AttentionBuffers::download(cudaStream_t stream) {
  cuda_check(
      cudaMemcpyAsync(host_o_.data(), o_.get(), o_.size_bytes(), cudaMemcpyDeviceToHost, stream));
  cuda_check(cudaMemcpyAsync(host_lse_.data(), lse_.get(), lse_.size_bytes(),
                             cudaMemcpyDeviceToHost, stream));
  cuda_check(cudaStreamSynchronize(stream));
  return {host_o_, host_lse_};
}

}  // namespace fa3prof::profile
