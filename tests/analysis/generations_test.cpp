#include "src/analysis/generations.h"

#include "tests/catch.h"
#include "tests/golden/example_report.h"

using namespace fa3prof;
using namespace fa3prof::tests;

namespace {

struct Counts {
  double loads = 0.0;
  double copies = 0.0;
  double boxes = 0.0;
  double mma_sync = 0.0;
  double wgmma = 0.0;
};

core::Result counted(const std::string& kernel, double time_us, const Counts& counts) {
  core::Result result = measured_result(kernel, time_us);
  result.timing.reset();  // not in turn: ratios of times
  auto& values = result.counters.values;
  values = {{std::string(core::kGlobalLoadInstructions), counts.loads},
            {std::string(core::kCpAsyncInstructions), counts.copies},
            {std::string(core::kTmaInstructions), counts.boxes},
            {std::string(core::kMmaSyncInstructions), counts.mma_sync},
            {std::string(core::kWgmmaInstructions), counts.wgmma}};
  return result;
}

core::Report report_of_all() {
  core::Report report = example_report();
  report.results = {counted("fa1", 20'000.0, {.loads = 9.0, .mma_sync = 5.0}),
                    counted("fa2", 3'000.0, {.loads = 1.0, .copies = 7.0, .mma_sync = 5.0}),
                    counted("fa3", 1'500.0, {.loads = 2.0, .boxes = 3.0, .wgmma = 4.0}),
                    counted("fa3_fp8", 1'000.0, {.loads = 2.0, .boxes = 3.0, .wgmma = 4.0})};
  return report;
}

const analysis::GenerationTable& only(const std::vector<analysis::GenerationTable>& tables) {
  REQUIRE(tables.size() == 1);
  REQUIRE(tables.front().generations.size() == 4);
  return tables.front();
}

std::string note_with(const analysis::GenerationTable& table, const std::string& part) {
  for (const std::string& note : table.notes) {
    if (note.find(part) != std::string::npos) return note;
  }
  return "";
}

}  // namespace

TEST_CASE("Engine and tensor instruction follow from the instructions that were counted",
          "[analysis]") {
  using enum analysis::TransferEngine;
  using enum analysis::TensorInstruction;
  const core::Report report = report_of_all();
  const auto tables = analysis::generation_tables(report);
  const auto& generations = only(tables).generations;
  CHECK(generations[0].engine == kRegisters);
  CHECK(generations[1].engine == kCpAsync);
  CHECK(generations[2].engine == kTma);
  CHECK(generations[3].engine == kTma);
  CHECK(generations[0].instruction == kMmaSync);
  CHECK(generations[1].instruction == kMmaSync);
  CHECK(generations[2].instruction == kWgmma);
  CHECK_THAT(note_with(only(tables), "FlashAttention-1 loads by cp.async in the guide"),
             contains("fa1 executed 0 LDGSTS and 9 LDG"));
  CHECK_FALSE(note_with(only(tables), "cp.async (LDGSTS) is an asynchronous copy").empty());
}

TEST_CASE("A kernel that multiplies otherwise than the guide says has a note", "[analysis]") {
  core::Report report = report_of_all();
  report.results[2] = counted("fa3", 1'500.0, {.copies = 3.0, .mma_sync = 4.0});
  const auto tables = analysis::generation_tables(report);
  CHECK_THAT(note_with(only(tables), "multiplies by WGMMA"), contains("executed 4 HMMA and 0"));
  CHECK_THAT(note_with(only(tables), "loads by asynchronous TMA"), contains("cp_async"));
}

TEST_CASE("Each generation is set beside the one before, in the guide too", "[analysis]") {
  const core::Report report = report_of_all();
  const auto tables = analysis::generation_tables(report);
  const auto& generations = only(tables).generations;
  CHECK_FALSE(generations[0].speedup.has_value());
  CHECK_FALSE(generations[0].guide_speedup.has_value());
  CHECK_THAT(*generations[2].speedup->measured_time_ratio, WithinRel(2.0, 1e-9));
  CHECK_THAT(*generations[3].speedup->measured_time_ratio, WithinRel(1.5, 1e-9));
  CHECK_THAT(*generations[2].guide_speedup, WithinRel(750.0 / 350.0, 1e-9));
  CHECK_THAT(*generations[2].peak_ratio,
             WithinRel(*report.results[2].tflops / *report.results[2].peak_tflops, 1e-9));
  CHECK_THAT(note_with(only(tables), "FlashAttention-1 reaches ~200 TFLOPS"),
             contains("on NVIDIA H200"));
}

TEST_CASE("Pipes that are busy for more than all cycles together overlap by the rest",
          "[analysis]") {
  core::Report report = report_of_all();
  const auto set = [&report](std::size_t row, double tensor, double mufu) {
    auto& values = report.results[row].counters.values;
    values[std::string(core::kTensorActiveRatio)] = tensor;
    values[std::string(core::kMufuActiveRatio)] = mufu;
  };
  set(0, 0.3, 0.3);
  set(1, 0.7, 0.5);
  set(2, 0.75, 0.5);
  const auto tables = analysis::generation_tables(report);
  const auto& generations = only(tables).generations;
  CHECK(generations[0].both_busy_ratio == 0.0);
  CHECK_THAT(*generations[1].both_busy_ratio, WithinAbs(0.2, 1e-9));
  CHECK_FALSE(generations[3].both_busy_ratio.has_value());
  CHECK_THAT(note_with(only(tables), "FlashAttention-2 is strictly serialized in the guide"),
             contains("at least 20.0 %"));
  CHECK_THAT(note_with(only(tables), "FlashAttention-3 is fully overlapped in the guide"),
             contains("idle for 25.0 %"));
  CHECK(note_with(only(tables), "FlashAttention-1 is strictly").empty());
}

TEST_CASE("Roles are those of the pipeline that has the launch's threads", "[analysis]") {
  core::Report report = report_of_all();
  const auto tables = analysis::generation_tables(report);
  const auto& roles = only(tables).generations[2].roles;
  REQUIRE(roles.size() == 2);
  CHECK(roles[0].name == "producer");
  CHECK(roles[1].instances == 2);
  CHECK(roles[1].warps == 4);
  core::Report other = report_of_all();
  other.results[2].launch->threads = 32;
  const auto of_other = analysis::generation_tables(other);
  CHECK(only(of_other).generations[2].roles.empty());
}

TEST_CASE("A generation that was not run has what the guide says alone", "[analysis]") {
  core::Report report = report_of_all();
  report.results.erase(report.results.begin() + 1);
  report.results[0].time_us.reset();
  const auto tables = analysis::generation_tables(report);
  const auto& generations = only(tables).generations;
  CHECK(generations[1].measured == nullptr);
  CHECK_FALSE(generations[0].engine.has_value());
  CHECK_FALSE(generations[2].speedup.has_value());
  CHECK(generations[3].speedup.has_value());
  report.results.erase(report.results.begin());
  CHECK(analysis::generation_tables(report).empty());
}
