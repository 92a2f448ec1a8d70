#include "src/numerics/input_distributions.h"

#include "src/core/error.h"
#include "src/numerics/exact_attention.h"
#include "tests/catch.h"

#include <cmath>

namespace fa3prof::tests {
namespace {

using numerics::Distribution;
using numerics::draw_inputs;

constexpr core::AttentionProblem kProblem{
    .num_heads = 4, .num_heads_kv = 2, .seqlen_q = 512, .seqlen_kv = 1024, .head_dim = 128};

double mean_square(const std::vector<float>& values) {
  double sum = 0.0;
  for (const float value : values) sum += static_cast<double>(value) * static_cast<double>(value);
  return sum / static_cast<double>(values.size());
}

TEST_CASE("variances are those of the stated distributions", "[numerics]") {
  const auto normal = draw_inputs(kProblem, Distribution::kNormal, 1);
  const auto outliers = draw_inputs(kProblem, Distribution::kOutliers, 1);
  for (const auto* values : {&normal.q, &normal.k, &normal.v}) {
    CHECK_THAT(mean_square(*values), WithinRel(1.0, 0.01));
  }
  // 1 + 0.001 * 100; some 260 outliers a tensor.
  for (const auto* values : {&outliers.q, &outliers.k, &outliers.v}) {
    CHECK_THAT(mean_square(*values), WithinRel(1.1, 0.03));
  }
}

TEST_CASE("outliers are the normal values with one in a thousand changed", "[numerics]") {
  const auto normal = draw_inputs(kProblem, Distribution::kNormal, 1);
  const auto outliers = draw_inputs(kProblem, Distribution::kOutliers, 1);
  int changed = 0;
  for (std::size_t i = 0; i < normal.k.size(); ++i) changed += normal.k[i] != outliers.k[i] ? 1 : 0;
  const double expected = 0.001 * static_cast<double>(normal.k.size());
  CHECK(std::abs(changed - expected) < 4.0 * std::sqrt(expected));
}

TEST_CASE("tensors and seeds differ", "[numerics]") {
  const auto inputs = draw_inputs(kProblem, Distribution::kNormal, 1);
  CHECK(inputs.k != inputs.v);
  CHECK(draw_inputs(kProblem, Distribution::kNormal, 2).q != inputs.q);
  CHECK(draw_inputs(kProblem, Distribution::kNormal, 1).q == inputs.q);
}

TEST_CASE("outlier channels are as large as the guide's", "[numerics]") {
  const auto normal = draw_inputs(kProblem, Distribution::kNormal, 1);
  const auto inputs = draw_inputs(kProblem, Distribution::kChannelOutliers, 1);
  CHECK(inputs.k[128 + 4] == 15.0F * normal.k[128 + 4]);
  CHECK(inputs.q[128 + 19] == 12.0F * normal.q[128 + 19]);
  CHECK(inputs.k[128 + 19] == normal.k[128 + 19]);
  core::AttentionProblem narrow = kProblem;
  narrow.head_dim = 16;
  CHECK_THROWS_AS(draw_inputs(narrow, Distribution::kChannelOutliers, 1), core::UsageError);
}

TEST_CASE("v-mean has the normal Q and K, and V one higher", "[numerics]") {
  const auto normal = draw_inputs(kProblem, Distribution::kNormal, 1);
  const auto inputs = draw_inputs(kProblem, Distribution::kValueMean, 1);
  CHECK(inputs.k == normal.k);
  CHECK(inputs.v[77] == normal.v[77] + 1.0F);
}

TEST_CASE("the sink's score is 10 above the others' on average, in each head", "[numerics]") {
  const auto inputs = draw_inputs(kProblem, Distribution::kSink, 1);
  for (const std::int64_t head : {0, 3}) {
    const auto rows = numerics::exact_rows(inputs, {.head = head, .begin = 0, .count = 16});
    double sink = 0.0;
    for (std::size_t row = 0; row < 16; ++row) sink += rows.s[row * 1024] / 16.0;
    CHECK_THAT(sink, WithinAbs(10.0, 1.0));
  }
}

}  // namespace
}  // namespace fa3prof::tests
