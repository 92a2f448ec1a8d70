#include "src/profile/stage_decoder.h"

#include "tests/catch.h"

#include <vector>

using namespace fa3prof;
using core::Stage;
using profile::RawRecord;

namespace {

RawRecord record(std::uint32_t keys_wait, std::uint32_t keys_ready, std::uint32_t code = 0) {
  RawRecord raw;
  raw.cycles[0] = keys_wait;
  raw.cycles[1] = keys_ready;
  raw.code = code;
  return raw;
}

}  // namespace

TEST_CASE("Low halves of counters become whole from the end, over their wrap", "[profile]") {
  const std::vector<RawRecord> records{record(0xFFFFFF00U, 0xFFFFFFF0U), record(0x10U, 0x40U)};
  const std::int64_t end = (std::int64_t{5} << 32) + 0x100;
  const auto role = profile::decode({.records = records, .capacity = 2, .made = 2}, end);
  CHECK(role.dropped == 0);
  REQUIRE(role.stamps.size() == 4);
  CHECK(role.stamps[0].cycles == (std::int64_t{4} << 32) + 0xFFFFFF00);
  CHECK(role.stamps[3].cycles == (std::int64_t{5} << 32) + 0x40);
  CHECK(role.stamps[3].stage == Stage::kKeysReady);
}

TEST_CASE("A ring that has gone round gives its last records in order and counts the others",
          "[profile]") {
  // The sixth and fifth have replaced the second and first.
  const std::vector<RawRecord> records{record(50, 55), record(60, 65), record(30, 35),
                                       record(40, 45)};
  const auto role = profile::decode({.records = records, .capacity = 4, .made = 6}, 100);
  CHECK(role.dropped == 2);
  REQUIRE(role.stamps.size() == 8);
  CHECK(role.stamps.front().cycles == 30);
  CHECK(role.stamps.back().cycles == 65);
}

TEST_CASE("Rings are told apart by stride and offset", "[profile]") {
  const std::vector<RawRecord> records{record(1, 2), record(10, 20), record(3, 4), record(30, 40)};
  const auto role = profile::decode(
      {.records = records, .capacity = 2, .stride = 2, .offset = 1, .made = 2}, 100);
  REQUIRE(role.stamps.size() == 4);
  CHECK(role.stamps[0].cycles == 10);
  CHECK(role.stamps[2].cycles == 30);
}

TEST_CASE("A record's code holds buffers and the tile that begins", "[profile]") {
  const std::vector<RawRecord> records{record(10, 20, (41U + 1U) << 8U | 2U)};
  const auto role = profile::decode({.records = records, .capacity = 1, .made = 1}, 100);
  REQUIRE(role.stamps.size() == 3);
  CHECK(role.stamps[0] == core::Stamp{.cycles = 10, .stage = Stage::kTile, .value = 41});
  CHECK(role.stamps[2] == core::Stamp{.cycles = 20, .stage = Stage::kKeysReady, .value = 2});
  const auto producer =
      profile::decode({.records = records, .capacity = 1, .made = 1, .is_producer = true}, 100);
  REQUIRE(producer.stamps.size() == 2);
  CHECK(producer.stamps[0] == core::Stamp{.cycles = 10, .stage = Stage::kLoadK, .value = 2});
  CHECK(producer.stamps[1] == core::Stamp{.cycles = 20, .stage = Stage::kLoadV, .value = 0});
}

TEST_CASE("The clock is the mean over CTAs that ran for some time", "[profile]") {
  CHECK(profile::mean_clock_mhz({}) == 0.0);
  CHECK_THAT(profile::mean_clock_mhz({{.end_cycles = 1500, .end_ns = 1000},
                                      {.end_cycles = 3400, .end_ns = 2000},
                                      {.begin_ns = 5, .end_ns = 5}}),
             Catch::Matchers::WithinRel(1600.0));
}
