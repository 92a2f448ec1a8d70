#include "tests/cli/process.h"

#include "src/core/json_reader.h"
#include "tests/catch.h"
#include "tests/cli/temporary_directory.h"

#include <iostream>

using namespace fa3prof;
using namespace fa3prof::tests;

namespace {

struct BadInput {
  std::string arguments;
  std::string message;  ///< a part of it
};

/// Checks exit code 2, a message on stderr, and nothing on stdout.
void check_refused(const BadInput& bad) {
  INFO("fa3prof " << bad.arguments);
  const ProcessOutcome outcome = run_process(bad.arguments);
  CHECK(outcome.exit_code == 2);
  CHECK(outcome.out.empty());
  CHECK_THAT(outcome.err, contains("fa3prof: ") && contains(bad.message));
}

bool has_usable_gpu() { return run_process("doctor --quiet").exit_code == 0; }

}  // namespace

TEST_CASE("Flag --version names version, commit, compiler and CUDA", "[cli]") {
  const ProcessOutcome outcome = run_process("--version");
  CHECK(outcome.exit_code == 0);
  CHECK_THAT(outcome.out, contains("fa3prof ") && contains("CUDA"));
}

TEST_CASE("Flag --help exits with 0 and names the verbs", "[cli]") {
  const ProcessOutcome outcome = run_process("--help");
  CHECK(outcome.exit_code == 0);
  for (const char* verb : {"run", "simulate", "report", "doctor", "list"}) {
    CHECK_THAT(outcome.out, contains(verb));
  }
}

TEST_CASE("A bad command line ends in exit code 2 with what is wrong", "[cli]") {
  const auto bad = GENERATE(
      BadInput{"", "name a verb"}, BadInput{"dance", "dance"},
      BadInput{"simulate --sek 8192", "--sek"}, BadInput{"simulate --seq", "--seq"},
      BadInput{"simulate --seq eight", "--seq: 'eight'"},
      BadInput{"simulate --seq 0", "--seq: '0'"}, BadInput{"simulate --seq 1e30", "--seq: '1e30'"},
      BadInput{"simulate --head-dim 96", "96"}, BadInput{"simulate --machine h300", "h200_sxm"},
      BadInput{"simulate --pipeline fa9", "fa3_fp16"},
      BadInput{"simulate --heads 6 --kv-heads 4", "does not divide"},
      BadInput{"run --head-dim 96", "fa2 has no head_dim 96"},
      BadInput{"run --generations --head-dim 96", "fa1 has no head_dim 96"},
      BadInput{"run --generations --device all", "--generations can show one GPU"},
      BadInput{"tune --pipeline fa1", "loops over rows"},
      BadInput{"run --samples many", "--samples"}, BadInput{"run --kernel fa9", "fa9"},
      BadInput{"simulate --config /no/such/file.json", "/no/such/file.json"},
      BadInput{"simulate --against /no/such/report.json", "/no/such/report.json"},
      BadInput{"report", "reports is required"},
      BadInput{"report /no/such/report.json -o -", "/no/such/report.json"},
      BadInput{"simulate --json /no/such/folder/x.json", "/no/such/folder/x.json"},
      BadInput{"simulate --json /tmp", "directory"}, BadInput{"simulate --json ''", "--json"});
  check_refused(bad);
}

TEST_CASE("The first generation is simulated by either engine", "[cli]") {
  for (const char* engine : {"closed_form", "discrete_event"}) {
    const ProcessOutcome outcome =
        run_process(std::string("simulate --pipeline fa1 --seq 1k,2k --causal --engine ") + engine);
    CHECK(outcome.exit_code == 0);
    CHECK_THAT(outcome.out, contains("  fa1  ") && contains("sq2048"));
  }
}

TEST_CASE("A bad file ends in exit code 2 with file and JSON pointer", "[cli]") {
  struct BadFile {
    std::string text;
    std::string message;
  };

  const auto bad = GENERATE(
      BadFile{"{\"name\": \"x\",", "scenario.json: "}, BadFile{"", "scenario.json: "},
      BadFile{"[]", "scenario.json: "},
      BadFile{R"({"name": "x", "problem": {"seqlen_q": "long"}})",
              "scenario.json at /problem/seqlen_q: "},
      BadFile{R"({"name": "x", "problem": {"seqlen_q": 0}})",
              "scenario.json at /problem/seqlen_q: "},
      BadFile{R"({"name": "x", "problem": {"seqlen": 8}})", "scenario.json at /problem/seqlen: "},
      BadFile{R"({"name": "x", "machine": "h300"})", "scenario.json at /machine: "},
      BadFile{R"({"name": "x", "name": "y"})", "scenario.json at /name: "});
  const TemporaryDirectory directory;
  const std::string path = directory.write("scenario.json", bad.text);
  check_refused({.arguments = "simulate --config " + path, .message = bad.message});
}

TEST_CASE("A bad report ends in exit code 2 with file and JSON pointer", "[cli]") {
  const TemporaryDirectory directory;
  const std::string path = directory.write("report.json", R"({"schema_version": 99})");
  check_refused({.arguments = "simulate --against " + path,
                 .message = "report.json at /schema_version: is 99"});
}

TEST_CASE("Flag --json - writes exactly one document to stdout", "[cli]") {
  for (const char* verb : {"simulate", "list", "simulate --seq 1k,2k --causal --no-causal"}) {
    const ProcessOutcome outcome = run_process(std::string(verb) + " --json -");
    CHECK(outcome.exit_code == 0);
    CHECK(core::parse_json(outcome.out, "stdout").contains("schema_version"));
    CHECK_FALSE(outcome.err.empty());
  }
  CHECK(run_process("simulate --quiet --json -").err.empty());
}

TEST_CASE("A file is whole and alone in its folder", "[cli]") {
  const TemporaryDirectory directory;
  const ProcessOutcome outcome = run_process("simulate --json " + directory.path("x.json"));
  CHECK(outcome.exit_code == 0);
  CHECK_THAT(outcome.out, contains("% of peak"));
  CHECK(core::load_json(directory.path("x.json")).contains("results"));
  CHECK(directory.size() == 1);
}

TEST_CASE("Output that cannot be written is an error, not silence", "[cli]") {
  const ProcessOutcome outcome = run_process("simulate --json /dev/full");
  CHECK(outcome.exit_code == 2);
  CHECK_THAT(outcome.err, contains("/dev/full") && contains("No space left"));
}

TEST_CASE("No escape sequence reaches a file, whatever the environment says", "[cli]") {
  const std::string environment = GENERATE("", "NO_COLOR=1", "TERM=dumb", "TERM=xterm-256color");
  const ProcessOutcome outcome = run_process("simulate", environment);
  CHECK(outcome.exit_code == 0);
  CHECK_THAT(outcome.out + outcome.err, !contains("\x1b"));
}

TEST_CASE("A terminal gets colour, unless NO_COLOR or TERM=dumb says otherwise", "[cli]") {
  const auto coloured = run_on_terminal("simulate", "NO_COLOR= TERM=xterm");
  if (!coloured) {
    std::cout << "SKIPPED: script(1) is not installed\n";
    return;
  }
  CHECK_THAT(coloured->out, contains("\x1b[1m"));
  CHECK_THAT(run_on_terminal("simulate", "NO_COLOR=1 TERM=xterm")->out, !contains("\x1b"));
  CHECK_THAT(run_on_terminal("simulate", "NO_COLOR= TERM=dumb")->out, !contains("\x1b"));
}

TEST_CASE("run without a usable GPU ends in exit code 3 with a cure", "[cli]") {
  if (has_usable_gpu()) {
    std::cout << "SKIPPED: this machine has a GPU that runs the kernels\n";
    return;
  }
  const TemporaryDirectory directory;
  const ProcessOutcome outcome = run_process("run --json " + directory.path("report.json"));
  CHECK(outcome.exit_code == 3);
  CHECK(outcome.out.empty());
  CHECK_THAT(outcome.err, contains("fa3prof: ") && contains("; "));
  CHECK(directory.size() == 0);
}

TEST_CASE("doctor without a usable GPU ends in exit code 3 and says what is missing", "[cli]") {
  if (has_usable_gpu()) {
    std::cout << "SKIPPED: this machine has a GPU that runs the kernels\n";
    return;
  }
  const ProcessOutcome outcome = run_process("doctor");
  CHECK(outcome.exit_code == 3);
  CHECK_THAT(outcome.out, contains("missing") && contains("-> ") && contains("simulate"));
}

TEST_CASE("A killed program leaves the old report and nothing else", "[cli]") {
  const TemporaryDirectory directory;
  const std::string report = directory.write("report.json", "as before");
  std::string sizes = "1";
  for (int i = 2; i <= 300; ++i) sizes += "," + std::to_string(i);
  const std::string endless =
      "simulate --seq " + sizes + " --heads " + sizes + " --batch " + sizes + " --json " + report;
  const std::string signal = GENERATE("TERM", "HUP");
  const ProcessOutcome outcome = run_process(endless, "timeout -s " + signal + " 0.5");
  CHECK(outcome.exit_code != 0);
  CHECK(directory.size() == 1);
  CHECK(directory.read("report.json") == "as before");
}
