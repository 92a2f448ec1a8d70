#include "src/numerics/quantization.h"

#include "src/core/error.h"
#include "src/numerics/numpy_random.h"
#include "tests/catch.h"

#include <cmath>
#include <limits>
#include <set>
#include <vector>

namespace fa3prof::tests {
namespace {

using numerics::ElementFormat;
using numerics::quantize;
using numerics::ScaleGranularity;
using numerics::TensorShape;

constexpr TensorShape kShape{.batch = 2, .seqlen = 5, .heads = 3, .head_dim = 4};

std::vector<float> normals(std::int64_t size) { return numerics::NumpyRandom(3).normals(size); }

std::size_t scales_of(ScaleGranularity granularity) {
  const auto tensor =
      quantize(normals(kShape.elements()), kShape, {.scales = granularity, .block_rows = 2});
  return std::set<float>(tensor.scales.begin(), tensor.scales.end()).size();
}

TEST_CASE("there are as many scales as the granularity says, a short last block included",
          "[numerics]") {
  CHECK(scales_of(ScaleGranularity::kTensor) == 1);
  CHECK(scales_of(ScaleGranularity::kHead) == 6);
  CHECK(scales_of(ScaleGranularity::kBlock) == 18);
  CHECK(scales_of(ScaleGranularity::kRow) == 30);
}

TEST_CASE("the largest element of what shares a scale becomes 448", "[numerics]") {
  const auto values = normals(kShape.elements());
  const auto tensor = quantize(values, kShape, {.scales = ScaleGranularity::kRow});
  for (std::int64_t b = 0; b < 2; ++b) {
    for (std::int64_t head = 0; head < 3; ++head) {
      for (std::int64_t position = 0; position < 5; ++position) {
        const auto offset = static_cast<std::size_t>(kShape.offset(b, head, position));
        float largest = 0.0F;
        for (std::size_t d = 0; d < 4; ++d) {
          largest = std::max(largest, std::abs(tensor.values[offset + d]));
        }
        CHECK(largest == 448.0F);
      }
    }
  }
}

TEST_CASE("value times scale is within half an E4M3 step of the element", "[numerics]") {
  const auto values = normals(kShape.elements());
  const auto tensor = quantize(values, kShape, {.block_rows = 2});
  for (std::int64_t b = 0; b < 2; ++b) {
    for (std::int64_t head = 0; head < 3; ++head) {
      for (std::int64_t position = 0; position < 5; ++position) {
        const auto offset = static_cast<std::size_t>(kShape.offset(b, head, position));
        const float scale = tensor.scales[static_cast<std::size_t>(kShape.row(b, head, position))];
        for (std::size_t i = offset; i < offset + 4; ++i) {
          const float step = std::max(std::abs(values[i]) / 16.0F, 0x1p-10F * scale);
          CHECK(std::abs(tensor.values[i] * scale - values[i]) <= step * 1.001F);
        }
      }
    }
  }
}

TEST_CASE("power-of-two scales are the next ones above", "[numerics]") {
  const TensorShape shape{.head_dim = 2};
  const numerics::Quantization to_power{.has_power_of_two_scales = true};
  CHECK(quantize(std::vector<float>{448.0F, 1.0F}, shape, to_power).scales[0] == 1.0F);
  const auto above = quantize(std::vector<float>{449.0F, -3.0F}, shape, to_power);
  CHECK(above.scales[0] == 2.0F);
  CHECK(above.values == std::vector<float>{224.0F, -1.5F});
}

TEST_CASE("an all-zero or vanishing block has scale 1 and stays zero", "[numerics]") {
  const TensorShape shape{.head_dim = 3};
  for (const float value : {0.0F, -0.0F, 1e-40F}) {
    const auto tensor = quantize(std::vector<float>(3, value), shape, {});
    CHECK(tensor.scales[0] == 1.0F);
    CHECK(tensor.values == std::vector<float>(3, 0.0F));
  }
}

TEST_CASE("infinities saturate and NaN stays, and neither changes the scale", "[numerics]") {
  const float infinity = std::numeric_limits<float>::infinity();
  const auto tensor = quantize(
      std::vector<float>{44.8F, -infinity, infinity, std::numeric_limits<float>::quiet_NaN()},
      TensorShape{.head_dim = 4}, {});
  CHECK(tensor.scales[0] == 44.8F / 448.0F);
  CHECK(tensor.values[0] == 448.0F);
  CHECK(tensor.values[1] == -448.0F);
  CHECK(tensor.values[2] == 448.0F);
  CHECK(std::isnan(tensor.values[3]));
}

TEST_CASE("16-bit formats are rounded without a scale", "[numerics]") {
  const auto tensor = quantize(std::vector<float>{1.0F + 0x1p-12F, 300.0F},
                               TensorShape{.head_dim = 2}, {.format = ElementFormat::kFloat16});
  CHECK(tensor.values == std::vector<float>{1.0F, 300.0F});
  CHECK(tensor.scales[0] == 1.0F);
}

TEST_CASE("values that do not fill the shape are refused", "[numerics]") {
  CHECK_THROWS_AS(quantize(std::vector<float>(3), TensorShape{.head_dim = 4}, {}),
                  core::UsageError);
  CHECK_THROWS_AS(quantize(std::vector<float>(4), TensorShape{.head_dim = 4}, {.block_rows = 0}),
                  core::UsageError);
}

}  // namespace
}  // namespace fa3prof::tests
