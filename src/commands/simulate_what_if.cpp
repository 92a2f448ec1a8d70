#include "src/commands/simulate_what_if.h"

#include "sim/sensitivity.h"
#include "src/cli/ratio.h"
#include "src/core/error.h"
#include "src/core/unit.h"
#include "src/report/table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

namespace fa3prof::commands {
namespace {

using core::Result;
using report::Table;

constexpr double kDefaultStep = 0.1;

double parse_step(const std::string& text) {
  if (text.empty()) return kDefaultStep;
  const double step = cli::parse_ratio(text, "--sensitivity");
  if (step > 0.0 && step < 1.0) return step;
  throw core::UsageError("--sensitivity moves numbers by more than 0 and less than 100 %");
}

void add_values(Table& table, const std::string& heading, const core::Json& document) {
  table.add_line(heading, report::Tone::kHeading);
  for (const sim::NamedValue& value : sim::named_values(document)) {
    table.add_row(
        {"  " + value.name, fmt::format("{}", fmt::join(value.texts, " | ")), value.unit});
  }
}

/// What a short name stands for, where anything of the scenario has it.
void add_short_name(Table& table, const sim::ShortName& name, const sim::Scenario& scenario) {
  std::vector<std::string> texts;
  std::string unit;
  const auto look_in = [&](const std::shared_ptr<const core::Json>& document) {
    if (!document) return;
    core::Json copy = *document;
    for (const std::string_view path : name.paths) {
      for (const sim::FoundValue& found : sim::find_values(copy, path)) {
        const std::string text = found.value->dump();
        if (std::ranges::find(texts, text) == texts.end()) texts.push_back(text);
        unit = core::unit_of(found.key);
      }
    }
  };
  look_in(scenario.machine->document);
  for (const sim::Pipeline& pipeline : scenario.pipelines) look_in(pipeline.document);
  if (texts.empty()) return;
  table.add_row({fmt::format("  {}", name.name), fmt::format("{}", fmt::join(texts, " | ")), unit,
                 fmt::format("{}", fmt::join(name.paths, ", "))});
}

}  // namespace

void add_what_if_options(CLI::App& verb, WhatIfOptions& options) {
  constexpr const char* kGroup = "What if";
  verb.add_option_function<std::string>(
          "--what-if",
          [&options](const std::string& text) {
            options.lists_names = text == "list";
            if (!options.lists_names) options.changes = sim::parse_changes(text);
          },
          "simulate with other values, too: mufu=2x,stages=3,clock=1.4GHz; list: all names")
      ->type_name("CHANGES")
      ->group(kGroup);
  verb.add_option_function<std::string>(
          "--sensitivity",
          [&options](const std::string& text) { options.sensitivity_step = parse_step(text); },
          "move each number of the machine down and up by this and show what follows [10%]")
      ->type_name("RATIO")
      ->expected(0, 1)
      ->group(kGroup);
}

std::string change_names_text(const sim::Scenario& scenario) {
  using enum Table::Align;
  Table table({{"name", kLeft}, {"value", kLeft}, {"unit", kLeft}, {"stands for", kLeft}});
  table.add_line("short names", report::Tone::kHeading);
  for (const sim::ShortName& name : sim::short_names()) add_short_name(table, name, scenario);
  if (scenario.machine->document) {
    add_values(table, "machine " + scenario.machine->name, *scenario.machine->document);
  }
  for (const sim::Pipeline& pipeline : scenario.pipelines) {
    if (pipeline.document) add_values(table, "pipeline " + pipeline.name, *pipeline.document);
  }
  return table.text(report::Colour::kNever);
}

sim::Scenario add_changed(const sim::Scenario& scenario,
                          const std::vector<sim::StatedChange>& changes,
                          const core::PieceProgress& progress, core::Report& report) {
  sim::WhatIf what_if = sim::apply_changes(*scenario.machine, scenario.pipelines, changes);
  for (const std::string& name : what_if.unchanged) {
    report.warnings.push_back("pipeline " + name + " has none of the changed values");
  }
  report.what_if = std::move(what_if.changes);
  sim::Scenario changed = scenario;
  changed.machine = std::move(what_if.machine);
  changed.pipelines = std::move(what_if.pipelines);
  std::vector<Result> results = sim::run_scenario(changed, progress);
  std::ranges::move(results, std::back_inserter(report.results));
  return changed;
}

void add_sensitivities(const sim::Scenario& scenario, double step_ratio,
                       const core::PieceProgress& progress, std::vector<Result>& results) {
  for (std::size_t i = 0; i < results.size(); ++i) {
    Result& result = results[i];
    progress(i, results.size(), core::describe(result.problem));
    const auto pipeline =
        std::ranges::find(scenario.pipelines, result.pipeline, &sim::Pipeline::name);
    if (pipeline == scenario.pipelines.end() || !result.cycles) continue;
    result.sensitivities =
        sim::sensitivities({.engine = scenario.engine.value_or(sim::default_engine(*pipeline)),
                            .machine = *scenario.machine,
                            .pipeline = *pipeline,
                            .problem = result.problem,
                            .step_ratio = step_ratio});
  }
}

}  // namespace fa3prof::commands
