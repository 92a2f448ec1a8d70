#include "src/report/json.h"

#include "src/core/error.h"
#include "tests/catch.h"
#include "tests/golden/example_report.h"
#include "tests/golden/golden.h"

#include <cmath>
#include <limits>

using namespace fa3prof;
using namespace fa3prof::report;
using namespace fa3prof::tests;

namespace {

core::Json example_document() { return to_json(example_report()); }

/// The message of the ConfigError that this document ends in; empty if it reads well.
std::string error_of(const core::Json& document) {
  try {
    static_cast<void>(parse_report(document.dump(), "report.json"));
  } catch (const core::ConfigError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("The document of a run is the golden one", "[report]") {
  check_golden("report.json", to_text(example_document()));
}

TEST_CASE("The document of a comparison is the golden one and reads back without its sums",
          "[report]") {
  const core::Report report = compared_report();
  const auto comparisons = analysis::compare(report.results);
  const core::Json document =
      to_json(report, analysis::validation_of(
                          comparisons, {.mean_absolute_ratio = 0.03, .max_absolute_ratio = 0.08}));
  check_golden("report_against.json", to_text(document));
  CHECK(document["validation"]["exceeded"] == core::Json{"mean_absolute_error_ratio"});
  CHECK(to_json(parse_report(document.dump(), "report.json")) == to_json(report));
}

TEST_CASE("What is written reads back to the same document", "[report]") {
  const std::string text = to_text(example_document());
  CHECK(to_text(to_json(parse_report(text, "report.json"))) == text);
}

TEST_CASE("The time of quantization is written and read back", "[report]") {
  core::Report report = example_report();
  report.results.front().quantization = {.time_us = 276.5, .is_included = true};
  const core::Report read = parse_report(to_json(report).dump(), "report.json");
  REQUIRE(read.results.front().quantization.has_value());
  CHECK(read.results.front().quantization->time_us == 276.5);
  CHECK(read.results.front().quantization->is_included);
  CHECK_FALSE(read.results.back().quantization.has_value());
}

TEST_CASE("Fields that were not measured are absent and stay so", "[report]") {
  core::Report report;
  report.created_at = "2026-11-30T12:00:00Z";
  report.environment.tool_version = "0.1.0";
  core::Result result;
  result.kernel = "fa2";
  report.results = {result};
  const core::Json document = to_json(report);
  CHECK_FALSE(document.contains("seed"));
  CHECK_FALSE(document["environment"].contains("gpu"));
  for (const char* key : {"time_us", "cycles", "timing", "clocks", "counters", "breakdown"}) {
    CHECK_FALSE(document["results"][0].contains(key));
  }
  const core::Report read = parse_report(document.dump(), "report.json");
  CHECK_FALSE(read.results.at(0).time_us.has_value());
  CHECK_FALSE(read.environment.gpu.has_value());
}

TEST_CASE("The three FLOP counts and the padded one are in the document", "[report]") {
  const core::Json result = example_document()["results"][0];
  CHECK(result["flops_convention"] == 4.0 * 2 * 16 * 8192.0 * 8192.0 * 128);
  CHECK(result["flops_algorithmic"] == result["flops_convention"]);
  CHECK(result["flops_counted"] == result["flops_tile_padded"]);
}

TEST_CASE("Infinite numbers and NaN are refused before writing, with their place", "[report]") {
  const double bad =
      GENERATE(std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity());
  core::Report report = example_report();
  report.results[1].timing->samples_us[2] = bad;
  CHECK_THROWS_WITH(to_json(report), contains("/results/1/timing/samples_us/2"));
}

TEST_CASE("The error of a kernel that wrote NaN is absent, and its failure is there", "[report]") {
  core::Report report = example_report();
  core::Verification& verification = *report.results[1].verification;
  verification.passed = false;
  verification.failure = "NaN in O";
  verification.relative_error = std::numeric_limits<double>::quiet_NaN();
  const core::Json document = to_json(report);
  CHECK_FALSE(document["results"][1]["verification"].contains("relative_error"));
  const core::Report read = parse_report(document.dump(), "report.json");
  CHECK(std::isnan(read.results[1].verification->relative_error));
  CHECK(read.results[1].verification->failure == "NaN in O");
}

TEST_CASE("A broken document is refused with file and pointer", "[report]") {
  core::Json document = example_document();
  SECTION("unknown key") {
    document["results"][0]["timing"]["medain_us"] = 1.0;
    CHECK_THAT(error_of(document), contains("report.json at /results/0/timing/medain_us"));
  }
  SECTION("missing key") {
    document["results"][0].erase("kernel");
    CHECK_THAT(error_of(document), contains("report.json at /results/0: ") && contains("kernel"));
  }
  SECTION("wrong type") {
    document["results"][0]["time_us"] = "fast";
    CHECK_THAT(error_of(document), contains("report.json at /results/0/time_us"));
  }
  SECTION("unknown enumerator") {
    document["results"][0]["problem"]["dtype"] = "fp4";
    CHECK_THAT(error_of(document), contains("/results/0/problem/dtype") && contains("fp16"));
  }
  SECTION("impossible problem") {
    document["results"][0]["problem"]["num_heads_kv"] = 3;
    CHECK_THAT(error_of(document), contains("/results/0/problem") && contains("does not divide"));
  }
  SECTION("size beyond its type") {
    document["results"][0]["launch"]["threads"] = 4294967296;
    CHECK_THAT(error_of(document), contains("/results/0/launch/threads"));
  }
  SECTION("an unknown key of a report that is not newer") {
    document["schema_minor"] = core::kReportSchemaMinor;
    document["mood"] = "fine";
    CHECK_THAT(error_of(document), contains("/mood"));
  }
  SECTION("a shard that is none") {
    document["shard"] = {{"index", 3}, {"count", 2}};
    CHECK_THAT(error_of(document), contains("/shard") && contains("3 of 2"));
  }
  SECTION("another schema version") {
    document["schema_version"] = 2;
    CHECK_THAT(error_of(document), contains("/schema_version") && contains("reads version 1"));
  }
}

TEST_CASE("Text that is no JSON is refused with the file", "[report]") {
  CHECK_THROWS_WITH(parse_report("{\"schema_version\": 1,", "cut.json"), contains("cut.json"));
}

TEST_CASE("A newer minor version is read without what it adds, and says so", "[report]") {
  core::Json document = example_document();
  document["schema_minor"] = core::kReportSchemaMinor + 1;
  document["mood"] = "fine";
  document["results"][0]["timing"]["samples_mood"] = {1, 2, 3};
  const core::Report read = parse_report(document.dump(), "report.json");
  REQUIRE(read.warnings.size() == 1);
  CHECK_THAT(read.warnings.front(),
             contains("report.json: written by a newer fa3prof (schema 1.3, this one knows 1.2)"));
  CHECK(read.results.size() == 4);
}

TEST_CASE("Reports of every older version read, and lose nothing", "[report]") {
  // What fa3prof wrote then; never to be rewritten.
  for (const char* name : {"run", "failed", "against"}) {
    const std::string path = std::string(FA3PROF_OLD_REPORTS) + "/1.0/" + name + ".json";
    const core::Report read = load_report(path);
    core::Json expected = core::load_json(path);
    expected.erase("validation");
    core::Json written = to_json(read);
    CHECK(written.erase("schema_minor") == 1);
    CHECK(written == expected);
  }
}

TEST_CASE("A shard is written and read back", "[report]") {
  core::Report report = example_report();
  report.shard = core::Shard{.index = 2, .count = 5};
  CHECK(parse_report(to_json(report).dump(), "report.json").shard == report.shard);
}
