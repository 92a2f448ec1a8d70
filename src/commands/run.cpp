#include "src/commands/run.h"

#include "sim/timeline.h"
#include "src/analysis/ablation.h"
#include "src/analysis/precision.h"
#include "src/analysis/stage_breakdown.h"
#include "src/analysis/stage_timeline.h"
#include "src/cli/interrupt.h"
#include "src/cli/problem_options.h"
#include "src/cli/unfinished_files.h"
#include "src/commands/model.h"
#include "src/commands/output.h"
#include "src/commands/run_options.h"
#include "src/commands/selection.h"
#include "src/profile/crash_note.h"
#include "src/report/console.h"
#include "src/report/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace fa3prof::commands {
namespace {

using core::AttentionProblem;
using core::Result;

class Run {
 public:
  Run(const RunOptions& options, std::vector<ChosenKernel> kernels, const Context& context)
      : options_(options), profiler_(context.make_profiler()) {
    report_.created_at = context.created_at;
    report_.command = context.command;
    report_.environment = profiler_->environment(options.request.device);
    report_.seed = options.request.seed;
    report_.shard = options.shard;
    selection_.emplace(options, std::move(kernels), report_.environment.gpu);
    trace_.emplace(options.trace.file);
    if (auto machine = find_machine(options.machine, report_)) {
      model_ = Model{.machine = *std::move(machine), .engine = options.engine};
    }
  }

  /// Measures and simulates one problem.
  void add(const AttentionProblem& problem, const profile::Progress& progress) {
    profile::RunRequest request = options_.request;
    request.problem = problem;
    request.check_stop = cli::InterruptWatch::check;
    std::vector<const ChosenKernel*> kernels;
    for (const ChosenKernel& kernel : selection_->kernels()) {
      if (const auto reason = selection_->why_left_out(kernel, problem)) {
        add_left_out(kernel, problem, *reason);
        continue;
      }
      kernels.push_back(&kernel);
      request.kernels.push_back(kernel.name);
      if (kernel.plugin) request.plugins.push_back(*kernel.plugin);
      if (kernel.cudnn) request.cudnn = kernel.cudnn;
    }
    if (kernels.empty()) return;
    try {
      add_measured(measure(request, progress));
    } catch (const profile::RunStopped& stopped) {
      add_measured(stopped.results());
      throw;
    }
    if (!model_) return;
    for (const ChosenKernel* kernel : kernels) {
      const std::size_t known = report_.results.size();
      add_simulated(*model_, *kernel, problem, report_);
      if (report_.results.size() > known) add_simulated_timeline(*kernel, report_.results.back());
    }
  }

  void write_trace() const { trace_->write(timeline_); }

  /// Says in the report that it ends early and what of the sweep it lacks.
  void end_early(const std::string& reason, std::span<const AttentionProblem> missing) {
    std::vector<std::string> names;
    for (const AttentionProblem& problem : missing) names.push_back(core::describe(problem));
    report_.warnings.push_back(
        fmt::format("the run ended early: {}; {} problem(s) are missing in whole or in part: {}",
                    reason, names.size(), fmt::join(names, ", ")));
  }

  [[nodiscard]] const core::Report& report() const { return report_; }

 private:
  /// A run that a machine cannot serve still shows that its peers were found.
  [[nodiscard]] std::vector<Result> measure(const profile::RunRequest& request,
                                            const profile::Progress& progress) {
    try {
      return profiler_->run(request, progress);
    } catch (const core::UnavailableError& error) {
      const std::string peers = describe_peers(selection_->kernels());
      if (peers.empty()) throw;
      throw core::UnavailableError(error.text() + " (loaded: " + peers + ")", error.cure());
    }
  }

  void add_measured(std::vector<Result> results) {
    analysis::warn_of_slow_quantized(results);
    for (Result& result : results) {
      if (!result.stage_trace || !result.time_us) continue;
      const double cycles = result.cycles.value_or(*result.time_us * result.stage_trace->clock_mhz);
      result.breakdown = analysis::measured_breakdown(*result.stage_trace, cycles);
      std::vector<core::Process> processes =
          analysis::timelines_of(*result.stage_trace, result.kernel);
      if (!processes.empty()) result.timeline = core::excerpt(processes.front(), kReportedSpans);
      if (!trace_->is_wanted()) continue;
      std::ranges::move(processes, std::back_inserter(timeline_.processes));
    }
    report_.results.insert(report_.results.end(), results.begin(), results.end());
  }

  /// Beside the traced kernel. What cannot be simulated has its warning already.
  void add_simulated_timeline(const ChosenKernel& kernel, Result& simulated) {
    const AttentionProblem& problem = simulated.problem;
    const bool was_traced = std::ranges::any_of(report_.results, [&](const Result& result) {
      return result.stage_trace && result.kernel == kernel.name && result.problem == problem;
    });
    if (!was_traced || !kernel.pipeline) return;
    const AttentionProblem multiplied = multiplied_problem(*kernel.pipeline, problem);
    core::Process process = sim::simulate_timeline(
        {.machine = model_->machine, .pipeline = *kernel.pipeline, .problem = multiplied});
    simulated.timeline = core::excerpt(process, kReportedSpans);
    if (trace_->is_wanted()) timeline_.processes.push_back(std::move(process));
  }

  void add_left_out(const ChosenKernel& kernel, const AttentionProblem& problem,
                    const std::string& reason) {
    Result result;
    result.source = core::ResultSource::kMeasured;
    result.kernel = kernel.name;
    result.kernel_version = kernel.version;
    result.problem = problem;
    result.unsupported_reason = reason;
    report_.results.push_back(std::move(result));
  }

  const RunOptions& options_;
  std::unique_ptr<profile::Profiler> profiler_;
  core::Report report_;
  std::optional<Selection> selection_;
  std::optional<TraceFile> trace_;
  core::Timeline timeline_;
  std::optional<Model> model_;
};

/// Measures one problem after the other, and where one throws says in the report what is missing.
void measure_all(Run& run, std::span<const AttentionProblem> problems, cli::ProgressLine& line) {
  std::size_t done = 0;
  try {
    for (; done < problems.size(); ++done) {
      cli::InterruptWatch::check();
      const std::string problem = core::describe(problems[done]) + ": ";
      run.add(problems[done], [&](const std::string& step) {
        line.show(cli::progress_text(done, problems.size(), problem + step));
      });
    }
  } catch (const core::Error& error) {
    run.end_early(error.what(), problems.subspan(done));
    throw;
  }
}

/// The outputs, each also where another one fails: a full disk must not cost the table as well.
void show(const Run& run, Output& output) {
  const core::Report& report = run.report();
  deliver({[&] { output.write([&] { return report::to_json(report); }); },
           [&] { run.write_trace(); },
           [&] {
             output.print([&](report::Colour colour) {
               const std::string ablation = report::ablation_text(report, colour);
               return report::run_text(report, colour) + report::breakdown_text(report, colour) +
                      (ablation.empty() ? "" : "\n" + ablation);
             });
           }});
}

/// Measures all that can be measured and shows it. What ends the sweep early, an error or, where a
/// document was asked for, a signal, is thrown once all is written.
void measure_and_show(Run& run, std::span<const AttentionProblem> problems, std::ostream& err,
                      Output& output) {
  try {
    std::optional<cli::InterruptWatch> watch;
    if (output.has_document()) watch.emplace();
    cli::ProgressLine line(err, output.shows_progress());
    measure_all(run, problems, line);
  } catch (const core::Error&) {
    if (!run.report().results.empty()) show(run, output);
    throw;
  }
  show(run, output);
}

/// The problems of the stated shard, or all.
std::vector<AttentionProblem> problems_of(const RunOptions& options) {
  std::vector<AttentionProblem> problems = core::expand(options.grid);
  if (!options.shard) return problems;
  std::vector<AttentionProblem> dealt;
  for (std::size_t i = 0; i < problems.size(); ++i) {
    if (core::is_in(*options.shard, i)) dealt.push_back(problems[i]);
  }
  return dealt;
}

bool was_run(const Result& result) {
  return result.source == core::ResultSource::kMeasured && result.unsupported_reason.empty();
}

bool has_failed(const Result& result) {
  return result.verification && !result.verification->passed;
}

/// Names every schedule, unless some are named, and fills in the paper's problem.
void make_ablation(RunOptions& options) {
  if (options.kernels.schedules.empty()) {
    for (const std::string_view schedule : core::schedules()) {
      options.kernels.schedules.emplace_back(schedule);
    }
  }
  if (options.grid == core::ProblemGrid{})
    options.grid = core::grid_of(analysis::ablation_problem());
}

}  // namespace

void add_run(CLI::App& app, Verb& chosen) {
  auto options = std::make_shared<RunOptions>();
  CLI::App* verb = app.add_subcommand("run", "Measure kernels on this GPU beside the model");
  add_kernel_options(*verb, options->kernels);
  verb->add_flag(
      "--ablation", options->is_ablation,
      "every schedule of fa3, and what each mechanism brings; the problem is that of the "
      "FlashAttention-3 paper where none is stated");
  verb->add_option("--machine", options->machine, "machine of the model [that of the GPU]")
      ->type_name("NAME|FILE");
  verb->add_option_function<std::string>(
          "--engine",
          [options = options.get()](const std::string& text) {
            options->engine = sim::parse_engine(text);
          },
          "engine of the model: discrete_event or closed_form [discrete_event]")
      ->type_name("NAME");
  cli::add_problem_options(*verb, options->grid);
  verb->get_option("--dtype")->description("of Q, K, V and O: fp16 or bf16 [fp16]");
  verb->add_option_function<std::string>(
          "--shard",
          [options = options.get()](const std::string& text) {
            options->shard = core::parse_shard(text, "--shard");
          },
          "run only the I-th of N parts of the problems, for fa3prof merge [all]")
      ->type_name("I/N");
  add_measuring_options(*verb, options->request);
  add_tracing_options(*verb, options->trace);
  cli::add_output_options(*verb, options->output);
  verb->callback([options, &chosen] {
    options->request.trace_ctas = options->trace.wanted_ctas();
    if (options->is_ablation) make_ablation(*options);
    chosen = [options](const Context& context) { return run_run(*options, context); };
  });
}

core::ExitCode run_run(const RunOptions& options, const Context& context) {
  Output output(options.output, context);
  profile::act_before_foreign_end(cli::remove_unfinished_files);
  std::vector<ChosenKernel> kernels = choose_kernels(options.kernels);
  check_support(options.kernels, kernels, core::expand(options.grid));
  const std::vector<AttentionProblem> problems = problems_of(options);
  if (options.request.includes_quantization) require_quantizing(kernels, "--include-quantization");
  Run run(options, std::move(kernels), context);
  measure_and_show(run, problems, context.err, output);
  const core::Report& report = run.report();
  if (problems.empty()) {
    output.print_error("there are fewer problems than shards: nothing to do for this one");
    return core::ExitCode::kDone;
  }
  if (std::ranges::none_of(report.results, was_run)) {
    output.print_error("no kernel was run; the report says why");
    return core::ExitCode::kUnavailable;
  }
  const bool failed = std::ranges::any_of(report.results, has_failed);
  if (!failed) return core::ExitCode::kDone;
  for (const Result& result : report.results) {
    if (!has_failed(result)) continue;
    output.print_error(fmt::format("{} failed verification on {}: {}", result.kernel,
                                   core::describe(result.problem), result.verification->failure));
  }
  return core::ExitCode::kCheckFailed;
}

}  // namespace fa3prof::commands
