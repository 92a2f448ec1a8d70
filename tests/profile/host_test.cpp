#include "src/profile/host.h"

#include "src/core/error.h"
#include "src/profile/dynamic_library.h"
#include "src/profile/findings.h"
#include "src/profile/memory.h"
#include "tests/catch.h"

#include <array>
#include <string>

namespace fa3prof::tests {
namespace {

using Severity = profile::Finding::Severity;

constexpr const char* kRoot = "Name:\tfa3prof\nCapEff:\t000001ffffffffff\n";
constexpr const char* kUser = "Name:\tfa3prof\nCapEff:\t0000000000000000\n";
constexpr const char* kRestricted = "ResmanDebugLevel: 4294967295\nRmProfilingAdminOnly: 1\n";

TEST_CASE("the driver's version is read from either kernel module's line", "[profile]") {
  CHECK(profile::parse_driver_version(
            "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.104.05  Sat Aug 19 2023\n"
            "GCC version:  gcc version 12.3.0\n") == "535.104.05");
  CHECK(profile::parse_driver_version("NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  "
                                      "580.159.04  Release Build\n") == "580.159.04");
  CHECK(profile::parse_driver_version("").empty());
  CHECK(profile::parse_driver_version("GCC version\ngcc version 12.3.0").empty());
}

TEST_CASE("the name of the system is read from os-release", "[profile]") {
  const std::string text =
      "NAME=\"Debian GNU/Linux\"\nPRETTY_NAME=\"Debian GNU/Linux 12\"\nID=debian";
  CHECK(profile::parse_os_release(text, "PRETTY_NAME") == "Debian GNU/Linux 12");
  CHECK(profile::parse_os_release(text, "ID") == "debian");
  CHECK(profile::parse_os_release(text, "VERSION").empty());
}

TEST_CASE("the environment of any host has its tool, name and system", "[profile]") {
  const auto environment = profile::host_environment();
  CHECK_FALSE(environment.tool_version.empty());
  CHECK_FALSE(environment.host.empty());
  CHECK_FALSE(environment.compiler.empty());
  CHECK_FALSE(environment.gpu.has_value());
}

TEST_CASE("counters are permitted to all, to administrators, or not", "[profile]") {
  const auto severity = [](const char* params, const char* status) {
    return profile::permission_finding(params, status).severity;
  };
  CHECK(severity("RmProfilingAdminOnly: 0\n", kUser) == Severity::kOk);
  CHECK(severity(kRestricted, kRoot) == Severity::kOk);
  CHECK(severity(kRestricted, kUser) == Severity::kMissing);
  CHECK(severity("", kRoot) == Severity::kOk);
  CHECK(severity("", kUser) == Severity::kWarning);
  CHECK(severity("", "") == Severity::kWarning);
}

TEST_CASE("a finding has a cure exactly if something is wrong", "[profile]") {
  const profile::ClockSample idle{345.0, 75.0, 30.0, 0x1};
  const profile::ClockSample capped{1400.0, 700.0, 70.0, 0x4};
  const std::array findings{profile::driver_finding("580.159.04"),
                            profile::driver_finding(""),
                            profile::permission_finding(kRestricted, kUser),
                            profile::permission_finding(kRestricted, kRoot),
                            profile::clock_finding(idle, 700.0, 1980.0),
                            profile::clock_finding(std::nullopt, std::nullopt, 1980.0),
                            profile::throttle_finding(idle),
                            profile::throttle_finding(capped),
                            profile::process_finding(std::vector<unsigned>{1}, 1),
                            profile::process_finding(std::vector<unsigned>{1, 2}, 1),
                            profile::mig_finding(false),
                            profile::mig_finding(true)};
  int wrong = 0;
  for (const profile::Finding& finding : findings) {
    CAPTURE(finding.topic, finding.detail);
    CHECK(finding.cure.empty() == (finding.severity == Severity::kOk));
    CHECK_FALSE(finding.detail.empty());
    wrong += finding.severity == Severity::kOk ? 0 : 1;
  }
  CHECK(wrong == 6);
  CHECK_THAT(findings[4].detail, contains("345 of max 1980 MHz") && contains("limit 700 W"));
}

TEST_CASE("missing privileges are cured by the driver's option", "[profile]") {
  CHECK_THAT(profile::permission_finding(kRestricted, kUser).cure,
             contains("NVreg_RestrictProfilingToAdminUsers=0") && contains("root"));
}

TEST_CASE("a problem beyond memory is refused with both numbers", "[profile]") {
  const core::AttentionProblem problem{.batch = 2,
                                       .num_heads = 16,
                                       .num_heads_kv = 16,
                                       .seqlen_q = 8192,
                                       .seqlen_kv = 8192,
                                       .head_dim = 128};
  // Q, K, V and O of 67108864 bytes each, LSE of 1048576.
  CHECK(profile::tensor_bytes(problem) == 4 * 67108864.0 + 1048576.0);
  CHECK_NOTHROW(profile::require_memory(problem, 5e8, 5e8));
  CHECK_THROWS_AS(profile::require_memory(problem, 5.1e8, 5e8), core::UnavailableError);
  CHECK_THROWS_WITH(profile::require_memory(problem, 5.1e8, 5e8),
                    contains("needs 0.51 GB") && contains("0.50 GB are free") && contains("--seq"));
}

TEST_CASE("the largest sizes do not overflow the count of bytes", "[profile]") {
  constexpr std::int64_t largest = 2147483647;
  const core::AttentionProblem problem{.batch = largest,
                                       .num_heads = largest,
                                       .num_heads_kv = 1,
                                       .seqlen_q = largest,
                                       .seqlen_kv = 1,
                                       .head_dim = 128};
  CHECK(profile::tensor_bytes(problem) > 1e30);
}

TEST_CASE("a library that is not there opens as nothing", "[profile]") {
  const std::array<std::string, 2> missing{"libfa3prof_no_such.so.1", "/no/such/libx.so"};
  CHECK_FALSE(profile::DynamicLibrary::open(missing).has_value());
  const std::array<std::string, 2> names{"libfa3prof_no_such.so.1", "libc.so.6"};
  const auto libc = profile::DynamicLibrary::open(names);
  REQUIRE(libc.has_value());
  CHECK_THAT(libc->path(), contains("libc.so.6"));
  CHECK(libc->find<int(int)>("abs")(-3) == 3);
  CHECK(libc->find<int(int)>("fa3prof_no_such") == nullptr);
}

}  // namespace
}  // namespace fa3prof::tests
