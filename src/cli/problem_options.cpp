#include "src/cli/problem_options.h"

#include "src/cli/text_list.h"
#include "src/core/error.h"

#include <algorithm>

namespace fa3prof::cli {
namespace {

constexpr const char* kGroup = "Problem (sizes are lists: 512,8k,2^14)";

void add_sizes(CLI::App& app, const std::string& flag, std::vector<std::int64_t>& sizes,
               const std::string& meaning) {
  app.add_option_function<std::string>(
         flag, [flag, &sizes](const std::string& text) { sizes = core::parse_sizes(text, flag); },
         meaning)
      ->type_name("SIZES")
      ->group(kGroup);
}

void add_mask(CLI::App& app, const std::string& flag, core::ProblemGrid& grid,
              const std::string& meaning) {
  const bool is_causal = flag == "--causal";
  app.add_flag_callback(
         flag,
         [is_causal, &grid] {
           if (std::ranges::find(grid.causal, is_causal) == grid.causal.end()) {
             grid.causal.push_back(is_causal);
           }
         },
         meaning)
      ->group(kGroup);
}

}  // namespace

void add_problem_options(CLI::App& app, core::ProblemGrid& grid) {
  add_sizes(app, "--seq", grid.seqlens_q, "query length, and key length unless stated [8k]");
  add_sizes(app, "--seq-kv", grid.seqlens_kv, "key and value length [--seq]");
  add_sizes(app, "--head-dim", grid.head_dims, "elements of a head [128]");
  add_sizes(app, "--batch", grid.batches, "sequences [16384 / seq, at least 1]");
  add_sizes(app, "--heads", grid.num_heads, "query heads [2048 / head-dim]");
  add_sizes(app, "--kv-heads", grid.num_heads_kv,
            "key and value heads, a divisor of --heads [--heads]");
  add_mask(app, "--causal", grid, "each query sees the keys up to its own place");
  add_mask(app, "--no-causal", grid, "each query sees all keys; with --causal: both in turn");
  app.add_option_function<std::string>(
         "--dtype",
         [&grid](const std::string& text) {
           grid.dtypes.clear();
           for (const std::string& name : split_list(text, "--dtype")) {
             grid.dtypes.push_back(core::parse_data_type(name));
           }
         },
         "fp16, bf16 or fp8_e4m3 [fp16]")
      ->type_name("TYPES")
      ->group(kGroup);
}

}  // namespace fa3prof::cli
