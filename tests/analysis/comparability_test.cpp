#include "src/analysis/comparability.h"

#include "tests/analysis/made_series.h"
#include "tests/catch.h"

using namespace fa3prof;
using namespace fa3prof::tests;
using analysis::Condition;

namespace {

core::Report example() { return report_of_series(steady(1500.0, 20)); }

core::Timing& timing_of(core::Report& report) { return *report.results.front().timing; }

}  // namespace

TEST_CASE("Two runs on boards of one kind share their conditions", "[analysis]") {
  core::Report other = example();
  other.environment.gpu->uuid = "GPU-another";
  other.environment.host = "another";
  other.seed = 7;
  CHECK(analysis::condition_differences(example(), other).empty());
}

TEST_CASE("Each condition that differs is found by its name", "[analysis]") {
  core::Report other = example();
  Condition expected = Condition::kGpu;
  std::string text;
  SECTION("another GPU") {
    other.environment.gpu->name = "NVIDIA H100 PCIe";
    text = "NVIDIA H200, 132 SMs, 1980 MHz, 700 W against NVIDIA H100 PCIe";
  }
  SECTION("another power limit") {
    other.environment.gpu->power_limit_watts = 500.0;
    text = "700 W against NVIDIA H200, 132 SMs, 1980 MHz, 500 W";
  }
  SECTION("another cache mode") {
    expected = Condition::kCache;
    timing_of(other).cache = "cold";
    text = "warm L2 against cold L2";
  }
  SECTION("other inputs") {
    expected = Condition::kInputs;
    timing_of(other).method->inputs = "zeros";
    text = "normal(0, 1) against zeros";
  }
  SECTION("another method") {
    expected = Condition::kMethod;
    timing_of(other).method->mode = "burst";
    text = "mode=burst";
  }
  const auto differences = analysis::condition_differences(example(), other);
  REQUIRE(differences.size() == 1);
  CHECK(differences.front().condition == expected);
  CHECK_THAT(differences.front().text, contains(text));
}

TEST_CASE("What an old report does not say is no difference but is told", "[analysis]") {
  core::Report old = example();
  timing_of(old).method.reset();
  CHECK(analysis::condition_differences(old, example()).empty());
  CHECK(analysis::conditions_unknown(old, "old") == "old does not say how it timed");
  CHECK(analysis::conditions_unknown(example(), "new").empty());
}

TEST_CASE("Conditions of rows that are not compared do not matter", "[analysis]") {
  core::Report other = example();
  timing_of(other).cache = "cold";
  other.results.front().kernel = "fa2";
  CHECK(analysis::condition_differences(example(), other).empty());
}
