#include "src/profile/metric_plan.h"

#include "src/profile/counter_error.h"
#include "src/profile/metrics.h"
#include "src/profile/range_profiler.h"
#include "tests/catch.h"

#include <iostream>
#include <string>
#include <vector>

namespace fa3prof::tests {
namespace {

using profile::MetricPlan;

std::vector<std::string> table() {
  std::vector<std::string> names;
  for (const profile::Metric& metric : profile::metrics()) names.emplace_back(metric.cupti);
  return names;
}

/// CUPTI's host part works without a GPU, but not without its library.
bool is_cupti_missing() {
  if (profile::RangeProfiler::library_path()) return false;
  std::cout << "SKIPPED: libcupti cannot be opened\n";
  return true;
}

TEST_CASE("CUPTI has every counter of the table on GH100", "[profile]") {
  if (is_cupti_missing()) return;
  const std::vector<std::string> names = table();
  const MetricPlan plan("GH100", names, {});
  CHECK(plan.names() == names);
  CHECK_FALSE(plan.config_image().empty());
}

TEST_CASE("all counters of the table take at most eight launches", "[profile]") {
  if (is_cupti_missing()) return;
  const MetricPlan plan("GH100", table(), {});
  CHECK(plan.passes() >= 1);
  CHECK(plan.passes() <= 8);
}

TEST_CASE("a counter that a chip lacks is left out and the rest stays", "[profile]") {
  if (is_cupti_missing()) return;
  const std::vector<std::string> names{"sm__cycles_elapsed.max", "fa3prof__no_such_counter.sum",
                                       "dram__bytes.sum"};
  const MetricPlan plan("GH100", names, {});
  CHECK(plan.names() == std::vector<std::string>{"sm__cycles_elapsed.max", "dram__bytes.sum"});
}

TEST_CASE("an older chip gives a part of the table", "[profile]") {
  if (is_cupti_missing()) return;
  const MetricPlan plan("GA100", table(), {});
  CHECK_FALSE(plan.names().empty());
  CHECK(plan.names().size() < table().size());
}

TEST_CASE("an unknown chip and unknown counters are refused with a cure", "[profile]") {
  if (is_cupti_missing()) return;
  CHECK_THROWS_AS(MetricPlan("XX999", table(), {}), profile::CounterError);
  const std::vector<std::string> unknown{"fa3prof__no_such_counter.sum"};
  CHECK_THROWS_AS(MetricPlan("GH100", unknown, {}), profile::CounterError);
}

}  // namespace
}  // namespace fa3prof::tests
