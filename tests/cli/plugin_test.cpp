// Plugins on the command line, with a fake profiler: the libraries are real.
#include "tests/catch.h"
#include "tests/cli/fake_program.h"

#include <fstream>
#include <sstream>

using namespace fa3prof;
using namespace fa3prof::tests;
using core::ExitCode;

namespace {

std::string plugin(const std::string& name) {
  return std::string(FA3PROF_PLUGIN_DIR) + "/" + name + ".so";
}

std::vector<std::string> kernels_of(const core::Report& report) {
  std::vector<std::string> kernels;
  for (const core::Result& result : report.results) {
    if (result.source == core::ResultSource::kMeasured) kernels.push_back(result.kernel);
  }
  return kernels;
}

}  // namespace

TEST_CASE("A plugin runs beside the named kernels, with its version and without a model", "[cli]") {
  const Outcome outcome =
      run_program({"run", "--kernel", "fa2", "--plugin", plugin("example"), "--json", "-"});
  CHECK(outcome.code == ExitCode::kDone);
  const core::Report report = report_of(outcome);
  CHECK(kernels_of(report) == std::vector<std::string>{"fa2", "example"});
  CHECK(report.results.size() == 3);
  CHECK(report.results[0].kernel_version.empty());
  CHECK(report.results[1].kernel_version == "1.0");
  CHECK_THAT(outcome.err, contains("example over fa2") && contains("peers     example 1.0"));
}

TEST_CASE("Several plugins come by repeating the flag or in a list, and follow all of ours",
          "[cli]") {
  const std::vector<std::string> expected{"fa2", "fa3", "example", "broken"};
  CHECK(kernels_of(report_of(run_program({"run", "--plugin", plugin("example"), "--plugin",
                                          plugin("sound"), "--json", "-"}))) == expected);
  CHECK(kernels_of(report_of(run_program(
            {"run", "--plugin", plugin("example") + "," + plugin("sound"), "--json", "-"}))) ==
        expected);
}

TEST_CASE("A plugin may be named in the list of kernels, and be the only one", "[cli]") {
  const auto kernels = [](const std::string& names) {
    return kernels_of(report_of(
        run_program({"run", "--kernel", names, "--plugin", plugin("example"), "--json", "-"})));
  };
  CHECK(kernels("example,fa2") == std::vector<std::string>{"example", "fa2"});
  CHECK(kernels("example") == std::vector<std::string>{"example"});
}

TEST_CASE("A problem that a plugin does not support is a row with its reason", "[cli]") {
  const Outcome outcome = run_program(
      {"run", "--kernel", "fa3", "--dtype", "bf16", "--plugin", plugin("example"), "--json", "-"});
  CHECK(outcome.code == ExitCode::kDone);
  const core::Report report = report_of(outcome);
  REQUIRE(kernels_of(report).size() == 2);
  CHECK(report.results[0].unsupported_reason == "example: takes fp16 only");
  CHECK(report.results[0].kernel_version == "1.0");
  CHECK_THAT(outcome.err, contains("not supported: takes fp16 only"));
  CHECK_THROWS_WITH(
      run_program({"run", "--kernel", "example", "--dtype", "bf16", "--plugin", plugin("example")}),
      contains("takes fp16 only"));
}

TEST_CASE("A kernel nobody named is left out where it does not fit the problem", "[cli]") {
  const std::string path = plugin("no_reason");
  const core::Report report = report_of(run_program({"run", "--plugin", path, "--json", "-"}));
  REQUIRE(report.results.at(0).kernel == "broken");
  CHECK_THAT(report.results.at(0).unsupported_reason, contains("the plugin gives no reason"));
  CHECK(report.results.at(1).kernel == "fa2");
  CHECK(report.results.at(1).time_us.has_value());
}

TEST_CASE("Where no kernel takes the problem, the reason of each is told", "[cli]") {
  const auto refused = [](const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"run", "--head-dim", "512", "--plugin", plugin("example")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_program(arguments);
  };
  CHECK_THROWS_WITH(refused({}),
                    contains("fa2 has no head_dim 512; it has 64, 128, 256; fa3 has no head_dim "
                             "512; it has 64, 128, 256; example: head_dim 512 is more than 256; "
                             "choose"));
  CHECK_THROWS_WITH(refused({"--kernel", "fa3"}), !contains("fa2") && contains("example: head"));
}

TEST_CASE("An unknown kernel is refused with the names of the plugins as well", "[cli]") {
  CHECK_THROWS_WITH(
      run_program({"run", "--kernel", "exampel", "--plugin", plugin("example")}),
      contains("unknown kernel 'exampel': choose fa1, fa2, fa3, fa3_fp8, cudnn or example"));
  CHECK_THROWS_WITH(run_program({"run", "--kernel", "fa9"}),
                    contains("choose fa1, fa2, fa3, fa3_fp8 or cudnn"));
}

TEST_CASE("Without a GPU the error says which plugins were loaded", "[cli]") {
  CHECK_THROWS_WITH(run_program({"run", "--plugin", plugin("example")}, {.has_gpu = false}),
                    contains("no GPU (loaded: example 1.0); use a machine with one"));
  CHECK_THROWS_WITH(run_program({"run"}, {.has_gpu = false}), !contains("loaded"));
}

TEST_CASE("A plugin that fails ends in exit code 1, and the others are reported", "[cli]") {
  const Outcome outcome =
      run_program({"run", "--kernel", "fa2", "--plugin", plugin("example"), "--json", "-"},
                  {.failing_kernel = "example"});
  CHECK(outcome.code == ExitCode::kCheckFailed);
  CHECK_THAT(outcome.err, contains("example failed verification"));
  CHECK(report_of(outcome).results[0].time_us.has_value());
}

TEST_CASE("A pipeline for a plugin puts the model beside it, under its name", "[cli]") {
  const auto pipeline = GENERATE("fa2", "example=fa2");
  const Outcome outcome = run_program({"run", "--kernel", "fa3", "--plugin", plugin("example"),
                                       "--plugin-pipeline", pipeline, "--json", "-"});
  const core::Report report = report_of(outcome);
  REQUIRE(report.results.size() == 4);
  CHECK(report.results[3].kernel == "example");
  CHECK(report.results[3].pipeline == "fa2");
  CHECK(report.results[3].source == core::ResultSource::kDiscreteEvent);
}

TEST_CASE("A pipeline that fits no plugin is refused with the choices", "[cli]") {
  const std::vector<std::string> two{"run",      "--plugin",      plugin("example"),
                                     "--plugin", plugin("sound"), "--plugin-pipeline"};
  const auto with = [&two](const std::string& text) {
    std::vector<std::string> arguments = two;
    arguments.push_back(text);
    return run_program(arguments);
  };
  CHECK_THROWS_WITH(run_program({"run", "--plugin-pipeline", "fa2"}), contains("no plugin"));
  CHECK_THROWS_WITH(with("fa2"), contains("write NAME=fa2, with one of example, broken"));
  CHECK_THROWS_WITH(with("other=fa2"), contains("'other' is no plugin of this run"));
  CHECK_THROWS_WITH(with("example=fa9"), contains("fa9"));
  CHECK_THROWS_WITH(run_program({"run", "--plugin", plugin("example"), "--plugin-pipeline", "fa2",
                                 "--plugin-pipeline", "fa2"}),
                    contains("example has a pipeline already"));
}

TEST_CASE("Flag --rounds is --samples by the name of what they are", "[cli]") {
  CHECK(run_program({"run", "--rounds", "40"}).code == ExitCode::kDone);
  CHECK_THROWS_AS(run_program({"run", "--rounds", "19"}), CLI::ParseError);
}

TEST_CASE("The example in the plugin guide is the one that is built and loaded here", "[cli]") {
  const auto read = [](const std::string& path) {
    std::ifstream stream(std::string(FA3PROF_SOURCE_DIR) + path, std::ios::binary);
    std::ostringstream text;
    text << stream.rdbuf();
    return text.str();
  };
  const std::string source = read("/tests/plugins/example_plugin.c");
  REQUIRE_FALSE(source.empty());
  CHECK_THAT(read("/docs/plugins.md"), contains("```c\n" + source + "```\n"));
}
