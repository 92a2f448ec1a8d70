#include "src/core/json_reader.h"
#include "tests/catch.h"
#include "tests/cli/changed_report.h"
#include "tests/cli/process.h"
#include "tests/cli/temporary_directory.h"

using namespace fa3prof;
using namespace fa3prof::tests;

namespace {

const std::string kRecordings = std::string(FA3PROF_SOURCE_DIR) + "/configs/recordings/";
const std::string kBase = kRecordings + "h200_sxm_seq8192.json";

/// The recorded run with fa3 taking `factor` of its time.
std::string changed(const TemporaryDirectory& directory, const std::string& name, double factor) {
  core::Json document = core::load_json(kBase);
  slow_down(document, "fa3", factor);
  return directory.write(name, document.dump());
}

}  // namespace

TEST_CASE("compare exits with 0, 1, 2 or 3 and never with a count", "[cli]") {
  const TemporaryDirectory directory;
  const auto exit_code = [](const std::string& arguments) {
    return run_process("compare " + arguments).exit_code;
  };
  const std::string slower = changed(directory, "slower.json", 1.05);
  const std::string edge = changed(directory, "edge.json", 1.03);
  CHECK(exit_code(kBase + " " + kBase) == 0);
  CHECK(exit_code(slower + " " + kBase) == 0);
  CHECK(exit_code(kBase + " " + slower) == 1);
  CHECK(exit_code(kBase + " " + slower + " --strict") == 1);
  CHECK(exit_code(kBase) == 2);
  CHECK(exit_code(kBase + " /no/such/report.json") == 2);
  CHECK(exit_code(kBase + " " + directory.write("bad.json", "{}")) == 2);
  CHECK(exit_code(kBase + " " + edge) == 0);
  CHECK(exit_code(kBase + " " + edge + " --strict") == 3);
}

TEST_CASE("Every sample of every recording compares with itself as the same", "[cli]") {
  for (const char* name : {"h200_sxm_ablation", "h200_sxm_fp8_peers", "h200_sxm_peers"}) {
    const std::string file = kRecordings + name + ".json";
    CAPTURE(file);
    const ProcessOutcome outcome =
        run_process("compare " + file + " " + file + " --json - --quiet");
    CHECK(outcome.exit_code == 0);
    CHECK(core::parse_json(outcome.out, "stdout")["counts"]["slower"] == 0);
  }
}

TEST_CASE("history reads a folder in the order of time and marks the step", "[cli]") {
  const TemporaryDirectory directory;
  for (int day = 1; day <= 8; ++day) {
    core::Json document = core::load_json(kBase);
    slow_down(document, "fa3", day >= 5 ? 1.08 : 1.0);
    document["created_at"] = "2026-12-0" + std::to_string(day) + "T00:00:00Z";
    static_cast<void>(
        directory.write("night" + std::to_string(9 - day) + ".json", document.dump()));
  }
  static_cast<void>(directory.write("other.json", "{}"));
  const ProcessOutcome outcome = run_process("history " + directory.path(""));
  CHECK(outcome.exit_code == 0);
  CHECK_THAT(outcome.out, contains("+8.0 % since night4, 2026-12-05T00:00:00Z"));
  CHECK_THAT(outcome.out, contains("warning  left out, no report: ") && contains("other.json"));
  CHECK(run_process("history /no/such/folder").exit_code == 2);
  const TemporaryDirectory empty;
  CHECK(run_process("history " + empty.path("")).exit_code == 2);
}

TEST_CASE("schema prints the file of the repository, byte for byte", "[cli]") {
  for (const char* name : {"report", "compare", "history", "machine"}) {
    const ProcessOutcome outcome = run_process(std::string("schema ") + name);
    CHECK(outcome.exit_code == 0);
    std::ifstream file(std::string(FA3PROF_SOURCE_DIR) + "/configs/schemas/" + name +
                       ".schema.json");
    std::ostringstream text;
    text << file.rdbuf();
    CHECK(outcome.out == text.str());
  }
  CHECK_THAT(run_process("schema").out, contains("compare\n") && contains("report\n"));
  const ProcessOutcome unknown = run_process("schema dance");
  CHECK(unknown.exit_code == 2);
  CHECK_THAT(unknown.err, contains("there is no schema 'dance'; choose compare, "));
}

TEST_CASE("A report in every format for CI is on stdout and starts as it must", "[cli]") {
  const auto text = [](const std::string& format) {
    const ProcessOutcome outcome = run_process("report " + kBase + " --format " + format);
    CHECK(outcome.exit_code == 0);
    return outcome.out;
  };
  CHECK(text("openmetrics").ends_with("# EOF\n"));
  CHECK(text("junit").starts_with("<?xml version=\"1.0\""));
  CHECK(core::parse_json(text("bencher"), "stdout").size() == 4);
  const core::Json bigger = core::parse_json(text("github-benchmark"), "stdout");
  const core::Json smaller = core::parse_json(text("github-benchmark --metric time"), "stdout");
  CHECK(bigger[0]["unit"] == "TFLOPS");
  CHECK(smaller[0]["unit"] == "us");
}

TEST_CASE("merge through a pipe refuses what is no report", "[cli]") {
  const TemporaryDirectory directory;
  CHECK(run_process("merge " + directory.write("bad.json", "[]")).exit_code == 2);
  const ProcessOutcome one = run_process("merge " + kBase);
  CHECK(one.exit_code == 0);
  CHECK(core::parse_json(one.out, "stdout")["results"].size() == 4);
}
