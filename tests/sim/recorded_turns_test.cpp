// Two GEMMs in turn with exponentials between them: the event engine against the microbenchmark
// that an H200 ran (configs/calibrations). No attention kernel is involved.
#include "sim/engine.h"
#include "tests/catch.h"
#include "tests/sim/from_text.h"

#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <stdexcept>

namespace fa3prof::tests {
namespace {

/// Warpgroups that take turns at scores [64, n] of depth k and outputs [64, k'] of depth n'.
struct Turn {
  const char* series;
  int warpgroups;
  int scores_n;
  int scores_k;
  int output_n;
  int output_k;
  double tolerance;  ///< how near the engine is known to come
};

constexpr Turn kTurns[]{{"turn_excess_n128_n128", 2, 128, 128, 128, 128, 0.06},
                        {"turn_excess_n80_n256", 2, 80, 256, 256, 80, 0.06},
                        {"turn_excess_n128_n64", 2, 128, 64, 64, 128, 0.08},
                        {"turn_excess_n128_n64_of_3", 3, 128, 64, 64, 128, 0.13}};

/// Cycles that the two GEMMs of a turn take: 64 n k multiply-adds, 2048 a cycle.
double gemm_cycles(const Turn& turn) {
  return (turn.scores_n * turn.scores_k + turn.output_n * turn.output_k) / 32.0;
}

/// The instructions between the work are those of the benchmark's machine code.
std::string roles_of(const Turn& turn, int elements_per_thread) {
  return fmt::format(
      R"([{{"name": "c", "instances": {}, "warps": 4, "loop": [
  {{"elementwise": "control", "dependent": {{"select": 11}}}}, {{"sync": "turn"}},
  {{"elementwise": "descriptors", "dependent": {{"select": 20}}}},
  {{"mma": "a", "m": 64, "n": {}, "k": {}, "by": "wgmma", "a": "shared", "is_async": true}},
  {{"mma": "b", "m": 64, "n": {}, "k": {}, "by": "wgmma", "a": "registers", "is_async": true}},
  {{"arrive": "turn"}}, {{"wait_group": "a"}},
  {{"elementwise": "e", "elements": {}, "per_element": {{"fma": 1, "exp2": 1, "add": 1, "convert": 0.5}}}},
  {{"wait_group": "b"}}]}}])",
      turn.warpgroups, turn.scores_n, turn.scores_k, turn.output_n, turn.output_k,
      128 * elements_per_thread);
}

/// From one turn of a warpgroup to its next, in the steady state.
double simulated_period(const sim::Machine& machine, const Turn& turn, int elements_per_thread) {
  const sim::Pipeline pipeline = pipeline_from(
      pipeline_text(R"({"turn": {"kind": "turn"}})", roles_of(turn, elements_per_thread)));
  const auto cycles = [&](std::int64_t trips) {
    const core::AttentionProblem problem{
        .seqlen_q = 128, .seqlen_kv = 128 * trips, .head_dim = 128};
    return *sim::simulate(sim::Engine::kDiscreteEvent, machine, pipeline, problem).cycles;
  };
  return (cycles(256) - cycles(128)) / 128.0;
}

core::Json recorded_series(const std::string& name) {
  const std::string path = "configs/calibrations/h200_sxm.json";
  std::ifstream file(std::string(FA3PROF_SOURCE_DIR) + "/" + path);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const core::Json recording = core::parse_json(text, path);
  for (const core::Json& series : recording["series"]) {
    if (series["name"] == name) return series;
  }
  throw std::logic_error("no series " + name);
}

}  // namespace

TEST_CASE("turns with exponentials between them take about what an H200 was measured to take",
          "[sim]") {
  const sim::Machine machine = sim::load_machine("h200_sxm");
  for (const Turn& turn : kTurns) {
    const core::Json series = recorded_series(turn.series);
    for (const core::Json& point : series["points"]) {
      const auto elements = point.value("x", 0.0);
      if (elements == 0.0) continue;
      const double measured = turn.warpgroups * (gemm_cycles(turn) + point["value"].get<double>());
      CAPTURE(turn.series, elements);
      CHECK_THAT(simulated_period(machine, turn, static_cast<int>(elements)),
                 WithinRel(measured, turn.tolerance));
    }
  }
}

}  // namespace fa3prof::tests
