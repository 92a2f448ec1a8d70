#include "src/profile/machine_numbers.h"

#include "src/core/error.h"
#include "src/profile/series_lookup.h"
#include "tests/catch.h"

#include <algorithm>

using namespace fa3prof;
using namespace fa3prof::tests;
using profile::MachineNumber;
using profile::MeasuredPoint;
using profile::Series;

namespace {

Series series(const std::string& name, std::vector<MeasuredPoint> points) {
  return {.benchmark = "", .name = name, .axis = "x", .unit = "", .points = std::move(points)};
}

MeasuredPoint exact(double x, double value) {
  return {.x = x, .value = value, .low = value, .high = value};
}

/// The number of this key; the test fails where there is none.
MachineNumber number(const std::vector<Series>& all, const std::string& key) {
  const std::vector<MachineNumber> numbers = profile::machine_numbers(all);
  const auto found = std::ranges::find(numbers, key, &MachineNumber::key);
  REQUIRE(found != numbers.end());
  return *found;
}

/// Batches of eight m64nNk16: two ahead of the executing one, 30 cycles of start, 24 of wait, with
/// a clock that takes 2 cycles to read.
std::vector<Series> batches() {
  std::vector<Series> all;
  for (const int n : {64, 128, 256}) {
    const std::string name = "wgmma_batch_n" + std::to_string(n);
    const double execution = n / 2.0;
    all.push_back(series(name + "_issued", {exact(8, 2 + 30 + (8 - 1 - 2) * execution)}));
    all.push_back(series(name + "_done", {exact(8, 2 + 30 + 8 * execution + 24)}));
    all.push_back(series(name + "_clock_read", {exact(8, 2)}));
  }
  return all;
}

}  // namespace

TEST_CASE("no series give no numbers", "[profile]") { CHECK(profile::machine_numbers({}).empty()); }

TEST_CASE("a batch's issue and end split into issue ahead, start and wait", "[profile]") {
  CHECK_THAT(number(batches(), "wgmma_issue_ahead_instructions").value, WithinAbs(2.0, 1e-9));
  CHECK_THAT(number(batches(), "wgmma_start_cycles").value, WithinAbs(30.0, 1e-9));
  CHECK_THAT(number(batches(), "wgmma_wait_cycles").value, WithinAbs(24.0, 1e-9));
}

TEST_CASE("a tensor map costs what the first copy through it takes longer", "[profile]") {
  const std::vector<Series> all{series("first_copy", {exact(0, 950)}),
                                series("later_copy", {exact(0, 510)})};
  CHECK_THAT(number(all, "tensor_map_cycles").value, WithinAbs(440.0, 1e-9));
}

TEST_CASE("stores have the rate of all SMs, since tiles of a length end together", "[profile]") {
  const std::vector<Series> all{series("store_rows", {exact(0, 32)}),
                                series("store_rows_all_sms", {exact(0, 18.6)})};
  CHECK_THAT(number(all, "store_bytes_per_cycle").value, WithinAbs(18.6, 1e-9));
}

TEST_CASE("cycles of a WGMMA give its FLOP per cycle", "[profile]") {
  const std::vector<Series> all{series("wgmma_shared_a_2_warpgroups", {exact(128, 64)}),
                                series("wgmma_fp8_2_warpgroups", {exact(128, 64)})};
  CHECK_THAT(number(all, "wgmma_fp16_flop_per_cycle").value, WithinRel(4096.0));
  CHECK_THAT(number(all, "wgmma_fp8_flop_per_cycle").value, WithinRel(8192.0));
}

TEST_CASE("a clock under load is the median of a series' last ten stretches", "[profile]") {
  std::vector<MeasuredPoint> settling{exact(50, 1980), exact(100, 1900)};
  for (int i = 0; i < 10; ++i) settling.push_back(exact(150 + 50 * i, i < 9 ? 1560 : 1400));
  const std::vector<Series> all{series("clock_under_tensor_load", settling),
                                series("clock_under_mma_sync_load", {exact(50, 1700)})};
  CHECK_THAT(number(all, "clock_load_mhz").value, WithinAbs(1560.0, 1e-9));
  // Too short to have settled.
  CHECK(profile::machine_numbers(all).size() == 1);
}

TEST_CASE("a copy's latency is that of no bytes", "[profile]") {
  const std::vector<Series> all{
      series("tma_latency", {exact(1024, 510), exact(2048, 520), exact(4096, 540)})};
  CHECK_THAT(number(all, "tma_latency_cycles").value, WithinAbs(500.0, 1e-6));
}

TEST_CASE("L2 keeps its rate up to where it has fallen by a tenth", "[profile]") {
  constexpr double kMib = 1024.0 * 1024.0;
  const std::vector<Series> all{
      series("read", {exact(8 * kMib, 5000), exact(16 * kMib, 5000), exact(32 * kMib, 5000),
                      exact(40 * kMib, 4800), exact(48 * kMib, 4200), exact(256 * kMib, 2200)}),
      series("read_time", {exact(8 * kMib, 9e12), exact(256 * kMib, 4e12)})};
  CHECK_THAT(number(all, "l2_bytes_per_cycle").value, WithinRel(5000.0));
  CHECK_THAT(number(all, "l2_effective_bytes").value, WithinRel(44 * kMib, 1e-9));
  CHECK_THAT(number(all, "hbm_bytes_per_s").value, WithinRel(4e12));
}

TEST_CASE("WGMMA pays for the cycles in which rows of FP32 instructions keep that pipe busy",
          "[profile]") {
  std::vector<Series> all{series("ffma_rate", {exact(8, 120)}),
                          series("fadd_rate", {exact(8, 120)})};
  for (const std::string side : {"beside_shared_a_", "beside_register_a_"}) {
    for (const std::string work : {"ffma", "fadd"}) {
      all.push_back(series(side + work + "_wgmma_slowdown", {exact(0, 2.5)}));
      all.push_back(series(side + work + "_rate_beside", {exact(0, 90)}));
    }
    all.push_back(series(side + "ex2_slowdown", {exact(0, 1.3)}));
    all.push_back(series(side + "exponential_slowdown", {exact(0, 1.5)}));
    all.push_back(series(side + "fmnmx_slowdown", {exact(0, 2.2)}));
    all.push_back(series(side + "f2fp_slowdown", {exact(0, 1.8)}));
  }
  all.push_back(series("exponentials_alone", {exact(0, 300)}));
  all.push_back(series("exponentials_beside_own_wgmma", {exact(0, 600)}));
  // r = 90 / 120 = 0.75; (2.5 - 1) / (2.5 * 0.75) = 0.8.
  CHECK_THAT(number(all, "wgmma_stall_per_fp32_cycle").value, WithinRel(0.8));
  CHECK_THAT(number(all, "mufu_slowdown_beside_wgmma_ratio").value, WithinRel(1.3));
  // 600 / 300 alone over 1.5.
  CHECK_THAT(number(all, "own_wgmma_slowdown_over_others_ratio").value, WithinRel(2.0 / 1.5));
  CHECK_THAT(number(all, "alu_slowdown_beside_wgmma_ratio").value, WithinRel(2.0));
}

TEST_CASE("a spread is half of the middle 80 % over the median", "[profile]") {
  CHECK_THAT(profile::spread_of({.x = 0, .value = 50, .low = 49, .high = 52}), WithinRel(0.03));
  CHECK(profile::spread_of({}) == 0.0);
}

TEST_CASE("a line needs points at two places", "[profile]") {
  CHECK_THROWS_AS(profile::fit_line({1.0}, {1.0}), core::UsageError);
  CHECK_THROWS_AS(profile::fit_line({1.0, 1.0}, {1.0, 2.0}), core::UsageError);
}

TEST_CASE("an unknown microbenchmark is refused with the known ones", "[profile]") {
  CHECK_NOTHROW(profile::require_benchmark("wgmma"));
  CHECK_THROWS_WITH(profile::require_benchmark("gemm"), contains("'gemm'") && contains("barriers"));
}
