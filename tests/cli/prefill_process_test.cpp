// `fa3prof prefill` as a process.
#include "src/core/json_reader.h"
#include "tests/catch.h"
#include "tests/cli/process.h"
#include "tests/cli/temporary_directory.h"

#include <fstream>

namespace fa3prof::tests {

TEST_CASE("prefill as a process writes one JSON document to stdout", "[cli]") {
  const ProcessOutcome outcome = run_process("prefill --model llama3_8b --context 1k --json -");
  CHECK(outcome.exit_code == 0);
  const core::Json json = core::parse_json(outcome.out, "stdout");
  CHECK(json.at("prefills").at(0).at("model") == "llama3_8b");
  CHECK_THAT(outcome.err, contains("first token s"));
}

TEST_CASE("prefill as a process reads a model of the user's own", "[cli]") {
  const TemporaryDirectory directory;
  const std::string path = directory.path("mine.json");
  std::ofstream(path) << R"({"name": "mine", "source": "me", "layers": 1, "hidden_size": 2048,
    "num_heads": 16, "num_heads_kv": 16, "head_dim": 128, "intermediate_size": 8192,
    "vocab_size": 32000, "has_tied_embeddings": true, "max_context": 4096})";
  const ProcessOutcome outcome = run_process("prefill --context 1k --model " + path);
  CHECK(outcome.exit_code == 0);
  CHECK_THAT(outcome.out, contains("mine on h200_sxm, 1,024 tokens"));
  std::ofstream(path) << R"({"name": "mine"})";
  const ProcessOutcome bad = run_process("prefill --model " + path);
  CHECK(bad.exit_code == 2);
  CHECK_THAT(bad.err, contains("mine.json") && contains("'source' is missing"));
}

TEST_CASE("A bad prefill ends in exit code 2 with what is wrong", "[cli]") {
  struct BadInput {
    std::string arguments;
    std::string message;
  };

  const auto bad =
      GENERATE(BadInput{"prefill", "--model"}, BadInput{"prefill --model gpt5", "llama3_70b"},
               BadInput{"prefill --model llama3_8b --tp 0", "--tp"},
               BadInput{"prefill --model llama3_8b --tp 12", "12 GPUs cannot share"},
               BadInput{"prefill --model llama3_8b --context 0", "--context: '0'"},
               BadInput{"prefill --model llama3_8b --machine h300", "h200_sxm"},
               BadInput{"prefill --model /no/such.json", "/no/such.json"});
  INFO("fa3prof " << bad.arguments);
  const ProcessOutcome outcome = run_process(bad.arguments);
  CHECK(outcome.exit_code == 2);
  CHECK(outcome.out.empty());
  CHECK_THAT(outcome.err, contains(bad.message));
}

}  // namespace fa3prof::tests
