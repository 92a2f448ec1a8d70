#include "src/core/json_reader.h"
#include "src/report/json.h"
#include "tests/catch.h"
#include "tests/cli/fake_program.h"
#include "tests/cli/temporary_directory.h"
#include "tests/golden/golden.h"

#include <chrono>
#include <sstream>

using namespace fa3prof;
using namespace fa3prof::tests;
using core::ExitCode;

TEST_CASE("run measures every kernel and sets the model beside it", "[cli]") {
  const Outcome outcome = run_program({"run", "--seq", "8192"});
  CHECK(outcome.code == ExitCode::kDone);
  CHECK_THAT(outcome.out, contains("fa2 ") && contains("fa3 over fa2") && contains("1.77x"));
  CHECK_THAT(outcome.out, contains("simulated cycles") && contains("h200_sxm"));
  CHECK(outcome.err.empty());
}

TEST_CASE("run --json - makes stdout exactly one document and moves the table to stderr", "[cli]") {
  const Outcome outcome = run_program({"run", "--seq", "8k", "--json", "-"});
  CHECK(outcome.code == ExitCode::kDone);
  const core::Report report = report_of(outcome);
  CHECK(report.results.size() == 4);
  CHECK(report.command == std::vector<std::string>{"fa3prof", "run", "--seq", "8k", "--json", "-"});
  CHECK_THAT(outcome.err, contains("fa3 over fa2"));
}

TEST_CASE("run --pv-flush adds fa3_fp8 with its sums of P V flushed", "[cli]") {
  const Outcome outcome =
      run_program({"run", "--kernel", "fa3,fa3_fp8", "--pv-flush", "128", "--json", "-"});
  CHECK(outcome.code == ExitCode::kDone);
  std::vector<std::string> measured;
  for (const core::Result& result : report_of(outcome).results) {
    if (result.source == core::ResultSource::kMeasured) measured.push_back(result.kernel);
  }
  CHECK(measured == std::vector<std::string>{"fa3", "fa3_fp8", "fa3_fp8-flush"});
  CHECK_THROWS_AS(run_program({"run", "--pv-flush", "64"}), CLI::ParseError);
}

TEST_CASE("run refuses to include a quantization that no kernel makes", "[cli]") {
  CHECK_THROWS_WITH(run_program({"run", "--kernel", "fa3", "--include-quantization"}),
                    contains("--include-quantization: no kernel of this run quantizes"));
}

TEST_CASE("run says what quantizing takes, and whether the time has it", "[cli]") {
  CHECK_THAT(run_program({"run", "--kernel", "fa3,fa3_fp8"}).out,
             contains("fa3_fp8 300 us for Q, K and V, not in the time"));
  CHECK_THAT(run_program({"run", "--kernel", "fa3,fa3_fp8", "--include-quantization"}).out,
             contains("fa3_fp8 300 us for Q, K and V, included in the time"));
}

TEST_CASE("run says how the GPU was warmed up, and a burst that it rests", "[cli]") {
  CHECK_THAT(run_program({"run"}).out,
             contains("warm-up   1,264 launches in 3,020 ms, to 1,612 MHz, steady"));
  const std::string burst = run_program({"run", "--mode", "burst", "--pause", "80"}).out;
  CHECK_THAT(burst, contains("each after 80 ms of rest, warm L2"));
  CHECK_THAT(burst, contains("warm-up   10 launches in 24 ms\n"));
  CHECK_THROWS_WITH(run_program({"run", "--mode", "sprint"}), contains("burst|sustained"));
}

TEST_CASE("compare refuses to set a burst beside a sustained load", "[cli]") {
  const TemporaryDirectory directory;
  const std::string sustained = directory.path("sustained.json");
  const std::string burst = directory.path("burst.json");
  static_cast<void>(run_program({"run", "--quiet", "--json", sustained}));
  static_cast<void>(run_program({"run", "--quiet", "--json", burst, "--mode", "burst"}));
  CHECK_THROWS_WITH(run_program({"compare", sustained, burst}),
                    contains("another method: ") && contains("mode=burst"));
  CHECK(run_program({"compare", sustained, burst, "--allow-different-method"}).code ==
        ExitCode::kDone);
}

TEST_CASE("run --quiet shows no table", "[cli]") {
  const Outcome outcome = run_program({"run", "--quiet"});
  CHECK(outcome.out.empty());
  CHECK(outcome.err.empty());
}

TEST_CASE("A kernel that fails verification ends in exit code 1 without its speed", "[cli]") {
  const Outcome outcome = run_program({"run"}, {.failing_kernel = "fa3"});
  CHECK(outcome.code == ExitCode::kCheckFailed);
  CHECK_THAT(outcome.out, contains("FAILED verification") && !contains("1,724.8"));
  CHECK_THAT(outcome.err, contains("fa3 failed verification") && contains("sq8192"));

  const Outcome quiet = run_program({"run", "--quiet"}, {.failing_kernel = "fa3"});
  CHECK(quiet.code == ExitCode::kCheckFailed);
  CHECK_THAT(quiet.err, contains("fa3 failed verification"));
}

TEST_CASE("A failed run still writes its report", "[cli]") {
  const Outcome outcome = run_program({"run", "--json", "-"}, {.failing_kernel = "fa2"});
  CHECK(outcome.code == ExitCode::kCheckFailed);
  const core::Report report = report_of(outcome);
  CHECK_FALSE(report.results[0].verification->passed);
  CHECK_FALSE(report.results[0].time_us.has_value());
}

TEST_CASE("The document of a run in which much went wrong is the golden one", "[cli]") {
  const FakeMachine machine{.has_counters = false, .capability = {9, 9}, .failing_kernel = "fa3"};
  const Outcome outcome = run_program({"run", "--head-dim", "96,128", "--json", "-"}, machine);
  CHECK(outcome.code == ExitCode::kCheckFailed);
  check_golden("report_failed.json", outcome.out);
}

TEST_CASE("Without counters the run is done and says why, unless they are required", "[cli]") {
  const FakeMachine machine{.has_counters = false};
  const Outcome outcome = run_program({"run"}, machine);
  CHECK(outcome.code == ExitCode::kDone);
  CHECK_THAT(outcome.out, contains("unavailable: no permission") && contains("cure: ask root"));
  CHECK_THROWS_AS(run_program({"run", "--require-counters"}, machine), core::DeviceError);

  const Outcome off = run_program({"run", "--no-counters"}, machine);
  CHECK(off.code == ExitCode::kDone);
}

TEST_CASE("run takes several problems, causal and not", "[cli]") {
  const Outcome outcome = run_program(
      {"run", "--seq", "1k,2k", "--causal", "--no-causal", "--kernel", "fa3", "--json", "-"});
  const core::Report report = report_of(outcome);
  REQUIRE(report.results.size() == 8);
  CHECK(report.results[0].problem.is_causal);
  CHECK(report.results[0].problem.seqlen_q == 1024);
  CHECK(report.results[0].problem.batch == 16);
  CHECK(report.results[7].problem.seqlen_q == 2048);
  CHECK_FALSE(report.results[7].problem.is_causal);
}

TEST_CASE("A GPU lost half-way costs only what was not yet measured", "[cli]") {
  const TemporaryDirectory directory;
  const std::vector<std::string> arguments{"run", "--seq", "1k,2k", "--json",
                                           directory.path("report.json")};
  try {
    static_cast<void>(run_program(arguments, {.lost_at_seqlen = 2048}));
    FAIL("the run must stop");
  } catch (const core::Error& error) {
    CHECK(error.code() == ExitCode::kUnavailable);
    CHECK_THAT(error.what(), contains("the GPU was lost"));
  }
  const core::Report report = report::load_report(directory.path("report.json"));
  REQUIRE(report.results.size() == 4);
  CHECK(report.results.front().problem.seqlen_q == 1024);
  CHECK(report.results.front().time_us.has_value());
  REQUIRE(report.warnings.size() == 1);
  CHECK_THAT(report.warnings.front(),
             contains("ended early: the GPU was lost: cudaErrorDevicesUnavailable") &&
                 contains("1 problem(s) are missing in whole or in part: fp16") &&
                 contains("sq2048"));
}

TEST_CASE("A GPU lost at the first problem leaves no report", "[cli]") {
  const TemporaryDirectory directory;
  const std::vector<std::string> arguments{"run", "--seq", "2k", "--json",
                                           directory.path("report.json")};
  CHECK_THROWS_AS(run_program(arguments, {.lost_at_seqlen = 2048}), profile::RunStopped);
  CHECK(directory.size() == 0);
}

TEST_CASE("A run that stops within a problem keeps what was measured of it", "[cli]") {
  const TemporaryDirectory directory;
  const std::vector<std::string> arguments{"run", "--json", directory.path("report.json")};
  CHECK_THROWS_WITH(run_program(arguments, {.stuck_kernel = "fa3"}), contains("did not end"));
  const core::Report report = report::load_report(directory.path("report.json"));
  REQUIRE(report.results.size() == 2);
  CHECK(report.results[0].time_us.has_value());
  CHECK_FALSE(report.results[1].verification->passed);
  CHECK_THAT(report.warnings.at(0), contains("ended early") && contains("did not end"));
}

TEST_CASE("An unsupported problem is refused alone and a row in a grid", "[cli]") {
  CHECK_THROWS_WITH(run_program({"run", "--head-dim", "96"}),
                    contains("fa2 has no head_dim 96") && contains("fa3prof list"));
  const Outcome outcome = run_program({"run", "--head-dim", "96,128", "--json", "-"});
  CHECK(outcome.code == ExitCode::kDone);
  const core::Report report = report_of(outcome);
  CHECK_THAT(report.results.at(0).unsupported_reason, contains("head_dim 96"));
  CHECK(report.results.at(2).time_us.has_value());
  CHECK_THAT(outcome.err, contains("not supported: fa2 has no head_dim 96"));
  CHECK_THROWS_AS(run_program({"run", "--head-dim", "96,80"}), core::UsageError);
}

TEST_CASE("On an older GPU the kernels that fit run and the others say why not", "[cli]") {
  const Outcome outcome = run_program({"run"}, {.capability = {8, 0}});
  CHECK(outcome.code == ExitCode::kDone);
  CHECK_THAT(outcome.out, contains("3,060.4"));
  CHECK_THAT(outcome.out, contains("not supported: fa3 needs compute capability 9.0"));
}

TEST_CASE("A GPU that no machine file describes is measured and not simulated", "[cli]") {
  const FakeMachine unknown{.capability = {9, 9}};
  const Outcome outcome = run_program({"run", "--kernel", "fa2"}, unknown);
  CHECK(outcome.code == ExitCode::kDone);
  CHECK_THAT(outcome.out, contains("not simulated: no machine file describes") &&
                              contains("none has its compute capability") &&
                              contains("fa3prof calibrate --output mine.json") &&
                              contains("--machine"));
  CHECK_THAT(run_program({"run", "--kernel", "fa2", "--machine", "h100_sxm"}, unknown).out,
             contains("h100_sxm by discrete_event"));
  CHECK_THAT(
      run_program({"run", "--kernel", "fa2", "--machine", "h100_sxm", "--engine", "closed_form"},
                  unknown)
          .out,
      contains("h100_sxm by closed_form"));
}

TEST_CASE("Without a GPU the run is unavailable and leaves no file", "[cli]") {
  const TemporaryDirectory directory;
  CHECK_THROWS_AS(run_program({"run", "--json", directory.path("report.json")}, {.has_gpu = false}),
                  core::UnavailableError);
  CHECK(directory.size() == 0);
}

TEST_CASE("Progress is shown on a terminal only, and wiped", "[cli]") {
  const cli::Terminal terminal{.has_progress = true};
  const Outcome shown = run_program({"run"}, {}, terminal);
  CHECK_THAT(shown.err, contains("[1/1] ----------------") && contains("timing fa3"));
  CHECK(shown.err.ends_with("\r\x1b[K"));
  CHECK(run_program({"run", "--quiet"}, {}, terminal).err.empty());
}

TEST_CASE("The bar of a sweep grows with the problems that are done", "[cli]") {
  const cli::Terminal terminal{.has_progress = true};
  const Outcome shown = run_program({"run", "--seq", "1k,2k,4k,8k"}, {}, terminal);
  CHECK_THAT(shown.err, contains("[1/4] ----------------") && contains("[2/4] ####------------") &&
                            contains("[4/4] ############----"));
  CHECK(cli::progress_text(0, 0, "nothing") == "[1/0] ---------------- nothing");
}

TEST_CASE("A progress line that was never shown leaves the terminal alone", "[cli]") {
  std::ostringstream stream;
  {
    cli::ProgressLine line(stream, true, std::chrono::hours(1));
    line.show("too early");
  }
  CHECK(stream.str().empty());
}

TEST_CASE("Numerics shows progress on a terminal only, and wiped", "[cli]") {
  const std::vector<std::string> arguments{"numerics", "--seq",   "16", "--seq-kv",
                                           "64",       "--heads", "1"};
  const Outcome shown = run_program(arguments, {}, {.has_progress = true});
  CHECK_THAT(shown.err, contains("[1/1] ----------------"));
  CHECK(shown.err.ends_with("\r\x1b[K"));
  CHECK(run_program(arguments).err.empty());
}

TEST_CASE("Colour follows the terminal of the stream that the table goes to", "[cli]") {
  const cli::Terminal terminal{.has_colour_on_stdout = true};
  CHECK_THAT(run_program({"run"}, {}, terminal).out, contains("\x1b["));
  CHECK_THAT(run_program({"run"}).out, !contains("\x1b["));
  const Outcome moved = run_program({"run", "--json", "-"}, {}, terminal);
  CHECK_THAT(moved.out + moved.err, !contains("\x1b["));
}

TEST_CASE("Bad flags of run are refused with what to write", "[cli]") {
  CHECK_THROWS_WITH(run_program({"run", "--kernel", "fa9"}), contains("fa9") && contains("fa2"));
  CHECK_THROWS_WITH(run_program({"run", "--kernel", "fa2,fa2"}), contains("twice"));
  CHECK_THROWS_WITH(run_program({"run", "--cache", "luke"}), contains("cold|warm"));
  CHECK_THROWS_WITH(run_program({"run", "--seq", "0"}), contains("--seq"));
  CHECK_THROWS_WITH(run_program({"run", "--heads", "6", "--kv-heads", "4"}),
                    contains("does not divide"));
  CHECK_THROWS_AS(run_program({"run", "--samples", "19"}), CLI::ParseError);
  CHECK_THROWS_AS(run_program({"run", "--launch-limit", "0"}), CLI::ParseError);
  CHECK_THROWS_AS(run_program({"run", "--no-counters", "--require-counters"}), CLI::ParseError);
  CHECK_THROWS_WITH(run_program({"run", "--machine", "h300"}), contains("h300"));
}

TEST_CASE("run --ablation measures every schedule on the paper's problem and says what each brings",
          "[cli]") {
  const Outcome outcome = run_program({"run", "--ablation", "--json", "-"});
  CHECK(outcome.code == ExitCode::kDone);
  const core::Report report = report_of(outcome);
  std::vector<std::string> kernels;
  for (const core::Result& result : report.results) {
    CHECK(result.problem.batch == 4);
    CHECK(result.problem.seqlen_q == 8448);
    CHECK(result.problem.num_heads == 16);
    CHECK(result.problem.head_dim == 128);
    if (result.source == core::ResultSource::kMeasured) kernels.push_back(result.kernel);
  }
  CHECK(kernels ==
        std::vector<std::string>{"fa3-serial", "fa3-ws", "fa3-pingpong", "fa3-overlap", "fa3"});
  CHECK(report.results.size() == 10);
  CHECK_THAT(outcome.err, contains("fa3 over fa3-pingpong") && contains("1.14x"));
  CHECK_THAT(outcome.err, contains("661 TFLOPS full, 582 without overlap, 570 without"));
}

TEST_CASE("An ablation of another problem does not quote the paper", "[cli]") {
  const Outcome outcome = run_program({"run", "--ablation", "--seq", "4k"});
  CHECK_THAT(outcome.out, contains("sq4096") && contains("fa3 over fa3-overlap"));
  CHECK_THAT(outcome.out, !contains("661 TFLOPS"));
}

TEST_CASE("run --schedule adds kernels to the named ones", "[cli]") {
  const auto kernels = [](const std::vector<std::string>& arguments) {
    std::vector<std::string> names;
    for (const core::Result& result : report_of(run_program(arguments)).results) {
      if (result.source == core::ResultSource::kMeasured) names.push_back(result.kernel);
    }
    return names;
  };
  CHECK(kernels({"run", "--schedule", "ws,full", "--json", "-"}) ==
        std::vector<std::string>{"fa3-ws", "fa3"});
  CHECK(kernels({"run", "--kernel", "fa2,fa3", "--schedule", "overlap,full", "--json", "-"}) ==
        std::vector<std::string>{"fa2", "fa3", "fa3-overlap"});
  CHECK_THROWS_WITH(run_program({"run", "--schedule", "fast"}),
                    contains("unknown schedule 'fast'") && contains("pingpong"));
  CHECK_THROWS_WITH(run_program({"run", "--schedule", "ws", "--head-dim", "64"}),
                    contains("fa3-ws has no head_dim 64"));
}
