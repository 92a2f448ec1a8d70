// What services that keep benchmarks over time read. Not: those that scrape (openmetrics.h).
#pragma once

#include "src/report/row_text.h"

#include <string>
#include <vector>

namespace fa3prof::report {

/// What github-action-benchmark keeps of a kernel: it has one number for each name.
enum class BenchmarkMetric {
  kTflops,  ///< for its tool customBiggerIsBetter
  kTime,    ///< in microseconds, for its tool customSmallerIsBetter
};

/// JSON of github-action-benchmark (https://github.com/benchmark-action/github-action-benchmark):
///   [{"name": "fa3 fp16 ...", "unit": "TFLOPS", "value": 733.0, "range": "+-0.4", "extra": "..."}]
[[nodiscard]] std::string github_benchmark_text(const std::vector<NamedReport>& reports,
                                                BenchmarkMetric metric);

/// Bencher Metric Format (https://bencher.dev/docs/reference/bencher-metric-format/): `latency` in
/// nanoseconds and `throughput` in operations, here FLOP, per second, both with their 95 %
/// interval.
///   {"fa3 fp16 ...": {"latency": {"value": 1500000.0, "lower_value": ..., "upper_value": ...},
///   ...}}
[[nodiscard]] std::string bencher_text(const std::vector<NamedReport>& reports);

}  // namespace fa3prof::report
