#include "src/commands/tune.h"

#include "sim/machine_match.h"
#include "sim/tune.h"
#include "src/analysis/tuning.h"
#include "src/cli/problem_options.h"
#include "src/cli/text_list.h"
#include "src/commands/against.h"
#include "src/commands/measured_report.h"
#include "src/commands/model.h"
#include "src/commands/output.h"
#include "src/core/attention_kernel.h"
#include "src/report/tune.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>

namespace fa3prof::commands {
namespace {

using core::AttentionProblem;
using core::Report;

constexpr const char* kDefaultMachine = "h200_sxm";

/// Kernels of ours with a pipeline whose tiles can be varied.
bool is_varied(const core::AttentionKernel& kernel) {
  return !kernel.pipeline.empty() &&
         !sim::load_pipeline(std::string(kernel.pipeline)).loops_over_rows;
}

/// Of every kernel of ours that has one, or those named.
std::vector<sim::Pipeline> load_pipelines(const std::vector<std::string>& names) {
  std::vector<sim::Pipeline> pipelines;
  for (const std::string& name : names) pipelines.push_back(sim::load_pipeline(name));
  if (!names.empty()) return pipelines;
  for (const core::AttentionKernel& kernel : core::attention_kernels()) {
    if (is_varied(kernel)) {
      pipelines.push_back(sim::load_pipeline(std::string(kernel.pipeline)));
    }
  }
  return pipelines;
}

/// The kernels that this GPU can run on the problem and a pipeline models.
std::vector<std::string> compiled_kernels(const AttentionProblem& problem, const core::Gpu& gpu) {
  std::vector<std::string> names;
  for (const core::AttentionKernel& kernel : core::attention_kernels()) {
    const bool runs = is_varied(kernel) && !core::why_unsupported(kernel, problem) &&
                      !core::why_unsupported(kernel, gpu.capability);
    if (runs) names.emplace_back(kernel.name);
  }
  return names;
}

/// Measured results with the model's beside them.
Report measured_beside(profile::Profiler& profiler, const sim::Machine& machine,
                       const std::vector<AttentionProblem>& problems, const TuneOptions& options) {
  Report report;
  report.environment = profiler.environment(options.device);
  for (const AttentionProblem& problem : problems) {
    profile::RunRequest request;
    request.kernels = compiled_kernels(problem, *report.environment.gpu);
    request.problem = problem;
    request.device = options.device;
    request.counters = profile::CounterMode::kOff;
    if (request.kernels.empty()) continue;
    std::vector<core::Result> results = profiler.run(request, [](const std::string&) {});
    std::ranges::move(results, std::back_inserter(report.results));
    for (const std::string& name : request.kernels) {
      const auto pipeline = sim::load_pipeline(pipelines_of({name}).front());
      report.results.push_back(
          simulate_problem(sim::default_engine(pipeline), machine, pipeline, problem));
    }
  }
  return report;
}

/// The reports' kernels with the model's results beside them.
std::vector<Report> reports_beside(const TuneOptions& options) {
  std::vector<Report> reports;
  for (const std::string& path : options.against) {
    const MeasuredReport measured(path, {});
    sim::Scenario scenario;
    scenario.machine =
        options.machine.empty() ? measured.machine() : sim::load_machine(options.machine);
    Report& report = reports.emplace_back();
    report.results = simulate_against(scenario, measured, [](auto, auto, auto&) {});
    measured.add_to(report);
  }
  return reports;
}

void add_ranking(const std::vector<Report>& reports, std::string measured_by,
                 analysis::TuneFindings& findings) {
  std::vector<std::vector<analysis::ProblemComparison>> comparisons;
  for (const Report& report : reports) comparisons.push_back(analysis::compare(report.results));
  findings.ranking = analysis::ranking_of(comparisons);
  findings.measured_by = std::move(measured_by);
}

void search(const TuneOptions& options, const Context& context, const Output& output,
            const sim::Machine& machine, analysis::TuneFindings& findings) {
  const std::vector<sim::Pipeline> pipelines = load_pipelines(options.pipelines);
  const std::vector<AttentionProblem> problems = core::expand(options.grid);
  cli::ProgressLine line(context.err, output.shows_progress(), cli::kPatience);
  for (std::size_t i = 0; i < problems.size(); ++i) {
    line.show(cli::progress_text(i, problems.size(), core::describe(problems[i])));
    findings.tunings.push_back(sim::tune({.machine = machine,
                                          .pipelines = pipelines,
                                          .problem = problems[i],
                                          .simulated_points = options.simulated_points}));
  }
}

/// Measures what is compiled, where the machine is this GPU's.
void measure(const TuneOptions& options, const Context& context, const sim::Machine& machine,
             analysis::TuneFindings& findings) {
  const auto profiler = context.make_profiler();
  const core::Environment environment = profiler->environment(options.device);
  if (!environment.gpu || sim::machine_for(*environment.gpu) != machine.name) return;
  const Report report = measured_beside(*profiler, machine, core::expand(options.grid), options);
  for (const core::Result& result : report.results) {
    if (!result.verification || result.verification->passed) continue;
    findings.warnings.push_back(result.kernel +
                                " failed verification: " + result.verification->failure);
  }
  add_ranking({report}, environment.gpu->name, findings);
}

sim::Machine choose_machine(const TuneOptions& options, const Context& context) {
  if (!options.machine.empty()) return sim::load_machine(options.machine);
  const core::Environment environment = context.make_profiler()->environment(options.device);
  if (environment.gpu) {
    if (const auto name = sim::machine_for(*environment.gpu)) return sim::load_machine(*name);
  }
  return sim::load_machine(kDefaultMachine);
}

void add_flags(CLI::App& verb, TuneOptions& options) {
  verb.add_option("--machine", options.machine, "machine [of the GPU, else h200_sxm]")
      ->type_name("NAME|FILE");
  verb.add_option_function<std::string>(
          "--pipeline",
          [&options](const std::string& text) {
            options.pipelines = cli::split_list(text, "--pipeline");
          },
          "pipelines whose variants are searched, which loop over keys [those of our kernels but "
          "fa1]")
      ->type_name("NAMES|FILES");
  verb.add_option("--top", options.shown, "how many of the best are shown [10]")
      ->check(CLI::Range(1, 1000))
      ->type_name("COUNT");
  verb.add_option("--simulate", options.simulated_points,
                  "how many of the points with the best bounds the event engine simulates [240]")
      ->check(CLI::Range(1, 100000))
      ->type_name("COUNT");
  verb.add_option("--against", options.against,
                  "reports of runs: says how well the model ranks the kernels measured there")
      ->type_name("REPORT");
  verb.add_flag("!--no-measure", options.measures,
                "do not measure the compiled kernels where there is a GPU");
  verb.add_option("--device", options.device, "GPU [0]")->type_name("INDEX");
}

}  // namespace

void add_tune(CLI::App& app, Verb& chosen) {
  auto options = std::make_shared<TuneOptions>();
  CLI::App* verb =
      app.add_subcommand("tune", "Search tiles, stages, consumers and schedules by the model");
  add_flags(*verb, *options);
  cli::add_problem_options(*verb, options->grid);
  cli::add_output_options(*verb, options->output);
  verb->callback([options, &chosen] {
    chosen = [options](const Context& context) { return run_tune(*options, context); };
  });
}

core::ExitCode run_tune(const TuneOptions& options, const Context& context) {
  refuse_to_replace(options.output.json, options.against);
  Output output(options.output, context);
  Report origin;
  origin.created_at = context.created_at;
  origin.command = context.command;
  analysis::TuneFindings findings;
  findings.shown = options.shown;
  const bool is_ranking_only = !options.against.empty() && options.grid == core::ProblemGrid{};
  if (!is_ranking_only) {
    const sim::Machine machine = choose_machine(options, context);
    search(options, context, output, machine, findings);
    if (options.against.empty() && options.measures) measure(options, context, machine, findings);
  }
  if (!options.against.empty()) {
    add_ranking(reports_beside(options), fmt::format("{}", fmt::join(options.against, ", ")),
                findings);
  }
  output.write([&] { return report::tune_json(findings, origin); });
  output.print([&](report::Colour colour) { return report::tune_text(findings, colour); });
  return core::ExitCode::kDone;
}

}  // namespace fa3prof::commands
