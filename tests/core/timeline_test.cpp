#include "src/core/timeline.h"

#include "src/core/error.h"
#include "tests/catch.h"

using namespace fa3prof;
using namespace fa3prof::core;
using namespace fa3prof::tests;

namespace {

Process example() {
  return {.name = "CTA 0",
          .clock_mhz = 1500.0,
          .tracks = {{.name = "consumer 1",
                      .spans = {{"issue", 0.0, 100.4},
                                {"softmax", 100.4, 300.0},
                                {"issue", 300.0, 420.0}}},
                     {.name = "TMA", .overlaps = true, .spans = {{"K", 250.0, 900.0}}}},
          .flows = {}};
}

}  // namespace

TEST_CASE("An excerpt of a short process is all of it, in whole cycles", "[core]") {
  const TimelineExcerpt whole = excerpt(example(), 4);
  CHECK(whole.is_whole);
  CHECK(whole.clock_mhz == 1500.0);
  REQUIRE(whole.tracks.size() == 2);
  CHECK(whole.tracks[0].names == std::vector<std::string>{"issue", "softmax"});
  CHECK(whole.tracks[0].kinds == std::vector<std::size_t>{0, 1, 0});
  CHECK(whole.tracks[0].begins == std::vector<std::int64_t>{0, 100, 300});
  CHECK(whole.tracks[0].lengths == std::vector<std::int64_t>{100, 200, 120});
  CHECK(whole.tracks[1].overlaps);
}

TEST_CASE("A longer process is cut at one moment for all tracks", "[core]") {
  const TimelineExcerpt part = excerpt(example(), 2);
  CHECK_FALSE(part.is_whole);
  REQUIRE(part.tracks.size() == 1);  // TMA begins later
  CHECK(part.tracks[0].begins == std::vector<std::int64_t>{0, 100});
  CHECK(excerpt(example(), 3).tracks.size() == 2);
}

TEST_CASE("A packed track whose lists do not fit together is refused", "[core]") {
  PackedTrack track = excerpt(example(), 4).tracks[0];
  CHECK_NOTHROW(validate(track));
  track.kinds[1] = 2;
  CHECK_THROWS_WITH(validate(track), contains("places in the names"));
  track.kinds.pop_back();
  CHECK_THROWS_WITH(validate(track), contains("of one length"));
}
