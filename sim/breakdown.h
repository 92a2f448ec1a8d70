// Where elapsed SM cycles go.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace fa3prof::sim {

/// Kinds of time, averaged over the SMs.
enum class Category { kTensorBusy, kSoftmaxExposed, kLoadExposed, kBarrier, kRamp, kTail };

inline constexpr std::array<std::string_view, 6> kCategoryNames{
    "tensor_busy", "softmax_exposed", "load_exposed", "barrier", "ramp", "tail"};

/// Cycles by category.
struct Breakdown {
  std::array<double, kCategoryNames.size()> cycles{};

  double& operator[](Category category) { return cycles[static_cast<std::size_t>(category)]; }

  double operator[](Category category) const { return cycles[static_cast<std::size_t>(category)]; }

  [[nodiscard]] double sum() const;

  /// Adds factor * other.
  void add(double factor, const Breakdown& other);
};

}  // namespace fa3prof::sim
