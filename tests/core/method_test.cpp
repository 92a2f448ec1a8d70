#include "src/core/method.h"

#include "tests/catch.h"

namespace fa3prof::tests {
namespace {

core::Method example() {
  return {.timer = "CUDA events",
          .mode = "sustained",
          .inputs = "normal(0, 1)",
          .settle_ms = 3000.0,
          .warmup_rounds = 5};
}

TEST_CASE("a method's fingerprint stays as it is over builds", "[core]") {
  // FNV-1a of "timer=CUDA events, mode=sustained, inputs=normal(0, 1), settle_ms=3000,
  // warmup_rounds=5, includes_quantization=false", computed by other means.
  CHECK(core::fingerprint(example()) == "e8eda593280cfb19");
}

TEST_CASE("every part of a method changes its fingerprint", "[core]") {
  const auto changed = [](auto change) {
    core::Method method = example();
    change(method);
    return core::fingerprint(method);
  };
  const std::string original = core::fingerprint(example());
  CHECK(changed([](core::Method& m) { m.timer = "CPU clock"; }) != original);
  CHECK(changed([](core::Method& m) { m.mode = "burst"; }) != original);
  CHECK(changed([](core::Method& m) { m.inputs = "zeros"; }) != original);
  CHECK(changed([](core::Method& m) { m.settle_ms = 0.0; }) != original);
  CHECK(changed([](core::Method& m) { m.warmup_rounds = 6; }) != original);
  CHECK(changed([](core::Method& m) { m.includes_quantization = true; }) != original);
  CHECK(changed([](core::Method& m) { m.steady_clock_ratio = 0.01; }) != original);
  CHECK(changed([](core::Method& m) { m.pause_ms = 50.0; }) != original);
}

}  // namespace
}  // namespace fa3prof::tests
