#include "src/core/json_reader.h"
#include "tests/catch.h"
#include "tests/cli/fake_program.h"
#include "tests/cli/temporary_directory.h"
#include "tests/golden/golden.h"

#include <filesystem>

using namespace fa3prof;
using namespace fa3prof::tests;

namespace {

const std::string kRecordings = std::string(FA3PROF_SOURCE_DIR) + "/configs/recordings/";
const std::string kReport = kRecordings + "h200_sxm_seq8192.json";

/// The data that a page holds.
core::Json data_of(const std::string& page) {
  const std::string begin = "<script type=\"application/json\" id=\"data\">";
  const auto at = page.find(begin);
  REQUIRE(at != std::string::npos);
  const auto from = at + begin.size();
  return core::parse_json(page.substr(from, page.find("</script>", from) - from), "page");
}

/// The message with which the program refuses these arguments.
std::string refusal_of(const std::vector<std::string>& arguments) {
  try {
    static_cast<void>(run_program(arguments));
  } catch (const core::Error& error) {
    CHECK(error.code() == core::ExitCode::kUsage);
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("A report becomes a page with the roofs of its GPU", "[cli]") {
  const TemporaryDirectory directory;
  const std::string path = directory.path("page.html");
  const Outcome outcome = run_program({"report", kReport, "--format", "html", "-o", path});
  CHECK(outcome.code == core::ExitCode::kDone);
  CHECK(outcome.out.empty());
  const core::Json report = data_of(read_text(path))["reports"][0];
  CHECK(report["name"] == "h200_sxm_seq8192");
  CHECK(report["machine"] == "h200_sxm");
  CHECK(report["roofs"].size() == 5);
  CHECK(report["results"].size() == 4);
}

TEST_CASE("A page goes to stdout where that is asked for", "[cli]") {
  const Outcome outcome = run_program({"report", kReport, "-o", "-"});
  CHECK(outcome.out.starts_with("<!doctype html>"));
  CHECK(outcome.err.empty());
}

TEST_CASE("Several reports make one page, each under a name of its own", "[cli]") {
  const TemporaryDirectory directory;
  const std::string copy = directory.path("h200_sxm_seq8192.json");
  std::filesystem::copy_file(kReport, copy);
  const Outcome outcome =
      run_program({"report", kReport, kRecordings + "h200_sxm_fp8.json", copy, "-o", "-"});
  const core::Json reports = data_of(outcome.out)["reports"];
  REQUIRE(reports.size() == 3);
  CHECK(reports[0]["name"] == kReport);
  CHECK(reports[1]["name"] == "h200_sxm_fp8");
  CHECK(reports[2]["name"] == copy);
}

TEST_CASE("A simulation's page has the roofs of the simulated machine, or of the stated one",
          "[cli]") {
  const TemporaryDirectory directory;
  const std::string path = directory.path("simulated.json");
  static_cast<void>(
      run_program({"simulate", "--machine", "h100_sxm", "--seq", "1k", "--quiet", "--json", path}));
  const auto machine_of = [](const Outcome& outcome) {
    return data_of(outcome.out)["reports"][0]["machine"].get<std::string>();
  };
  CHECK(machine_of(run_program({"report", path, "-o", "-"})) == "h100_sxm");
  CHECK(machine_of(run_program({"report", path, "-o", "-", "--machine", "h200_sxm"})) ==
        "h200_sxm");
}

TEST_CASE("What is no report is refused, and no page is left", "[cli]") {
  const TemporaryDirectory directory;
  const std::string page = directory.path("page.html");
  const auto refuse = [&](const std::string& text) {
    const std::string bad = directory.write("bad.json", text);
    const std::string message = refusal_of({"report", bad, "-o", page});
    CHECK_FALSE(std::filesystem::exists(page));
    return message;
  };
  CHECK_THAT(refuse("not JSON"), contains("bad.json"));
  CHECK_THAT(refuse("[]"), contains("bad.json"));
  CHECK_THAT(refuse(R"({"schema_version": 2})"),
             contains("bad.json at /schema_version: is 2, but this fa3prof reads version 1"));
  core::Json empty = core::load_json(kReport);
  empty["results"] = core::Json::array();
  CHECK_THAT(refuse(empty.dump()), contains("bad.json at /results: there are none"));
  CHECK_THAT(refusal_of({"report", directory.path("none.json"), "-o", page}),
             contains("none.json"));
}

TEST_CASE("A page cannot take the place of its report or go where nothing can be written",
          "[cli]") {
  CHECK_THAT(refusal_of({"report", kReport, "-o", kReport}), contains("is read as input"));
  CHECK_THAT(refusal_of({"report", kReport, kReport, "-o", "-"}), contains("given twice"));
  CHECK_THAT(refusal_of({"report", kReport, "-o", "/no/such/folder/page.html"}),
             contains("cannot write /no/such/folder/page.html"));
  CHECK_THAT(refusal_of({"report", kReport, "-o", "-", "--format", "pdf"}),
             contains("--format: 'pdf' is no choice"));
  CHECK_THAT(refusal_of({"report", kReport, "-o", "-", "--machine", "h300"}), contains("h300"));
}

TEST_CASE("CSV and Markdown go to stdout unless a file is named, a page needs one", "[cli]") {
  CHECK_THAT(run_program({"report", kReport, "--format", "csv"}).out,
             contains("report,kernel,") && contains("h200_sxm_seq8192,fa3,"));
  CHECK_THAT(run_program({"report", kReport, "--format", "markdown"}).out,
             contains("### h200\\_sxm\\_seq8192") && contains("| fa3 |"));
  CHECK_THAT(refusal_of({"report", kReport}), contains("name a file with --output"));
  const TemporaryDirectory directory;
  const std::string path = directory.path("rows.csv");
  const Outcome outcome = run_program({"report", kReport, "--format", "csv", "-o", path});
  CHECK(outcome.out.empty());
  CHECK_THAT(read_text(path), contains("h200_sxm_seq8192,fa3,"));
}
