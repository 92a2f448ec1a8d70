#include "src/report/json.h"
#include "tests/catch.h"
#include "tests/cli/fake_program.h"
#include "tests/cli/temporary_directory.h"

using namespace fa3prof;
using namespace fa3prof::tests;

namespace {

/// A sweep of five problems, or a shard of it, with the model beside it.
core::Report run_sweep(const std::vector<std::string>& flags) {
  std::vector<std::string> arguments{"run",    "--seq", "512,1k,2k,4k,8k", "--kernel", "fa2,fa3",
                                     "--json", "-",     "--quiet"};
  arguments.insert(arguments.end(), flags.begin(), flags.end());
  return report_of(run_program(arguments));
}

}  // namespace

TEST_CASE("The merged shards of a sweep are the sweep", "[cli]") {
  const TemporaryDirectory directory;
  std::vector<std::string> arguments{"merge"};
  for (const char* shard : {"2/3", "3/3", "1/3"}) {
    const core::Report report = run_sweep({"--shard", shard});
    CHECK(report.shard.has_value());
    arguments.push_back(
        directory.write(std::string(1, *shard) + ".json", report::to_json(report).dump()));
  }
  core::Report merged = report_of(run_program(arguments));
  core::Report whole = run_sweep({});
  merged.command = whole.command = {};
  CHECK(report::to_json(merged) == report::to_json(whole));
  const std::string file = directory.path("merged.json");
  arguments.insert(arguments.end(), {"-o", file});
  CHECK(run_program(arguments).out.empty());
  CHECK(report::load_report(file).results.size() == whole.results.size());
}

TEST_CASE("The merged shards of a simulated sweep are the sweep", "[cli]") {
  const TemporaryDirectory directory;
  const auto simulate = [](const std::vector<std::string>& flags) {
    std::vector<std::string> arguments{"simulate", "--engine", "closed_form", "--seq",
                                       "1k,2k,4k", "--quiet",  "--json",      "-"};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    return report_of(run_program(arguments));
  };
  std::vector<std::string> arguments{"merge"};
  for (const char* shard : {"2/2", "1/2"}) {
    arguments.push_back(directory.write(std::string(1, *shard) + ".json",
                                        report::to_json(simulate({"--shard", shard})).dump()));
  }
  CHECK(report::to_json(report_of(run_program(arguments)))["results"] ==
        report::to_json(simulate({}))["results"]);
  CHECK(simulate({"--shard", "4/4"}).results.empty());
}

TEST_CASE("A missing shard is refused unless the rest will do", "[cli]") {
  const TemporaryDirectory directory;
  const std::string half =
      directory.write("half.json", report::to_json(run_sweep({"--shard", "1/2"})).dump());
  CHECK_THROWS_WITH(run_program({"merge", half}), contains("these are missing: 2"));
  CHECK_THAT(run_program({"merge", half, "--partial"}).out, contains("shards that are missing: 2"));
  CHECK_THROWS_WITH(run_program({"merge", half, "-o", half}), contains("is read as input"));
}

TEST_CASE("A shard without a problem is an empty report, not an error", "[cli]") {
  const Outcome outcome =
      run_program({"run", "--seq", "512", "--shard", "2/2", "--json", "-", "--quiet"});
  CHECK(outcome.code == core::ExitCode::kDone);
  CHECK(report_of(outcome).results.empty());
  CHECK_THAT(outcome.err, contains("nothing to do"));
}
