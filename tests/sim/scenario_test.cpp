#include "sim/scenario.h"

#include "sim/builtin_configs.h"
#include "src/core/error.h"
#include "tests/catch.h"
#include "tests/sim/from_text.h"

#include <filesystem>
#include <fstream>
#include <sstream>

namespace fa3prof::tests {
namespace {

const std::filesystem::path kConfigs = std::filesystem::path(FA3PROF_SOURCE_DIR) / "configs";

std::string text_of(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

}  // namespace

TEST_CASE("the guide's cycles and TFLOPS come out to the digit", "[sim]") {
  struct Row {
    std::int64_t seqlen;
    double fa2_cycles;
    double fa3_cycles;
    double fa3_tflops;
    double speedup;  ///< as the guide prints it, two decimals
  };

  // simulate_hopper_pipeline of the guide, run for each length.
  const std::vector<Row> rows{
      {512, 1620, 960, 573, 1.69},         {1024, 3240, 1600, 688, 2.02},
      {2048, 6480, 2880, 760, 2.25},       {4096, 12960, 5440, 760, 2.38},
      {8192, 25920, 10560, 760, 2.45},     {16384, 51840, 20800, 760, 2.49},
      {131072, 414720, 164160, 760, 2.53},
  };
  const auto results = sim::run_scenario(sim::load_scenario("guide"));
  REQUIRE(results.size() == 2 * rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const core::Result& fa2 = results[2 * i];
    const core::Result& fa3 = results[2 * i + 1];
    CHECK(fa2.problem.seqlen_q == rows[i].seqlen);
    CHECK(*fa2.cycles == rows[i].fa2_cycles);
    CHECK(*fa3.cycles == rows[i].fa3_cycles);
    CHECK(*fa2.tflops == 340.0);
    CHECK(*fa3.tflops == rows[i].fa3_tflops);
    CHECK_THAT(*fa2.cycles / *fa3.cycles, WithinAbs(rows[i].speedup, 0.005));
    CHECK_FALSE(fa2.time_us.has_value());
  }
  CHECK_THAT(100.0 * (1.0 - *results[9].cycles / *results[8].cycles), WithinAbs(59.3, 0.05));
}

TEST_CASE("the guide's formula holds below its own lengths too", "[sim]") {
  // (1 + 2) * 160 and (2 + 2) * 160, although two stages are not filled by then.
  sim::Scenario guide = sim::load_scenario("guide");
  guide.problems.seqlens_q = {128, 256};
  const auto results = sim::run_scenario(guide);
  CHECK(*results.at(0).cycles == 405.0);
  CHECK(*results.at(1).cycles == 480.0);
  CHECK(*results.at(2).cycles == 810.0);
  CHECK(*results.at(3).cycles == 640.0);
}

TEST_CASE("the guide's time goes where its formula says", "[sim]") {
  sim::Scenario guide = sim::load_scenario("guide");
  guide.problems.seqlens_q = {8192};
  const auto results = sim::run_scenario(guide);
  const auto cycles = [](const core::Result& result) {
    std::vector<double> parts;
    for (const auto& part : result.breakdown) parts.push_back(part.cycles);
    return parts;
  };
  // tensor, softmax, load, barrier, ramp, tail
  CHECK(cycles(results[0]) == std::vector<double>{64 * 160, 64 * 45, 64 * 130, 64 * 70, 0, 0});
  CHECK(cycles(results[1]) == std::vector<double>{64 * 160, 0, 0, 0, 2 * 160, 0});
  CHECK(results[0].limiter == "dependency chain");
  CHECK(results[1].limiter == "tensor");
}

TEST_CASE("the result says once that its TFLOPS are by a rule", "[sim]") {
  sim::Scenario guide = sim::load_scenario("guide");
  auto results = sim::run_scenario(guide);
  REQUIRE(results[0].warnings.size() == 1);
  CHECK_THAT(results[0].warnings[0],
             contains("min(760, floor(340 * cycles of guide_fa2 / cycles))"));
  CHECK(results[1].warnings.empty());
  guide.pipelines.erase(guide.pipelines.begin());
  results = sim::run_scenario(guide);
  CHECK_THAT(results[0].warnings[0], contains("needs pipeline guide_fa2"));
  CHECK_FALSE(results[0].tflops.has_value());
}

TEST_CASE("every built-in scenario runs", "[sim]") {
  CHECK(sim::builtin_scenarios() == std::vector<std::string>{"guide", "h200_8k", "h200_sweep"});
  for (const std::string& name : sim::builtin_scenarios()) {
    for (const core::Result& result : sim::run_scenario(sim::load_scenario(name))) {
      CHECK(*result.cycles > 0.0);
    }
  }
}

TEST_CASE("the embedded configs are the files", "[sim]") {
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(kConfigs)) {
    const auto folder = entry.path().parent_path().filename();
    const bool is_read = folder == "recordings" || folder == "published" ||
                         folder == "calibrations" || folder == "grafana";
    if (!entry.is_regular_file() || is_read) continue;
    const std::string stem = entry.path().filename().string();
    const std::string name = stem.substr(0, stem.find('.'));
    sim::ConfigKind kind = sim::ConfigKind::kScenario;
    if (folder == "machines") kind = sim::ConfigKind::kMachine;
    if (folder == "models") kind = sim::ConfigKind::kModel;
    if (folder == "pipelines") kind = sim::ConfigKind::kPipeline;
    if (folder == "schemas") kind = sim::ConfigKind::kSchema;
    CHECK(sim::builtin_config(kind, name) == text_of(entry.path()));
    ++files;
  }
  CHECK(files == sim::builtin_configs().size());
}

TEST_CASE("machine and pipelines may be inline or in files beside the scenario", "[sim]") {
  const auto folder = std::filesystem::temp_directory_path() / "fa3prof_scenario_test";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "my_pipeline.json") << text_of(kConfigs / "pipelines" / "guide_fa2.json");
  std::ofstream(folder / "my_scenario.json") << R"({"name": "mine",
      "machine": {"name": "tiny", "sm_count": {"value": 2, "source": "test"}},
      "pipelines": ["my_pipeline.json", "./my_pipeline.json"],
      "problem": {"seqlen_q": 256, "batch": 1, "num_heads": 1}})";
  const auto results =
      sim::run_scenario(sim::load_scenario((folder / "my_scenario.json").string()));
  std::filesystem::remove_all(folder);
  REQUIRE(results.size() == 2);
  CHECK(*results[0].cycles == 2 * 405);
  CHECK(results[1].machine == "tiny");
}

TEST_CASE("a bad scenario is refused with file and pointer", "[sim]") {
  struct Case {
    std::string rest;
    std::string says;
  };

  const auto wrong = GENERATE(
      Case{R"("machin": "h200_sxm")",
           "scenario.json at /machin: unknown key; did you mean machine"},
      Case{R"("machine": "h300")", "scenario.json at /machine: unknown machine 'h300'"},
      Case{R"("machine": 5)", "scenario.json at /machine: is number, must be a string"},
      Case{R"("machine": {"name": "m"})", "scenario.json at /machine: the key 'sm_count'"},
      Case{R"("machine": "missing.json")", "missing.json: cannot read"},
      Case{R"("pipelines": ["fa2", "fa9"])", "scenario.json at /pipelines/1: unknown pipeline"},
      Case{R"("pipelines": [])", "scenario.json at /pipelines: is empty"},
      Case{R"("engine": "oracle")", "scenario.json at /engine: unknown engine"},
      Case{R"("problem": {"seqlen_q": 0})", "scenario.json at /problem/seqlen_q: is 0"},
      Case{R"("problem": {"seqlen_q": [512, 1.5]})", "scenario.json at /problem/seqlen_q/1"},
      Case{R"("problem": {"dtype": "fp4"})", "scenario.json at /problem/dtype: unknown dtype"},
      Case{R"("problem": {"seq": 512})", "scenario.json at /problem/seq: unknown key"});
  CHECK_THAT(error_of([&] { (void)scenario_from(R"({"name": "s", )" + wrong.rest + "}"); }),
             contains(wrong.says));
}

TEST_CASE("a scenario without machine or pipelines cannot run", "[sim]") {
  CHECK_THROWS_AS(sim::run_scenario(scenario_from(R"({"name": "s", "pipelines": "fa2"})")),
                  core::UsageError);
  CHECK_THROWS_AS(sim::run_scenario(scenario_from(R"({"name": "s", "machine": "h200_sxm"})")),
                  core::UsageError);
  CHECK_THROWS_AS(sim::load_scenario("no_such_scenario"), core::UsageError);
}

}  // namespace fa3prof::tests
