// How long a model takes to read a prompt, from the time of its attention kernels and a stated
// model of all else. Not: the attention itself (sim), nor scheduling, sampling or the network
// between nodes.
#pragma once

#include "sim/machine.h"
#include "sim/transformer.h"
#include "src/core/attention_problem.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fa3prof::analysis {

/// What the estimate assumes beside machine and model.
struct ServingAssumptions {
  /// Of the tensor cores' rate at the machine's clock under load that GEMMs reach. The default is
  /// what cuBLAS reached on an H200: 769 to 798 TFLOPS on random BF16 matrices of 8192, of 843 at
  /// the 1560 MHz that it holds.
  double gemm_efficiency_ratio = 0.93;
  /// Of a GPU's memory that weights and KV cache may take; vLLM's gpu_memory_utilization.
  double memory_ratio = 0.9;
};

/// An attention kernel and the formats around it.
struct PrefillVariant {
  std::string kernel;  ///< "fa3"
  core::DataType attention = core::DataType::kBFloat16;
  core::DataType gemm = core::DataType::kBFloat16;
  std::optional<double> attention_us = {};  ///< of one layer on one GPU; absent: cannot run
  std::string unsupported_reason = {};
};

/// One layer on one GPU, in microseconds. The parts follow each other.
struct LayerTime {
  double attention_us = 0.0;
  double gemm_us = 0.0;
  double elementwise_us = 0.0;
  double all_reduce_us = 0.0;

  [[nodiscard]] double sum_us() const {
    return attention_us + gemm_us + elementwise_us + all_reduce_us;
  }
};

struct PrefillRow {
  PrefillVariant variant;
  std::optional<LayerTime> layer = {};
  double head_us = 0.0;          ///< logits of the last token of each sequence
  double first_token_us = 0.0;   ///< layers * layer->sum_us() + head_us
  double attention_ratio = 0.0;  ///< share of attention in first_token_us
  std::optional<double> first_token_change_ratio = {};  ///< over the first row; absent for it
};

/// A KV cache of one format.
struct CacheFit {
  core::DataType dtype = core::DataType::kBFloat16;
  double bytes_per_token = 0.0;     ///< over all GPUs, each KV head counted once
  double bytes_per_sequence = 0.0;  ///< on one GPU, for a whole context
  std::int64_t sequences = 0;       ///< that fit beside the weights
};

struct Prefill {
  sim::Transformer model;
  sim::Machine machine;
  sim::Prompt prompt;
  ServingAssumptions assumptions;
  std::vector<PrefillRow> rows;
  double memory_bytes = 0.0;   ///< of one GPU that may be taken
  double weights_bytes = 0.0;  ///< on one GPU, 16-bit
  std::vector<CacheFit> caches;
  std::vector<std::string> warnings;
};

/// What a prefill is estimated from.
struct PrefillInputs {
  const sim::Transformer& model;
  const sim::Machine& machine;
  sim::Prompt prompt;
  ServingAssumptions assumptions = {};
};

/// GEMMs take max(FLOP / (efficiency * tensor rate), bytes / memory rate) each; norms, rotary
/// embedding and activation their bytes at the memory's rate; each of a layer's two all-reduces
/// 2 (n - 1) / n of the activations at the link's rate, as a ring does, with nothing beside it.
/// Throws UsageError where the machine lacks a number for that.
[[nodiscard]] Prefill prefill_of(const PrefillInputs& inputs,
                                 const std::vector<PrefillVariant>& variants);

}  // namespace fa3prof::analysis
