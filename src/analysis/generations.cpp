#include "src/analysis/generations.h"

#include "sim/pipeline.h"
#include "src/core/attention_kernel.h"
#include "src/core/error.h"

#include <algorithm>

namespace fa3prof::analysis {
namespace {

constexpr std::string_view kFirst = "fa1";

constexpr std::array<GuideGeneration, 4> kGuide{{
    {.name = "FlashAttention-1",
     .kernel = kFirst,
     .transfer = "synchronous cp.async",
     .instruction = "mma.sync, register bound",
     .warps = "homogeneous, all in one",
     .overlap = "strictly serialized",
     .numerics = "FP16, BF16 only",
     .tflops = 200.0,
     .peak_ratio = 0.20},
    {.name = "FlashAttention-2",
     .kernel = "fa2",
     .transfer = "synchronous cp.async",
     .instruction = "mma.sync, register bound",
     .warps = "homogeneous, split along seq",
     .overlap = "strictly serialized",
     .numerics = "FP16, BF16 only",
     .tflops = 350.0,
     .peak_ratio = 0.35},
    {.name = "FlashAttention-3",
     .kernel = "fa3",
     .transfer = "asynchronous TMA",
     .instruction = "WGMMA, SRAM to register",
     .warps = "producer and consumer",
     .overlap = "fully overlapped",
     .numerics = "FP16, BF16",
     .tflops = 750.0,
     .peak_ratio = 0.75},
    {.name = "FlashAttention-3 FP8",
     .kernel = core::kFp8,
     .transfer = "asynchronous TMA",
     .instruction = "WGMMA, SRAM to register",
     .warps = "producer and consumer",
     .overlap = "fully overlapped",
     .numerics = "FP8, block scales, Hadamard",
     .tflops = 1200.0,
     .peak_ratio = 0.60},
}};

std::optional<TransferEngine> engine_of(const core::Counters& counters) {
  const auto loads = counters.find(core::kGlobalLoadInstructions);
  const auto copies = counters.find(core::kCpAsyncInstructions);
  const auto boxes = counters.find(core::kTmaInstructions);
  if (!loads || !copies || !boxes) return std::nullopt;
  if (*boxes > 0.0) return TransferEngine::kTma;
  if (*copies > 0.0) return TransferEngine::kCpAsync;
  return *loads > 0.0 ? std::optional(TransferEngine::kRegisters) : std::nullopt;
}

std::optional<TensorInstruction> instruction_of(const core::Counters& counters) {
  const auto mma_sync = counters.find(core::kMmaSyncInstructions);
  const auto wgmma = counters.find(core::kWgmmaInstructions);
  if (!mma_sync || !wgmma || *mma_sync + *wgmma == 0.0) return std::nullopt;
  return *wgmma > *mma_sync ? TensorInstruction::kWgmma : TensorInstruction::kMmaSync;
}

std::optional<double> both_busy_ratio(const core::Counters& counters) {
  const auto tensor = counters.find(core::kTensorActiveRatio);
  const auto mufu = counters.find(core::kMufuActiveRatio);
  if (!tensor || !mufu) return std::nullopt;
  return std::max(0.0, *tensor + *mufu - 1.0);
}

/// The kernel's pipeline as it is for the problem, or nothing where it has none for it.
std::optional<sim::Pipeline> pipeline_of(const core::Result& measured) {
  const core::AttentionKernel& kernel = core::find_kernel(measured.kernel);
  if (kernel.pipeline.empty()) return std::nullopt;
  core::AttentionProblem problem = measured.problem;
  problem.dtype = core::multiplied_type(kernel, problem);
  try {
    return sim::shaped_for(sim::load_pipeline(std::string(kernel.pipeline)), problem);
  } catch (const core::UsageError&) {
    return std::nullopt;
  }
}

std::vector<WarpRole> roles_of(const core::Result& measured) {
  const auto pipeline = pipeline_of(measured);
  if (!pipeline || !measured.launch || pipeline->threads() != measured.launch->threads) return {};
  std::vector<WarpRole> roles;
  for (const sim::Role& role : pipeline->roles) {
    roles.push_back({.name = role.name, .instances = role.instances, .warps = role.warps});
  }
  return roles;
}

std::optional<double> exposed_ratio(const core::Result& simulated) {
  const auto part =
      std::ranges::find(simulated.breakdown, "softmax_exposed", &core::BreakdownPart::category);
  if (part == simulated.breakdown.end() || simulated.cycles.value_or(0.0) <= 0.0)
    return std::nullopt;
  return part->cycles / *simulated.cycles;
}

const Row* row_of(const ProblemComparison& comparison, std::string_view kernel) {
  const auto found = std::ranges::find_if(comparison.rows, [kernel](const Row& row) {
    return row.measured != nullptr && row.measured->kernel == kernel;
  });
  return found == comparison.rows.end() ? nullptr : &*found;
}

bool was_run(const Row* row) { return row != nullptr && row->measured->time_us.has_value(); }

Generation generation_of(const GuideGeneration& guide, const Row* row) {
  Generation generation;
  generation.guide = &guide;
  if (row == nullptr) return generation;
  const core::Result& measured = *row->measured;
  generation.measured = &measured;
  if (row->simulated != nullptr) {
    generation.simulated_softmax_exposed_ratio = exposed_ratio(*row->simulated);
  }
  if (!was_run(row)) return generation;
  generation.engine = engine_of(measured.counters);
  generation.instruction = instruction_of(measured.counters);
  generation.both_busy_ratio = both_busy_ratio(measured.counters);
  generation.roles = roles_of(measured);
  if (measured.tflops && measured.peak_tflops) {
    generation.peak_ratio = *measured.tflops / *measured.peak_tflops;
  }
  return generation;
}

GenerationTable table_of(const ProblemComparison& comparison, std::string_view gpu) {
  GenerationTable table;
  table.problem = comparison.problem;
  const Row* before = nullptr;
  for (const GuideGeneration& guide : kGuide) {
    const Row* row = row_of(comparison, guide.kernel);
    Generation generation = generation_of(guide, row);
    if (was_run(before) && was_run(row)) generation.speedup = speedup_over(*before, *row);
    if (!table.generations.empty()) {
      generation.guide_speedup = guide.tflops / table.generations.back().guide->tflops;
    }
    table.generations.push_back(std::move(generation));
    before = row;
  }
  table.notes = generation_notes(table.generations, gpu);
  return table;
}

}  // namespace

const std::array<GuideGeneration, 4>& guide_generations() { return kGuide; }

std::string_view name_of(TransferEngine engine) {
  switch (engine) {
    case TransferEngine::kRegisters:
      return "registers";
    case TransferEngine::kCpAsync:
      return "cp_async";
    case TransferEngine::kTma:
      break;
  }
  return "tma";
}

std::string_view name_of(TensorInstruction instruction) {
  return instruction == TensorInstruction::kWgmma ? "wgmma" : "mma_sync";
}

std::vector<GenerationTable> generation_tables(const core::Report& report) {
  std::vector<GenerationTable> tables;
  const std::string gpu = report.environment.gpu ? report.environment.gpu->name : std::string();
  for (const ProblemComparison& comparison : compare(report.results)) {
    if (row_of(comparison, kFirst) != nullptr) tables.push_back(table_of(comparison, gpu));
  }
  return tables;
}

}  // namespace fa3prof::analysis
