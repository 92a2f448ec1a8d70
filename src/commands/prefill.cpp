#include "src/commands/prefill.h"

#include "sim/engine.h"
#include "src/analysis/prefill.h"
#include "src/cli/choice.h"
#include "src/cli/ratio.h"
#include "src/commands/model.h"
#include "src/commands/output.h"
#include "src/core/problem_grid.h"
#include "src/report/prefill_text.h"

#include <fmt/format.h>

#include <memory>

namespace fa3prof::commands {
namespace {

using analysis::Prefill;
using analysis::PrefillVariant;
using core::DataType;

/// The variant with the time of its attention, or with the reason why there is none.
PrefillVariant timed(PrefillVariant variant, const sim::Machine& machine,
                     const core::AttentionProblem& problem) {
  try {
    const sim::Pipeline pipeline = sim::load_pipeline(pipelines_of({variant.kernel}).front());
    variant.attention_us =
        simulate_problem(sim::default_engine(pipeline), machine, pipeline, problem).time_us;
    if (!variant.attention_us) variant.unsupported_reason = "the machine states no clock";
  } catch (const core::UsageError& error) {
    variant.unsupported_reason = error.what();
  }
  return variant;
}

/// FA2, FA3 and FA3 in FP8, the last also with GEMMs in FP8 where the machine has them.
std::vector<PrefillVariant> timed_variants(const sim::Machine& machine,
                                           const core::AttentionProblem& problem) {
  std::vector<PrefillVariant> variants{
      timed({.kernel = "fa2"}, machine, problem), timed({.kernel = "fa3"}, machine, problem),
      timed({.kernel = "fa3_fp8", .attention = DataType::kFloat8E4M3}, machine, problem)};
  if (variants.back().attention_us && machine.wgmma_fp8_flop_per_cycle) {
    variants.push_back(variants.back());
    variants.back().gemm = DataType::kFloat8E4M3;
  }
  return variants;
}

void add_warnings(Prefill& prefill) {
  if (prefill.prompt.tokens > prefill.model.max_context) {
    prefill.warnings.push_back(fmt::format("{} is made for {} tokens at most", prefill.model.name,
                                           prefill.model.max_context));
  }
  if (prefill.weights_bytes > prefill.memory_bytes) {
    prefill.warnings.emplace_back(
        "the weights do not fit: more GPUs (--tp) or a smaller format are needed");
  }
}

std::vector<Prefill> prefills_of(const PrefillOptions& options) {
  const sim::Transformer model = sim::load_transformer(options.model);
  const sim::Machine machine = sim::load_machine(options.machine);
  std::vector<Prefill> prefills;
  for (const std::int64_t tokens : options.contexts) {
    const sim::Prompt prompt{
        .batch = options.batch, .tokens = tokens, .tensor_parallel = options.tensor_parallel};
    const auto variants = timed_variants(machine, sim::attention_of(model, prompt));
    prefills.push_back(analysis::prefill_of(
        {.model = model, .machine = machine, .prompt = prompt, .assumptions = options.assumptions},
        variants));
    add_warnings(prefills.back());
  }
  return prefills;
}

void add_ratio(CLI::App& verb, const std::string& flag, double& target, const char* meaning) {
  verb.add_option_function<std::string>(
          flag,
          [flag, &target](const std::string& text) {
            target = cli::parse_ratio(text, flag);
            if (target <= 0.0) throw core::UsageError(flag + " must be above 0");
          },
          meaning)
      ->type_name("RATIO");
}

}  // namespace

void add_prefill(CLI::App& app, Verb& chosen) {
  auto options = std::make_shared<PrefillOptions>();
  CLI::App* verb = app.add_subcommand("prefill", "Time to a model's first token, by attention");
  verb->add_option("--model", options->model, "model (fa3prof list --models)")
      ->type_name("NAME|FILE")
      ->required();
  verb->add_option("--machine", options->machine, "machine [h200_sxm]")->type_name("NAME|FILE");
  verb->add_option_function<std::string>(
          "--context",
          [options = options.get()](const std::string& text) {
            options->contexts = core::parse_sizes(text, "--context");
          },
          "tokens of a sequence, a list and powers too: 8k,128k [8k]")
      ->type_name("SIZES");
  verb->add_option("--batch", options->batch, "sequences at once [1]")
      ->check(CLI::Range(1, 1 << 20));
  verb->add_option("--tp", options->tensor_parallel, "GPUs that share each layer [1]")
      ->check(CLI::Range(1, 1024));
  add_ratio(*verb, "--gemm-efficiency", options->assumptions.gemm_efficiency_ratio,
            "of the tensor rate that GEMMs reach [93%]");
  add_ratio(*verb, "--memory", options->assumptions.memory_ratio,
            "of a GPU's memory for weights and KV cache [90%]");
  cli::add_choice<PrefillFormat>(
      *verb, "--format", options->format,
      {{"table", PrefillFormat::kTable}, {"markdown", PrefillFormat::kMarkdown}})
      ->description("of what is printed [table]");
  cli::add_output_options(*verb, options->output);
  verb->callback([options, &chosen] {
    chosen = [options](const Context& context) { return run_prefill(*options, context); };
  });
}

core::ExitCode run_prefill(const PrefillOptions& options, const Context& context) {
  refuse_to_replace(options.output.json, {options.model, options.machine});
  Output output(options.output, context);
  const std::vector<Prefill> prefills = prefills_of(options);
  output.write([&prefills] { return report::prefill_json(prefills); });
  output.print([&](report::Colour colour) {
    return options.format == PrefillFormat::kMarkdown ? report::prefill_markdown(prefills)
                                                      : report::prefill_text(prefills, colour);
  });
  return core::ExitCode::kDone;
}

}  // namespace fa3prof::commands
