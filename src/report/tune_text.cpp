#include "src/report/tune.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace fa3prof::report {
namespace {

using sim::TunedPoint;
using sim::Tuning;

std::vector<Table::Column> columns() {
  using enum Table::Align;
  return {{""},
          {"pipeline", kLeft},
          {"tile m"},
          {"tile n"},
          {"stages"},
          {"consumers"},
          {"CTAs per SM"},
          {"grid", kLeft},
          {"order", kLeft},
          {"registers"},
          {"KiB"},
          {"time us"},
          {"TFLOPS"},
          {"limited by", kLeft},
          {"", kLeft}};
}

void add_point(Table& table, std::size_t rank, const TunedPoint& tuned) {
  const sim::DesignPoint& point = tuned.point;
  constexpr double kKib = 1024.0;
  table.add_row(
      {fmt::format("{}", rank), tuned.pipeline, fmt::format("{}", point.tile_m),
       fmt::format("{}", point.tile_n), fmt::format("{}", point.stages),
       fmt::format("{}", point.consumers), fmt::format("{}", point.ctas_per_sm),
       std::string(sim::name_of(point.grid)),
       tuned.result.problem.is_causal && point.is_longest_first ? "longest first" : "",
       fmt::format("{:.0f} of {:.0f}", std::ceil(tuned.registers_needed), tuned.registers_there),
       grouped(tuned.shared_memory_bytes / kKib, 1),
       text_or_empty(tuned.result.time_us, [](double us) { return grouped(us, 1); }),
       text_or_empty(tuned.result.tflops, [](double value) { return grouped(value, 1); }),
       tuned.result.limiter, tuned.is_stated ? "compiled as " + tuned.kernel : ""},
      tuned.is_stated ? Tone::kGood : Tone::kPlain);
}

/// The best, and below them the pipelines as they are.
std::string points_table(const Tuning& tuning, std::size_t shown, Colour colour) {
  Table table(columns());
  table.add_line(core::describe(tuning.problem) + " on " + tuning.machine, Tone::kHeading);
  for (std::size_t i = 0; i < tuning.simulated.size(); ++i) {
    const TunedPoint& tuned = tuning.simulated[i];
    if (i < shown || tuned.is_stated) add_point(table, i + 1, tuned);
  }
  return table.text(colour);
}

std::string search_text(const Tuning& tuning) {
  std::string text =
      fmt::format("points    {} of {} can run", grouped(static_cast<double>(tuning.feasible), 0),
                  grouped(static_cast<double>(tuning.points), 0));
  for (std::size_t i = 0; i < tuning.obstacles.size(); ++i) {
    if (tuning.obstacles[i] == 0) continue;
    std::string name(sim::kObstacleNames[i]);
    std::ranges::replace(name, '_', ' ');
    text += fmt::format(", {} lack {}", grouped(static_cast<double>(tuning.obstacles[i]), 0), name);
  }
  text += fmt::format(
      "\nsearched  all by the closed form, the best {} of them by the event engine, whose "
      "ranking this is; {:.2f} s of one core\n",
      tuning.simulated.size(), tuning.seconds);
  for (const std::string& reason : tuning.left_out) text += fmt::format("left out  {}\n", reason);
  return text;
}

std::string pairs_text(const core::PairCounts& pairs) {
  return fmt::format("tau {:+.3f}: {} pairs ordered as measured, {} the other way", pairs.tau(),
                     pairs.concordant, pairs.discordant);
}

std::string ranking_text(const analysis::TuneFindings& findings, Colour colour) {
  using enum Table::Align;
  Table table({{"ranking", kLeft}, {"predicted us"}, {"measured us"}});
  std::string problem;
  for (const analysis::RankedRow& row : findings.ranking->rows) {
    const std::string text = core::describe(row.problem);
    if (text != problem) table.add_line("  " + text, Tone::kHeading);
    problem = text;
    table.add_row({"    " + row.label, grouped(row.predicted_us, 1), grouped(row.measured_us, 1)});
  }
  return "\n" + table.text(colour) +
         fmt::format(
             "\nmeasured  {}\nranking   kernels of the same problem ({} problems): {}\n"
             "          all rows by TFLOPS ({} rows): {}\n",
             findings.measured_by, findings.ranking->problems,
             pairs_text(findings.ranking->same_problem), findings.ranking->rows.size(),
             pairs_text(findings.ranking->all_rows));
}

}  // namespace

std::string tune_text(const analysis::TuneFindings& findings, Colour colour) {
  std::string text;
  for (const Tuning& tuning : findings.tunings) {
    if (!text.empty()) text += "\n";
    text += points_table(tuning, findings.shown, colour) + "\n" + search_text(tuning);
  }
  if (findings.ranking) text += ranking_text(findings, colour);
  for (const std::string& warning : findings.warnings) {
    text += paint("warning   " + warning, Tone::kWarning, colour) + "\n";
  }
  return text;
}

}  // namespace fa3prof::report
