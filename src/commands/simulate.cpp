#include "src/commands/simulate.h"

#include "sim/scenario.h"
#include "src/cli/problem_options.h"
#include "src/cli/ratio.h"
#include "src/cli/text_list.h"
#include "src/commands/against.h"
#include "src/commands/measured_report.h"
#include "src/commands/model.h"
#include "src/commands/output.h"
#include "src/commands/simulated_timelines.h"
#include "src/commands/trace_output.h"
#include "src/profile/host.h"
#include "src/report/console.h"
#include "src/report/console_timeline.h"
#include "src/report/json.h"

#include <algorithm>
#include <memory>

namespace fa3prof::commands {
namespace {

using core::Report;
using core::Result;

constexpr const char* kDefaultMachine = "h200_sxm";

std::vector<sim::Pipeline> load_pipelines(const std::vector<std::string>& names) {
  std::vector<sim::Pipeline> pipelines;
  std::ranges::transform(names, std::back_inserter(pipelines), sim::load_pipeline);
  return pipelines;
}

/// The pipelines stated by flag or scenario, else those of our kernels. Against a report none where
/// none are stated: they then depend on the problem.
std::vector<sim::Pipeline> choose_pipelines(const SimulateOptions& options,
                                            std::vector<sim::Pipeline> of_scenario) {
  const bool is_against = !options.against.empty();
  if (!options.pipelines.empty() && !options.kernels.empty() && !is_against) {
    throw core::UsageError("--kernel and --pipeline both choose pipelines; leave one of them out");
  }
  if (!options.pipelines.empty()) return load_pipelines(options.pipelines);
  if (!options.kernels.empty() && !is_against) return load_pipelines(pipelines_of(options.kernels));
  if (!of_scenario.empty() || is_against) return of_scenario;
  return load_pipelines(pipelines_of({}));
}

/// The scenario with every flag applied.
sim::Scenario choose_scenario(const SimulateOptions& options,
                              const std::optional<MeasuredReport>& measured) {
  sim::Scenario scenario;
  if (!options.scenario.empty()) scenario = sim::load_scenario(options.scenario);
  if (!options.machine.empty()) scenario.machine = sim::load_machine(options.machine);
  if (!scenario.machine && measured) scenario.machine = measured->machine();
  if (!scenario.machine) scenario.machine = sim::load_machine(kDefaultMachine);
  scenario.pipelines = choose_pipelines(options, std::move(scenario.pipelines));
  scenario.problems = core::merge(scenario.problems, options.grid);
  scenario.shard = options.shard;
  if (options.engine) scenario.engine = options.engine;
  if (measured && scenario.tflops_rule) {
    throw core::UsageError(
        "the scenario states TFLOPS by a rule, which cannot be set against a "
        "report; leave --config or --against out");
  }
  return scenario;
}

report::Detail choose_detail(const SimulateOptions& options, const std::vector<Result>& results) {
  const bool is_single = std::ranges::all_of(results, [&results](const Result& result) {
    return result.problem == results.front().problem;
  });
  const bool is_short = is_single && !options.what_if.sensitivity_step;
  return is_short || options.has_details ? report::Detail::kBreakdown : report::Detail::kSummary;
}

/// Changed results stand beside those without the change; each has its sensitivities below.
std::string results_text(const SimulateOptions& options, const Report& report,
                         report::Colour colour) {
  std::string text;
  if (report.what_if.empty() || options.has_details) {
    text = report::simulation_text(report, choose_detail(options, report.results), colour);
  }
  if (!report.what_if.empty()) {
    text += (text.empty() ? "" : "\n") + report::what_if_text(report, colour);
  }
  return text + report::sensitivity_text(report, colour);
}

void refuse_contradictions(const SimulateOptions& options) {
  const WhatIfOptions& what_if = options.what_if;
  if (options.against.empty() || (what_if.changes.empty() && !what_if.sensitivity_step)) return;
  throw core::UsageError(
      "--what-if and --sensitivity set simulated results beside each other, --against beside "
      "measured ones; leave one out");
}

void add_against_options(CLI::App& verb, SimulateOptions& options) {
  constexpr const char* kGroup = "Against a report (ratios are 0.03 or 3%)";
  const auto add_limit = [&](const char* flag, std::optional<double>& limit, const char* meaning) {
    return verb
        .add_option_function<std::string>(
            flag, [flag, &limit](const std::string& text) { limit = cli::parse_ratio(text, flag); },
            meaning)
        ->type_name("RATIO")
        ->group(kGroup);
  };
  auto* against = verb.add_option("--against", options.against,
                                  "report of a run, to set beside the model: each kernel that it "
                                  "measured is simulated with its own pipeline");
  against->type_name("FILE")->group(kGroup)->excludes(verb.get_option("--shard"));
  add_limit("--max-mape", options.limits.mean_absolute_ratio,
            "exit code 1 if the mean absolute error of all rows' cycles is larger")
      ->needs(against);
  add_limit("--max-error", options.limits.max_absolute_ratio,
            "exit code 1 if the error of any row's cycles is larger")
      ->needs(against);
}

/// The scenarios whose results are in the report, in their order.
using Scenarios = std::vector<sim::Scenario>;

/// Simulates what was asked for, changed values and sensitivities included.
Scenarios simulate_all(sim::Scenario scenario, const SimulateOptions& options,
                       const std::optional<MeasuredReport>& measured,
                       std::pair<cli::ProgressLine&, Report&> to) {
  auto& [line, report] = to;
  const auto show = [&line = line](std::size_t done, std::size_t total, const std::string& what) {
    line.show(cli::progress_text(done, total, what));
  };
  if (measured) {
    report.results = simulate_against(scenario, *measured, show);
    return {std::move(scenario)};
  }
  const bool is_varied = !options.what_if.changes.empty() || options.what_if.sensitivity_step;
  if (is_varied && scenario.tflops_rule) {
    scenario.tflops_rule.reset();
    report.warnings.emplace_back(
        "the scenario's rule for TFLOPS holds for its own values only and is left out");
  }
  report.results = sim::run_scenario(scenario, show);
  if (options.what_if.sensitivity_step) {
    add_sensitivities(scenario, *options.what_if.sensitivity_step, show, report.results);
  }
  Scenarios scenarios{std::move(scenario)};
  if (!options.what_if.changes.empty()) {
    scenarios.push_back(add_changed(scenarios.front(), options.what_if.changes, show, report));
  }
  return scenarios;
}

void add_timeline_options(CLI::App& verb, SimulateOptions& options) {
  verb.add_option_function<std::string>(
          "--show",
          [&options](const std::string& what) {
            if (what != "timeline") {
              throw core::UsageError("--show draws a 'timeline', not '" + what + "'");
            }
            options.draws_timelines = true;
          },
          "draw what roles and units do over a few key blocks: timeline")
      ->type_name("WHAT")
      ->group(kTimelineGroup);
  add_trace_file_option(verb, options.trace_file);
}

/// A few key blocks of each.
std::string timelines_text(const core::Timeline& timeline, report::Colour colour) {
  std::string text;
  for (const core::Process& process : timeline.processes) {
    text += "\n" + report::timeline_text(process, report::steady_window(process), colour);
  }
  return text;
}

/// Says on stderr why a comparison failed.
core::ExitCode judge(const analysis::Validation& validation, Output& output) {
  const std::vector<std::string> failures = report::validation_failures(validation);
  for (const std::string& failure : failures) output.print_error(failure);
  return failures.empty() ? core::ExitCode::kDone : core::ExitCode::kCheckFailed;
}

}  // namespace

void add_simulate(CLI::App& app, Verb& chosen) {
  auto options = std::make_shared<SimulateOptions>();
  CLI::App* verb = app.add_subcommand("simulate", "Model pipelines on a machine, without a GPU");
  verb->add_option("--config", options->scenario, "scenario; every other flag overrides it")
      ->type_name("NAME|FILE");
  verb->add_option("--machine", options->machine, "machine [h200_sxm]")->type_name("NAME|FILE");
  verb->add_option_function<std::string>(
          "--pipeline",
          [options = options.get()](const std::string& text) {
            options->pipelines = cli::split_list(text, "--pipeline");
          },
          "pipelines, the first is the baseline [those of fa2 and fa3]")
      ->type_name("NAMES|FILES");
  verb->add_option_function<std::string>(
          "--kernel",
          [options = options.get()](const std::string& text) {
            options->kernels = cli::split_list(text, "--kernel");
          },
          "these kernels' pipelines; with --against only these of the report")
      ->type_name("NAMES");
  verb->add_option_function<std::string>(
          "--engine",
          [options = options.get()](const std::string& text) {
            options->engine = sim::parse_engine(text);
          },
          "discrete_event or closed_form [discrete_event]")
      ->type_name("NAME");
  verb->add_flag("--details", options->has_details,
                 "where the cycles go and the formula, also for several problems");
  verb->add_option_function<std::string>(
          "--shard",
          [options = options.get()](const std::string& text) {
            options->shard = core::parse_shard(text, "--shard");
          },
          "only the I-th of N parts of the problems, for fa3prof merge [all]")
      ->type_name("I/N");
  add_against_options(*verb, *options);
  add_what_if_options(*verb, options->what_if);
  add_timeline_options(*verb, *options);
  cli::add_problem_options(*verb, options->grid);
  cli::add_output_options(*verb, options->output);
  verb->callback([options, &chosen] {
    chosen = [options](const Context& context) { return run_simulate(*options, context); };
  });
}

core::ExitCode run_simulate(const SimulateOptions& options, const Context& context) {
  refuse_contradictions(options);
  std::vector<std::string> inputs = options.pipelines;
  inputs.insert(inputs.end(), {options.scenario, options.machine, options.against});
  refuse_to_replace(options.output.json, inputs);
  TraceFile trace(options.trace_file);
  Output output(options.output, context);
  Report report;
  report.created_at = context.created_at;
  report.command = context.command;
  report.environment = profile::host_environment();
  report.shard = options.shard;
  std::optional<MeasuredReport> measured;
  if (!options.against.empty()) measured.emplace(options.against, options.kernels);
  const sim::Scenario scenario = choose_scenario(options, measured);
  if (options.what_if.lists_names) {
    put(context.out, change_names_text(scenario));
    return core::ExitCode::kDone;
  }
  Scenarios scenarios;
  {
    cli::ProgressLine line(context.err, output.shows_progress(), cli::kPatience);
    scenarios = simulate_all(scenario, options, measured, {line, report});
  }
  std::optional<analysis::Validation> validation;
  if (measured) {
    measured->add_to(report);
    validation = analysis::validation_of(analysis::compare(report.results), options.limits);
  }
  core::Timeline timeline;
  if (options.draws_timelines || !options.trace_file.empty()) {
    timeline = simulated_timelines(scenarios, report.results);
    trace.write(timeline);
  }
  output.write([&] { return report::to_json(report, validation); });
  output.print([&](report::Colour colour) {
    std::string text = results_text(options, report, colour);
    if (options.draws_timelines) text += timelines_text(timeline, colour);
    return validation ? text + "\n" + report::validation_text(*validation, colour) : text;
  });
  return validation ? judge(*validation, output) : core::ExitCode::kDone;
}

}  // namespace fa3prof::commands
