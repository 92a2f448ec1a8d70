#include "src/core/error.h"
#include "src/core/json_reader.h"
#include "tests/catch.h"
#include "tests/cli/fake_program.h"
#include "tests/cli/temporary_directory.h"

#include <cstring>
#include <limits>

using namespace fa3prof;
using namespace fa3prof::tests;
using core::Json;

namespace {

/// Small sizes, so that a test takes a moment.
Outcome run_small(std::vector<std::string> arguments) {
  std::vector<std::string> all{"numerics", "--seq", "16",         "--seq-kv", "128",
                               "--heads",  "1",     "--head-dim", "32"};
  all.insert(all.end(), arguments.begin(), arguments.end());
  return run_program(all);
}

Json json_of(const Outcome& outcome) { return core::parse_json(outcome.out, "stdout"); }

std::string npy_of_zeros(const std::string& shape, std::size_t elements) {
  std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': " + shape + ", }";
  header.resize(118 - 1, ' ');
  return std::string("\x93NUMPY\x01\x00\x76\x00", 10) + header + "\n" +
         std::string(4 * elements, '\0');
}

}  // namespace

TEST_CASE("numerics prints the guide's figures and says that its grid is not E4M3", "[cli]") {
  const Outcome outcome = run_program({"numerics", "--experiment", "guide"});
  CHECK(outcome.code == core::ExitCode::kDone);
  for (const char* figure : {"0.002892", "0.999607", "0.000342", "0.999953", "8.46x"}) {
    CHECK_THAT(outcome.out, contains(figure));
  }
  CHECK_THAT(outcome.out, contains("a uniform grid, not to E4M3"));
}

TEST_CASE("numerics without kernel flags adds one remedy a row, FP16 first", "[cli]") {
  const Json document = json_of(run_small({"--json", "-"}));
  const Json& kernels = document["attention"][0]["kernels"];
  CHECK(kernels.size() == 10);
  CHECK(kernels[0]["numerics"]["format"] == "fp16");
  CHECK(kernels[1]["numerics"]["scales"] == "tensor");
  CHECK(kernels[9]["numerics"]["pv_flush_keys"] == 128);
  CHECK(kernels[0]["o"]["relative_error"] < 1e-2);
  CHECK_FALSE(document.contains("guide"));
}

TEST_CASE("numerics computes all combinations of the lists, 16-bit formats once", "[cli]") {
  const Json document =
      json_of(run_small({"--format", "e4m3,e5m2,bf16", "--scales", "head,row", "--pv-flush", "0,64",
                         "--p-offset", "8", "--hadamard", "off", "--order", "forward",
                         "--accumulator", "tensor", "--v-scales", "p-pow2", "--json", "-"}));
  const Json& kernels = document["attention"][0]["kernels"];
  REQUIRE(kernels.size() == 9);
  CHECK(kernels[0]["numerics"] == Json{{"format", "e4m3"},
                                       {"scales", "head"},
                                       {"scale_block_rows", 128},
                                       {"is_rotated", false},
                                       {"is_v_smoothed", false},
                                       {"v_scales", "p-pow2"},
                                       {"p_offset_log2", 8},
                                       {"p_headroom_log2", 0.0},
                                       {"p_raise_log2", 0.0},
                                       {"sums_casts", false},
                                       {"order", "forward"},
                                       {"tile_n", 128},
                                       {"accumulator", "tensor"},
                                       {"pv_flush_keys", 0}});
  CHECK(kernels[8]["numerics"]["format"] == "bf16");
  CHECK(kernels[4]["s"]["rmse"] > kernels[0]["s"]["rmse"]);  // E5M2 has a bit less
}

TEST_CASE("numerics takes several problems and the user's own tensors", "[cli]") {
  CHECK(json_of(
            run_small({"--causal", "--no-causal", "--format", "fp16", "--json", "-"}))["attention"]
            .size() == 2);
  const TemporaryDirectory folder;
  const std::string q = folder.write("q.npy", npy_of_zeros("(4, 64)", 256));
  const std::string k = folder.write("k.npy", npy_of_zeros("(8, 64)", 512));
  const Outcome outcome =
      run_program({"numerics", "--q", q, "--k", k, "--v", k, "--causal", "--json", "-"});
  const Json finding = json_of(outcome)["attention"][0];
  CHECK(finding["problem"]["seqlen_kv"] == 8);
  CHECK(finding["problem"]["is_causal"] == true);
  CHECK(finding["kernels"][9]["o"]["rmse"] == 0.0);
}

TEST_CASE("numerics refuses what it cannot do, with the cure", "[cli]") {
  const auto refuses = [](const std::vector<std::string>& arguments, const char* text) {
    CHECK_THROWS_WITH(run_small(arguments), contains(text));
    CHECK_THROWS_AS(run_small(arguments), core::UsageError);
  };
  refuses({"--experiment", "guided"}, "attention|guide|rotation|paper");
  refuses({"--scales", "channel"}, "tensor|head|block|row");
  refuses({"--pv-flush", "100"}, "multiple of 32");
  refuses({"--p-offset", "-1"}, "from 0 on");
  refuses({"--p-offset", "9"}, "0 to 8");
  refuses({"--dtype", "bf16"}, "--format");
  refuses({"--q", "q.npy"}, "all three");
  refuses({"--q", "q.npy", "--k", "k.npy", "--v", "v.npy"}, "leave the other sizes out");
  CHECK_THROWS_WITH(run_program({"numerics", "--head-dim", "96", "--seq", "16"}),
                    contains("--hadamard off"));
}

TEST_CASE("numerics refuses flags that nothing reads", "[cli]") {
  const auto refuses = [](std::vector<std::string> arguments, const char* text) {
    arguments.insert(arguments.begin(), "numerics");
    CHECK_THROWS_WITH(run_program(arguments), contains(text));
    CHECK_THROWS_AS(run_program(arguments), core::UsageError);
  };
  refuses({"--experiment", "guide", "--scales", "row"}, "--scales: only the experiment attention");
  refuses({"--experiment", "rotation", "--seq", "16"}, "--seq: only the experiment attention");
  refuses({"--experiment", "guide", "--seed", "2"}, "--seed: this run draws nothing");
  refuses({"--paper-heads", "2"}, "--paper-heads: only --experiment paper");
  refuses({"--layout", "bhsd"}, "--layout: it is that of --q");
  refuses({"--q", "a.npy", "--k", "b.npy", "--v", "c.npy", "--input", "sink"}, "--input: --q");
  refuses({"--q", "a.npy", "--k", "b.npy", "--v", "c.npy", "--seed", "2"}, "draws nothing");
  refuses({"--format", "fp16,bf16", "--pv-flush", "0"}, "--pv-flush: 16-bit formats have none");
  refuses({"--scales", "head", "--block-rows", "64"}, "--block-rows: only --scales block");
}

TEST_CASE("numerics tells rows apart by keys a block and by where the scales of V go", "[cli]") {
  const Outcome outcome = run_small({"--tile-n", "64,128", "--v-scales", "flush,p-pow2"});
  for (const char* words : {"flush", "p-pow2", "reverse 64", "reverse 128"}) {
    CHECK_THAT(outcome.out, contains(words));
  }
  CHECK_THAT(run_small({"--smooth-v"}).out, contains("no mean"));
}

TEST_CASE("numerics reports a tensor with a NaN, null where no number is left", "[cli]") {
  const TemporaryDirectory folder;
  const std::string q = folder.write("q.npy", npy_of_zeros("(4, 64)", 256));
  std::string tensor = npy_of_zeros("(4, 64)", 256);
  const float nan = std::numeric_limits<float>::quiet_NaN();
  std::memcpy(tensor.data() + 128, &nan, sizeof nan);
  const std::string k = folder.write("k.npy", tensor);
  const Outcome outcome = run_program({"numerics", "--q", q, "--k", k, "--v", q, "--json", "-"});
  CHECK(json_of(outcome)["attention"][0]["kernels"][0]["o"]["rmse"].is_null());
  CHECK_THAT(outcome.err,
             contains("k.npy: 1 of 256 elements are no numbers, the first (nan) at [0, 0]"));
}

TEST_CASE("a report does not take the place of what is read", "[cli]") {
  const TemporaryDirectory folder;
  const std::string tensor = npy_of_zeros("(4, 64)", 256);
  const std::string q = folder.write("q.npy", tensor);
  CHECK_THROWS_WITH(
      run_program({"numerics", "--q", q, "--k", q, "--v", q, "--json", folder.path("./q.npy")}),
      contains("is read as input"));
  CHECK(folder.read("q.npy") == tensor);
  const std::string scenario = folder.write("scenario.json", "{}");
  CHECK_THROWS_WITH(run_program({"simulate", "--config", scenario, "--json", scenario}),
                    contains("is read as input"));
  CHECK(folder.read("scenario.json") == "{}");
}

TEST_CASE("the paper's table is shown beside what is computed here", "[cli]") {
  const Outcome outcome = run_program(
      {"numerics", "--experiment", "paper,rotation", "--paper-heads", "1", "--json", "-"});
  const Json document = json_of(outcome);
  CHECK(document["paper"]["rows"].size() == 6);
  CHECK(document["rotation"].size() == 10);
  CHECK_THAT(outcome.err, contains("FP8 FlashAttention-3") && contains("9.10e-03"));
}
