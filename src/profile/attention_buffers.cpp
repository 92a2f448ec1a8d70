#include "src/profile/attention_buffers.h"

#include "src/numerics/random_tensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <string_view>

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

constexpr std::size_t kElementsPerChunk = std::size_t{8} << 20U;

/// Downloads in chunks, so that checking a large input takes little memory.
std::optional<std::string> find_change(std::string_view name,
                                       std::span<const std::uint16_t> expected,
                                       const kernels::DeviceBuffer& buffer) {
  std::vector<std::uint16_t> chunk(std::min(expected.size(), kElementsPerChunk));
  const auto* const device = static_cast<const std::uint16_t*>(buffer.get());
  for (std::size_t begin = 0; begin < expected.size(); begin += chunk.size()) {
    const std::size_t count = std::min(chunk.size(), expected.size() - begin);
    cuda_check(cudaMemcpy(chunk.data(), device + begin, count * sizeof(std::uint16_t),
                          cudaMemcpyDeviceToHost));
    const auto part = expected.subspan(begin, count);
    const auto [difference, ignored] = std::ranges::mismatch(part, chunk);
    if (difference == part.end()) continue;
    const auto offset = begin + static_cast<std::size_t>(difference - part.begin());
    // The others still need it.
    cuda_check(
        cudaMemcpy(buffer.get(), expected.data(), expected.size_bytes(), cudaMemcpyHostToDevice));
    cuda_check(cudaDeviceSynchronize());
    return fmt::format("the input {} was changed at element {}", name, offset);
  }
  return std::nullopt;
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
    : inputs_(inputs),
      q_(upload(inputs.q)),
      k_(upload(inputs.k)),
      v_(upload(inputs.v)),
      o_(elements_q(problem) * sizeof(std::uint16_t)),
      lse_(elements_q(problem) / static_cast<std::size_t>(problem.head_dim) * sizeof(float)),
      host_o_(elements_q(problem)),
      host_lse_(elements_q(problem) / static_cast<std::size_t>(problem.head_dim)) {
  // The copies above may return before the device is done; streams that do not wait for the
  // default stream would start too early.
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
              .softmax_scale = static_cast<float>(core::softmax_scale(problem))};
}

void AttentionBuffers::poison_outputs(cudaStream_t stream) const {
  cuda_check(cudaMemsetAsync(o_.get(), kPoisonByte, o_.size_bytes(), stream));
  cuda_check(cudaMemsetAsync(lse_.get(), kPoisonByte, lse_.size_bytes(), stream));
  o_.restore_guards(stream);
  lse_.restore_guards(stream);
}

Output AttentionBuffers::download(cudaStream_t stream) {
  cuda_check(
      cudaMemcpyAsync(host_o_.data(), o_.get(), o_.size_bytes(), cudaMemcpyDeviceToHost, stream));
  cuda_check(cudaMemcpyAsync(host_lse_.data(), lse_.get(), lse_.size_bytes(),
                             cudaMemcpyDeviceToHost, stream));
  cuda_check(cudaStreamSynchronize(stream));
  return {host_o_, host_lse_};
}

std::optional<std::string> AttentionBuffers::find_damage(cudaStream_t stream) const {
  auto damage = o_.find_overwrite("O", stream);
  const auto also = [&damage](std::optional<std::string> other) {
    if (other) damage = damage ? *damage + "; " + *other : other;
  };
  also(lse_.find_overwrite("LSE", stream));
  also(find_change("Q", inputs_.q, q_));
  also(find_change("K", inputs_.k, k_));
  also(find_change("V", inputs_.v, v_));
  return damage;
}

}  // namespace fa3prof::profile
