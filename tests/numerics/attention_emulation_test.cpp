#include "src/numerics/attention_emulation.h"

#include "src/core/error.h"
#include "src/numerics/accuracy.h"
#include "src/numerics/exact_attention.h"
#include "src/numerics/input_distributions.h"
#include "tests/catch.h"

#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

namespace fa3prof::tests {
namespace {

using numerics::Accumulator;
using numerics::Accuracy;
using numerics::AttentionInputs;
using numerics::Distribution;
using numerics::draw_inputs;
using numerics::ElementFormat;
using numerics::emulate_attention;
using numerics::KernelNumerics;
using numerics::KeyOrder;
using numerics::ScaleGranularity;
using numerics::VScaling;

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr core::AttentionProblem kProblem{
    .num_heads = 2, .num_heads_kv = 1, .seqlen_q = 40, .seqlen_kv = 300, .head_dim = 64};
constexpr KernelNumerics kFloat16{.format = ElementFormat::kFloat16,
                                  .is_rotated = false,
                                  .p_offset_log2 = 0,
                                  .accumulator = Accumulator::kFloat32,
                                  .pv_flush_keys = 0};

Accuracy accuracy_of(const AttentionInputs& inputs, const KernelNumerics& kernel) {
  return numerics::measure_accuracy(inputs, std::vector{kernel}).front();
}

TEST_CASE("in FP16 the emulation is as good as FP16 kernels are, whatever the shape",
          "[numerics]") {
  core::AttentionProblem problem = kProblem;
  problem.batch = 2;
  problem.is_causal = GENERATE(false, true);
  problem.seqlen_q = GENERATE(40, 400);  // causal with 400: the first rows see no key
  const Accuracy accuracy = accuracy_of(draw_inputs(problem, Distribution::kNormal, 1), kFloat16);
  CHECK(accuracy.o.relative_error < 1e-3);
  CHECK(accuracy.p.relative_error < 1e-3);
  CHECK(accuracy.s.relative_error < 1e-3);
  CHECK(accuracy.mean_lost_mass < 1e-6);
}

TEST_CASE("the emulation's LSE is that of the exact scores", "[numerics]") {
  const AttentionInputs inputs = draw_inputs(kProblem, Distribution::kNormal, 2);
  const auto algorithm = GENERATE(numerics::Algorithm::kFlash, numerics::Algorithm::kStandard);
  KernelNumerics kernel = kFloat16;
  kernel.algorithm = algorithm;
  const auto emulated = emulate_attention(inputs, kernel);
  const auto exact = numerics::exact_rows(inputs, {.head = 1, .begin = 7, .count = 1});
  double sum = 0.0;
  for (const double score : exact.s) sum += std::exp(score);
  CHECK_THAT(emulated.lse[40 + 7], WithinAbs(std::log(sum), 2e-3));
}

TEST_CASE("what only one key is visible to is that key's value", "[numerics]") {
  core::AttentionProblem problem = kProblem;
  problem.seqlen_q = problem.seqlen_kv = 40;
  problem.is_causal = true;
  const AttentionInputs inputs = draw_inputs(problem, Distribution::kNormal, 3);
  KernelNumerics kernel;
  kernel.v_scaling = GENERATE(VScaling::kAtFlush, VScaling::kIntoP);
  const auto prepared = numerics::prepare(inputs, kernel);
  const auto emulated = emulate_attention(prepared, kernel);
  for (std::size_t d = 0; d < 64; ++d) {
    CHECK_THAT(emulated.o[d], WithinAbs(prepared.v.values[d] * prepared.v.scales[0], 1e-6));
  }
}

TEST_CASE("a row that sees no key has O = 0 and LSE = -inf", "[numerics]") {
  core::AttentionProblem problem = kProblem;
  problem.seqlen_q = 64;
  problem.seqlen_kv = 32;
  problem.is_causal = true;
  const auto emulated = emulate_attention(draw_inputs(problem, Distribution::kNormal, 3), {});
  CHECK(emulated.lse[31] == -std::numeric_limits<float>::infinity());
  CHECK(std::isfinite(emulated.lse[32]));
  CHECK(emulated.o[31 * 128] == 0.0F);
  CHECK(emulated.o[32 * 128] != 0.0F);
}

TEST_CASE("a reference that is rarely raised changes how P is rounded, and nothing else",
          "[numerics]") {
  const AttentionInputs inputs = draw_inputs(kProblem, Distribution::kNormal, 8);
  const auto scaling = GENERATE(VScaling::kAtFlush, VScaling::kIntoP);
  const auto emulate = [&](int offset, double headroom) {
    return emulate_attention(
        inputs,
        {.v_scaling = scaling, .p_offset_log2 = offset, .p_headroom_log2 = headroom, .tile_n = 32});
  };
  const auto exact = emulate(8, 0.0);
  const auto rare = emulate(5, 3.75);
  CHECK(rare.o != exact.o);
  double squared = 0.0;
  double difference = 0.0;
  for (std::size_t i = 0; i < exact.o.size(); ++i) {
    squared += double{exact.o[i]} * exact.o[i];
    difference += std::pow(double{rare.o[i]} - exact.o[i], 2);
  }
  CHECK(difference < 0.05 * 0.05 * squared);
  for (std::size_t i = 0; i < exact.lse.size(); ++i) {
    CHECK_THAT(rare.lse[i], WithinAbs(exact.lse[i], 1e-5));
  }
}

TEST_CASE("a weight that moves the reference later on may use up the headroom", "[numerics]") {
  // The second key block of the order exceeds the first by 2^10: with 2^5 and headroom 3.75 it is
  // put at 2^5, or at 2^8 with a raise of 3, which keeps three more powers of two below it.
  const core::AttentionProblem problem{.seqlen_q = 1, .seqlen_kv = 64, .head_dim = 64};
  const auto share_kept = [&](double raise) {
    AttentionInputs inputs{.problem = problem,
                           .q = std::vector<float>(64, 0.0F),
                           .k = std::vector<float>(64 * 64, 0.0F),
                           .v = std::vector<float>(64 * 64, 1.0F)};
    inputs.q[0] = static_cast<float>(1.0 / (core::softmax_scale(problem) * std::numbers::log2e));
    for (std::size_t key = 0; key < 32; ++key) inputs.k[64 * key] = key == 0 ? 10.0F : -5.5F;
    const Accuracy accuracy = accuracy_of(inputs, {.is_rotated = false,
                                                   .v_scaling = VScaling::kIntoP,
                                                   .p_offset_log2 = 5,
                                                   .p_headroom_log2 = 3.75,
                                                   .p_raise_log2 = raise,
                                                   .tile_n = 32});
    return 1.0 - accuracy.mean_lost_mass;
  };
  CHECK(share_kept(3.0) > share_kept(0.0));
}

TEST_CASE("rows divided by the sum of P as it was cast weigh to exactly 1", "[numerics]") {
  AttentionInputs inputs = draw_inputs(kProblem, Distribution::kNormal, 12);
  std::ranges::fill(inputs.v, 1.0F);
  const auto off_by = [&](bool sums_casts) {
    const auto emulated = emulate_attention(inputs, {.v_scaling = VScaling::kIntoP,
                                                     .sums_casts = sums_casts,
                                                     .accumulator = Accumulator::kFloat32});
    float most = 0.0F;
    for (const float value : emulated.o) most = std::max(most, std::abs(value - 1.0F));
    return most;
  };
  CHECK(off_by(true) < 1e-6F);
  CHECK(off_by(false) > 1e-3F);
}

TEST_CASE("sums of P as it was cast drift as the tensor core's do, block by block", "[numerics]") {
  // Equal scores: each P is 2^8. In blocks of 128 keys the sum of 2^15 is exact.
  core::AttentionProblem problem = kProblem;
  problem.seqlen_kv = 4096;
  AttentionInputs inputs = draw_inputs(problem, Distribution::kNormal, 13);
  std::ranges::fill(inputs.q, 0.0F);
  const auto emulated = emulate_attention(inputs, {.sums_casts = true});
  CHECK_THAT(emulated.lse[0], WithinAbs(std::log(4096.0), 1e-5));
}

TEST_CASE("without its mean, BF16 V in powers of two is rounded one way", "[numerics]") {
  AttentionInputs inputs =
      draw_inputs({.seqlen_q = 16, .seqlen_kv = 4096, .head_dim = 64}, Distribution::kNormal, 9);
  for (auto* tensor : {&inputs.q, &inputs.k, &inputs.v}) {
    for (float& value : *tensor) value = numerics::round_to(value, ElementFormat::kBFloat16);
  }
  const auto error = [&](bool has_power_of_two_v_scales, bool is_v_smoothed) {
    return accuracy_of(inputs, {.is_v_smoothed = is_v_smoothed,
                                .v_scaling = VScaling::kIntoP,
                                .has_power_of_two_v_scales = has_power_of_two_v_scales})
        .o.relative_error;
  };
  CHECK(error(true, true) > 1.2 * error(false, true));
  CHECK(error(true, false) < 1.1 * error(false, false));
}

TEST_CASE("the emulation does not depend on which rows are computed together", "[numerics]") {
  const AttentionInputs inputs = draw_inputs(kProblem, Distribution::kOutliers, 4);
  const KernelNumerics kernel;
  const auto prepared = numerics::prepare(inputs, kernel);
  const auto whole = emulate_attention(prepared, kernel);
  const numerics::HeadEmulator head(prepared, kernel, 0, 0);
  const auto rows = head.solve(1, 13, 3, true);
  for (std::size_t i = 0; i < 3 * 64; ++i) {
    const std::size_t row = 13 + i / 64;
    CHECK(rows.o[i] == whole.o[(row * 2 + 1) * 64 + i % 64]);
  }
}

TEST_CASE("rotation helps where outliers of Q and K meet, and hurts where they do not",
          "[numerics]") {
  KernelNumerics rotated;
  KernelNumerics plain;
  plain.is_rotated = false;
  AttentionInputs inputs = draw_inputs(kProblem, Distribution::kChannelOutliers, 5);
  CHECK(accuracy_of(inputs, rotated).s.rmse > 1.2 * accuracy_of(inputs, plain).s.rmse);
  // K's outliers into the channel of Q's.
  for (std::size_t i = 0; i < inputs.k.size(); i += 64)
    std::swap(inputs.k[i + 4], inputs.k[i + 19]);
  CHECK(accuracy_of(inputs, rotated).s.rmse < 0.5 * accuracy_of(inputs, plain).s.rmse);
}

TEST_CASE("before a sink P is lost in forward order and kept in reverse or with the offset",
          "[numerics]") {
  core::AttentionProblem problem = kProblem;
  problem.seqlen_q = 16;
  problem.seqlen_kv = 2048;
  const AttentionInputs inputs = draw_inputs(problem, Distribution::kSink, 6);
  const auto accuracy = [&](KeyOrder order, int offset) {
    return accuracy_of(inputs, {.p_offset_log2 = offset, .order = order});
  };
  const Accuracy lossy = accuracy(KeyOrder::kFirstToLast, 0);
  const Accuracy reverse = accuracy(KeyOrder::kLastToFirst, 0);
  const Accuracy offset = accuracy(KeyOrder::kFirstToLast, 8);
  CHECK(lossy.mean_lost_mass > 1e-3);
  CHECK(reverse.mean_lost_mass < 0.2 * lossy.mean_lost_mass);
  CHECK(offset.mean_lost_mass < 0.2 * lossy.mean_lost_mass);
  CHECK(reverse.o.rmse < 0.8 * lossy.o.rmse);
  CHECK(offset.o.rmse < 0.8 * lossy.o.rmse);
}

// V is 1 everywhere, so O would be 1 but for the casts of P and the sums.
AttentionInputs ones(std::int64_t keys) {
  AttentionInputs inputs =
      draw_inputs({.seqlen_q = 16, .seqlen_kv = keys, .head_dim = 32}, Distribution::kNormal, 7);
  for (float& value : inputs.v) value = 1.0F;
  return inputs;
}

double mean_of(const std::vector<float>& values) {
  double sum = 0.0;
  for (const float value : values) sum += static_cast<double>(value);
  return sum / static_cast<double>(values.size());
}

TEST_CASE("over many keys the tensor core's sums drift low, and a flush ends that", "[numerics]") {
  const AttentionInputs inputs = ones(8192);
  const auto mean = [&](Accumulator accumulator, std::int64_t flush) {
    return mean_of(
        emulate_attention(inputs, {.accumulator = accumulator, .pv_flush_keys = flush}).o);
  };
  const double exact = mean(Accumulator::kFloat32, 0);
  CHECK(mean(Accumulator::kHopperFp8, 0) < 0.97 * exact);
  CHECK_THAT(mean(Accumulator::kHopperFp8, 128), WithinRel(exact, 2e-3));
}

TEST_CASE("V smoothed by its mean is exact where V is its mean", "[numerics]") {
  const auto emulated = emulate_attention(ones(2048), {.is_v_smoothed = true, .pv_flush_keys = 0});
  for (const float value : emulated.o) CHECK(value == 1.0F);
}

TEST_CASE("scales of V folded into P round P = 1 unless they are powers of two", "[numerics]") {
  core::AttentionProblem problem = kProblem;
  problem.seqlen_q = problem.seqlen_kv = 256;
  problem.is_causal = true;
  AttentionInputs inputs = draw_inputs(problem, Distribution::kNormal, 8);
  for (std::size_t i = 128 * 64; i < inputs.v.size(); ++i) inputs.v[i] *= 1.7F;  // the second block
  // Row 0 sees one key, so P is 1 and O should be its value.
  const auto largest_error = [&inputs](const KernelNumerics& kernel) {
    const auto prepared = numerics::prepare(inputs, kernel);
    const auto emulated = emulate_attention(prepared, kernel);
    float largest = 0.0F;
    for (std::size_t d = 0; d < 64; ++d) {
      const float expected = prepared.v.values[d] * prepared.v.scales[0];
      largest = std::max(largest, std::abs(emulated.o[d] / expected - 1.0F));
    }
    return largest;
  };
  CHECK(largest_error({}) < 1e-6F);
  CHECK(largest_error({.v_scaling = VScaling::kIntoP}) > 0.005F);
  CHECK(largest_error({.v_scaling = VScaling::kIntoP, .has_power_of_two_v_scales = true}) < 1e-6F);
}

TEST_CASE("a NaN reaches the rows that it belongs to and no others", "[numerics]") {
  AttentionInputs inputs = draw_inputs(kProblem, Distribution::kNormal, 9);
  inputs.q[3 * 128 + 5] = kNaN;  // row 3 of head 0
  KernelNumerics kernel;
  kernel.is_rotated = GENERATE(true, false);
  const auto emulated = emulate_attention(inputs, kernel);
  CHECK(std::isnan(emulated.o[3 * 128]));
  CHECK(std::isfinite(emulated.o[3 * 128 + 64]));  // head 1
  CHECK(std::isfinite(emulated.o[4 * 128]));
  inputs.v[0] = kNaN;
  CHECK(std::isnan(emulate_attention(inputs, kernel).o[0]));
}

TEST_CASE("scores beyond FP32 give NaN, not an error", "[numerics]") {
  AttentionInputs inputs = draw_inputs(kProblem, Distribution::kNormal, 9);
  for (auto* tensor : {&inputs.q, &inputs.k}) {
    for (float& value : *tensor) value *= 1e30F;
  }
  CHECK(std::isnan(emulate_attention(inputs, {}).o[0]));
}

TEST_CASE("all-zero inputs give zero output and the LSE of equal scores", "[numerics]") {
  AttentionInputs inputs = draw_inputs(kProblem, Distribution::kNormal, 9);
  for (auto* tensor : {&inputs.q, &inputs.k, &inputs.v}) {
    std::fill(tensor->begin(), tensor->end(), 0.0F);
  }
  const auto emulated = emulate_attention(inputs, {});
  for (const float value : emulated.o) CHECK(value == 0.0F);
  CHECK_THAT(emulated.lse[0], WithinAbs(std::log(300.0), 1e-5));
}

TEST_CASE("an all-zero value row does not make the others small", "[numerics]") {
  AttentionInputs inputs = draw_inputs(kProblem, Distribution::kNormal, 10);
  std::fill_n(inputs.v.begin(), 64, 0.0F);
  const Accuracy accuracy = accuracy_of(inputs, {.scales = ScaleGranularity::kRow});
  CHECK(accuracy.o.relative_error < 0.1);
}

TEST_CASE("numerics that no kernel has are refused", "[numerics]") {
  const AttentionInputs inputs = draw_inputs(kProblem, Distribution::kNormal, 1);
  for (const KernelNumerics& kernel :
       {KernelNumerics{.tile_n = 48}, KernelNumerics{.pv_flush_keys = 100},
        KernelNumerics{.p_offset_log2 = 9}, KernelNumerics{.p_headroom_log2 = 1.0},
        KernelNumerics{.p_headroom_log2 = -1.0}, KernelNumerics{.p_raise_log2 = 1.0},
        KernelNumerics{.sums_casts = true, .tile_n = 96},
        KernelNumerics{.format = ElementFormat::kFloat16}}) {
    CHECK_THROWS_AS(emulate_attention(inputs, kernel), core::UsageError);
  }
  core::AttentionProblem odd = kProblem;
  odd.head_dim = 96;
  const AttentionInputs odd_inputs = draw_inputs(odd, Distribution::kNormal, 1);
  CHECK_THROWS_WITH(emulate_attention(odd_inputs, {}), contains("head_dim 96"));
  CHECK_NOTHROW(emulate_attention(odd_inputs, {.is_rotated = false}));
  CHECK_NOTHROW(emulate_attention(
      inputs, {.scales = ScaleGranularity::kHead, .sums_casts = true, .tile_n = 96}));
}

}  // namespace
}  // namespace fa3prof::tests
