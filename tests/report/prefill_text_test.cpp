#include "src/report/prefill_text.h"

#include "tests/catch.h"
#include "tests/golden/golden.h"

namespace fa3prof::tests {
namespace {

/// A made model on two made GPUs, with every kind of row.
std::vector<analysis::Prefill> made_prefills() {
  const sim::Transformer model{.name = "made|model",
                               .description = "",
                               .source = "test",
                               .layers = 10,
                               .hidden_size = 1024,
                               .num_heads = 8,
                               .num_heads_kv = 2,
                               .head_dim = 128,
                               .intermediate_size = 4096,
                               .vocab_size = 32'000,
                               .has_tied_embeddings = true,
                               .max_context = 4096};
  sim::Machine machine;
  machine.name = "made_gpu";
  machine.sm_count = 100;
  machine.clock_load_mhz = 1500.0;
  machine.wgmma_fp16_flop_per_cycle = 4096.0;
  machine.wgmma_fp8_flop_per_cycle = 8192.0;
  machine.hbm_bytes_per_s = 4e12;
  machine.link_bytes_per_s = 450e9;
  machine.memory_bytes = 1e9;
  using core::DataType;
  std::vector<analysis::Prefill> prefills;
  prefills.push_back(
      analysis::prefill_of({.model = model,
                            .machine = machine,
                            .prompt = {.batch = 2, .tokens = 8192, .tensor_parallel = 2}},
                           {{.kernel = "fa2", .attention_us = 2000.0},
                            {.kernel = "fa3", .attention_us = 900.0},
                            {.kernel = "fa3_fp8",
                             .attention = DataType::kFloat8E4M3,
                             .gemm = DataType::kFloat8E4M3,
                             .attention_us = 600.0},
                            {.kernel = "fa9", .unsupported_reason = "made up"}}));
  prefills.back().warnings.emplace_back("made for 4096 tokens");
  return prefills;
}

}  // namespace

TEST_CASE("A prefill is the golden one in every format", "[report]") {
  const std::vector<analysis::Prefill> prefills = made_prefills();
  check_golden("prefill.txt", report::prefill_text(prefills, report::Colour::kNever));
  check_golden("prefill.md", report::prefill_markdown(prefills));
  core::Json document = report::prefill_json(prefills);
  document.erase("tool_version");  // of the build
  document.erase("tool_commit");
  check_golden("prefill.json", document.dump(2) + "\n");
}

}  // namespace fa3prof::tests
