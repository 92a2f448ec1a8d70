#include "src/core/json_reader.h"
#include "tests/catch.h"
#include "tests/cli/changed_report.h"
#include "tests/cli/fake_program.h"
#include "tests/cli/temporary_directory.h"

using namespace fa3prof;
using namespace fa3prof::tests;

namespace {

const std::string kBase =
    std::string(FA3PROF_SOURCE_DIR) + "/configs/recordings/h200_sxm_seq8192.json";

/// Compares the recorded run with a changed copy.
Outcome compare(const core::Json& fresh, const std::vector<std::string>& flags = {}) {
  const TemporaryDirectory directory;
  std::vector<std::string> arguments{"compare", kBase, directory.write("new.json", fresh.dump())};
  arguments.insert(arguments.end(), flags.begin(), flags.end());
  return run_program(arguments);
}

/// The message with which the program refuses to compare.
std::string refusal_of(const core::Json& fresh, const std::vector<std::string>& flags = {}) {
  try {
    static_cast<void>(compare(fresh, flags));
  } catch (const core::Error& error) {
    CHECK(error.code() == core::ExitCode::kUsage);
    return error.what();
  }
  return "";
}

core::Json recorded() { return core::load_json(kBase); }

core::Json slower(double factor) {
  core::Json document = recorded();
  slow_down(document, "fa3", factor);
  return document;
}

}  // namespace

TEST_CASE("The same run twice is the same", "[cli]") {
  const Outcome outcome = compare(recorded(), {"--strict"});
  CHECK(outcome.code == core::ExitCode::kDone);
  CHECK_THAT(outcome.out, contains("2 same; more than 3.0 % is a regression"));
  CHECK_THAT(outcome.out, contains("base  h200_sxm_seq8192: NVIDIA H200"));
  CHECK_THAT(outcome.out, !contains("does not say how it timed"));
}

TEST_CASE("A report from before reports said how they timed is warned of", "[cli]") {
  const std::string old = std::string(FA3PROF_SOURCE_DIR) + "/tests/reports/1.0/run.json";
  CHECK_THAT(run_program({"compare", old, old}).out, contains("does not say how it timed"));
}

TEST_CASE("A report may be compared with itself", "[cli]") {
  const Outcome outcome = run_program({"compare", kBase, kBase});
  CHECK(outcome.code == core::ExitCode::kDone);
  CHECK_THAT(outcome.out, contains("base  " + kBase));
}

TEST_CASE("A regression fails beyond its limit only, a faster kernel never does", "[cli]") {
  const Outcome outcome = compare(slower(1.05));
  CHECK(outcome.code == core::ExitCode::kCheckFailed);
  CHECK_THAT(outcome.out,
             contains("slower") && contains("+5.0 % (") && contains("1 slower, 1 same"));
  CHECK(compare(slower(1.05), {"--max-regression", "10%"}).code == core::ExitCode::kDone);
  CHECK(compare(slower(1.05), {"--kernel", "fa2"}).code == core::ExitCode::kDone);
  CHECK(compare(slower(1.01)).code == core::ExitCode::kDone);
  CHECK_THAT(compare(slower(0.9)).out, contains("1 same, 1 faster"));
}

TEST_CASE("A kernel that failed verification fails the build", "[cli]") {
  core::Json broken = recorded();
  core::Json& result = result_of(broken, "fa3");
  result["verification"]["passed"] = false;
  result["verification"]["failure"] = "row 3 is wrong";
  for (const char* key : {"time_us", "tflops", "timing"}) result.erase(key);
  const Outcome outcome = compare(broken);
  CHECK(outcome.code == core::ExitCode::kCheckFailed);
  CHECK_THAT(outcome.out, contains("failed verification in new: row 3 is wrong"));
}

TEST_CASE("What cannot be decided fails only a strict gate", "[cli]") {
  core::Json few = recorded();
  for (const char* key : {"samples_us", "samples_clock_mhz"}) {
    core::Json& samples = result_of(few, "fa3")["timing"][key];
    samples = core::Json(samples.begin(), samples.begin() + 2);
  }
  CHECK(compare(few).code == core::ExitCode::kDone);
  CHECK(compare(few, {"--strict"}).code == core::ExitCode::kUnavailable);
  core::Json without = recorded();
  result_of(without, "fa3")["kernel"] = "other";
  CHECK_THAT(compare(without).out, contains("not in new") && contains("not in base"));
  CHECK(compare(without).code == core::ExitCode::kDone);
  CHECK(compare(without, {"--strict"}).code == core::ExitCode::kUnavailable);
}

TEST_CASE("Runs under other conditions are not compared unless told", "[cli]") {
  core::Json other = recorded();
  std::string flag;
  SECTION("another GPU") {
    other["environment"]["gpu"]["name"] = "NVIDIA H100 80GB HBM3";
    flag = "--allow-different-gpu";
  }
  SECTION("another cache mode") {
    result_of(other, "fa2")["timing"]["cache"] = "cold";
    flag = "--allow-different-cache";
  }
  CHECK_THAT(refusal_of(other), contains(flag));
  const Outcome told = compare(other, {flag});
  CHECK(told.code == core::ExitCode::kDone);
  CHECK_THAT(told.out, contains("warning  another "));
}

TEST_CASE("Another GPU is compared in units of its peak", "[cli]") {
  core::Json other = recorded();
  other["environment"]["gpu"]["name"] = "half an H200";
  for (const char* kernel : {"fa2", "fa3"}) {
    slow_down(other, kernel, 2.0);
    core::Json& peak = result_of(other, kernel)["peak_tflops"];
    peak = peak.get<double>() / 2.0;
  }
  const Outcome outcome = compare(other, {"--allow-different-gpu"});
  CHECK(outcome.code == core::ExitCode::kDone);
  CHECK_THAT(outcome.out, contains("2 same") && contains("in units of its GPU's peak"));
}

TEST_CASE("The JSON of a comparison stands alone on stdout", "[cli]") {
  const Outcome outcome = compare(slower(1.05), {"--json", "-"});
  const core::Json document = core::parse_json(outcome.out, "stdout");
  CHECK(document["has_regression"] == true);
  CHECK(document["counts"]["slower"] == 1);
  CHECK(document["rows"][0]["kernel"] == "fa3");
  CHECK_THAT(document["rows"][0]["time_ratio"].get<double>(), WithinRel(1.05, 1e-9));
  CHECK_THAT(outcome.err, contains("1 slower"));
}

TEST_CASE("A comment and a test report go where they are wanted", "[cli]") {
  CHECK_THAT(compare(slower(1.05), {"--format", "markdown"}).out, contains("### Slower"));
  const TemporaryDirectory directory;
  const Outcome outcome =
      compare(slower(1.05), {"--format", "junit", "-o", directory.path("gate.xml")});
  CHECK(outcome.code == core::ExitCode::kCheckFailed);
  CHECK(outcome.out.empty());
  CHECK_THAT(directory.read("gate.xml"), contains("failures=\"1\"") && contains("<failure"));
}

TEST_CASE("What cannot be compared is refused by name", "[cli]") {
  CHECK_THAT(refusal_of(recorded(), {"--kernel", "fa9"}), contains("has none of these kernels"));
  CHECK_THAT(refusal_of(recorded(), {"--max-regression", "3"}), contains("--max-regression: '3'"));
  CHECK_THAT(refusal_of(recorded(), {"--json", kBase}), contains("is read as input"));
  core::Json nothing = recorded();
  for (core::Json& result : nothing["results"]) result["kernel"] = "other";
  CHECK_THAT(refusal_of(nothing), contains("twice") || contains("in both reports"));
}
