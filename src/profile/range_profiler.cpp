#include "src/profile/range_profiler.h"

#include "kernels/runtime/cuda_check.h"
#include "src/profile/counter_error.h"
#include "src/profile/cupti_library.h"
#include "src/profile/cupti_range.h"
#include "src/profile/metrics.h"

#include <cuda_runtime_api.h>

#include <cmath>
#include <cstddef>
#include <map>
#include <vector>

namespace fa3prof::profile {
namespace {

std::vector<std::string> cupti_names() {
  std::vector<std::string> names;
  for (const Metric& metric : metrics()) names.emplace_back(metric.cupti);
  return names;
}

/// CUPTI's values under our keys, in our units; what CUPTI could not evaluate is left out.
std::map<std::string, double> to_values(const std::vector<std::string>& names,
                                        const std::vector<double>& collected) {
  std::map<std::string, double> values;
  for (const Metric& metric : metrics()) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (names[i] != metric.cupti || !std::isfinite(collected[i])) continue;
      values[std::string(metric.key)] = collected[i] * metric.scale;
    }
  }
  derive(values);
  return values;
}

core::Counters unavailable(const CounterError& error) {
  core::Counters counters;
  counters.status = core::Counters::Status::kUnavailable;
  counters.reason = error.what();
  counters.cure = error.cure();
  return counters;
}

}  // namespace

/// What stays the same for all launches: CUPTI switched on, and the plan for this chip.
class RangeProfiler::Session {
 public:
  explicit Session(int device) : plan_(make_plan(device)) {}

  [[nodiscard]] const MetricPlan& plan() const { return plan_; }

  /// Counter data of all passes; `passes` counts the launches it took.
  [[nodiscard]] std::vector<std::uint8_t> run(const std::function<void()>& prepare,
                                              const std::function<void()>& launch,
                                              int& passes) const {
    const CuptiRange range;
    std::vector<std::uint8_t> data = range.make_counter_data(plan_);
    range.configure(plan_, data);
    for (bool is_complete = false; !is_complete; ++passes) {
      if (passes > 2 * plan_.passes()) {
        throw CounterError("CUPTI asks for more passes than it planned",
                           "update CUPTI and driver to the same release");
      }
      prepare();
      kernels::cuda_check(cudaDeviceSynchronize());
      range.start();
      launch();
      kernels::cuda_check(cudaDeviceSynchronize());
      is_complete = range.stop();
    }
    range.decode(data);
    return data;
  }

 private:
  static MetricPlan make_plan(int device) {
    require_profiling_supported(device);
    const auto names = cupti_names();
    return {chip_name(device), names, availability_image()};
  }

  CuptiProfiling profiling_;  // before plan_, which needs it
  MetricPlan plan_;
};

RangeProfiler::RangeProfiler(int device) : device_(device) {}

RangeProfiler::~RangeProfiler() = default;

core::Counters RangeProfiler::collect(const std::function<void()>& prepare,
                                      const std::function<void()>& launch) {
  try {
    if (!session_) session_ = std::make_unique<Session>(device_);
    core::Counters counters;
    const auto data = session_->run(prepare, launch, counters.passes);
    const MetricPlan& plan = session_->plan();
    counters.values = to_values(plan.names(), plan.evaluate(data));
    counters.status = core::Counters::Status::kCollected;
    return counters;
  } catch (const CounterError& error) {
    return unavailable(error);
  }
}

std::optional<std::string> RangeProfiler::library_path() {
  try {
    return cupti_library().path();
  } catch (const CounterError&) {
    return std::nullopt;
  }
}

core::Counters RangeProfiler::probe() {
  try {
    if (!session_) session_ = std::make_unique<Session>(device_);
    const CuptiRange range;
    core::Counters counters;
    counters.status = core::Counters::Status::kCollected;
    counters.passes = session_->plan().passes();
    return counters;
  } catch (const CounterError& error) {
    return unavailable(error);
  }
}

}  // namespace fa3prof::profile
