#include "src/core/json_reader.h"
#include "tests/catch.h"
#include "tests/cli/fake_program.h"

using namespace fa3prof;
using namespace fa3prof::tests;
using core::ExitCode;

TEST_CASE("doctor is content where run works, also without counters", "[cli]") {
  CHECK(run_program({"doctor"}).code == ExitCode::kDone);
  const Outcome outcome = run_program({"doctor"}, {.has_counters = false});
  CHECK(outcome.code == ExitCode::kDone);
  CHECK(outcome.out ==
        "ok       GPU       NVIDIA H200\n"
        "missing  counters  no permission\n"
        "                   -> ask root\n"
        "\n"
        "fa3prof run works here.\n");
}

TEST_CASE("doctor ends in exit code 3 where run cannot work", "[cli]") {
  const Outcome outcome = run_program({"doctor"}, {.has_gpu = false});
  CHECK(outcome.code == ExitCode::kUnavailable);
  CHECK_THAT(outcome.out, contains("missing  GPU") && contains("cannot work here"));
}

TEST_CASE("doctor --json - holds the same findings", "[cli]") {
  const Outcome outcome = run_program({"doctor", "--json", "-"}, {.has_counters = false});
  const core::Json document = core::parse_json(outcome.out, "stdout");
  CHECK(document["can_run"] == true);
  CHECK(document["findings"][1]["severity"] == "missing");
  CHECK(document["findings"][1]["cure"] == "ask root");
  CHECK_FALSE(document["findings"][0].contains("cure"));
}

TEST_CASE("list names everything that the other verbs take", "[cli]") {
  const Outcome outcome = run_program({"list"});
  CHECK(outcome.code == ExitCode::kDone);
  for (const char* word : {"kernels", "fa3", "machines", "h200_sxm", "pipelines", "fa3_fp16",
                           "scenarios", "metrics", "tensor_active_ratio"}) {
    CHECK_THAT(outcome.out, contains(word));
  }
}

TEST_CASE("list --kernels shows only kernels, in both forms", "[cli]") {
  CHECK_THAT(run_program({"list", "--kernels"}).out, contains("fa2") && !contains("machines"));
  const core::Json document =
      core::parse_json(run_program({"list", "--kernels", "--json", "-"}).out, "stdout");
  CHECK(document.size() == 3);
  CHECK(document["kernels"][0]["name"] == "fa1");
  CHECK(document["kernels"][0]["head_dims"][0] == 64);
  CHECK(document["instances"].size() == 20);
  CHECK(document["instances"][6]["kernel"] == "fa3");
  CHECK(document["instances"][6]["registers"] == "24 producer, 240 consumer");
  CHECK(document["instances"][6]["shared_memory_bytes"] == 225 * 1024);
}
