// Division by a number that stays the same during a launch. Plain C++, for host and device alike.
#pragma once

#include <bit>
#include <cstdint>

namespace fa3prof::kernels::tile {

/// Divides by one multiplication and a shift, where the GPU, which has no instruction for it, would
/// take about thirty. (Granlund and Montgomery, Division by Invariant Integers using
/// Multiplication, PLDI 1994.)
class Divisor {
 public:
  /// Leaves the divisor 1.
  constexpr Divisor() : Divisor(1) {}

  /// `value` from 1 to 2^31 - 1.
  constexpr explicit Divisor(int value)
      : value_(value), shift_(static_cast<int>(std::bit_width(static_cast<unsigned>(value) - 1U))) {
    const auto divisor = static_cast<std::uint64_t>(value);
    multiplier_ =
        static_cast<std::uint32_t>(((std::uint64_t{1} << (31 + shift_)) + divisor - 1) / divisor);
  }

  [[nodiscard]] constexpr int value() const { return value_; }

  /// dividend / value, rounded down; dividend >= 0.
  [[nodiscard]] constexpr int quotient(int dividend) const {
    const std::uint64_t doubled = 2U * static_cast<std::uint32_t>(dividend);
    return static_cast<int>(static_cast<std::uint32_t>((doubled * multiplier_) >> 32) >> shift_);
  }

 private:
  int value_;
  int shift_;
  std::uint32_t multiplier_ = 0;
};

}  // namespace fa3prof::kernels::tile
