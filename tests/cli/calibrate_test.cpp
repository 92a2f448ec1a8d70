#include "sim/machine.h"
#include "src/commands/machine_file.h"
#include "src/core/error.h"
#include "src/core/json_reader.h"
#include "tests/catch.h"
#include "tests/cli/fake_program.h"
#include "tests/cli/temporary_directory.h"

using namespace fa3prof;
using namespace fa3prof::tests;

namespace {

profile::Series series(const std::string& name, double x, double value) {
  return {.benchmark = "fake",
          .name = name,
          .axis = "warps",
          .unit = "1/cycle",
          .points = {{.x = x, .value = value, .low = 0.98 * value, .high = 1.02 * value}}};
}

/// An H200 that computes 2^x at 15.98765 a cycle.
FakeMachine calibrated() {
  FakeMachine machine;
  machine.series = {series("sm_count", 0, 132), series("ex2_rate", 8, 15.98765)};
  return machine;
}

}  // namespace

TEST_CASE("calibrate writes a machine file that simulate reads", "[cli]") {
  const TemporaryDirectory directory;
  const std::string file = directory.path("mine.json");
  CHECK(run_program({"calibrate", "--output", file}, calibrated()).code == core::ExitCode::kDone);
  const sim::Machine machine = sim::load_machine(file);
  CHECK(machine.name == "mine");
  CHECK(machine.mufu_per_cycle == 15.99);
  CHECK(machine.sm_count == 132);
  // What was not measured is the built-in machine's.
  CHECK(machine.launch_us == sim::load_machine("h200_sxm").launch_us);
  CHECK(run_program({"simulate", "--machine", file, "--seq", "1024"}).code ==
        core::ExitCode::kDone);
}

TEST_CASE("a measured number says by what, on which GPU, when and how exactly", "[cli]") {
  const Outcome outcome = run_program({"calibrate", "--json", "-"}, calibrated());
  const core::Json document = core::parse_json(outcome.out, "stdout");
  const std::string source = document["machine"]["mufu_per_cycle"]["source"];
  CHECK_THAT(source, contains("measured by fa3prof calibrate") && contains("NVIDIA H200") &&
                         contains("2026-11-30") && contains("MUFU.EX2") && contains("+-2.0 %"));
  // What was not measured keeps the source of the base.
  CHECK_THAT(document["machine"]["clock_spec_mhz"]["source"].get<std::string>(),
             contains("datasheet") && !contains("calibrate"));
  CHECK(document["series"][1]["points"][0]["value"] == 15.98765);
}

TEST_CASE("the table shows measured beside base, the details every series", "[cli]") {
  const Outcome table = run_program({"calibrate"}, calibrated());
  CHECK_THAT(table.out, contains("mufu_per_cycle") && contains("15.99") && !contains("ex2_rate"));
  const Outcome details = run_program({"calibrate", "--details"}, calibrated());
  CHECK_THAT(details.out, contains("ex2_rate [1/cycle] by warps  8:15.988(15.668..16.307)"));
}

TEST_CASE("calibrate refuses an unknown benchmark and a bad base before it measures", "[cli]") {
  CHECK_THROWS_AS(run_program({"calibrate", "--only", "wgmma,gemm"}, calibrated()),
                  core::UsageError);
  CHECK_THROWS_AS(run_program({"calibrate", "--base", "h300"}, calibrated()), core::UsageError);
  CHECK_THROWS_AS(run_program({"calibrate", "--output", "/nowhere/mine.json"}, calibrated()),
                  core::UsageError);
}

TEST_CASE("calibrate without a GPU is unavailable and writes no file", "[cli]") {
  const TemporaryDirectory directory;
  const std::string file = directory.path("mine.json");
  CHECK_THROWS_AS(run_program({"calibrate", "--output", file}, {.has_gpu = false}),
                  core::UnavailableError);
  CHECK_THROWS_AS(sim::load_machine(file), core::ConfigError);
}

TEST_CASE("a machine file may begin from nothing", "[cli]") {
  core::Gpu gpu;
  gpu.capability = {.major = 9, .minor = 0};
  gpu.sm_count = 78;
  const core::Json document = commands::machine_document(
      core::Json::object(), {}, {.name = "new", .description = "a GPU", .measured_by = ""}, gpu);
  const core::Json parsed = core::parse_json(commands::machine_text(document), "new.json");
  const sim::Machine machine = sim::read_machine({parsed, "new.json"});
  CHECK(machine.sm_count == 78);
  CHECK(machine.compute_capability == gpu.capability);
}

TEST_CASE("measured values are rounded to four digits", "[cli]") {
  CHECK(commands::rounded_to_four_digits(63.98765) == 63.99);
  CHECK(commands::rounded_to_four_digits(4859.6) == 4860.0);
  CHECK(commands::rounded_to_four_digits(3.89765e12) == 3.898e12);
  CHECK(commands::rounded_to_four_digits(0.0) == 0.0);
}

TEST_CASE("calibrate shows a bar on a terminal, wiped, and none with --quiet", "[cli]") {
  const cli::Terminal terminal{.has_progress = true};
  const Outcome shown = run_program({"calibrate"}, calibrated(), terminal);
  CHECK_THAT(shown.err, contains("[2/4] ####------------ measuring fake"));
  CHECK(shown.err.ends_with("\r\x1b[K"));
  CHECK(run_program({"calibrate", "--quiet"}, calibrated(), terminal).err.empty());
  CHECK(run_program({"calibrate"}, calibrated()).err.empty());
}
