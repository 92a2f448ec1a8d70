#include "src/core/result.h"

#include "src/core/error.h"
#include "tests/catch.h"

namespace fa3prof::tests {
namespace {

using core::ResultSource;

TEST_CASE("result source names round trip", "[core]") {
  for (const ResultSource source :
       {ResultSource::kMeasured, ResultSource::kClosedForm, ResultSource::kDiscreteEvent}) {
    CHECK(core::parse_result_source(core::name_of(source)) == source);
  }
}

TEST_CASE("an unknown result source is refused with the choices", "[core]") {
  CHECK_THROWS_AS(core::parse_result_source("guessed"), core::UsageError);
  CHECK_THROWS_WITH(core::parse_result_source("guessed"),
                    contains("'guessed'") && contains("measured, closed_form or discrete_event"));
}

TEST_CASE("a counter is found by its key and absent when it was not measured", "[core]") {
  core::Counters counters;
  counters.values["tensor_flops"] = 3.0;
  CHECK(counters.find(core::kTensorFlops) == 3.0);
  CHECK_FALSE(counters.find(core::kSmCyclesElapsed).has_value());
}

}  // namespace
}  // namespace fa3prof::tests
