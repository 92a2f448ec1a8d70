#include "src/core/json_reader.h"
#include "tests/catch.h"
#include "tests/cli/fake_program.h"

#include <exception>
#include <string>
#include <vector>

namespace fa3prof::tests {
namespace {

core::Json prefills(const std::vector<std::string>& flags) {
  std::vector<std::string> arguments{"prefill", "--model", "llama3_8b", "--json", "-", "--quiet"};
  arguments.insert(arguments.end(), flags.begin(), flags.end());
  return core::parse_json(run_program(arguments).out, "stdout").at("prefills");
}

}  // namespace

TEST_CASE("prefill ranks FA2, FA3 and FP8 and shows the cache", "[cli]") {
  const core::Json all = prefills({"--context", "2k,8k"});
  CHECK(all.size() == 2);
  const core::Json& long_one = all.at(1);
  CHECK(long_one.at("tokens") == 8192);
  const core::Json& rows = long_one.at("rows");
  CHECK(rows.size() == 4);
  for (std::size_t i = 1; i < rows.size(); ++i) {
    CHECK(rows.at(i).at("first_token_us") < rows.at(i - 1).at("first_token_us"));
    CHECK(rows.at(i).at("first_token_change_ratio") < 0.0);
  }
  CHECK(rows.at(3).at("gemm_dtype") == "fp8_e4m3");
  // 2 * 32 layers * 8 heads * 128 channels * 2 bytes
  CHECK(long_one.at("caches").at(0).at("bytes_per_token") == 131'072.0);
  // Attention grows with the square of the context, all else with the context.
  CHECK(all.at(0).at("rows").at(0).at("attention_ratio") < rows.at(0).at("attention_ratio"));
}

TEST_CASE("prefill prints tables that say what they rest on", "[cli]") {
  const std::vector<std::string> flags{"prefill", "--model", "llama3_8b", "--context",
                                       "1k",      "--tp",    "2"};
  CHECK_THAT(run_program(flags).out,
             contains("llama3_8b on 2 h200_sxm by tensor parallelism, 1,024 tokens, batch 1") &&
                 contains("fa3_fp8, GEMMs in fp8_e4m3") && contains("sequences that fit") &&
                 contains("93.0 % of the tensor rate at 1560 MHz") && contains("450 GB/s"));
  std::vector<std::string> markdown = flags;
  markdown.insert(markdown.end(), {"--format", "markdown"});
  CHECK_THAT(run_program(markdown).out, contains("| time of a layer | attention ms |"));
}

TEST_CASE("What the guide takes for the time to the first token is the time of attention",
          "[cli]") {
  // docs/serving.md tells these figures: where they change, it has to be written anew.
  const auto document =
      core::parse_json(run_program({"prefill", "--model", "llama3_70b", "--context", "128k", "--tp",
                                    "8", "--json", "-", "--quiet"})
                           .out,
                       "stdout");
  const core::Json& rows = document.at("prefills").at(0).at("rows");
  const auto attention_change = [&rows](std::size_t row) {
    const auto time_us = [&rows](std::size_t i) {
      return rows.at(i).at("layer").at("attention_us").get<double>();
    };
    return time_us(row) / time_us(0) - 1.0;
  };
  const auto change = [&rows](std::size_t row) {
    return rows.at(row).at("first_token_change_ratio").get<double>();
  };
  CHECK_THAT(attention_change(1), WithinAbs(-0.55, 0.06));
  CHECK_THAT(change(1), WithinAbs(-0.35, 0.06));
  CHECK_THAT(attention_change(2), WithinAbs(-0.69, 0.06));
  CHECK_THAT(change(2), WithinAbs(-0.44, 0.06));
}

TEST_CASE("prefill on a GPU without WGMMA says which kernels cannot run", "[cli]") {
  const core::Json rows = prefills({"--context", "1k", "--machine", "a100_sxm"}).at(0).at("rows");
  CHECK(rows.size() == 3);
  CHECK(rows.at(0).contains("layer"));
  CHECK_THAT(rows.at(1).at("unsupported_reason").get<std::string>(), contains("a100_sxm"));
}

TEST_CASE("prefill warns of a context beyond the model's and of weights that do not fit", "[cli]") {
  const Outcome outcome = run_program(
      {"prefill", "--model", "llama3_405b", "--context", "256k", "--machine", "h100_pcie"});
  CHECK_THAT(outcome.out, contains("llama3_405b is made for 131072 tokens at most") &&
                              contains("the weights do not fit"));
}

TEST_CASE("prefill refuses bad flags with a reason", "[cli]") {
  const auto says = [](const std::vector<std::string>& flags) {
    std::vector<std::string> arguments{"prefill"};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    try {
      (void)run_program(arguments);
    } catch (const std::exception& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK_THAT(says({"--model", "gpt5"}), contains("unknown model 'gpt5'"));
  CHECK_THAT(says({"--model", "llama3_8b", "--tp", "5"}), contains("5 GPUs cannot share"));
  CHECK_THAT(says({"--model", "llama3_8b", "--context", "many"}), contains("--context"));
  CHECK_THAT(says({"--model", "llama3_8b", "--gemm-efficiency", "0"}),
             contains("--gemm-efficiency must be above 0"));
  CHECK_THAT(says({"--model", "llama3_8b", "--memory", "2"}), contains("--memory"));
  CHECK_THAT(says({}), contains("--model"));
}

TEST_CASE("list shows the models and every machine", "[cli]") {
  CHECK_THAT(run_program({"list", "--models"}).out,
             contains("llama3_70b") && contains("deepseek_67b") && !contains("h200_sxm"));
  CHECK_THAT(run_program({"list", "--machines"}).out,
             contains("h20 ") && contains("gh200") && contains("NOT of tcgen05"));
}

}  // namespace fa3prof::tests
