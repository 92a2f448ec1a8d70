// The tensors of one problem: random inputs on the host and on the GPU, outputs to be judged.
#pragma once

#include "kernels/attention.h"
#include "kernels/runtime/handles.h"
#include "src/numerics/reference_attention.h"
#include "src/profile/guarded_buffer.h"
#include "src/profile/verification.h"

#include <cstdint>
#include <optional>
#include <string>
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

/// Device copies of the inputs, and room for the outputs between guard zones.
class AttentionBuffers {
 public:
  /// `inputs` must outlive this.
  AttentionBuffers(const core::AttentionProblem& problem, const HostInputs& inputs);

  /// All but the workspace, which each kernel has for itself.
  [[nodiscard]] const kernels::AttentionTensors& tensors() const { return tensors_; }

  /// Fills O and LSE with kPoisonByte on `stream`, and their guard zones.
  void poison_outputs(cudaStream_t stream) const;

  /// Waits for `stream` and copies O and LSE to the host; the view is valid until the next call.
  [[nodiscard]] Output download(cudaStream_t stream);

  /// What a launch since poison_outputs() wrote and must not: around O or LSE, or in an input,
  /// which is then made good again. Nothing when all is as it was. Waits for `stream`.
  [[nodiscard]] std::optional<std::string> find_damage(cudaStream_t stream) const;

 private:
  const HostInputs& inputs_;
  kernels::DeviceBuffer q_;
  kernels::DeviceBuffer k_;
  kernels::DeviceBuffer v_;
  GuardedBuffer o_;
  GuardedBuffer lse_;
  kernels::AttentionTensors tensors_;
  std::vector<std::uint16_t> host_o_;
  std::vector<float> host_lse_;
};

}  // namespace fa3prof::profile
