#include "src/commands/simulate.h"

#include "sim/scenario.h"
#include "src/cli/problem_options.h"
#include "src/cli/text_list.h"
#include "src/commands/model.h"
#include "src/commands/output.h"
#include "src/core/attention_kernel.h"
#include "src/profile/host.h"
#include "src/report/console.h"
#include "src/report/json.h"

#include <algorithm>
#include <memory>

namespace fa3prof::commands {
namespace {

using core::AttentionProblem;
using core::ProblemGrid;
using core::Report;
using core::Result;

constexpr const char* kDefaultMachine = "h200_sxm";

/// A kernel that failed verification measured nothing.
bool is_measured(const Result& result) {
  return result.source == core::ResultSource::kMeasured &&
         (!result.verification || result.verification->passed);
}

/// The measured report that --against names, and what the new report takes from it.
class Measured {
 public:
  explicit Measured(const std::string& path) : path_(path), report_(report::load_report(path)) {
    std::erase_if(report_.results, [](const Result& result) { return !is_measured(result); });
    if (report_.results.empty()) {
      throw core::ConfigError(path, "/results",
                              "nothing in it was measured and verified; give a report of run");
    }
    for (const Result& result : report_.results) {
      if (result.cycles.value_or(1.0) <= 0.0 || result.time_us.value_or(1.0) <= 0.0) {
        throw core::ConfigError(path, "/results",
                                result.kernel + " has cycles or a time of zero or below");
      }
    }
  }

  [[nodiscard]] std::vector<ProblemGrid> problems() const {
    std::vector<AttentionProblem> problems;
    for (const Result& result : report_.results) {
      if (std::ranges::find(problems, result.problem) == problems.end()) {
        problems.push_back(result.problem);
      }
    }
    std::vector<ProblemGrid> grids;
    std::ranges::transform(problems, std::back_inserter(grids), core::grid_of);
    return grids;
  }

  /// The machine file of the measured GPU; a warning where there is none.
  [[nodiscard]] std::optional<sim::Machine> machine(Report& report) const {
    report.environment.gpu = report_.environment.gpu;
    return find_machine("", report);
  }

  /// Puts the measured results of the simulated problems in front.
  void add_to(Report& report) const {
    report.environment.gpu = report_.environment.gpu;
    report.environment.driver = report_.environment.driver;
    report.seed = report_.seed;
    std::vector<Result> measured = report_.results;
    std::erase_if(measured, [&report](const Result& result) {
      return std::ranges::find(report.results, result.problem, &Result::problem) ==
             report.results.end();
    });
    if (measured.empty()) {
      report.warnings.push_back(path_ + " measured none of these problems, but " +
                                core::describe(report_.results.front().problem));
    }
    report.results.insert(report.results.begin(), measured.begin(), measured.end());
  }

 private:
  std::string path_;
  Report report_;
};

/// The pipelines stated by flag or scenario, else those of our kernels.
std::vector<sim::Pipeline> choose_pipelines(const SimulateOptions& options,
                                            std::vector<sim::Pipeline> stated) {
  if (options.pipelines.empty() && !stated.empty()) return stated;
  std::vector<std::string> names = options.pipelines;
  if (names.empty()) {
    for (const core::AttentionKernel& kernel : core::complete_kernels()) {
      names.emplace_back(kernel.pipeline);
    }
  }
  std::vector<sim::Pipeline> pipelines;
  std::ranges::transform(names, std::back_inserter(pipelines), sim::load_pipeline);
  return pipelines;
}

/// The scenario with every flag applied.
sim::Scenario choose_scenario(const SimulateOptions& options,
                              const std::optional<Measured>& measured, Report& report) {
  sim::Scenario scenario;
  if (!options.scenario.empty()) scenario = sim::load_scenario(options.scenario);
  if (!options.machine.empty()) scenario.machine = sim::load_machine(options.machine);
  if (!scenario.machine && measured) scenario.machine = measured->machine(report);
  if (!scenario.machine && measured) {
    throw core::UsageError("no machine file describes the GPU of " + options.against +
                           "; choose one with --machine (fa3prof list --machines)");
  }
  if (!scenario.machine) scenario.machine = sim::load_machine(kDefaultMachine);
  scenario.pipelines = choose_pipelines(options, std::move(scenario.pipelines));
  scenario.problems = core::merge(scenario.problems, options.grid);
  if (options.engine) scenario.engine = options.engine;
  return scenario;
}

/// What is to be simulated: the stated grid or, where none is stated, what was measured.
std::vector<ProblemGrid> choose_problems(const ProblemGrid& stated,
                                         const std::optional<Measured>& measured) {
  if (!measured || stated != ProblemGrid{}) return {stated};
  return measured->problems();
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
          "pipelines, the first is the baseline [those of all kernels]")
      ->type_name("NAMES|FILES");
  verb->add_option_function<std::string>(
          "--engine",
          [options = options.get()](const std::string& text) {
            options->engine = sim::parse_engine(text);
          },
          "discrete_event or closed_form [discrete_event]")
      ->type_name("NAME");
  verb->add_option("--against", options->against, "report of a run, to set beside the model")
      ->type_name("FILE");
  verb->add_flag("--details", options->has_details,
                 "where the cycles go and the formula, also for several problems");
  cli::add_problem_options(*verb, options->grid);
  cli::add_output_options(*verb, options->output);
  verb->callback([options, &chosen] {
    chosen = [options](const Context& context) { return run_simulate(*options, context); };
  });
}

core::ExitCode run_simulate(const SimulateOptions& options, const Context& context) {
  Output output(options.output, context);
  Report report;
  report.created_at = context.created_at;
  report.command = context.command;
  report.environment = profile::host_environment();
  std::optional<Measured> measured;
  if (!options.against.empty()) measured.emplace(options.against);
  sim::Scenario scenario = choose_scenario(options, measured, report);
  const auto grids = choose_problems(scenario.problems, measured);
  for (const ProblemGrid& grid : grids) {
    scenario.problems = grid;
    for (Result& result : sim::run_scenario(scenario)) report.results.push_back(std::move(result));
  }
  const bool is_single = std::ranges::all_of(report.results, [&report](const Result& result) {
    return result.problem == report.results.front().problem;
  });
  const auto detail =
      is_single || options.has_details ? report::Detail::kBreakdown : report::Detail::kSummary;
  if (measured) measured->add_to(report);
  output.write([&] { return report::to_json(report); });
  output.print(
      [&](report::Colour colour) { return report::simulation_text(report, detail, colour); });
  return core::ExitCode::kDone;
}

}  // namespace fa3prof::commands
