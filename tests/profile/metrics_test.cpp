#include "src/profile/metrics.h"

#include "src/core/result.h"
#include "src/profile/profiler.h"
#include "tests/catch.h"

#include <map>
#include <set>
#include <string>

namespace fa3prof::tests {
namespace {

using profile::Metric;

TEST_CASE("no two counters share a key or a CUPTI metric", "[profile]") {
  std::set<std::string_view> keys;
  std::set<std::string_view> names;
  for (const Metric& metric : profile::metrics()) {
    keys.insert(metric.key);
    names.insert(metric.cupti);
  }
  CHECK(keys.size() == profile::metrics().size());
  CHECK(names.size() == profile::metrics().size());
  CHECK(keys.contains(core::kSmCyclesElapsed));
  CHECK(keys.contains(core::kTensorActiveRatio));
}

TEST_CASE("a counter is a percentage for CUPTI exactly if it is a ratio for us", "[profile]") {
  for (const Metric& metric : profile::metrics()) {
    CAPTURE(metric.key);
    const bool is_percentage = metric.cupti.find(".pct") != std::string_view::npos;
    CHECK(metric.key.ends_with("_ratio") == is_percentage);
    CHECK((metric.scale == 0.01) == is_percentage);
  }
}

TEST_CASE("tensor FLOPs are the sum over formats and instructions", "[profile]") {
  std::map<std::string, double> values{
      {"tensor_mma_fp16_flops", 1.0},     {"tensor_mma_bf16_flops", 20.0},
      {"tensor_wgmma_fp16_flops", 300.0}, {"tensor_wgmma_bf16_flops", 4000.0},
      {"tensor_fp8_flops", 50000.0},      {"tensor_active_ratio", 0.5}};
  profile::derive(values);
  CHECK(values.at(std::string(core::kTensorFlops)) == 54321.0);
}

TEST_CASE("tensor FLOPs are absent if one format was not counted", "[profile]") {
  std::map<std::string, double> values{{"tensor_mma_fp16_flops", 1.0}};
  profile::derive(values);
  CHECK(values.size() == 1);
}

TEST_CASE("the L2 hit ratio is hits over look-ups, and absent without any", "[profile]") {
  std::map<std::string, double> values{{"l2_hit_sectors", 3.0}, {"l2_miss_sectors", 1.0}};
  profile::derive(values);
  CHECK(values.at("l2_hit_ratio") == 0.75);

  std::map<std::string, double> none{{"l2_hit_sectors", 0.0}, {"l2_miss_sectors", 0.0}};
  profile::derive(none);
  CHECK(!none.contains("l2_hit_ratio"));
}

TEST_CASE("instructions of mma.sync are those of the tensor pipe without wgmma's", "[profile]") {
  std::map<std::string, double> values{{"tensor_instructions", 500.0},
                                       {"wgmma_instructions", 400.0}};
  profile::derive(values);
  CHECK(values.at("mma_sync_instructions") == 100.0);
  values = {{"tensor_instructions", 500.0}};
  profile::derive(values);
  CHECK(!values.contains("mma_sync_instructions"));
}

TEST_CASE("every key that a run can report is described once", "[profile]") {
  std::set<std::string> keys;
  for (const profile::MetricDescription& metric : profile::describe_metrics()) {
    CAPTURE(metric.key);
    CHECK((!metric.source.empty() && !metric.meaning.empty()));
    keys.insert(metric.key);
  }
  CHECK(keys.size() == profile::describe_metrics().size());
  CHECK(keys.size() == profile::metrics().size() + 3);
  CHECK(keys.contains(std::string(core::kTensorFlops)));
}

}  // namespace
}  // namespace fa3prof::tests
