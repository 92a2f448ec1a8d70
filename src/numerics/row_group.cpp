#include "src/numerics/row_group.h"

#include "src/numerics/tensor_core.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

namespace fa3prof::numerics {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kLn2 = std::numbers::ln2_v<float>;
constexpr std::size_t kStep = kFp8StepProducts;

std::size_t to_size(std::int64_t value) { return static_cast<std::size_t>(value); }

/// Whether partial sums wait for different scales of V.
bool has_several(const std::vector<float>& weights, VScaling scaling) {
  return scaling == VScaling::kAtFlush &&
         std::ranges::any_of(weights, [](float weight) { return weight != 1.0F; });
}

template <typename T>
constexpr std::array<T, kStep> filled(T value) {
  std::array<T, kStep> values{};
  values.fill(value);
  return values;
}

}  // namespace

RowGroup::RowGroup(const HeadOperands& head, const KernelNumerics& numerics, double softmax_scale,
                   std::vector<QueryRow> rows)
    : head_(head),
      numerics_(numerics),
      softmax_scale_log2_(static_cast<float>(softmax_scale * std::numbers::log2e)),
      rows_(std::move(rows)),
      accumulator_(head.has_nan ? Accumulator::kFloat32 : numerics.accumulator),
      head_dim_(rows_.front().values.size()),
      keys_(head.k_scales.size()),
      v_scaling_(numerics.scales == ScaleGranularity::kRow ? VScaling::kIntoP : numerics.v_scaling),
      has_partial_sums_(numerics.pv_flush_keys > 0 || has_several(head.v_weights, v_scaling_)),
      states_(rows_.size(), State{.reference = -kInfinity, .sum = 0.0F, .lost = 0.0F}),
      scores_(rows_.size() * to_size(numerics.tile_n)),
      p_(scores_.size()),
      p_exponents_(scores_.size()),
      partial_(rows_.size() * head_dim_, 0.0F) {
  const int lowest = min_exponent(numerics.format);
  for (const QueryRow& row : rows_) {
    auto& exponents = q_exponents_.emplace_back();
    for (const float value : row.values) {
      exponents.push_back(exponent_of(value, lowest));
      if (std::isnan(value)) accumulator_ = Accumulator::kFloat32;  // it passes NaN on
    }
  }
}

EmulatedRows RowGroup::solve(bool is_traced) {
  is_traced_ = is_traced;
  result_.o.assign(rows_.size() * head_dim_, 0.0F);
  result_.lse.resize(rows_.size());
  result_.lost_mass.resize(rows_.size());
  if (is_traced_ || numerics_.algorithm == Algorithm::kStandard) {
    result_.s.assign(rows_.size() * keys_, -kInfinity);
    result_.p.assign(rows_.size() * keys_, 0.0F);
  }
  if (numerics_.algorithm == Algorithm::kStandard) {
    solve_standard();
  } else {
    solve_flash();
  }
  flush();
  for (std::size_t row = 0; row < rows_.size(); ++row) finish_row(row);
  return std::move(result_);
}

void RowGroup::solve_flash() {
  for (const KeyTile& tile : head_.tiles) {
    add_scores(tile);
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      online_softmax(tile, row);
      if (numerics_.sums_casts) add_cast_sum(tile, row);
    }
    add_weighted_values(tile);
  }
}

void RowGroup::solve_standard() {
  for (const KeyTile& tile : head_.tiles) {
    add_scores(tile);
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      float* s = &result_.s[row * keys_ + to_size(tile.begin)];
      for (std::size_t i = 0; i < visible_in(tile, row); ++i) {
        const float k_scale = head_.k_scales[to_size(tile.begin) + i];
        const float product =
            round_to(scores_of(row, tile)[i] * rows_[row].scale * k_scale, ElementFormat::kFloat16);
        s[i] = round_to(product * softmax_scale_log2_ * kLn2, ElementFormat::kFloat16);
        states_[row].reference = std::max(states_[row].reference, s[i]);
      }
    }
  }
  std::vector<float> sums(rows_.size(), 0.0F);
  for (std::size_t row = 0; row < rows_.size(); ++row) {
    for (std::size_t key = 0; key < to_size(rows_[row].visible_keys); ++key) {
      sums[row] += std::exp(result_.s[row * keys_ + key] - states_[row].reference);
    }
  }
  for (const KeyTile& tile : head_.tiles) {
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      for (std::size_t i = 0; i < to_size(tile.count); ++i) {
        const float score = result_.s[row * keys_ + to_size(tile.begin) + i];
        const float p =
            i < visible_in(tile, row) ? std::exp(score - states_[row].reference) / sums[row] : 0.0F;
        cast_probability(tile, row, i,
                         std::ldexp(round_to(p, ElementFormat::kFloat16), numerics_.p_offset_log2));
      }
    }
    add_weighted_values(tile);
  }
  for (std::size_t row = 0; row < rows_.size(); ++row) {
    State& state = states_[row];
    state.reference = (state.reference + std::log(sums[row])) / kLn2;
    state.sum = sums[row] > 0.0F ? std::ldexp(1.0F, numerics_.p_offset_log2) : sums[row];
  }
}

void RowGroup::add_scores(const KeyTile& tile) {
  std::ranges::fill(scores_, 0.0F);
  const std::size_t tile_begin = to_size(tile.begin) * head_dim_;
  for (std::size_t d = 0; d < head_dim_; d += kStep) {
    const std::size_t at = tile_begin + d * to_size(tile.count);
    const std::size_t count = std::min(kStep, head_dim_ - d);
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      const Step step{.a = rows_[row].values.subspan(d, count),
                      .a_exponents = std::span(q_exponents_[row]).subspan(d, count),
                      .b = &head_.k.values[at],
                      .b_exponents = &head_.k.exponents[at],
                      .b_stride = tile.count};
      add_products(accumulator_, step, scores_of(row, tile));
    }
  }
}

void RowGroup::online_softmax(const KeyTile& tile, std::size_t row) {
  const std::size_t visible = visible_in(tile, row);
  const std::span<float> scores = scores_of(row, tile);
  const auto headroom = static_cast<float>(numerics_.p_headroom_log2);
  float largest = -kInfinity;
  for (std::size_t i = 0; i < visible; ++i) {
    const std::size_t key = to_size(tile.begin) + i;
    const float exponent = scores[i] * score_factor(row, static_cast<std::int64_t>(key));
    // What has headroom watches the range of the cast, in which V's scale counts.
    largest =
        std::max(largest, headroom > 0.0F ? exponent + std::log2(cast_weight(key)) : exponent);
    if (is_traced_) result_.s[row * keys_ + key] = exponent * kLn2;
  }
  if (largest > states_[row].reference + headroom) {
    const bool is_first = states_[row].reference == -kInfinity;
    raise_reference(row, is_first ? largest : largest - static_cast<float>(numerics_.p_raise_log2));
  }
  const float shift = static_cast<float>(numerics_.p_offset_log2) - states_[row].reference;
  for (std::size_t i = 0; i < to_size(tile.count); ++i) {
    float p = 0.0F;
    if (i < visible) {
      const float factor = score_factor(row, tile.begin + static_cast<std::int64_t>(i));
      p = std::exp2(std::fma(scores[i], factor, shift));
    }
    if (!numerics_.sums_casts) states_[row].sum += p;
    cast_probability(tile, row, i, p);
  }
}

void RowGroup::raise_reference(std::size_t row, float reference) {
  State& state = states_[row];
  const float factor =
      state.reference == -kInfinity ? 0.0F : std::exp2(state.reference - reference);
  state.reference = reference;
  if (factor == 1.0F) return;
  state.sum *= factor;
  state.lost *= factor;
  for (float& value : output_of(result_.o, row)) value *= factor;
  for (float& value : output_of(partial_, row)) value *= factor;
  if (!is_traced_) return;
  for (float& p : std::span(result_.p).subspan(row * keys_, keys_)) p *= factor;
}

void RowGroup::cast_probability(const KeyTile& tile, std::size_t row, std::size_t i, float p) {
  const std::size_t key = to_size(tile.begin) + i;
  const float weight = cast_weight(key);
  const float cast = round_to(p * weight, numerics_.format);
  const std::size_t at = row * to_size(numerics_.tile_n) + i;
  p_[at] = cast;
  p_exponents_[at] = exponent_of(cast, min_exponent(numerics_.format));
  if (std::isnan(cast)) accumulator_ = Accumulator::kFloat32;  // it passes NaN on
  if (cast == 0.0F) states_[row].lost += p;
  if (is_traced_) result_.p[row * keys_ + key] = cast / weight;
}

void RowGroup::add_weighted_values(const KeyTile& tile) {
  for (std::size_t i = 0; i < to_size(tile.count); i += kStep) {
    const std::size_t key = to_size(tile.begin) + i;
    const float weight = v_scaling_ == VScaling::kAtFlush ? head_.v_weights[key] : 1.0F;
    if (weight != partial_weight_) flush();
    partial_weight_ = weight;
    const std::size_t count = std::min(kStep, to_size(tile.count) - i);
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      const std::size_t at = row * to_size(numerics_.tile_n) + i;
      const Step step{.a = std::span(p_).subspan(at, count),
                      .a_exponents = std::span(p_exponents_).subspan(at, count),
                      .b = &head_.v.values[key * head_dim_],
                      .b_exponents = &head_.v.exponents[key * head_dim_],
                      .b_stride = static_cast<std::int64_t>(head_dim_)};
      add_products(accumulator_, step, output_of(has_partial_sums_ ? partial_ : result_.o, row));
    }
    partial_keys_ += static_cast<std::int64_t>(kStep);
    if (numerics_.pv_flush_keys > 0 && partial_keys_ >= numerics_.pv_flush_keys) flush();
  }
}

/// As one more channel of V, of ones.
void RowGroup::add_cast_sum(const KeyTile& tile, std::size_t row) {
  constexpr std::array<float, kStep> kOnes = filled<float>(1.0F);
  constexpr std::array<std::int16_t, kStep> kExponents = filled<std::int16_t>(0);
  float sum = 0.0F;
  for (std::size_t i = 0; i < to_size(tile.count); i += kStep) {
    const std::size_t at = row * to_size(numerics_.tile_n) + i;
    const std::size_t count = std::min(kStep, to_size(tile.count) - i);
    const Step step{.a = std::span(p_).subspan(at, count),
                    .a_exponents = std::span(p_exponents_).subspan(at, count),
                    .b = kOnes.data(),
                    .b_exponents = kExponents.data(),
                    .b_stride = 1};
    add_products(accumulator_, step, std::span(&sum, 1));
  }
  states_[row].sum += sum / cast_weight(to_size(tile.begin));
}

void RowGroup::flush() {
  partial_keys_ = 0;
  if (!has_partial_sums_) return;
  for (std::size_t i = 0; i < partial_.size(); ++i) {
    result_.o[i] += partial_[i] * partial_weight_;
    partial_[i] = 0.0F;
  }
}

void RowGroup::finish_row(std::size_t row) {
  const State& state = states_[row];
  if (state.sum == 0.0F) {
    result_.lse[row] = -kInfinity;
    return;
  }
  const float factor = head_.v_scale / state.sum;
  const std::span<float> o = output_of(result_.o, row);
  for (std::size_t d = 0; d < head_dim_; ++d) {
    o[d] = o[d] * factor + (head_.v_mean.empty() ? 0.0F : head_.v_mean[d]);
  }
  result_.lost_mass[row] = state.lost / state.sum;
  result_.lse[row] =
      numerics_.algorithm == Algorithm::kStandard
          ? state.reference * kLn2
          : (state.reference + std::log2(state.sum) - static_cast<float>(numerics_.p_offset_log2)) *
                kLn2;
  if (!is_traced_) return;
  for (float& p : std::span(result_.p).subspan(row * keys_, keys_)) p /= state.sum;
}

std::span<float> RowGroup::scores_of(std::size_t row, const KeyTile& tile) {
  return std::span(scores_).subspan(row * to_size(numerics_.tile_n), to_size(tile.count));
}

std::size_t RowGroup::visible_in(const KeyTile& tile, std::size_t row) const {
  return to_size(std::clamp<std::int64_t>(rows_[row].visible_keys - tile.begin, 0, tile.count));
}

float RowGroup::score_factor(std::size_t row, std::int64_t key) const {
  return softmax_scale_log2_ * rows_[row].scale * head_.k_scales[to_size(key)];
}

float RowGroup::cast_weight(std::size_t key) const {
  return v_scaling_ == VScaling::kIntoP ? head_.v_weights[key] : 1.0F;
}

std::span<float> RowGroup::output_of(std::vector<float>& outputs, std::size_t row) const {
  return std::span(outputs).subspan(row * head_dim_, head_dim_);
}

}  // namespace fa3prof::numerics
