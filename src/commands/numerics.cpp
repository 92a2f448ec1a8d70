#include "src/commands/numerics.h"

#include "src/cli/choice.h"
#include "src/cli/problem_options.h"
#include "src/cli/text_list.h"
#include "src/commands/numerics_findings.h"
#include "src/commands/numerics_usage.h"
#include "src/commands/output.h"
#include "src/core/progress.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <memory>
#include <ostream>
#include <utility>

namespace fa3prof::commands {
namespace {

using numerics::Distribution;

const cli::Choices<Experiment> kExperiments{{"attention", Experiment::kAttention},
                                            {"guide", Experiment::kGuide},
                                            {"rotation", Experiment::kRotation},
                                            {"paper", Experiment::kPaper}};
constexpr std::int64_t kPaperRowsPerHead = 128;

std::vector<Experiment> parse_experiments(const std::string& text) {
  std::vector<Experiment> experiments;
  for (const std::string& word : cli::split_list(text, "--experiment")) {
    const auto it =
        std::ranges::find(kExperiments, word, &std::pair<std::string, Experiment>::first);
    if (it == kExperiments.end()) {
      throw core::UsageError("--experiment: '" + word + "' is no choice; write " +
                             cli::words_of(kExperiments));
    }
    experiments.push_back(it->second);
  }
  return experiments;
}

bool has_files(const NumericsOptions& options) {
  const bool has_any = !(options.q.empty() && options.k.empty() && options.v.empty());
  if (has_any && (options.q.empty() || options.k.empty() || options.v.empty())) {
    throw core::UsageError("--q, --k and --v belong together; give all three");
  }
  if (has_any && !(options.grid.seqlens_q.empty() && options.grid.seqlens_kv.empty() &&
                   options.grid.head_dims.empty() && options.grid.batches.empty() &&
                   options.grid.num_heads.empty() && options.grid.num_heads_kv.empty())) {
    throw core::UsageError("--q, --k and --v state the sizes; leave the other sizes out");
  }
  return has_any;
}

std::vector<core::AttentionProblem> problems_of(core::ProblemGrid grid) {
  if (!grid.dtypes.empty()) {
    throw core::UsageError("--dtype: numerics rounds FP32 inputs itself; choose by --format");
  }
  if (grid.seqlens_q.empty() && grid.seqlens_kv.empty()) grid.seqlens_kv = {8192};
  if (grid.seqlens_q.empty()) grid.seqlens_q = {256};
  if (grid.batches.empty()) grid.batches = {1};
  if (grid.num_heads.empty()) grid.num_heads = {4};
  return expand(grid);
}

/// Says on stderr which of the user's tensors hold what is no number, and where first.
void warn_of_not_finite(const numerics::FileTensor& tensor, std::ostream& err) {
  const auto is_bad = [](float value) { return !std::isfinite(value); };
  const auto first = std::ranges::find_if(tensor.values, is_bad);
  if (first == tensor.values.end()) return;
  auto rest = first - tensor.values.begin();
  std::vector<std::int64_t> place(tensor.shape.size());
  for (std::size_t i = place.size(); i-- > 0; rest /= tensor.shape[i]) {
    place[i] = rest % tensor.shape[i];
  }
  err << fmt::format("warning: {}: {} of {} elements are no numbers, the first ({}) at [{}]\n",
                     tensor.source, std::ranges::count_if(tensor.values, is_bad),
                     tensor.values.size(), *first, fmt::join(place, ", "));
}

/// The user's tensors, with and without the mask where both are asked for.
std::vector<numerics::AttentionInputs> file_inputs(const NumericsOptions& options,
                                                   std::ostream& err) {
  const std::array tensors{numerics::load_tensor(options.q, "q"),
                           numerics::load_tensor(options.k, "k"),
                           numerics::load_tensor(options.v, "v")};
  for (const numerics::FileTensor& tensor : tensors) warn_of_not_finite(tensor, err);
  const numerics::AttentionInputs inputs =
      inputs_of(tensors[0], tensors[1], tensors[2], options.layout);
  std::vector<numerics::AttentionInputs> all;
  for (const bool is_causal :
       options.grid.causal.empty() ? std::vector<bool>{false} : options.grid.causal) {
    all.push_back(inputs);
    all.back().problem.is_causal = is_causal;
  }
  return all;
}

std::vector<AttentionFindings> measure_attention(const NumericsOptions& options, std::ostream& err,
                                                 const core::PieceProgress& progress) {
  const std::vector<numerics::KernelNumerics> kernels = kernels_of(options.kernels);
  std::vector<AttentionFindings> findings;
  const auto measure = [&](const numerics::AttentionInputs& inputs, const std::string& name) {
    findings.push_back({.problem = inputs.problem,
                        .input = name,
                        .kernels = kernels,
                        .accuracies = measure_accuracy(inputs, kernels)});
  };
  if (has_files(options)) {
    const auto all = file_inputs(options, err);
    for (const auto& inputs : all) {
      progress(findings.size(), all.size(), core::describe(inputs.problem));
      measure(inputs, options.q + " " + options.k + " " + options.v);
    }
    return findings;
  }
  const std::vector<core::AttentionProblem> problems = problems_of(options.grid);
  for (const core::AttentionProblem& problem : problems) {
    progress(findings.size(), problems.size(), core::describe(problem));
    measure(draw_inputs(problem, options.distribution, options.seed),
            std::string(name_of(options.distribution)));
  }
  return findings;
}

NumericsFindings find(const NumericsOptions& options, std::ostream& err, cli::ProgressLine& line) {
  const auto progress = [&line](std::size_t done, std::size_t total, const std::string& what) {
    line.show(cli::progress_text(done, total, what));
  };
  NumericsFindings findings{.seed = options.seed,
                            .guide = std::nullopt,
                            .rotation = {},
                            .paper = std::nullopt,
                            .attention = {}};
  for (const Experiment experiment :
       options.experiments.empty() ? std::vector{Experiment::kAttention} : options.experiments) {
    switch (experiment) {
      case Experiment::kAttention:
        findings.attention = measure_attention(options, err, progress);
        break;
      case Experiment::kGuide:
        line.show("the guide's experiment");
        findings.guide = numerics::guide_experiment();
        break;
      case Experiment::kRotation:
        line.show("errors of the rotation");
        findings.rotation = numerics::rotation_errors(options.seed);
        break;
      case Experiment::kPaper:
        line.show("the paper's table");
        findings.paper =
            numerics::published_table(options.paper_heads, kPaperRowsPerHead, options.seed);
        break;
    }
  }
  return findings;
}

void add_input_options(CLI::App& verb, NumericsOptions& options) {
  constexpr const char* kGroup = "Inputs";
  cli::add_choice<Distribution>(verb, "--input", options.distribution,
                                {{"normal", Distribution::kNormal},
                                 {"outliers", Distribution::kOutliers},
                                 {"channels", Distribution::kChannelOutliers},
                                 {"sink", Distribution::kSink},
                                 {"v-mean", Distribution::kValueMean}})
      ->description("distribution of Q, K and V [outliers]")
      ->group(kGroup);
  const auto add_tensor = [&](const std::string& flag, std::string& place) {
    verb.add_option(flag, place, "tensor from FILE.npy or FILE.safetensors[:NAME]")
        ->type_name("FILE")
        ->group(kGroup);
  };
  add_tensor("--q", options.q);
  add_tensor("--k", options.k);
  add_tensor("--v", options.v);
  cli::add_choice<numerics::TensorLayout>(verb, "--layout", options.layout,
                                          {{"bshd", numerics::TensorLayout::kSeqlenHeads},
                                           {"bhsd", numerics::TensorLayout::kHeadsSeqlen}})
      ->description("order of the files' dimensions [bshd]")
      ->group(kGroup);
  verb.add_option("--seed", options.seed, "of inputs and rotation check [1]")
      ->type_name("N")
      ->group(kGroup);
}

}  // namespace

void add_numerics(CLI::App& app, Verb& chosen) {
  auto options = std::make_shared<NumericsOptions>();
  CLI::App* verb = app.add_subcommand(
      "numerics", "What FP8 costs in accuracy and what the remedies bring, without a GPU");
  verb->add_option_function<std::string>(
          "--experiment",
          [options = options.get()](const std::string& text) {
            options->experiments = parse_experiments(text);
          },
          "some of " + cli::words_of(kExperiments) + " [attention]")
      ->type_name("NAMES");
  verb->add_option("--paper-heads", options->paper_heads,
                   "heads of the paper's table, of 128 queries each; a minute for [64]")
      ->check(CLI::PositiveNumber);
  const std::size_t before = verb->get_options().size();
  add_input_options(*verb, *options);
  add_kernel_options(*verb, options->kernels);
  cli::add_problem_options(*verb, options->grid);
  std::vector<const CLI::Option*> of_attention = std::as_const(*verb).get_options();
  of_attention.erase(of_attention.begin(),
                     of_attention.begin() + static_cast<std::ptrdiff_t>(before));
  std::erase(of_attention, verb->get_option("--seed"));
  verb->footer("Without sizes: 256 queries, 8192 keys, one sequence of 4 heads, head_dim 128.");
  cli::add_output_options(*verb, options->output);
  verb->callback([options, verb, of_attention, &chosen] {
    require_used(*verb, *options, of_attention);
    chosen = [options](const Context& context) { return run_numerics(*options, context); };
  });
}

core::ExitCode run_numerics(const NumericsOptions& options, const Context& context) {
  refuse_to_replace(options.output.json, {options.q, options.k, options.v});
  Output output(options.output, context);
  const NumericsFindings findings = [&] {
    cli::ProgressLine line(context.err, output.shows_progress());
    return find(options, context.err, line);
  }();
  output.write([&] { return to_json(findings, context); });
  output.print([&](report::Colour colour) { return to_text(findings, colour); });
  return core::ExitCode::kDone;
}

}  // namespace fa3prof::commands
