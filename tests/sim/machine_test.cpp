#include "sim/machine.h"

#include "src/core/error.h"
#include "tests/catch.h"
#include "tests/sim/from_text.h"

namespace fa3prof::tests {
TEST_CASE("every built-in machine loads and states its peak", "[sim]") {
  const auto names = sim::builtin_machines();
  CHECK(names == std::vector<std::string>{"a100_sxm", "b200", "gh200", "h100_nvl", "h100_pcie",
                                          "h100_sxm", "h20", "h200_sxm", "h800_sxm"});
  for (const std::string& name : names) {
    const sim::Machine machine = sim::load_machine(name);
    CHECK(machine.name == name);
    CHECK(machine.clock_spec_mhz.has_value());
    CHECK(machine.mma_sync_fp16_flop_per_cycle.has_value());
  }
}

TEST_CASE("the datasheets' dense FP16 TFLOPS follow from the machine files", "[sim]") {
  const auto peak = [](const char* name) {
    const sim::Machine m = sim::load_machine(name);
    const double rate = m.wgmma_fp16_flop_per_cycle.value_or(*m.mma_sync_fp16_flop_per_cycle);
    return rate * static_cast<double>(m.sm_count) * *m.clock_spec_mhz * 1e-6;
  };
  CHECK_THAT(peak("h200_sxm"), WithinRel(989.4, 1e-3));
  CHECK_THAT(peak("h100_sxm"), WithinRel(989.4, 1e-3));
  CHECK_THAT(peak("h100_pcie"), WithinRel(756.5, 1e-3));
  CHECK_THAT(peak("h100_nvl"), WithinRel(835.5, 1e-3));
  CHECK_THAT(peak("h800_sxm"), WithinRel(990.0, 1e-3));
  CHECK_THAT(peak("gh200"), WithinRel(990.0, 1e-3));
  CHECK_THAT(peak("h20"), WithinRel(148.0, 1e-3));
  CHECK_THAT(peak("b200"), WithinRel(2250.0, 1e-3));
  CHECK_THAT(peak("a100_sxm"), WithinRel(312.0, 1e-3));
}

TEST_CASE("memory clocks and bus widths give the bandwidth of the datasheets", "[sim]") {
  const auto bandwidth = [](const char* name) {
    const sim::Machine m = sim::load_machine(name);
    return 2.0 * *m.memory_clock_mhz * 1e6 * *m.memory_bus_width_bits / 8.0;
  };
  CHECK_THAT(bandwidth("h100_sxm"), WithinRel(3.35e12, 0.01));
  CHECK_THAT(bandwidth("h800_sxm"), WithinRel(3.35e12, 0.01));
  CHECK_THAT(bandwidth("h100_pcie"), WithinRel(2.039e12, 0.01));
  CHECK_THAT(bandwidth("h100_nvl"), WithinRel(3.9e12, 0.02));
  CHECK_THAT(bandwidth("h200_sxm"), WithinRel(4.8e12, 0.03));
  CHECK_THAT(bandwidth("gh200"), WithinRel(4.0e12, 0.01));
  CHECK_THAT(bandwidth("h20"), WithinRel(4.0e12, 0.01));
  CHECK_THAT(bandwidth("a100_sxm"), WithinRel(2.039e12, 0.01));
  CHECK_THAT(bandwidth("b200"), WithinRel(8.0e12, 0.05));
  for (const std::string& name : sim::builtin_machines()) {
    CHECK(*sim::load_machine(name).hbm_bytes_per_s <= 1.001 * bandwidth(name.c_str()));
  }
}

TEST_CASE("a B200 is marked as no model of its own kernels", "[sim]") {
  CHECK_THAT(sim::load_machine("b200").description, contains("NOT of tcgen05"));
}

TEST_CASE("an unknown machine is refused with the names", "[sim]") {
  CHECK_THROWS_AS(sim::load_machine("h300"), core::UsageError);
  CHECK_THAT(error_of([] { (void)sim::load_machine("h300"); }),
             contains("a100_sxm, b200, gh200, h100_nvl, h100_pcie, h100_sxm"));
  CHECK_THROWS_AS(sim::load_machine("./h300.json"), core::ConfigError);
}

TEST_CASE("a bad machine file is refused with file and pointer", "[sim]") {
  const std::string head = R"({"name": "m", "sm_count": {"value": 1, "source": "s"})";
  const auto says = [&](const std::string& rest) {
    return error_of([&] { (void)machine_from(head + rest + "}"); });
  };
  CHECK_THAT(says(R"(, "mufu_per_cycl": {"value": 16, "source": "s"})"),
             contains("machine.json at /mufu_per_cycl: unknown key; did you mean mufu_per_cycle"));
  CHECK_THAT(says(R"(, "mufu_per_cycle": {"value": 0, "source": "s"})"),
             contains("machine.json at /mufu_per_cycle/value: is 0, must be > 0"));
  CHECK_THAT(says(R"(, "tma_latency_cycles": {"value": -1, "source": "s"})"),
             contains("machine.json at /tma_latency_cycles/value"));
  CHECK_THAT(says(R"(, "mufu_slowdown_beside_wgmma_ratio": {"value": 0.9, "source": "s"})"),
             contains("machine.json at /mufu_slowdown_beside_wgmma_ratio/value"));
  CHECK_THAT(says(R"(, "wgmma_issue_ahead_instructions": {"value": 1e308, "source": "s"})"),
             contains("machine.json at /wgmma_issue_ahead_instructions/value"));
  CHECK_THAT(says(R"(, "fp32_slowdown_beside_wgmma_ratio": {"value": 1e18, "source": "s"})"),
             contains("machine.json at /fp32_slowdown_beside_wgmma_ratio/value"));
  CHECK_THAT(says(R"(, "mufu_per_cycle": 16)"), contains("source"));
  CHECK_THAT(says(R"(, "compute_capability": [9])"), contains("/compute_capability"));
  CHECK(says("").empty());
  CHECK_THAT(error_of([] { (void)machine_from(R"({"name": "m"})"); }),
             contains("'sm_count' is missing"));
  CHECK_THAT(error_of([] {
               (void)machine_from(R"({"name": "m", "sm_count": {"value": 1.5, "source": "s"}})");
             }),
             contains("/sm_count/value: must be an integer"));
}

TEST_CASE("a number that the machine lacks is asked for by its key", "[sim]") {
  const sim::Machine a100 = sim::load_machine("a100_sxm");
  CHECK(sim::required(a100, &sim::Machine::mufu_per_cycle, "test") == 16.0);
  CHECK_THAT(
      error_of([&] { (void)sim::required(a100, &sim::Machine::tma_latency_cycles, "test"); }),
      contains("test needs tma_latency_cycles, which machine a100_sxm does not state"));
}

}  // namespace fa3prof::tests
