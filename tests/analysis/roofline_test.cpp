#include "src/analysis/roofline.h"

#include "tests/catch.h"

#include <algorithm>
#include <string_view>

using namespace fa3prof;
using namespace fa3prof::analysis;
using Catch::Matchers::WithinRel;

namespace {

sim::Machine small_machine() {
  sim::Machine machine;
  machine.sm_count = 100;
  machine.clock_load_mhz = 1500.0;
  machine.clock_max_mhz = 2000.0;
  machine.wgmma_fp16_flop_per_cycle = 4096.0;
  machine.wgmma_fp8_flop_per_cycle = 8192.0;
  machine.mufu_per_cycle = 16.0;
  machine.l2_bytes_per_cycle = 5000.0;
  machine.hbm_bytes_per_s = 4.0e12;
  return machine;
}

const Roof& find(const std::vector<Roof>& roofs, std::string_view unit) {
  const auto roof = std::ranges::find(roofs, unit, &Roof::unit);
  REQUIRE(roof != roofs.end());
  return *roof;
}

}  // namespace

TEST_CASE("Roofs are the machine's rates at the clock under load and at the highest",
          "[analysis]") {
  const auto roofs = roofs_of(small_machine(), 128);
  CHECK(roofs.size() == 5);
  CHECK_THAT(find(roofs, "tensor_fp16").value, WithinRel(4096.0 * 100 * 1.5e9));
  CHECK_THAT(find(roofs, "tensor_fp16").value_at_max_clock, WithinRel(4096.0 * 100 * 2.0e9));
  CHECK_THAT(find(roofs, "tensor_fp8").value, WithinRel(8192.0 * 100 * 1.5e9));
  CHECK_THAT(find(roofs, "l2").value, WithinRel(5000.0 * 1.5e9));
  CHECK(find(roofs, "l2").kind == RoofKind::kMemory);
  CHECK(find(roofs, "hbm").value == 4.0e12);
  CHECK(find(roofs, "hbm").value_at_max_clock == 4.0e12);
  CHECK(find(roofs, "tensor_fp16").formula == "4096 FLOP/cycle/SM x 100 SM x 1500 MHz");
}

TEST_CASE("The roof of the exponentials rises with head_dim and meets FP16's at 64", "[analysis]") {
  const auto of = [](std::int64_t head_dim) {
    return find(roofs_of(small_machine(), head_dim), "exponentials").value;
  };
  CHECK_THAT(of(64), WithinRel(find(roofs_of(small_machine(), 64), "tensor_fp16").value));
  CHECK_THAT(of(128), WithinRel(2.0 * of(64)));
  CHECK_THAT(of(256), WithinRel(4.0 * of(64)));
}

TEST_CASE("A roof whose numbers a machine lacks is left out", "[analysis]") {
  sim::Machine machine = small_machine();
  machine.wgmma_fp8_flop_per_cycle.reset();
  CHECK(roofs_of(machine, 128).size() == 4);
  machine.clock_load_mhz.reset();
  const auto roofs = roofs_of(machine, 128);
  REQUIRE(roofs.size() == 1);
  CHECK(roofs.front().unit == "hbm");
}

TEST_CASE("mma.sync is the FP16 roof of a machine without WGMMA", "[analysis]") {
  sim::Machine machine = small_machine();
  machine.wgmma_fp16_flop_per_cycle.reset();
  machine.mma_sync_fp16_flop_per_cycle = 2048.0;
  CHECK_THAT(find(roofs_of(machine, 128), "tensor_fp16").value, WithinRel(2048.0 * 100 * 1.5e9));
}
