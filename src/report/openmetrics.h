// Reports as metrics that Prometheus scrapes.
#pragma once

#include "src/report/row_text.h"

#include <string>
#include <vector>

namespace fa3prof::report {

/// OpenMetrics 1.0 text (https://prometheus.io/docs/specs/om/open_metrics_spec/). All metrics are
/// gauges without a timestamp, so that it is also the older text format of Prometheus, which the
/// node exporter's textfile collector reads. Units are base units: seconds, hertz, watts.
///
///   # TYPE fa3prof_kernel_time_seconds gauge
///   # UNIT fa3prof_kernel_time_seconds seconds
///   # HELP fa3prof_kernel_time_seconds Median time of a launch.
///   fa3prof_kernel_time_seconds{report="h200",source="measured",kernel="fa3",...} 0.0015
[[nodiscard]] std::string openmetrics_text(const std::vector<NamedReport>& reports);

}  // namespace fa3prof::report
