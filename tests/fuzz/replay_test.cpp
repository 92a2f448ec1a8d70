// What the fuzzers found once, again in every build. Each file of tests/fuzz/corpus made the
// program crash, hang or compute with undefined numbers before it was mended.
#include "tests/catch.h"
#include "tests/fuzz/targets.h"

#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

using namespace fa3prof;

namespace {

namespace fs = std::filesystem;

struct Target {
  std::string_view name;  ///< of its folder in tests/fuzz/corpus
  fuzz::Take take;
};

constexpr std::array<Target, 7> kTargets{{{"machine", fuzz::take_machine},
                                          {"model", fuzz::take_model},
                                          {"npy", fuzz::take_npy},
                                          {"pipeline", fuzz::take_pipeline},
                                          {"report", fuzz::take_report},
                                          {"safetensors", fuzz::take_safetensors},
                                          {"scenario", fuzz::take_scenario}}};

const fs::path kCorpus = fs::path(FA3PROF_SOURCE_DIR) / "tests/fuzz/corpus";

std::string read_bytes(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// Files of one kind that a fuzzer did not make: seeds that are sound.
std::string sound_file(std::string_view target) {
  const fs::path root = FA3PROF_SOURCE_DIR;
  if (target == "machine") return read_bytes(root / "configs/machines/h200_sxm.json");
  if (target == "model") return read_bytes(root / "configs/models/llama3_8b.json");
  if (target == "pipeline") return read_bytes(root / "configs/pipelines/fa3_fp16.json");
  if (target == "report") return read_bytes(root / "tests/reports/1.0/run.json");
  if (target == "scenario") return read_bytes(root / "configs/scenarios/h200_8k.json");
  return "";
}

}  // namespace

TEST_CASE("What a fuzzer found is read or refused, and nothing else", "[fuzz]") {
  std::size_t replayed = 0;
  for (const Target& target : kTargets) {
    const fs::path folder = kCorpus / target.name;
    if (!fs::exists(folder)) continue;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
      INFO(entry.path());
      CHECK_NOTHROW(fuzz::take_or_refuse(target.take, read_bytes(entry.path())));
      ++replayed;
    }
  }
  CHECK(replayed > 0);
}

TEST_CASE("The fuzzers' entries take sound files", "[fuzz]") {
  for (const Target& target : kTargets) {
    const std::string bytes = sound_file(target.name);
    if (bytes.empty()) continue;
    INFO(target.name);
    CHECK_NOTHROW(target.take(bytes));
  }
}
