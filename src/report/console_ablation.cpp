#include "src/analysis/ablation.h"
#include "src/report/console.h"
#include "src/report/speedup_text.h"

#include <fmt/format.h>

#include <string>
#include <vector>

namespace fa3prof::report {
namespace {

using analysis::MechanismGain;

std::string table_of(const core::AttentionProblem& problem, const std::vector<MechanismGain>& gains,
                     Colour colour) {
  using enum Table::Align;
  Table table({{"what it brings", kLeft},
               {"", kLeft},
               {"time"},
               {"SM cycles"},
               {"simulated cycles"},
               {"paper"}});
  table.add_line(core::describe(problem), Tone::kHeading);
  const bool is_papers = problem == analysis::ablation_problem();
  for (const MechanismGain& gain : gains) {
    const analysis::Speedup& speedup = gain.speedup;
    table.add_row({fmt::format("  {}", gain.mechanism),
                   fmt::format("{} over {}", gain.to, gain.from), time_ratio_text(speedup),
                   text_or_empty(speedup.measured_cycles_ratio, times),
                   text_or_empty(speedup.simulated_cycles_ratio, times),
                   is_papers ? text_or_empty(gain.published_ratio, times) : ""});
  }
  return table.text(colour);
}

std::string papers_line() {
  const auto tflops = [](std::string_view schedule) {
    return analysis::published_tflops(schedule).value_or(0.0);
  };
  return fmt::format(
      "paper: FlashAttention-3 on an H100 SXM5, arXiv 2407.08608 table 2: {:.0f} TFLOPS full, "
      "{:.0f} without overlap, {:.0f} without warp specialization\n",
      tflops(core::kFullSchedule), tflops("pingpong"), tflops("overlap"));
}

}  // namespace

std::string ablation_text(const core::Report& report, Colour colour) {
  std::string text;
  bool is_papers = false;
  const std::vector<analysis::ProblemComparison> comparisons = analysis::compare(report.results);
  for (const analysis::ProblemComparison& comparison : comparisons) {
    const std::vector<MechanismGain> gains = analysis::mechanism_gains(comparison);
    if (gains.empty()) continue;
    text += table_of(comparison.problem, gains, colour);
    is_papers = is_papers || comparison.problem == analysis::ablation_problem();
  }
  return text + (is_papers ? papers_line() : "");
}

}  // namespace fa3prof::report
