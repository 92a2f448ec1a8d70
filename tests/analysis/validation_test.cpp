#include "src/analysis/validation.h"

#include "tests/catch.h"
#include "tests/golden/example_report.h"

#include <cstdint>

using namespace fa3prof;
using namespace fa3prof::tests;

namespace {

constexpr double kCounted = 1e6;

/// Results of a kernel on problems of 1, 2, ... thousand keys, simulated with these errors.
std::vector<core::Result> rows(const std::string& kernel, const std::vector<double>& errors) {
  std::vector<core::Result> results;
  for (const double error : errors) {
    core::Result measured = measured_result(kernel, 1000.0);
    core::Result simulated = simulated_result(kernel, kCounted * (1.0 + error));
    measured.cycles = kCounted;
    measured.problem.seqlen_kv = simulated.problem.seqlen_kv =
        1000 * static_cast<std::int64_t>(results.size() / 2 + 1);
    results.push_back(measured);
    results.push_back(simulated);
  }
  return results;
}

analysis::Validation validate(const std::vector<core::Result>& results,
                              const analysis::ErrorLimits& limits = {}) {
  return analysis::validation_of(analysis::compare(results), limits);
}

}  // namespace

TEST_CASE("Errors of each kernel and of all rows are summed up with their signs", "[analysis]") {
  std::vector<core::Result> results = rows("fa2", {-0.02, 0.01, -0.03});
  const std::vector<core::Result> more = rows("fa3", {0.08});
  results.insert(results.end(), more.begin(), more.end());
  const analysis::Validation validation = validate(results);

  REQUIRE(validation.kernels.size() == 2);
  const analysis::ErrorSummary& fa2 = validation.kernels[0];
  CHECK(fa2.label == "fa2");
  CHECK(fa2.rows == 3);
  CHECK_THAT(fa2.mean_signed_ratio, WithinRel(-0.04 / 3.0, 1e-9));
  CHECK_THAT(fa2.mean_absolute_ratio, WithinRel(0.02, 1e-9));
  CHECK_THAT(fa2.max_absolute_ratio, WithinRel(0.03, 1e-9));
  CHECK(fa2.worst.measured->problem.seqlen_kv == 3000);

  REQUIRE(validation.overall.has_value());
  CHECK(validation.overall->rows == 4);
  CHECK_THAT(validation.overall->mean_absolute_ratio, WithinRel(0.14 / 4.0, 1e-9));
  CHECK(validation.overall->worst.label == "fa3");
  CHECK(validation.omitted.empty());
}

TEST_CASE("Rows without a simulation or without counted cycles are omitted with the reason",
          "[analysis]") {
  std::vector<core::Result> results = rows("fa2", {0.01, 0.5, 0.5});
  results[2].cycles.reset();  // time and clock remain, and do not count
  results[5].cycles.reset();
  results[5].unsupported_reason = "pipeline fa2 has no tile for head_dim 64";
  results.push_back(measured_result("cudnn", 1000.0));
  const analysis::Validation validation = validate(results);

  REQUIRE(validation.overall.has_value());
  CHECK(validation.overall->rows == 1);
  REQUIRE(validation.omitted.size() == 3);
  CHECK(validation.omitted[0].reason == "no cycles were counted");
  CHECK_THAT(validation.omitted[1].reason, contains("no tile for head_dim 64"));
  CHECK(validation.omitted[2].row.label == "cudnn");
  CHECK_THAT(validation.omitted[2].reason, contains("no pipeline"));
}

TEST_CASE("Two pipelines of one kernel are summed up apart", "[analysis]") {
  std::vector<core::Result> results = rows("fa3", {0.02});
  results.push_back(results.back());
  results.back().pipeline = "mine";
  results.back().cycles = 0.9 * kCounted;
  const analysis::Validation validation = validate(results);
  REQUIRE(validation.kernels.size() == 2);
  CHECK(validation.kernels[0].label == "fa3_fp16");
  CHECK(validation.kernels[1].label == "mine");
  CHECK_THAT(validation.kernels[1].mean_signed_ratio, WithinRel(-0.1, 1e-9));
}

TEST_CASE("A limit is exceeded by what is above it, not by what reaches it", "[analysis]") {
  const std::vector<core::Result> results = rows("fa2", {0.25, -0.5});
  const auto with = [&results](const analysis::ErrorLimits& limits) {
    return validate(results, limits);
  };
  CHECK_FALSE(with({.mean_absolute_ratio = 0.375}).exceeds_mean());
  CHECK(with({.mean_absolute_ratio = 0.37}).exceeds_mean());
  CHECK_FALSE(with({.max_absolute_ratio = 0.5}).exceeds_max());
  CHECK(with({.max_absolute_ratio = 0.49}).exceeds_max());
  CHECK_FALSE(with({}).exceeds_mean());
  CHECK_FALSE(with({}).exceeds_max());
}

TEST_CASE("Nothing to compare has no summary and exceeds no limit", "[analysis]") {
  const std::vector<core::Result> results{measured_result("fa2", 1000.0)};
  const analysis::Validation validation =
      validate(results, {.mean_absolute_ratio = 0.0, .max_absolute_ratio = 0.0});
  CHECK_FALSE(validation.overall.has_value());
  CHECK(validation.kernels.empty());
  CHECK(validation.omitted.size() == 1);
  CHECK_FALSE(validation.exceeds_mean());
  CHECK_FALSE(validation.exceeds_max());
}
