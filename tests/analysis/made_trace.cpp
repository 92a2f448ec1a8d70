#include "tests/analysis/made_trace.h"

namespace fa3prof::tests {
namespace {

using core::Stage;

/// Stamps one after the other.
class Clockwork {
 public:
  void after(std::int64_t cycles, Stage stage, std::int64_t value = 0) {
    now_ += cycles;
    role_.stamps.push_back({.cycles = now_, .stage = stage, .value = value});
  }

  [[nodiscard]] core::RoleStamps take(const char* name) {
    role_.role = name;
    return role_;
  }

 private:
  std::int64_t now_ = 100;
  core::RoleStamps role_;
};

void add_last_output(Clockwork& clock, std::int64_t buffer) {
  clock.after(10, Stage::kTurnTaken);
  clock.after(10, Stage::kValuesReady, buffer);
  clock.after(20, Stage::kFirstIssued);
  clock.after(5, Stage::kTurnGiven);
  clock.after(5, Stage::kOutputWait);
  clock.after(400, Stage::kOutputDone);
  clock.after(200, Stage::kTileStored);
}

core::RoleStamps made_producer(std::int64_t blocks) {
  Clockwork clock;
  for (std::int64_t block = 0; block < blocks; ++block) {
    clock.after(1, Stage::kLoadK, block % 3);
    clock.after(1, Stage::kLoadV, block % 3);
    // The buffers are free again when they have been used.
    if (block >= 2) clock.after(1500, Stage::kLoadQ);
  }
  return clock.take("producer");
}

}  // namespace

core::RoleStamps made_consumer(std::int64_t blocks, std::int64_t load_wait) {
  Clockwork clock;
  clock.after(0, Stage::kTile, 7);
  for (std::int64_t block = 0; block < blocks; ++block) {
    clock.after(block == 0 ? 0 : 50, Stage::kKeysWait);
    clock.after(load_wait, Stage::kKeysReady, block % 3);
    if (block > 0) clock.after(20, Stage::kTurnTaken);
    clock.after(200, Stage::kFirstIssued);
    if (block > 0) {
      clock.after(10, Stage::kValuesReady, (block - 1) % 3);
      clock.after(200, Stage::kTurnGiven);
    }
    clock.after(200, Stage::kScoresDone);
    if (block > 0) {
      clock.after(300, Stage::kOutputWait);
      clock.after(100, Stage::kOutputDone);
    }
    clock.after(300, Stage::kSoftmaxDone);
  }
  add_last_output(clock, (blocks - 1) % 3);
  return clock.take("consumer 1");
}

core::StageTrace made_trace(std::int64_t blocks, std::int64_t load_wait) {
  const core::RoleStamps consumer = made_consumer(blocks, load_wait);
  const std::int64_t end = consumer.stamps.back().cycles / 10 * 10 + 10;
  const core::CtaLife life{
      .sm = 3, .begin_cycles = 0, .end_cycles = end, .begin_ns = 1000, .end_ns = 1000 + end};
  core::CtaLife shorter = life;
  shorter.end_cycles = end - end / 10;
  shorter.end_ns = 1000 + shorter.end_cycles;
  return {.lives = {life, shorter},
          .ctas = {{.number = 0, .life = life, .roles = {made_producer(blocks), consumer}}},
          .scores_cycles = 350.0,
          .output_cycles = 350.0,
          .clock_mhz = 1000.0,
          .launch_us = 1.2 * static_cast<double>(end) / 1e3,
          .traced_us = 1.2 * static_cast<double>(end) / 1e3,
          .timed_us = 1.1 * static_cast<double>(end) / 1e3};
}

}  // namespace fa3prof::tests
