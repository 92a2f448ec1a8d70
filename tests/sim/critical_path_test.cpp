#include "sim/critical_path.h"

#include "tests/catch.h"
#include "tests/sim/from_text.h"

namespace fa3prof::tests {
namespace {

const std::string kFullEmpty =
    R"({"full": {"kind": "mbarrier"}, "empty": {"kind": "mbarrier", "initially_free": "stages"}})";

/// End of one tile of `trips` trips; barriers take no time.
sim::PathTime end_of(const std::string& barriers, const std::string& roles, int trips) {
  const sim::Pipeline pipeline = pipeline_from(pipeline_text(barriers, roles));
  const sim::Machine machine = machine_from(
      R"({"name": "m", "sm_count": {"value": 1, "source": "s"},
          "mbarrier_cycles": {"value": 0, "source": "s"},
          "named_barrier_cycles": {"value": 10, "source": "s"},
          "cta_barrier_cycles": {"value": 7, "source": "s"}})");
  sim::SizeScope scope;
  scope[sim::SizeName::kStages] = 2;
  const auto costs = sim::program_costs({machine, pipeline, scope, core::DataType::kFloat16});
  return sim::run_uncontended(pipeline, scope, costs, {.trips = trips}).tile_ends[0];
}

}  // namespace

TEST_CASE("steps of one role follow one another and their parts sum to the end", "[sim]") {
  const auto end =
      end_of("{}",
             R"([{"name": "r", "warps": 1, "prologue": [)" + delay("p", 3, "load") +
                 R"(], "loop": [)" + delay("l", 20, "load") + ", " + delay("g", 50, "tensor") +
                 ", " + delay("s", 7, "mufu") + R"(, {"barrier": "b"}]}])",
             10);
  CHECK(end.cycles == 3 + 10 * 84);
  CHECK(end.part(sim::PathPart::kRamp) == 3);
  CHECK(end.part(sim::PathPart::kLoad) == 200);
  CHECK(end.part(sim::PathPart::kTensor) == 500);
  CHECK(end.part(sim::PathPart::kElementwise) == 70);
  CHECK(end.part(sim::PathPart::kBarrier) == 70);
}

TEST_CASE("background work runs under what follows until it is waited for", "[sim]") {
  const auto loop = [](double gemm, double softmax) {
    return R"([{"name": "r", "warps": 1, "loop": [)" +
           delay("g", gemm, "tensor", R"(, "is_async": true)") + ", " +
           delay("s", softmax, "mufu") + R"(, {"wait_group": "g"}]}])";
  };
  CHECK(end_of("{}", loop(80, 45), 4).cycles == 4 * 80);
  CHECK(end_of("{}", loop(45, 80), 4).cycles == 4 * 80);
}

TEST_CASE("background tensor work runs in the order of issue", "[sim]") {
  const auto end =
      end_of("{}",
             R"([{"name": "r", "warps": 1, "loop": [)" +
                 delay("a", 30, "tensor", R"(, "is_async": true)") + ", " +
                 delay("b", 50, "tensor", R"(, "is_async": true)") + R"(, {"wait_group": "a"}, )" +
                 delay("s", 10, "mufu") + R"(, {"wait_group": "b"}]}])",
             1);
  CHECK(end.cycles == 80);
}

TEST_CASE("stages let loads run ahead until a buffer must be free", "[sim]") {
  const auto roles = [](double load, double work) {
    return R"([{"name": "producer", "warps": 1, "loop": [{"wait": "empty"}, )" +
           delay("l", load, "load", R"(, "signals": "full")") +
           R"(]}, {"name": "consumer", "warps": 4, "loop": [{"wait": "full"}, )" +
           delay("w", work, "tensor") + R"(, {"arrive": "empty"}]}])";
  };
  CHECK(end_of(kFullEmpty, roles(10, 100), 20).cycles == 10 + 20 * 100);
  // Two buffers in flight: every two blocks take a load and the work on one of them.
  CHECK(end_of(kFullEmpty, roles(300, 100), 20).cycles == 10 * 400 + 100);
}

TEST_CASE("a turn goes round and costs a hand-over each time", "[sim]") {
  const auto end =
      end_of(R"({"turn": {"kind": "turn"}})",
             R"([{"name": "c", "instances": 2, "warps": 4, "loop": [{"sync": "turn"}, )" +
                 delay("g", 50, "tensor") + R"(, {"arrive": "turn"}]}])",
             5);
  CHECK(end.cycles == 10 * 50 + 9 * 10);
}

}  // namespace fa3prof::tests
