#include "src/commands/run.h"

#include "sim/timeline.h"
#include "src/analysis/ablation.h"
#include "src/analysis/fleet.h"
#include "src/analysis/precision.h"
#include "src/analysis/stability.h"
#include "src/analysis/stage_breakdown.h"
#include "src/analysis/stage_timeline.h"
#include "src/cli/interrupt.h"
#include "src/cli/problem_options.h"
#include "src/cli/unfinished_files.h"
#include "src/commands/kernel_selection.h"
#include "src/commands/model.h"
#include "src/commands/output.h"
#include "src/commands/run_devices.h"
#include "src/commands/run_options.h"
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
    if (options.uses_all_devices) devices_ = all_devices(*profiler_, report_.environment);
    report_.seed = options.request.seed;
    report_.shard = options.shard;
    const bool leaves_out = options.kernels.leaves_out() && report_.environment.gpu;
    selection_.emplace(std::move(kernels), leaves_out
                                               ? std::optional(report_.environment.gpu->capability)
                                               : std::nullopt);
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
    if (devices_.empty()) add_device(request, std::nullopt, progress);
    for (const core::Device& device : devices_) {
      request.device = device.index;
      add_device(request, device, [&](const std::string& step) {
        if (progress) progress(fmt::format("GPU {}: {}", device.index, step));
      });
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

  /// Says in the report which GPUs lag.
  void compare_devices() {
    for (const std::string& text : analysis::lag_warnings(analysis::fleet_of(report_.results))) {
      report_.warnings.push_back(text);
      cautions_.push_back(text);
    }
  }

  [[nodiscard]] const core::Report& report() const { return report_; }

  /// What makes the measurement less trustworthy, for those who see no table.
  [[nodiscard]] const std::vector<std::string>& cautions() const { return cautions_; }

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

  /// One problem on one GPU, which is stated where there are several.
  void add_device(const profile::RunRequest& request, const std::optional<core::Device>& device,
                  const profile::Progress& progress) {
    try {
      add_measured(measure(request, progress), device);
    } catch (const profile::RunStopped& stopped) {
      add_measured(stopped.results(), device);
      throw;
    }
  }

  void add_measured(std::vector<Result> results, const std::optional<core::Device>& device) {
    analysis::warn_of_slow_quantized(results);
    for (Result& result : results) {
      result.device = device;
      warn_of_instability(result);
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

  void warn_of_instability(Result& result) {
    const auto texts = analysis::instabilities(result);
    for (const std::string& text : texts) {
      cautions_.push_back(core::row_label(result) + " on " + core::describe(result.problem) + ": " +
                          text);
    }
    result.warnings.insert(result.warnings.end(), texts.begin(), texts.end());
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
  std::vector<core::Device> devices_;  // none: the one of the request, which needs no name
  std::vector<std::string> cautions_;
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
               return report::run_text(report, colour) + report::fleet_text(report, colour) +
                      report::breakdown_text(report, colour) +
                      report::generations_text(report, colour) +
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
  run.compare_devices();
  show(run, output);
}

bool was_run(const Result& result) {
  return result.source == core::ResultSource::kMeasured && result.unsupported_reason.empty();
}

bool has_failed(const Result& result) {
  return result.verification && !result.verification->passed;
}

}  // namespace

core::ExitCode run_run(const RunOptions& options, const Context& context) {
  Output output(options.output, context);
  profile::act_before_foreign_end(cli::remove_unfinished_files);
  std::vector<ChosenKernel> kernels = choose_kernels(options.kernels);
  check_support(options.kernels, kernels, core::expand(options.grid));
  const std::vector<AttentionProblem> problems =
      core::deal(core::expand(options.grid), options.shard);
  if (options.uses_all_devices) refuse_one_gpu_views(options);
  if (options.request.includes_quantization) require_quantizing(kernels, "--include-quantization");
  Run run(options, std::move(kernels), context);
  measure_and_show(run, problems, context.err, output);
  const core::Report& report = run.report();
  if (options.output.is_quiet) {
    for (const std::string& text : run.cautions()) output.print_error("warning: " + text);
  }
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
