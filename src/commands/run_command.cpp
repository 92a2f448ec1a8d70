// The command line of `run`.
#include "src/analysis/ablation.h"
#include "src/cli/problem_options.h"
#include "src/commands/generations.h"
#include "src/commands/run.h"
#include "src/commands/run_options.h"
#include "src/core/attention_kernel.h"

#include <memory>

namespace fa3prof::commands {
namespace {

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

void add_device_option(CLI::App& verb, RunOptions& options) {
  verb.add_option_function<std::string>(
          "--device",
          [&options](const std::string& text) {
            options.uses_all_devices = text == "all";
            if (!options.uses_all_devices) options.request.device = std::stoi(text);
          },
          "GPU index, or all: one after the other, and which one lags [0]")
      ->type_name("N|all")
      ->check(CLI::Range(0, 1023) | CLI::IsMember({"all"}))
      ->group(kMeasuring);
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
  add_generations_option(*verb, *options);
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
  add_device_option(*verb, *options);
  add_measuring_options(*verb, options->request);
  add_tracing_options(*verb, options->trace);
  cli::add_output_options(*verb, options->output);
  verb->callback([options, &chosen] {
    options->request.trace_ctas = options->trace.wanted_ctas();
    if (options->is_ablation) make_ablation(*options);
    if (options->compares_generations) make_generations(*options);
    chosen = [options](const Context& context) { return run_run(*options, context); };
  });
}

}  // namespace fa3prof::commands
