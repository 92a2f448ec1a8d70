#include "src/analysis/merge.h"

#include "src/core/error.h"
#include "tests/catch.h"
#include "tests/golden/example_report.h"

using namespace fa3prof;
using namespace fa3prof::tests;
using analysis::Part;

namespace {

/// fa2 and fa3 at each length.
core::Report sweep(const std::vector<std::int64_t>& seqlens) {
  core::Report report = example_report();
  report.results.clear();
  for (const std::int64_t seqlen : seqlens) {
    for (const char* kernel : {"fa2", "fa3"}) {
      report.results.push_back(measured_result(kernel, 1000.0));
      report.results.back().problem.seqlen_q = seqlen;
    }
  }
  return report;
}

Part shard(int index, int count, const std::vector<std::int64_t>& seqlens) {
  Part part{.name = std::to_string(index) + ".json", .report = sweep(seqlens)};
  part.report.shard = core::Shard{.index = index, .count = count};
  return part;
}

/// "fa2 512, fa3 512, ..."
std::string rows_of(const core::Report& report) {
  std::string text;
  for (const core::Result& result : report.results) {
    text +=
        (text.empty() ? "" : ", ") + result.kernel + " " + std::to_string(result.problem.seqlen_q);
  }
  return text;
}

}  // namespace

TEST_CASE("Merged shards have the rows of the whole sweep in its order", "[analysis]") {
  const core::Report merged =
      analysis::merge({shard(3, 3, {3}), shard(1, 3, {1, 4}), shard(2, 3, {2, 5})}, false);
  CHECK(rows_of(merged) == rows_of(sweep({1, 2, 3, 4, 5})));
  CHECK_FALSE(merged.shard.has_value());
}

TEST_CASE("An empty shard counts as there", "[analysis]") {
  CHECK(rows_of(analysis::merge({shard(1, 2, {1}), shard(2, 2, {})}, false)) ==
        rows_of(sweep({1})));
}

TEST_CASE("A merged report says where its parts ran and when the first did", "[analysis]") {
  Part first = shard(1, 2, {1});
  Part second = shard(2, 2, {2});
  second.report.environment.host = "bench-02";
  second.report.environment.gpu->uuid = "GPU-another";
  second.report.created_at = "2026-11-30T11:00:00Z";
  second.report.warnings = {"a warning"};
  const core::Report merged = analysis::merge({first, second}, false);
  CHECK(merged.environment.host == "bench-01, bench-02");
  CHECK(merged.environment.gpu->uuid.empty());
  CHECK(merged.created_at == "2026-11-30T11:00:00Z");
  CHECK(merged.warnings == std::vector<std::string>{"a warning"});
}

TEST_CASE("A missing shard is refused, or told where that is allowed", "[analysis]") {
  const std::vector<Part> parts{shard(1, 3, {1}), shard(3, 3, {3})};
  CHECK_THROWS_WITH(analysis::merge(parts, false), contains("of 3 shards these are missing: 2"));
  CHECK(analysis::merge(parts, true).warnings ==
        std::vector<std::string>{"shards that are missing: 2"});
}

TEST_CASE("Reports that do not belong together are refused", "[analysis]") {
  Part first = shard(1, 2, {1});
  Part second = shard(2, 2, {2});
  std::string message;
  SECTION("another GPU") {
    second.report.environment.gpu->name = "NVIDIA H100";
    message = "1.json and 2.json are not of one kind of GPU";
  }
  SECTION("another build") {
    second.report.environment.tool_commit = "fedcba";
    message = "not of one build: 0.1.0 (0123456789) and 0.1.0 (fedcba)";
  }
  SECTION("other inputs") {
    second.report.seed = 2;
    message = "not of one seed";
  }
  SECTION("another what-if") {
    second.report.what_if = {{.stated = "mufu=2x",
                              .file = "machine h200_sxm",
                              .pointer = "/mufu_per_cycle/value",
                              .from = 15.99,
                              .to = 31.98}};
    message = "not of one what-if: no change and mufu=2x";
  }
  SECTION("another count") {
    second.report.shard->count = 3;
    message = "not of one number of shards: 2 and 3";
  }
  SECTION("no shard at all") {
    second.report.shard.reset();
    message = "not of one number of shards: 2 and 0";
  }
  SECTION("the same shard") {
    second.report.shard->index = 1;
    message = "shard 1 is there 2 times";
  }
  SECTION("the same row") {
    second.report.results = first.report.results;
    message = "is in two of the reports";
  }
  CHECK_THROWS_WITH(analysis::merge({first, second}, false), contains(message));
}

TEST_CASE("Whole reports of other problems are merged as they come", "[analysis]") {
  const core::Report merged = analysis::merge(
      {{.name = "a", .report = sweep({1})}, {.name = "b", .report = sweep({2})}}, false);
  CHECK(rows_of(merged) == rows_of(sweep({1, 2})));
}
