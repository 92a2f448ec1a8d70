// The tensors of one problem: random inputs on the host and on the GPU, outputs to be judged.
#pragma once

#include "kernels/attention.h"
#include "kernels/runtime/handles.h"
#include "src/numerics/reference_attention.h"
#include "src/profile/verification.h"

#include <cstdint>
#include <vector>

namespace fa3prof::profile {

/// N(0,1) inputs as bits of the problem's dtype, dense [batch, seqlen, heads, head_dim].
struct HostInputs {
  std::vector<std::uint16_t> q;
  std::vector<std::uint16_t> k;
  std::vector<std::uint16_t> v;

  [[nodiscard]] numerics::HostTensors tensors() const { return {q, k, v}; }
};

/// Q, K and V are streams 0, 1 and 2 of `seed`.
[[nodiscard]] HostInputs make_inputs(const core::AttentionProblem& problem, std::uint64_t seed);

/// Device copies of the inputs, room for the outputs, and the kernels' workspace.
class AttentionBuffers {
 public:
  AttentionBuffers(const core::AttentionProblem& problem, const HostInputs& inputs);

  [[nodiscard]] const kernels::AttentionTensors& tensors() const { return tensors_; }

  /// Fills O and LSE with kPoisonByte on `stream`.
  void poison_outputs(cudaStream_t stream) const;

  /// Waits for `stream` and copies O and LSE to the host; the view is valid until the next call.
  [[nodiscard]] Output download(cudaStream_t stream);

 private:
  kernels::DeviceBuffer q_;
  kernels::DeviceBuffer k_;
  kernels::DeviceBuffer v_;
  kernels::DeviceBuffer o_;
  kernels::DeviceBuffer lse_;
  kernels::DeviceBuffer workspace_;
  kernels::AttentionTensors tensors_;
  std::vector<std::uint16_t> host_o_;
  std::vector<float> host_lse_;
};

}  // namespace fa3prof::profile
