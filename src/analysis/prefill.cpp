#include "src/analysis/prefill.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace fa3prof::analysis {
namespace {

using core::DataType;
using sim::Machine;

constexpr double kUsPerSecond = 1e6;
constexpr double kHertzPerMhz = 1e6;
constexpr double kActivationBytes = 2.0;  // between the operations of a layer: BF16

/// D[rows, outputs] = A[rows, inputs] W[inputs, outputs].
struct Gemm {
  double rows = 0.0;
  double inputs = 0.0;
  double outputs = 0.0;
};

class Estimate {
 public:
  explicit Estimate(const PrefillInputs& in)
      : in_(in),
        gpus_(static_cast<double>(in.prompt.tensor_parallel)),
        tokens_(static_cast<double>(in.prompt.batch * in.prompt.tokens)),
        hidden_(static_cast<double>(in.model.hidden_size)),
        inner_(static_cast<double>(in.model.intermediate_size) / gpus_) {
    const core::AttentionProblem share = sim::attention_of(in.model, in.prompt);
    q_channels_ = static_cast<double>(share.num_heads * share.head_dim);
    kv_channels_ = static_cast<double>(share.num_heads_kv * share.head_dim);
  }

  [[nodiscard]] PrefillRow row(const PrefillVariant& variant) const {
    PrefillRow row{.variant = variant};
    if (!variant.attention_us) return row;
    row.layer = LayerTime{.attention_us = *variant.attention_us,
                          .gemm_us = layer_gemms_us(variant.gemm),
                          .elementwise_us = elementwise_us(variant.attention),
                          .all_reduce_us = 2.0 * all_reduce_us()};
    const auto layers = static_cast<double>(in_.model.layers);
    row.head_us = gemm_us({.rows = static_cast<double>(in_.prompt.batch),
                           .inputs = hidden_,
                           .outputs = static_cast<double>(in_.model.vocab_size) / gpus_},
                          DataType::kBFloat16);
    row.first_token_us = layers * row.layer->sum_us() + row.head_us;
    row.attention_ratio = layers * row.layer->attention_us / row.first_token_us;
    return row;
  }

 private:
  [[nodiscard]] double need(Machine::Number Machine::*member) const {
    return sim::required(in_.machine, member, "prefill");
  }

  [[nodiscard]] double layer_gemms_us(DataType dtype) const {
    const std::array<Gemm, 4> gemms{{{tokens_, hidden_, q_channels_ + 2.0 * kv_channels_},
                                     {tokens_, q_channels_, hidden_},
                                     {tokens_, hidden_, 2.0 * inner_},
                                     {tokens_, inner_, hidden_}}};
    double sum_us = 0.0;
    for (const Gemm& gemm : gemms) sum_us += gemm_us(gemm, dtype);
    return sum_us;
  }

  [[nodiscard]] double gemm_us(const Gemm& gemm, DataType dtype) const {
    const auto operand_bytes = static_cast<double>(core::element_bytes(dtype));
    const double flops = 2.0 * gemm.rows * gemm.inputs * gemm.outputs;
    const double bytes = operand_bytes * gemm.inputs * (gemm.rows + gemm.outputs) +
                         kActivationBytes * gemm.rows * gemm.outputs;
    const double reached = in_.assumptions.gemm_efficiency_ratio * tensor_rate(dtype);
    return std::max(flops / reached, bytes / need(&Machine::hbm_bytes_per_s)) * kUsPerSecond;
  }

  /// FLOP/s of all SMs at the clock under load.
  [[nodiscard]] double tensor_rate(DataType dtype) const {
    const bool is_fp8 = dtype == DataType::kFloat8E4M3;
    const double flops = is_fp8 ? need(&Machine::wgmma_fp8_flop_per_cycle)
                         : in_.machine.wgmma_fp16_flop_per_cycle
                             ? *in_.machine.wgmma_fp16_flop_per_cycle
                             : need(&Machine::mma_sync_fp16_flop_per_cycle);
    return flops * static_cast<double>(in_.machine.sm_count) * need(&Machine::clock_load_mhz) *
           kHertzPerMhz;
  }

  /// Two norms, each with the residual (reads and writes both), rotary embedding of Q and K (read
  /// and written), the activation (reads gate and up, writes one), and the quantization of Q, K and
  /// V where attention is in FP8 (read as BF16, written as FP8).
  [[nodiscard]] double elementwise_us(DataType attention) const {
    const double elements = 2.0 * 4.0 * hidden_ + 2.0 * (q_channels_ + kv_channels_) + 3.0 * inner_;
    double bytes = kActivationBytes * elements;
    if (attention == DataType::kFloat8E4M3) {
      const auto fp8_bytes = static_cast<double>(core::element_bytes(attention));
      bytes += (kActivationBytes + fp8_bytes) * (q_channels_ + 2.0 * kv_channels_);
    }
    return tokens_ * bytes / need(&Machine::hbm_bytes_per_s) * kUsPerSecond;
  }

  [[nodiscard]] double all_reduce_us() const {
    if (in_.prompt.tensor_parallel == 1) return 0.0;
    const double bytes = tokens_ * hidden_ * kActivationBytes;
    return 2.0 * (gpus_ - 1.0) / gpus_ * bytes / need(&Machine::link_bytes_per_s) * kUsPerSecond;
  }

  const PrefillInputs& in_;
  double gpus_;
  double tokens_;
  double hidden_;
  double inner_;  ///< intermediate_size on one GPU
  double q_channels_ = 0.0;
  double kv_channels_ = 0.0;
};

CacheFit cache_fit(const Prefill& prefill, DataType dtype) {
  const sim::Transformer& model = prefill.model;
  const auto bytes = static_cast<double>(core::element_bytes(dtype));
  const auto held =
      static_cast<double>(sim::heads_per_gpu(model.num_heads_kv, prefill.prompt.tensor_parallel));
  const double per_token = bytes * sim::cache_elements_per_token(model);
  CacheFit fit{.dtype = dtype,
               .bytes_per_token = per_token,
               .bytes_per_sequence = per_token * held / static_cast<double>(model.num_heads_kv) *
                                     static_cast<double>(prefill.prompt.tokens)};
  const double room = std::max(0.0, prefill.memory_bytes - prefill.weights_bytes);
  fit.sequences = static_cast<std::int64_t>(std::floor(room / fit.bytes_per_sequence));
  return fit;
}

}  // namespace

Prefill prefill_of(const PrefillInputs& inputs, const std::vector<PrefillVariant>& variants) {
  Prefill prefill{.model = inputs.model,
                  .machine = inputs.machine,
                  .prompt = inputs.prompt,
                  .assumptions = inputs.assumptions,
                  .rows = {},
                  .caches = {},
                  .warnings = {}};
  const Estimate estimate(inputs);
  for (const PrefillVariant& variant : variants) prefill.rows.push_back(estimate.row(variant));
  const double first_us = prefill.rows.empty() ? 0.0 : prefill.rows.front().first_token_us;
  for (PrefillRow& row : prefill.rows) {
    if (&row == &prefill.rows.front() || !row.layer || first_us == 0.0) continue;
    row.first_token_change_ratio = row.first_token_us / first_us - 1.0;
  }
  prefill.memory_bytes = inputs.assumptions.memory_ratio *
                         sim::required(inputs.machine, &Machine::memory_bytes, "prefill");
  prefill.weights_bytes = kActivationBytes * sim::parameters(inputs.model) /
                          static_cast<double>(inputs.prompt.tensor_parallel);
  for (const DataType dtype : {DataType::kBFloat16, DataType::kFloat8E4M3}) {
    prefill.caches.push_back(cache_fit(prefill, dtype));
  }
  return prefill;
}

}  // namespace fa3prof::analysis
