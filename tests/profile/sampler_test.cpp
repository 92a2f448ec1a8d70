#include "src/profile/sampler.h"

#include "tests/catch.h"

#include <chrono>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace fa3prof::tests {
namespace {

using namespace std::chrono_literals;
using profile::CacheMode;
using profile::Launch;
using profile::Sampler;
using profile::SamplingPlan;
using profile::StuckLaunch;
using profile::TimedLaunch;

/// Writes down what is enqueued; `duration_us` says how long the n-th timed launch takes.
class FakeTimer final : public profile::LaunchTimer {
 public:
  std::string log;
  std::vector<std::size_t> batches;
  std::function<double(std::size_t)> duration_us = [](std::size_t n) {
    return static_cast<double>(n);
  };
  std::optional<std::size_t> stuck_at;  ///< this one never ends
  std::function<double(std::chrono::steady_clock::time_point)> clock_mhz = [](auto) {
    return 1000.0;
  };

  std::vector<std::chrono::microseconds> rests;

  void rest(std::chrono::microseconds pause) override {
    CHECK(under_way_.empty());
    log += '.';
    rests.push_back(pause);
  }

  void flush_cache() override { log += 'f'; }

  void begin_batch() override {
    log += '(';
    under_way_.emplace_back();
    CHECK(under_way_.size() <= 2);
  }

  void enqueue_timed(const Launch& launch) override {
    launch();
    under_way_.back().push_back(++timed_);
  }

  void end_batch() override { log += ')'; }

  std::vector<TimedLaunch> collect_batch() override {
    log += '!';
    const std::vector<std::size_t> batch = under_way_.front();
    under_way_.pop_front();
    batches.push_back(batch.size());
    std::vector<TimedLaunch> timed;
    for (std::size_t i = 0; i < batch.size(); ++i) {
      if (batch[i] == stuck_at) throw StuckLaunch(i);
      const std::chrono::duration<double, std::micro> duration(duration_us(batch[i]));
      now_ += std::chrono::duration_cast<std::chrono::steady_clock::duration>(duration);
      timed.push_back({duration.count(), clock_mhz(now_), now_});
    }
    return timed;
  }

  Launch launch(char name) {
    return [this, name] { log += name; };
  }

  std::vector<Launch> launches(std::size_t count) {
    std::vector<Launch> all;
    for (std::size_t i = 0; i < count; ++i) all.push_back(launch(static_cast<char>('a' + i)));
    return all;
  }

 private:
  std::deque<std::vector<std::size_t>> under_way_;
  std::size_t timed_ = 0;
  std::chrono::steady_clock::time_point now_ = {};
};

bool all_count(std::size_t) { return true; }

Sampler run(FakeTimer& timer, std::size_t kernels, const SamplingPlan& plan) {
  Sampler sampler(timer, timer.launches(kernels), plan, all_count);
  sampler.run();
  return sampler;
}

std::vector<double> durations(const std::vector<TimedLaunch>& launches) {
  std::vector<double> times;
  for (const TimedLaunch& launch : launches) times.push_back(launch.duration_us);
  return times;
}

TEST_CASE("kernels are timed in turn and keep their samples in order", "[profile]") {
  FakeTimer timer;
  const Sampler sampler = run(timer, 2, {.rounds = 3});
  REQUIRE(sampler.samples().size() == 2);
  CHECK(durations(sampler.samples()[0]) == std::vector<double>{1.0, 3.0, 5.0});
  CHECK(durations(sampler.samples()[1]) == std::vector<double>{2.0, 4.0, 6.0});
  CHECK(sampler.samples()[0][0].clock_mhz == 1000.0);
  CHECK(sampler.stopped_by() == "request");
}

TEST_CASE("the next batch is enqueued before the last one is waited for", "[profile]") {
  FakeTimer timer;
  run(timer, 2, {.rounds = 3});
  CHECK(timer.log == "(ab)(ab)!(ab)!!");
}

TEST_CASE("a cold cache is flushed before every launch", "[profile]") {
  FakeTimer timer;
  run(timer, 2, {.cache = CacheMode::kCold, .rounds = 1});
  CHECK(timer.log == "(fafb)!");
}

TEST_CASE("warm-up rounds are launched alike and not kept", "[profile]") {
  FakeTimer timer;
  const Sampler sampler = run(timer, 1, {.warmup_rounds = 3, .rounds = 2});
  CHECK(durations(sampler.samples()[0]) == std::vector<double>{4.0, 5.0});
}

TEST_CASE("launches while the clock settles are not kept, and are counted", "[profile]") {
  FakeTimer timer;
  timer.duration_us = [](std::size_t) { return 10e3; };
  const Sampler sampler =
      run(timer, 2, {.settle = {.at_least = 3s, .at_most = 15s}, .warmup_rounds = 3, .rounds = 2});
  CHECK(sampler.samples()[0].size() == 2);
  const core::WarmUp warm_up = sampler.warm_up();
  CHECK(warm_up.launches >= 300);
  CHECK(warm_up.launches < 400);
  CHECK_THAT(warm_up.duration_ms, WithinRel(10.0 * static_cast<double>(warm_up.launches), 1e-6));
  CHECK(warm_up.clock_mhz == 1000.0);
  CHECK(warm_up.is_steady == true);
}

TEST_CASE("the load goes on until the clock has fallen to its level", "[profile]") {
  FakeTimer timer;
  timer.duration_us = [](std::size_t) { return 10e3; };
  timer.clock_mhz = [](std::chrono::steady_clock::time_point now) {
    const double seconds = std::chrono::duration<double>(now.time_since_epoch()).count();
    return seconds < 5.0 ? 2000.0 - 100.0 * seconds : 1500.0;
  };
  const Sampler sampler = run(timer, 1, {.settle = {.at_least = 3s, .at_most = 15s}, .rounds = 20});
  CHECK(sampler.warm_up().duration_ms > 6000.0);
  CHECK(sampler.warm_up().duration_ms < 8000.0);
  CHECK(sampler.warm_up().is_steady == true);
  for (const TimedLaunch& launch : sampler.samples()[0]) CHECK(launch.clock_mhz == 1500.0);
}

TEST_CASE("a burst rests before every launch that is kept, with nothing under way", "[profile]") {
  FakeTimer timer;
  const Sampler sampler = run(timer, 2, {.warmup_rounds = 1, .pause = 50ms, .rounds = 2});
  CHECK(timer.log == "(ab)!.(a)!.(b)!.(a)!.(b)!");
  CHECK(durations(sampler.samples()[0]) == std::vector<double>{3.0, 5.0});
  CHECK(durations(sampler.samples()[1]) == std::vector<double>{4.0, 6.0});
  CHECK(timer.rests.front() == 50ms);
  CHECK(sampler.warm_up().launches == 2);
  CHECK_FALSE(sampler.warm_up().is_steady.has_value());
}

TEST_CASE("a burst of cold launches flushes after the rest", "[profile]") {
  FakeTimer timer;
  run(timer, 1, {.cache = CacheMode::kCold, .pause = 50ms, .rounds = 2});
  CHECK(timer.log == ".(fa)!.(fa)!");
}

TEST_CASE("after a long launch a burst rests for longer", "[profile]") {
  FakeTimer timer;
  timer.duration_us = [](std::size_t) { return 100e3; };
  run(timer, 1, {.pause = 50ms, .rounds = 2});
  CHECK(timer.rests.back() == 400ms);
}

TEST_CASE("a burst is judged by whole rounds only", "[profile]") {
  FakeTimer timer;
  timer.duration_us = [](std::size_t n) { return n % 2 == 0 ? 100.0 : 200.0; };
  const Sampler sampler = run(timer, 2, {.pause = 50ms, .limit = std::chrono::hours(1)});
  CHECK(sampler.stopped_by() == "intervals");
  CHECK(sampler.samples()[0].size() == sampler.samples()[1].size());
}

TEST_CASE("batches are as long as a stream can hold", "[profile]") {
  FakeTimer timer;
  const Sampler sampler = run(timer, 3, {.rounds = 50});
  for (const auto& of_kernel : sampler.samples()) CHECK(of_kernel.size() == 50);
  for (const std::size_t launched : timer.batches) {
    CHECK(launched <= profile::kLaunchesPerBatch);
    CHECK(launched % 3 == 0);  // a batch holds whole rounds
  }
  CHECK(timer.batches.size() < 8);
}

TEST_CASE("slow kernels come in short batches", "[profile]") {
  FakeTimer timer;
  timer.duration_us = [](std::size_t) { return 20e3; };
  run(timer, 2, {.rounds = 30});
  for (const std::size_t launched : timer.batches) CHECK(launched <= 4);
}

TEST_CASE("steady kernels need the fewest rounds only", "[profile]") {
  FakeTimer timer;
  timer.duration_us = [](std::size_t n) { return n % 2 == 0 ? 100.0 : 200.0; };
  const Sampler sampler = run(timer, 2, {.limit = std::chrono::hours(1)});
  CHECK(sampler.stopped_by() == "intervals");
  CHECK(sampler.samples()[0].size() >= profile::kFewestRounds);
  CHECK(sampler.samples()[0].size() < 2 * profile::kFewestRounds + profile::kLaunchesPerBatch);
  CHECK(sampler.samples()[0].size() == sampler.samples()[1].size());
}

TEST_CASE("few rounds are judged after some time only, many at once", "[profile]") {
  FakeTimer timer;
  timer.duration_us = [](std::size_t) { return 100.0; };
  const Sampler sampler =
      run(timer, 2, {.at_least = std::chrono::hours(1), .limit = std::chrono::hours(1)});
  CHECK(sampler.stopped_by() == "intervals");
  CHECK(sampler.samples()[0].size() >= profile::kManyRounds);
  CHECK(sampler.samples()[0].size() < 2 * profile::kManyRounds);
}

TEST_CASE("rounds go on until the ratio's interval is narrow", "[profile]") {
  FakeTimer timer;
  // Both kernels' own times are steady enough; only the ratio scatters by more than 1 %.
  timer.duration_us = [](std::size_t n) {
    const double scatter = static_cast<double>((n / 2 * 7919) % 101) / 101.0 - 0.5;
    return 100.0 * (1.0 + (n % 2 == 0 ? 0.08 : -0.08) * scatter);
  };
  const Sampler sampler = run(timer, 2, {.limit = std::chrono::hours(1)});
  CHECK(sampler.stopped_by() == "intervals");
  CHECK(sampler.samples()[0].size() >= 2 * profile::kFewestRounds);
}

TEST_CASE("a limit of time or rounds ends what never becomes narrow", "[profile]") {
  FakeTimer timer;
  timer.duration_us = [](std::size_t n) { return 100.0 + static_cast<double>(n * 7919 % 101); };
  const bool is_short = GENERATE(true, false);
  const std::chrono::milliseconds limit =
      is_short ? std::chrono::milliseconds(0) : std::chrono::hours(1);
  const Sampler sampler = run(timer, 2, {.target_ci95_ratio = 1e-9, .limit = limit});
  CHECK(sampler.stopped_by() == "limit");
  if (is_short) CHECK(sampler.samples()[0].size() < 4 * profile::kFewestRounds);
  if (!is_short) CHECK(sampler.samples()[0].size() == profile::kMostRounds);
  CHECK(sampler.samples()[0].size() >= profile::kFewestRounds);
}

TEST_CASE("a kernel that dropped out is not waited for", "[profile]") {
  FakeTimer timer;
  timer.duration_us = [](std::size_t n) { return n % 2 == 0 ? static_cast<double>(n) : 100.0; };
  Sampler sampler(timer, timer.launches(2), {.limit = std::chrono::hours(1)},
                  [](std::size_t kernel) { return kernel == 0; });
  sampler.run();
  CHECK(sampler.stopped_by() == "intervals");
}

TEST_CASE("a stuck launch is named by its kernel, and what came before is kept", "[profile]") {
  FakeTimer timer;
  timer.stuck_at = 151;  // of three kernels in turn: the first
  Sampler sampler(timer, timer.launches(3), {.rounds = 100}, all_count);
  std::optional<std::size_t> kernel;
  try {
    sampler.run();
  } catch (const StuckLaunch& stuck) {
    kernel = stuck.index();
  }
  CHECK(kernel == 0);
  CHECK_FALSE(sampler.samples()[2].empty());
  CHECK(sampler.samples()[0].size() == sampler.samples()[2].size());
  CHECK(sampler.stopped_by().empty());
}

TEST_CASE("nothing to launch gives no samples", "[profile]") {
  FakeTimer timer;
  CHECK(run(timer, 0, {.rounds = 5}).samples().empty());
  CHECK(run(timer, 1, {.rounds = 0}).samples()[0].empty());
  CHECK(timer.log.empty());
}

}  // namespace
}  // namespace fa3prof::tests
