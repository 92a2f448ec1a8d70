#include "sim/timeline.h"

#include "tests/catch.h"

#include <algorithm>
#include <string>

using namespace fa3prof;

namespace {

core::Process timeline_of(const std::string& pipeline, const core::AttentionProblem& problem) {
  const sim::Machine machine = sim::load_machine("h200_sxm");
  const sim::Pipeline loaded = sim::load_pipeline(pipeline);
  return sim::simulate_timeline({.machine = machine, .pipeline = loaded, .problem = problem});
}

const core::Track& track(const core::Process& process, const std::string& name) {
  const auto found = std::ranges::find(process.tracks, name, &core::Track::name);
  REQUIRE(found != process.tracks.end());
  return *found;
}

double busy(const core::Track& track) {
  double sum = 0.0;
  for (const core::Span& span : track.spans) sum += span.end - span.begin;
  return sum;
}

constexpr core::AttentionProblem kProblem{.batch = 2,
                                          .num_heads = 16,
                                          .num_heads_kv = 16,
                                          .seqlen_q = 2048,
                                          .seqlen_kv = 2048,
                                          .head_dim = 128};

}  // namespace

TEST_CASE("Spans of a role or of the tensor core follow each other without overlap", "[sim]") {
  for (const std::string pipeline : {"fa3_fp16", "fa2", "fa3_serial"}) {
    const core::Process process = timeline_of(pipeline, kProblem);
    INFO(pipeline);
    for (const core::Track& of : process.tracks) {
      if (of.overlaps) continue;
      INFO(of.name);
      double end = 0.0;
      for (const core::Span& span : of.spans) {
        CHECK(span.begin >= end);
        CHECK(span.end > span.begin);
        end = span.end;
      }
    }
  }
}

TEST_CASE("The tensor core of a timeline executes what its tiles need", "[sim]") {
  const core::Process process = timeline_of("fa3_fp16", kProblem);
  // Three tiles of 128 x 2048 scores: 4 * m * n * d FLOP at 4096 a cycle, FP32 work beside it
  // aside.
  const double needed = 3.0 * 4.0 * 128.0 * 2048.0 * 128.0 / 4096.0;
  const double executed = busy(track(process, "tensor core"));
  CHECK(executed >= needed);
  CHECK(executed < 1.2 * needed);
}

TEST_CASE("Each load of a timeline leads to its uses, which begin after it", "[sim]") {
  const core::Process process = timeline_of("fa3_fp16", kProblem);
  // K and V of 16 blocks for two warpgroups and Q for each, in three tiles.
  CHECK(process.flows.size() == 3 * (2 * 16 * 2 + 2));
  for (const core::Flow& flow : process.flows) {
    CHECK(flow.from.at < flow.to.at);
    CHECK(process.tracks[flow.from.track].name == "producer");
  }
}

TEST_CASE("A timeline has a row for each role and each unit that is used", "[sim]") {
  const core::Process process = timeline_of("fa3_fp16", kProblem);
  for (const std::string name : {"producer", "consumer 1", "consumer 2", "consumer 1 asynchronous",
                                 "tensor core", "mufu unit", "TMA"}) {
    CHECK_FALSE(track(process, name).spans.empty());
  }
}

TEST_CASE("A causal timeline begins with the longest tile", "[sim]") {
  core::AttentionProblem causal = kProblem;
  causal.is_causal = true;
  const core::Process process = timeline_of("fa3_fp16", causal);
  CHECK(busy(track(process, "tensor core")) <
        busy(track(timeline_of("fa3_fp16", kProblem), "tensor core")));
  CHECK_FALSE(process.flows.empty());
}
