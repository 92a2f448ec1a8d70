#include "src/analysis/prefill.h"

#include "src/core/error.h"
#include "tests/catch.h"

namespace fa3prof::tests {
namespace {

using analysis::PrefillVariant;

/// Two layers of 8 heads of 4 channels, 4 of them with K and V.
sim::Transformer small_model() {
  return {.name = "small",
          .description = "",
          .source = "test",
          .layers = 2,
          .hidden_size = 64,
          .num_heads = 8,
          .num_heads_kv = 4,
          .head_dim = 4,
          .intermediate_size = 128,
          .vocab_size = 256,
          .has_tied_embeddings = false,
          .max_context = 1024};
}

/// 1e9 FLOP/s of tensor cores and 1e9 bytes/s of memory: slow enough for whole numbers.
sim::Machine slow_machine() {
  sim::Machine machine;
  machine.name = "slow";
  machine.sm_count = 10;
  machine.clock_load_mhz = 1.0;
  machine.wgmma_fp16_flop_per_cycle = 100.0;
  machine.wgmma_fp8_flop_per_cycle = 200.0;
  machine.hbm_bytes_per_s = 1e9;
  machine.link_bytes_per_s = 1e8;
  machine.memory_bytes = 400'000.0;
  return machine;
}

analysis::Prefill prefill(const sim::Machine& machine, std::int64_t gpus) {
  const sim::Transformer model = small_model();
  return analysis::prefill_of(
      {.model = model,
       .machine = machine,
       .prompt = {.batch = 1, .tokens = 100, .tensor_parallel = gpus},
       .assumptions = {.gemm_efficiency_ratio = 0.5, .memory_ratio = 0.9}},
      {PrefillVariant{.kernel = "slow", .attention_us = 6000.0},
       PrefillVariant{.kernel = "fast", .attention_us = 1000.0},
       PrefillVariant{.kernel = "fp8",
                      .attention = core::DataType::kFloat8E4M3,
                      .gemm = core::DataType::kFloat8E4M3,
                      .attention_us = 500.0},
       PrefillVariant{.kernel = "none", .unsupported_reason = "it cannot"}});
}

}  // namespace

TEST_CASE("The time to the first token is the sum that a hand computes", "[analysis]") {
  const analysis::Prefill found = prefill(slow_machine(), 2);
  // One of two GPUs: 4 heads and 2 KV heads, so Q has 16 channels, K and V 8 each; 64 of the MLP.
  // GEMMs of 100 tokens, 2 FLOP a product, at 0.5 * 100 FLOP * 10 SMs * 1 MHz = 0.5e9 FLOP/s:
  //   Q, K, V    100 * 64 * (16 + 8 + 8) = 204,800
  //   output     100 * 16 * 64           = 102,400
  //   gate, up   100 * 64 * (64 + 64)    = 819,200
  //   down       100 * 64 * 64           = 409,600; in all 1,536,000 * 2 / 0.5e9 s = 6144 us
  // The bytes of each take less: of gate and up 2 * (64 * (100 + 128) + 100 * 128) = 54,784 bytes,
  // 54.8 us of memory against 3276.8 us of tensor cores.
  // Elementwise, elements of 2 bytes for each token: two norms 8 * 64 = 512, rotary embedding
  // 2 * (16 + 8) = 48, activation 3 * 64 = 192; 752 * 2 * 100 bytes at 1e9 = 150.4 us.
  // All-reduce of 100 * 64 * 2 = 12,800 bytes: 2 (2 - 1) / 2 * 12,800 / 1e8 s = 128 us, twice.
  const auto& slow = found.rows.at(0);
  CHECK_THAT(slow.layer->gemm_us, WithinRel(6144.0, 1e-12));
  CHECK_THAT(slow.layer->elementwise_us, WithinRel(150.4, 1e-12));
  CHECK_THAT(slow.layer->all_reduce_us, WithinRel(256.0, 1e-12));
  // Logits of one token: 2 * 64 * 128 FLOP at 0.5e9 = 32.768 us, its bytes
  // 2 * (64 * (1 + 128) + 128) = 16,768 at 1e9 = 16.8 us.
  CHECK_THAT(slow.head_us, WithinRel(32.768, 1e-12));
  // 2 layers * (6000 + 6144 + 150.4 + 256) + 32.768
  CHECK_THAT(slow.first_token_us, WithinRel(25'133.568, 1e-12));
  CHECK_THAT(slow.attention_ratio, WithinRel(12'000.0 / 25'133.568, 1e-12));
  CHECK_FALSE(slow.first_token_change_ratio.has_value());
  // 2 * (1000 + 6144 + 150.4 + 256) + 32.768
  CHECK_THAT(*found.rows.at(1).first_token_change_ratio,
             WithinRel(15'133.568 / 25'133.568 - 1.0, 1e-12));
}

TEST_CASE("FP8 GEMMs take half the time, FP8 attention is quantized for", "[analysis]") {
  const analysis::Prefill found = prefill(slow_machine(), 2);
  const auto& fp8 = found.rows.at(2);
  CHECK_THAT(fp8.layer->gemm_us, WithinRel(3072.0, 1e-12));
  // Reads 2 and writes 1 byte of (16 + 8 + 8) channels of 100 tokens: 9600 bytes more.
  CHECK_THAT(fp8.layer->elementwise_us, WithinRel(160.0, 1e-12));
}

TEST_CASE("A kernel that cannot run has a reason and no time", "[analysis]") {
  const auto& none = prefill(slow_machine(), 2).rows.at(3);
  CHECK_FALSE(none.layer.has_value());
  CHECK(none.variant.unsupported_reason == "it cannot");
  CHECK_FALSE(none.first_token_change_ratio.has_value());
}

TEST_CASE("One GPU has nothing to reduce and needs no link", "[analysis]") {
  sim::Machine machine = slow_machine();
  machine.link_bytes_per_s.reset();
  CHECK(prefill(machine, 1).rows.at(0).layer->all_reduce_us == 0.0);
  CHECK_THROWS_AS(prefill(machine, 2), core::UsageError);
}

TEST_CASE("Where memory is slow, a GEMM takes as long as its bytes", "[analysis]") {
  sim::Machine machine = slow_machine();
  machine.hbm_bytes_per_s = 1e6;
  // Of one token's logits: 16,768 bytes at 1e6.
  CHECK_THAT(prefill(machine, 2).rows.at(0).head_us, WithinRel(16'768.0, 1e-12));
}

TEST_CASE("Sequences fill what the weights leave of the memory", "[analysis]") {
  const analysis::Prefill found = prefill(slow_machine(), 2);
  // A layer: 64 * 4 * (8 + 8 + 4 + 4) = 6144 of attention, 3 * 64 * 128 = 24,576 of the MLP and
  // 2 * 64 of norms: 30,848; two of them, two embeddings of 256 * 64 = 16,384 and the last norm:
  // 94,528 parameters, 2 bytes each, half of them on each GPU.
  CHECK(found.weights_bytes == 94'528.0);
  CHECK_THAT(found.memory_bytes, WithinRel(360'000.0, 1e-12));
  // A token: 2 * 2 layers * 4 heads * 4 channels * 2 bytes = 128, half of them on each GPU; 100
  // tokens are 6400 bytes. (360,000 - 94,528) / 6400 = 41.48
  const analysis::CacheFit& fp16 = found.caches.at(0);
  CHECK(fp16.bytes_per_token == 128.0);
  CHECK(fp16.bytes_per_sequence == 6400.0);
  CHECK(fp16.sequences == 41);
  CHECK(found.caches.at(1).sequences == 82);
}

TEST_CASE("Weights that do not fit leave room for no sequence", "[analysis]") {
  sim::Machine machine = slow_machine();
  machine.memory_bytes = 1000.0;
  CHECK(prefill(machine, 2).caches.at(0).sequences == 0);
}

}  // namespace fa3prof::tests
