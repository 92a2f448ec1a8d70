#include "src/numerics/input_distributions.h"

#include "src/core/error.h"
#include "src/numerics/parallel.h"
#include "src/numerics/random_tensors.h"

#include <algorithm>
#include <span>
#include <string>

namespace fa3prof::numerics {
namespace {

constexpr double kOutlierProbability = 0.001;
constexpr double kOutlierDeviation = 10.0;  // N(0, 100) by its variance
constexpr double kSinkPreference = 10.0;    // in natural units of the score
constexpr std::int64_t kChunk = 16384;      // a multiple of the 4 values of a block
constexpr std::int64_t kKeyChannel = 4;
constexpr std::int64_t kQueryChannel = 19;

/// Streams of Philox. A tensor's values, its outliers' values, and where those are.
struct Streams {
  std::uint64_t values;
  std::uint64_t outliers;
  std::uint64_t places;
};

constexpr Streams kQ{.values = 1000, .outliers = 1003, .places = 1006};
constexpr Streams kK{.values = 1001, .outliers = 1004, .places = 1007};
constexpr Streams kV{.values = 1002, .outliers = 1005, .places = 1008};

void add_outliers(std::span<float> values, std::uint64_t seed, const Streams& streams,
                  std::uint64_t block) {
  const auto extra = normal_block(seed, streams.outliers, block);
  const auto words =
      philox({static_cast<std::uint32_t>(block), static_cast<std::uint32_t>(block >> 32U),
              static_cast<std::uint32_t>(streams.places), 0},
             {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32U)});
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (static_cast<double>(words[i]) >= kOutlierProbability * 0x1p32) continue;
    values[i] += static_cast<float>(kOutlierDeviation * extra[i]);
  }
}

std::vector<float> draw(const TensorShape& shape, bool has_outliers, std::uint64_t seed,
                        const Streams& streams) {
  std::vector<float> values(static_cast<std::size_t>(shape.elements()));
  for_each_chunk(shape.elements(), kChunk, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; i += 4) {
      const auto block = static_cast<std::uint64_t>(i / 4);
      const auto normals = normal_block(seed, streams.values, block);
      const std::span<float> part =
          std::span(values).subspan(static_cast<std::size_t>(i),
                                    static_cast<std::size_t>(std::min<std::int64_t>(4, end - i)));
      for (std::size_t j = 0; j < part.size(); ++j) part[j] = static_cast<float>(normals[j]);
      if (has_outliers) add_outliers(part, seed, streams, block);
    }
  });
  return values;
}

void scale_channel(std::vector<float>& values, std::int64_t head_dim, std::int64_t channel,
                   float factor) {
  for (auto i = static_cast<std::size_t>(channel); i < values.size();
       i += static_cast<std::size_t>(head_dim)) {
    values[i] *= factor;
  }
}

/// Channel 0 is given to the sink: all queries have 1 there, the first key of each head what gives
/// its preference, the others 0.
void add_sink(AttentionInputs& inputs) {
  const std::int64_t dim = inputs.problem.head_dim;
  for (std::size_t i = 0; i < inputs.q.size(); i += static_cast<std::size_t>(dim)) {
    inputs.q[i] = 1.0F;
  }
  scale_channel(inputs.k, dim, 0, 0.0F);
  const TensorShape shape = inputs.kv_shape();
  for (std::int64_t b = 0; b < shape.batch; ++b) {
    for (std::int64_t head = 0; head < shape.heads; ++head) {
      const auto offset = static_cast<std::size_t>(shape.offset(b, head, 0));
      inputs.k[offset] = static_cast<float>(kSinkPreference / softmax_scale(inputs.problem));
      for (std::int64_t d = 0; d < dim; ++d) inputs.v[offset + static_cast<std::size_t>(d)] = 0.0F;
    }
  }
}

}  // namespace

std::string_view name_of(Distribution distribution) {
  switch (distribution) {
    case Distribution::kNormal:
      return "normal";
    case Distribution::kOutliers:
      return "outliers";
    case Distribution::kChannelOutliers:
      return "channels";
    case Distribution::kSink:
      return "sink";
    case Distribution::kValueMean:
      break;
  }
  return "v-mean";
}

AttentionInputs draw_inputs(const core::AttentionProblem& problem, Distribution distribution,
                            std::uint64_t seed) {
  validate(problem);
  if (distribution == Distribution::kChannelOutliers && problem.head_dim <= kQueryChannel) {
    throw core::UsageError("--input channels: head_dim " + std::to_string(problem.head_dim) +
                           " has no channel " + std::to_string(kQueryChannel));
  }
  const bool has_outliers = distribution == Distribution::kOutliers;
  AttentionInputs inputs{.problem = problem, .q = {}, .k = {}, .v = {}};
  inputs.q = draw(inputs.q_shape(), has_outliers, seed, kQ);
  inputs.k = draw(inputs.kv_shape(), has_outliers, seed, kK);
  inputs.v = draw(inputs.kv_shape(), has_outliers, seed, kV);
  if (distribution == Distribution::kChannelOutliers) {
    scale_channel(inputs.k, problem.head_dim, kKeyChannel, 15.0F);
    scale_channel(inputs.q, problem.head_dim, kQueryChannel, 12.0F);
  }
  if (distribution == Distribution::kSink) add_sink(inputs);
  if (distribution == Distribution::kValueMean) {
    for (float& value : inputs.v) value += 1.0F;
  }
  return inputs;
}

}  // namespace fa3prof::numerics
