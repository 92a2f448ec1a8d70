#include "src/core/error.h"
#include "src/profile/calibration.h"
#include "src/profile/profiler.h"
#include "tests/catch.h"

namespace fa3prof::tests {
namespace {

TEST_CASE("a build without CUDA describes its host and says how to get kernels", "[profile]") {
  const auto profiler = profile::make_profiler();
  CHECK_FALSE(profiler->environment(0).gpu.has_value());
  const auto findings = profiler->diagnose(0);
  CHECK_THAT(findings.back().cure, contains("FA3PROF_CUDA=ON"));
  CHECK(findings.back().severity == profile::Finding::Severity::kMissing);
}

TEST_CASE("a build without CUDA cannot run", "[profile]") {
  const auto profiler = profile::make_profiler();
  profile::RunRequest request;
  request.kernels = {"fa3"};
  CHECK_THROWS_AS(profiler->run(request, {}), core::UnavailableError);
}

TEST_CASE("a build without CUDA cannot calibrate", "[profile]") {
  CHECK_THROWS_AS(profile::measure_machine({}, {}), core::UnavailableError);
}

}  // namespace
}  // namespace fa3prof::tests
