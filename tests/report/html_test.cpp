#include "src/report/html.h"

#include "src/core/error.h"
#include "tests/catch.h"
#include "tests/golden/example_report.h"
#include "tests/golden/golden.h"

#include <limits>

using namespace fa3prof;
using namespace fa3prof::report;
using namespace fa3prof::tests;

namespace {

PageReport example_page() {
  return {.name = "example",
          .report = compared_report(),
          .machine = "h200_sxm",
          .roofs = {{128,
                     {{.unit = "tensor_fp16",
                       .value = 8.0e14,
                       .value_at_max_clock = 1.0e15,
                       .formula = "4096 FLOP/cycle/SM x 132 SM x 1479 MHz"},
                      {.unit = "hbm",
                       .kind = analysis::RoofKind::kMemory,
                       .value = 4.5e12,
                       .value_at_max_clock = 4.5e12,
                       .formula = "4500 GB/s, read"}}}}};
}

/// A report with as many results as `results`, each of `samples` samples.
PageReport page_with_samples(int results, std::size_t samples) {
  PageReport page{.name = "long", .report = example_report()};
  core::Result result = page.report.results.front();
  result.timing->samples_us.assign(samples, 1234.56789);
  result.timing->samples_clock_mhz.assign(samples, 1500.1);
  page.report.results.assign(static_cast<std::size_t>(results), result);
  return page;
}

}  // namespace

TEST_CASE("The data of a page is the golden one", "[report]") {
  core::Json document = page_document({example_page()});
  CHECK(document["written_by"].contains("commit"));
  document.erase("written_by");  // differs from build to build
  check_golden("page_data.txt", document.dump(2) + "\n");
}

TEST_CASE("Rows of a page point to the results that they speak of", "[report]") {
  const core::Json report = page_document({example_page()})["reports"][0];
  for (const core::Json& row : report["problems"][0]["rows"]) {
    const core::Json& measured = report["results"][row["measured"].get<std::size_t>()];
    CHECK(measured["source"] == "measured");
    CHECK(measured["kernel"] == row["label"]);
    if (!row.contains("simulated")) continue;
    CHECK(report["results"][row["simulated"].get<std::size_t>()]["kernel"] == row["label"]);
  }
  CHECK_FALSE(report.contains("deviations"));
}

TEST_CASE("A page keeps few of very many samples, evenly, and says so", "[report]") {
  const core::Json kept = page_document({page_with_samples(100, 1920)})["reports"][0];
  const core::Json& timing = kept["results"][0]["timing"];
  CHECK(timing["samples_kept_every"] == 5);
  CHECK(timing["samples_us"].size() == 384);
  CHECK(timing["samples_clock_mhz"].size() == 384);
  CHECK(timing["samples_us"][0] == 1234.568);
  const core::Json all = page_document({page_with_samples(2, 226)})["reports"][0];
  CHECK_FALSE(all["results"][0]["timing"].contains("samples_kept_every"));
  CHECK(all["results"][0]["timing"]["samples_us"].size() == 226);
}

TEST_CASE("Data in a script element can neither end it nor break it", "[report]") {
  const core::Json hostile = {{"name", "</script><!--\u2028\u2029"}};
  const std::string text = script_safe_text(hostile);
  CHECK(text == R"({"name":"\u003c/script>\u003c!--\u2028\u2029"})");
  CHECK(core::parse_json(text, "page") == hostile);
}

TEST_CASE("A page holds its data once and no mark that was not filled in", "[report]") {
  const std::string page = html_page({example_page()});
  CHECK_THAT(page, contains("<!doctype html>") && contains("\"name\":\"example\""));
  CHECK_THAT(page, contains("Apache ECharts") && contains("Apache License"));
  const auto end_of_scripts = page.find("<script type=\"application/json\"");
  CHECK(page.substr(0, end_of_scripts).find("{{") == std::string::npos);
  CHECK(page.ends_with("</html>\n"));
}

TEST_CASE("A number that JSON cannot hold makes no page", "[report]") {
  PageReport page = example_page();
  page.report.results.front().tflops = std::numeric_limits<double>::infinity();
  CHECK_THROWS_AS(html_page({page}), core::Error);
}
