#include "src/commands/run.h"

#include "sim/timeline.h"
#include "src/analysis/ablation.h"
#include "src/analysis/precision.h"
#include "src/analysis/stage_breakdown.h"
#include "src/analysis/stage_timeline.h"
#include "src/cli/output_target.h"
#include "src/cli/problem_options.h"
#include "src/commands/model.h"
#include "src/commands/output.h"
#include "src/commands/run_options.h"
#include "src/profile/crash_note.h"
#include "src/report/console.h"
#include "src/report/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace fa3prof::commands {
namespace {

using core::AttentionProblem;
using core::Result;

/// Why a kernel is left out of a problem, or nothing. A GPU that does not fit a kernel named by the
/// user is no reason: the profiler then refuses the run.
class Selection {
 public:
  Selection(const RunOptions& options, std::vector<ChosenKernel> kernels,
            const std::optional<core::Gpu>& gpu)
      : kernels_(std::move(kernels)) {
    if (!options.kernels.names_any() && gpu) capability_ = gpu->capability;
  }

  [[nodiscard]] const std::vector<ChosenKernel>& kernels() const { return kernels_; }

  [[nodiscard]] std::optional<std::string> why_left_out(const ChosenKernel& kernel,
                                                        const AttentionProblem& problem) const {
    if (auto reason = kernel.why_unsupported(problem)) return reason;
    if (!capability_ || kernel.own == nullptr) return std::nullopt;
    return core::why_unsupported(*kernel.own, *capability_);
  }

 private:
  std::vector<ChosenKernel> kernels_;
  std::optional<core::ComputeCapability> capability_;
};

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

  /// Writes the timelines, if they were asked for.
  void write_trace() const { trace_->write(timeline_); }

  /// Says in the report that it ends early.
  void end_early(const std::string& reason) {
    report_.warnings.push_back("the run ended early, what would have come later is missing: " +
                               reason);
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

void measure_all(Run& run, const std::vector<AttentionProblem>& problems, std::ostream& err,
                 bool shows_progress) {
  cli::ProgressLine line(err, shows_progress);
  for (std::size_t i = 0; i < problems.size(); ++i) {
    const std::string problem = core::describe(problems[i]) + ": ";
    run.add(problems[i], [&](const std::string& step) {
      line.show(cli::progress_text(i, problems.size(), problem + step));
    });
  }
}

void show(const core::Report& report, Output& output) {
  output.write([&] { return report::to_json(report); });
  output.print([&](report::Colour colour) {
    const std::string ablation = report::ablation_text(report, colour);
    return report::run_text(report, colour) + report::breakdown_text(report, colour) +
           (ablation.empty() ? "" : "\n" + ablation);
  });
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
  profile::act_before_foreign_end(cli::remove_unfinished_file);
  std::vector<ChosenKernel> kernels = choose_kernels(options.kernels);
  check_support(options.kernels, kernels, core::expand(options.grid));
  const std::vector<AttentionProblem> problems = problems_of(options);
  if (options.request.includes_quantization) require_quantizing(kernels, "--include-quantization");
  Run run(options, std::move(kernels), context);
  const core::Report& report = run.report();
  try {
    measure_all(run, problems, context.err, output.shows_progress());
  } catch (const core::Error& error) {
    if (report.results.empty()) throw;
    run.end_early(error.what());
    show(report, output);
    throw;
  }
  run.write_trace();
  show(report, output);
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
