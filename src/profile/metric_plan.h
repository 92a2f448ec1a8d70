// Which counters CUPTI can collect on a chip, how, and what the collected data mean. Runs without a
// GPU: for a chip named in CUPTI's list everything is known to its host library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace fa3prof::profile {

class MetricPlan {
 public:
  /// `chip`: "GH100". `availability`: the GPU's counter availability image, or empty to assume all
  /// of the chip's counters. Names that cannot be collected are left out. Throws CounterError for
  /// an unknown chip, a missing libcupti, or if nothing is left.
  MetricPlan(const std::string& chip, std::span<const std::string> names,
             std::vector<std::uint8_t> availability);
  MetricPlan(MetricPlan&&) noexcept;
  MetricPlan& operator=(MetricPlan&&) noexcept;
  ~MetricPlan();

  /// Those of the asked-for names that are collected, in their order.
  [[nodiscard]] const std::vector<std::string>& names() const;

  /// Launches it takes to collect all of them.
  [[nodiscard]] int passes() const;

  /// What cuptiRangeProfilerSetConfig takes.
  [[nodiscard]] std::span<const std::uint8_t> config_image() const;

  /// Values of names() for the first range in `counter_data`; NaN where there is none.
  [[nodiscard]] std::vector<double> evaluate(std::span<const std::uint8_t> counter_data) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The C array of names that CUPTI's calls take; valid as long as `names`.
[[nodiscard]] std::vector<const char*> c_strings(std::span<const std::string> names);

}  // namespace fa3prof::profile
