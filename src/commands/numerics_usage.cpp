#include "src/commands/numerics_usage.h"

#include "src/core/error.h"

#include <algorithm>
#include <string>
#include <utility>

namespace fa3prof::commands {
namespace {

[[noreturn]] void refuse(const std::string& flag, const std::string& why) {
  throw core::UsageError(flag + ": " + why);
}

bool is_given(const CLI::App& verb, const std::string& flag) { return verb.count(flag) > 0; }

void require_experiments(const CLI::App& verb, const NumericsOptions& options,
                         const std::vector<const CLI::Option*>& of_attention) {
  const auto runs = [&options](Experiment experiment) {
    if (options.experiments.empty()) return experiment == Experiment::kAttention;
    return std::ranges::find(options.experiments, experiment) != options.experiments.end();
  };
  if (!runs(Experiment::kAttention)) {
    for (const CLI::Option* option : of_attention) {
      if (option->count() == 0) continue;
      refuse(option->get_name(),
             "only the experiment attention reads it; leave it out, or add attention to "
             "--experiment");
    }
  }
  if (is_given(verb, "--paper-heads") && !runs(Experiment::kPaper)) {
    refuse("--paper-heads", "only --experiment paper reads it");
  }
  const bool draws = (runs(Experiment::kAttention) && options.q.empty()) ||
                     runs(Experiment::kRotation) || runs(Experiment::kPaper);
  if (is_given(verb, "--seed") && !draws) refuse("--seed", "this run draws nothing; leave it out");
}

void require_inputs(const CLI::App& verb, const NumericsOptions& options) {
  const bool has_files = !options.q.empty();
  if (has_files && is_given(verb, "--input")) {
    refuse("--input", "--q, --k and --v are the inputs; leave one or the other out");
  }
  if (!has_files && is_given(verb, "--layout")) {
    refuse("--layout", "it is that of --q, --k and --v; give these, too");
  }
}

/// What a 16-bit format does not have.
void require_fp8(const KernelLists& lists) {
  if (lists.formats.empty() || std::ranges::any_of(lists.formats, numerics::is_fp8)) return;
  for (const auto& [flag, is_stated] : {std::pair{"--scales", !lists.scales.empty()},
                                        {"--hadamard", !lists.rotations.empty()},
                                        {"--p-offset", !lists.p_offsets.empty()},
                                        {"--p-headroom", !lists.p_headrooms.empty()},
                                        {"--p-raise", !lists.p_raises.empty()},
                                        {"--accumulator", !lists.accumulators.empty()},
                                        {"--pv-flush", !lists.pv_flushes.empty()},
                                        {"--v-scales", !lists.v_scales.empty()},
                                        {"--sum-casts", lists.sums_casts},
                                        {"--smooth-v", lists.is_v_smoothed}}) {
    if (is_stated) refuse(flag, "16-bit formats have none; add e4m3 or e5m2 to --format");
  }
}

}  // namespace

void require_used(const CLI::App& verb, const NumericsOptions& options,
                  const std::vector<const CLI::Option*>& of_attention) {
  require_experiments(verb, options, of_attention);
  require_inputs(verb, options);
  require_fp8(options.kernels);
  const auto& scales = options.kernels.scales;
  const bool has_blocks =
      scales.empty() ||
      std::ranges::find(scales, numerics::ScaleGranularity::kBlock) != scales.end();
  if (is_given(verb, "--block-rows") && !has_blocks) {
    refuse("--block-rows", "only --scales block reads it");
  }
}

}  // namespace fa3prof::commands
