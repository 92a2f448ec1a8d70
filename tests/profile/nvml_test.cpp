#include "src/profile/nvml.h"

#include "tests/catch.h"

#include <string>
#include <vector>

namespace fa3prof::tests {
namespace {

using Words = std::vector<std::string>;

TEST_CASE("an idle GPU is not throttled", "[profile]") {
  CHECK(profile::throttle_reasons(0x0).empty());
  CHECK(profile::throttle_reasons(0x1).empty());
}

TEST_CASE("every throttle bit has its word", "[profile]") {
  CHECK(profile::throttle_reasons(0x5) == Words{"power cap"});
  CHECK(profile::throttle_reasons(0x60) ==
        Words{"software thermal slowdown", "hardware thermal slowdown"});
  CHECK(profile::throttle_reasons(0x1FF).size() == 8);
}

TEST_CASE("an unknown throttle bit is shown, not dropped", "[profile]") {
  CHECK(profile::throttle_reasons(0x404) == Words{"power cap", "unknown reason 0x400"});
}

TEST_CASE("a GPU that NVML does not know gives nothing", "[profile]") {
  CHECK_FALSE(profile::NvmlDevice::open("GPU-00000000-0000-0000-0000-000000000000").has_value());
}

}  // namespace
}  // namespace fa3prof::tests
