#include "src/report/speedup_text.h"

#include "src/report/table.h"

namespace fa3prof::report {

std::string time_ratio_text(const analysis::Speedup& speedup) {
  const auto& ratio = speedup.measured_time_ratio;
  const auto& interval = speedup.measured_time_ratio_ci95;
  if (!ratio || !interval) return text_or_empty(ratio, times);
  return times(*ratio) + " +-" + percent((interval->upper - interval->lower) / 2.0 / *ratio);
}

}  // namespace fa3prof::report
