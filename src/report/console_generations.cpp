#include "src/analysis/generations.h"
#include "src/core/attention_kernel.h"
#include "src/report/console.h"
#include "src/report/speedup_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

namespace fa3prof::report {
namespace {

using analysis::Generation;
using analysis::GenerationTable;
using Align = Table::Align;

bool was_run(const Generation& generation) {
  return generation.measured != nullptr && generation.measured->time_us.has_value();
}

std::string whole(double value) { return grouped(value, 0); }

std::string kernel_text(const Generation& generation) {
  const std::string kernel(generation.guide->kernel);
  return was_run(generation) ? kernel : kernel + ", not run";
}

std::string engine_text(const Generation& generation) {
  if (!generation.engine) return "";
  switch (*generation.engine) {
    case analysis::TransferEngine::kRegisters:
      return "LDG through registers";
    case analysis::TransferEngine::kCpAsync:
      return "cp.async";
    case analysis::TransferEngine::kTma:
      break;
  }
  return "TMA";
}

/// "1,234 LDGSTS, 12 LDG": those that were executed, most first.
std::string counts_text(const Generation& generation,
                        std::vector<std::pair<std::string_view, std::string_view>> names) {
  const core::Counters& counters = generation.measured->counters;
  const auto count = [&counters](const auto& name) {
    return counters.find(name.first).value_or(0.0);
  };
  std::ranges::stable_sort(names, std::greater{}, count);
  std::string text;
  for (const auto& name : names) {
    if (count(name) == 0.0) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", whole(count(name)), name.second);
  }
  return text;
}

std::string transfer_counts(const Generation& generation) {
  if (!generation.engine) return "";
  return counts_text(generation, {{core::kTmaInstructions, "TMA"},
                                  {core::kCpAsyncInstructions, "LDGSTS"},
                                  {core::kGlobalLoadInstructions, "LDG"}});
}

std::string instruction_text(const Generation& generation) {
  if (!generation.instruction) return "";
  const bool is_wgmma = *generation.instruction == analysis::TensorInstruction::kWgmma;
  return is_wgmma ? "wgmma" : "mma.sync";
}

std::string instruction_counts(const Generation& generation) {
  if (!generation.instruction) return "";
  const bool is_fp8 =
      core::multiplied_type(core::find_kernel(generation.guide->kernel),
                            generation.measured->problem) == core::DataType::kFloat8E4M3;
  return counts_text(generation, {{core::kWgmmaInstructions, is_fp8 ? "QGMMA" : "HGMMA"},
                                  {core::kMmaSyncInstructions, "HMMA"}});
}

/// "producer 1 x 4, consumer 2 x 4".
std::string warps_text(const Generation& generation) {
  std::string text;
  for (const analysis::WarpRole& role : generation.roles) {
    if (role.warps == 0) continue;
    text += fmt::format("{}{} {} x {}", text.empty() ? "" : ", ", role.name, role.instances,
                        role.warps);
  }
  if (!text.empty() || !was_run(generation) || !generation.measured->launch) return text;
  return fmt::format("{} in all", generation.measured->launch->threads / 32);
}

std::string ctas_text(const Generation& generation) {
  if (!was_run(generation) || !generation.measured->launch) return "";
  const core::Launch& launch = *generation.measured->launch;
  return fmt::format("{}, {} an SM{}", whole(static_cast<double>(launch.grid)), launch.ctas_per_sm,
                     launch.is_persistent ? ", persistent" : "");
}

std::string counter_percent(const Generation& generation, std::string_view key) {
  if (!was_run(generation)) return "";
  return text_or_empty(generation.measured->counters.find(key), percent);
}

std::string both_text(const Generation& generation) {
  if (!generation.both_busy_ratio) return "";
  return *generation.both_busy_ratio > 0.0 ? "at least " + percent(*generation.both_busy_ratio)
                                           : "not shown by these";
}

std::string type_text(const Generation& generation) {
  if (!was_run(generation)) return "";
  const auto type = core::multiplied_type(core::find_kernel(generation.guide->kernel),
                                          generation.measured->problem);
  return std::string(core::name_of(type));
}

std::string error_text(const Generation& generation) {
  if (!was_run(generation) || !generation.measured->verification) return "";
  return fmt::format("{:.1e}", generation.measured->verification->relative_error);
}

std::string tflops_text(const Generation& generation) {
  return was_run(generation) ? text_or_empty(generation.measured->tflops,
                                             [](double value) { return grouped(value, 1); })
                             : std::string();
}

std::string speedup_text(const Generation& generation) {
  return generation.speedup ? time_ratio_text(*generation.speedup) : std::string();
}

struct Line {
  std::string_view label;
  std::function<std::string(const Generation&)> text;
  bool is_guide = false;
};

Line guide_line(std::string_view analysis::GuideGeneration::*member) {
  return {"    guide", [member](const Generation& g) { return std::string((*g.guide).*member); },
          true};
}

std::vector<Line> kernel_lines() { return {{"  kernel", kernel_text}}; }

std::vector<Line> structure_lines() {
  using analysis::GuideGeneration;
  return {{"  memory transfer", engine_text},       {"    instructions", transfer_counts},
          guide_line(&GuideGeneration::transfer),   {"  tensor instruction", instruction_text},
          {"    instructions", instruction_counts}, guide_line(&GuideGeneration::instruction),
          {"  warps of a CTA", warps_text},         {"    CTAs", ctas_text},
          guide_line(&GuideGeneration::warps)};
}

std::vector<Line> overlap_lines() {
  return {{"  tensor pipe busy",
           [](const Generation& g) { return counter_percent(g, core::kTensorActiveRatio); }},
          {"    exponentials' pipe",
           [](const Generation& g) { return counter_percent(g, core::kMufuActiveRatio); }},
          {"    both at once", both_text},
          {"    softmax exposed, simulated",
           [](const Generation& g) {
             return text_or_empty(g.simulated_softmax_exposed_ratio, percent);
           }},
          guide_line(&analysis::GuideGeneration::overlap),
          {"  multiplies", type_text},
          {"    relative error", error_text},
          guide_line(&analysis::GuideGeneration::numerics)};
}

std::vector<Line> speed_lines() {
  return {{"  TFLOPS", tflops_text},
          {"    guide", [](const Generation& g) { return "~" + whole(g.guide->tflops); }, true},
          {"  % of peak", [](const Generation& g) { return text_or_empty(g.peak_ratio, percent); }},
          {"    guide",
           [](const Generation& g) { return fmt::format("{:.0f} %", 100.0 * g.guide->peak_ratio); },
           true},
          {"  over the one before", speedup_text},
          {"    guide", [](const Generation& g) { return text_or_empty(g.guide_speedup, times); },
           true}};
}

std::string text_of(const GenerationTable& generations, Colour colour) {
  if (std::ranges::none_of(generations.generations, was_run)) return "";
  std::vector<Table::Column> columns{{core::describe(generations.problem), Align::kLeft}};
  for (const Generation& generation : generations.generations) {
    columns.push_back({std::string(generation.guide->name), Align::kLeft});
  }
  Table table(columns);
  for (const auto& lines : {kernel_lines(), structure_lines(), overlap_lines(), speed_lines()}) {
    bool has_measured = false;  // since the last guide's line, which belongs to what is above it
    for (const Line& line : lines) {
      std::vector<std::string> cells{std::string(line.label)};
      for (const Generation& generation : generations.generations) {
        cells.push_back(line.text(generation));
      }
      const bool is_empty = std::all_of(cells.begin() + 1, cells.end(),
                                        [](const std::string& cell) { return cell.empty(); });
      if (line.is_guide && !std::exchange(has_measured, false)) continue;
      if (is_empty) continue;
      has_measured = !line.is_guide;
      table.add_row(cells);
    }
  }
  std::string text = "\n" + table.text(colour);
  for (const std::string& note : generations.notes) text += "note      " + note + "\n";
  return text;
}

}  // namespace

std::string generations_text(const core::Report& report, Colour colour) {
  std::string text;
  for (const GenerationTable& table : analysis::generation_tables(report)) {
    text += text_of(table, colour);
  }
  return text;
}

}  // namespace fa3prof::report
