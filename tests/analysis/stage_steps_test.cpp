#include "src/analysis/stage_steps.h"

#include "src/analysis/stage_breakdown.h"
#include "src/analysis/stage_timeline.h"
#include "tests/analysis/made_trace.h"
#include "tests/catch.h"

#include <numeric>
#include <string>

using namespace fa3prof;
using namespace fa3prof::tests;
using analysis::Doing;

namespace {

double share(const std::vector<core::BreakdownPart>& parts, const std::string& category) {
  for (const core::BreakdownPart& part : parts) {
    if (part.category == category) return part.cycles;
  }
  return -1.0;
}

}  // namespace

TEST_CASE("Stamps fall into steps: the first without P V, the last with nothing else",
          "[analysis]") {
  const auto steps = analysis::steps_of(made_consumer(3));
  REQUIRE(steps.size() == 4);
  CHECK(steps[0].tile == 7);
  CHECK_FALSE(steps[0][core::Stage::kOutputDone].has_value());
  CHECK(analysis::gemms_of(steps[0]).size() == 1);
  CHECK(analysis::gemms_of(steps[1]).size() == 2);
  REQUIRE(analysis::gemms_of(steps[3]).size() == 1);
  CHECK_FALSE(analysis::gemms_of(steps[3])[0].is_scores);
  CHECK_FALSE(steps[3][core::Stage::kKeysWait].has_value());
}

TEST_CASE("A tile of one key block has its last P V in a step of its own", "[analysis]") {
  const auto steps = analysis::steps_of(made_consumer(1));
  REQUIRE(steps.size() == 2);
  CHECK(steps[1][core::Stage::kTileStored].has_value());
}

TEST_CASE("What a consumer does leaves no gap between its beginning and its last stamp",
          "[analysis]") {
  const core::RoleStamps role = made_consumer(5);
  const auto stretches = analysis::stretches_of(analysis::steps_of(role), 0);
  std::int64_t at = 0;
  for (const analysis::Stretch& stretch : stretches) {
    CHECK(stretch.begin == at);
    CHECK(stretch.end >= stretch.begin);
    at = stretch.end;
  }
  CHECK(at == role.stamps.back().cycles);
  CHECK(stretches.front().doing == Doing::kRamp);
  CHECK(stretches.back().doing == Doing::kRamp);
}

TEST_CASE("Shares of a traced launch sum to 1, and tail and launch are those of all CTAs",
          "[analysis]") {
  const core::StageTrace trace = made_trace(20);
  const auto shares = analysis::measured_shares(trace);
  double sum = 0.0;
  for (const core::BreakdownPart& part : shares) {
    CHECK(part.cycles >= 0.0);
    sum += part.cycles;
  }
  CHECK_THAT(sum, Catch::Matchers::WithinAbs(1.0, 1e-9));
  // Of two CTAs one ends a tenth of the launch before the other; the launch takes a fifth more.
  CHECK_THAT(share(shares, "tail"), Catch::Matchers::WithinAbs(0.05 / 1.2, 1e-9));
  CHECK(share(shares, "ramp") > 0.2 / 1.2);
}

TEST_CASE("The tensor core is busy for what its GEMMs need, not for as long as they are under way",
          "[analysis]") {
  core::StageTrace trace = made_trace(20);
  const double busy = share(analysis::measured_shares(trace), "tensor_busy");
  trace.scores_cycles /= 2.0;
  trace.output_cycles /= 2.0;
  const auto halved = analysis::measured_shares(trace);
  CHECK_THAT(share(halved, "tensor_busy"), Catch::Matchers::WithinRel(busy / 2.0, 1e-9));
  CHECK(share(halved, "softmax_exposed") + share(halved, "barrier") > busy / 2.0);
}

TEST_CASE("Longer waits for K are exposed loads", "[analysis]") {
  const double usual = share(analysis::measured_shares(made_trace(20)), "load_exposed");
  const double late = share(analysis::measured_shares(made_trace(20, 500)), "load_exposed");
  CHECK(late > usual + 0.15);
}

TEST_CASE("What stamping costs a traced CTA is told by the others of its launch", "[analysis]") {
  core::StageTrace trace = made_trace(10);
  // The other CTA is a tenth shorter: with as many key blocks it is as much faster.
  trace.key_blocks = 20;
  const auto ratio =
      static_cast<double>(trace.lives[0].cycles()) / static_cast<double>(trace.lives[1].cycles());
  REQUIRE(trace.cta_loss_ratio().has_value());
  CHECK_THAT(*trace.cta_loss_ratio(), Catch::Matchers::WithinAbs(ratio - 1.0, 1e-12));
  trace.key_blocks = 10;  // the traced CTA did them all
  CHECK_FALSE(trace.cta_loss_ratio().has_value());
  trace.key_blocks = 20;
  trace.ctas[0].roles[1].dropped = 1;
  CHECK_FALSE(trace.cta_loss_ratio().has_value());
}

TEST_CASE("A traced CTA has a track for each role and an arrow for each load that was used",
          "[analysis]") {
  const auto processes = analysis::timelines_of(made_trace(4), "fa3");
  REQUIRE(processes.size() == 1);
  const core::Process& process = processes[0];
  CHECK(process.name == "fa3 measured: CTA 0 on SM 3");
  std::vector<std::string> names;
  for (const core::Track& track : process.tracks) names.push_back(track.name);
  CHECK(names == std::vector<std::string>{"producer", "consumer 1", "consumer 1 WGMMA", "TMA"});
  CHECK(process.flows.size() == 8);
  for (const core::Flow& flow : process.flows) {
    CHECK(flow.from.at < flow.to.at);
    CHECK(process.tracks[flow.from.track].name == "producer");
    CHECK(process.tracks[flow.to.track].name == "consumer 1");
  }
}
