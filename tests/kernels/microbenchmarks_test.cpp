// Numbers that the hardware's structure fixes: where one of these fails, a microbenchmark measures
// something else than it says.
#include "kernels/microbenchmarks.h"

#include "src/core/error.h"
#include "tests/catch.h"
#include "tests/kernels/gpu_attention.h"

#include <algorithm>

using namespace fa3prof;
using namespace fa3prof::tests;
using kernels::Series;

namespace {

/// The value at `x`; the test fails where there is none.
double value_at(const std::vector<Series>& all, const std::string& name, double x = 0.0) {
  const auto series = std::ranges::find(all, name, &Series::name);
  REQUIRE(series != all.end());
  const auto point = std::ranges::find(series->points, x, &kernels::MeasuredPoint::x);
  REQUIRE(point != series->points.end());
  return point->value;
}

}  // namespace

TEST_CASE("two warpgroups' WGMMAs of N columns take N / 2 cycles each", "[kernels]") {
  if (!gpu_runs("fa3")) return;
  const std::vector<Series> all = kernels::run_microbenchmark("wgmma");
  for (const double n : {64.0, 128.0, 192.0, 256.0}) {
    CHECK_THAT(value_at(all, "wgmma_shared_a_2_warpgroups", n), WithinAbs(n / 2, 3.0));
    CHECK_THAT(value_at(all, "wgmma_register_a_2_warpgroups", n), WithinAbs(n / 2, 3.0));
  }
  CHECK_THAT(value_at(all, "wgmma_fp8_2_warpgroups", 128.0), WithinAbs(64.0, 3.0));
  // Eight instructions of 64 cycles, and less than two of them more for start and wait.
  CHECK_THAT(value_at(all, "wgmma_batch_n128_done", 8.0), WithinAbs(8 * 64 + 64, 64.0));
}

TEST_CASE("scalar pipes give what their lanes can", "[kernels]") {
  if (!gpu_runs("fa3")) return;
  const std::vector<Series> all = kernels::run_microbenchmark("pipes");
  CHECK_THAT(value_at(all, "ex2_rate", 8.0), WithinAbs(16.0, 0.5));
  CHECK_THAT(value_at(all, "shfl_rate", 8.0), WithinAbs(32.0, 1.5));
  CHECK_THAT(value_at(all, "fmnmx_rate", 8.0), WithinAbs(62.0, 4.0));
  CHECK_THAT(value_at(all, "ffma_rate", 8.0), WithinAbs(120.0, 10.0));
}

TEST_CASE("a stream of FFMA takes from WGMMA, a mix like softmax gives way to it", "[kernels]") {
  if (!gpu_runs("fa3")) return;
  const std::vector<Series> all = kernels::run_microbenchmark("interference");
  CHECK_THAT(value_at(all, "beside_shared_a_ex2_wgmma_slowdown"), WithinAbs(1.0, 0.05));
  CHECK_THAT(value_at(all, "beside_shared_a_softmax_wgmma_slowdown"), WithinAbs(1.0, 0.05));
  CHECK(value_at(all, "beside_shared_a_ffma_wgmma_slowdown") > 1.5);
  CHECK(value_at(all, "beside_shared_a_softmax_slowdown") > 1.3);
  // FMNMX and F2FP have half of their rate left.
  CHECK_THAT(value_at(all, "beside_shared_a_fmnmx_slowdown"), WithinAbs(2.0, 0.15));
  CHECK_THAT(value_at(all, "beside_shared_a_f2fp_slowdown"), WithinAbs(2.0, 0.25));
}

TEST_CASE("a miss of L2 takes longer than a hit, and HBM is slower than L2", "[kernels]") {
  if (!gpu_runs("fa3")) return;
  const std::vector<Series> tma = kernels::run_microbenchmark("tma");
  CHECK(value_at(tma, "tma_miss_latency", 1024) > value_at(tma, "tma_latency", 1024) + 100);
  const std::vector<Series> memory = kernels::run_microbenchmark("memory");
  constexpr double kMib = 1024.0 * 1024.0;
  CHECK(value_at(memory, "read", 16 * kMib) > 1.5 * value_at(memory, "read", 512 * kMib));
}

TEST_CASE("FP8 WGMMA slows work beside it as FP16 WGMMA of the same duration does", "[kernels]") {
  if (!gpu_runs("fa3")) return;
  const std::vector<Series> all = kernels::run_microbenchmark("interference");
  for (const std::string work : {"softmax", "ex2", "ffma", "fmnmx"}) {
    CAPTURE(work);
    CHECK_THAT(value_at(all, "beside_fp8_shared_a_" + work + "_slowdown"),
               WithinRel(value_at(all, "beside_shared_a_" + work + "_slowdown"), 0.03));
  }
}

TEST_CASE("the first copy through a tensor map takes longer, and all SMs' first loads",
          "[kernels]") {
  if (!gpu_runs("fa3")) return;
  const std::vector<Series> all = kernels::run_microbenchmark("start");
  CHECK(value_at(all, "first_copy") > value_at(all, "later_copy"));
  CHECK(value_at(all, "register_change") > 50);
  // 192 KiB on each SM at 4.9 TB/s at most.
  CHECK(value_at(all, "burst_last", 196608) > 196608 / 20.0);
}

TEST_CASE("code is issued each cycle where it fits the nearest caches, at half of it beyond",
          "[kernels]") {
  if (!gpu_runs("fa3")) return;
  const std::vector<Series> all = kernels::run_microbenchmark("code");
  CHECK_THAT(value_at(all, "later_pass", 16384), WithinAbs(1.0, 0.1));
  CHECK(value_at(all, "later_pass", 65536) > 1.8);
  CHECK(value_at(all, "later_pass", 262144) > 4.0);
  CHECK(value_at(all, "first_pass", 16384) > 1.1);
}

TEST_CASE("an unknown microbenchmark is refused", "[kernels]") {
  CHECK_THROWS_AS(kernels::run_microbenchmark("gemm"), core::UsageError);
}
