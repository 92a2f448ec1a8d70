#include "src/profile/sampler.h"

#include "tests/catch.h"

#include <string>
#include <utility>
#include <vector>

namespace fa3prof::tests {
namespace {

using profile::CacheMode;
using profile::Launch;
using profile::TimedLaunch;

/// Writes down what is enqueued; the n-th timed launch takes n us.
class FakeTimer final : public profile::LaunchTimer {
 public:
  std::string log;
  std::vector<std::size_t> batches;

  void flush_cache() override { log += 'f'; }

  void begin_batch() override { log += '('; }

  void enqueue_timed(const Launch& launch) override {
    launch();
    timed_ += 1.0;
    batch_.push_back({timed_, 1000.0 * timed_});
  }

  std::vector<TimedLaunch> end_batch() override {
    log += ')';
    batches.push_back(batch_.size());
    return std::exchange(batch_, {});
  }

  Launch launch(char name) {
    return [this, name] { log += name; };
  }

 private:
  std::vector<TimedLaunch> batch_;
  double timed_ = 0.0;
};

TEST_CASE("kernels are timed in turn and keep their samples in order", "[profile]") {
  FakeTimer timer;
  const std::vector<Launch> launches{timer.launch('a'), timer.launch('b')};
  const auto samples = profile::sample(timer, launches, {.count = 3, .cache = CacheMode::kWarm});
  CHECK(timer.log == "(ababab)");
  REQUIRE(samples.size() == 2);
  CHECK(samples[0] == std::vector<TimedLaunch>{{1.0, 1000.0}, {3.0, 3000.0}, {5.0, 5000.0}});
  CHECK(samples[1] == std::vector<TimedLaunch>{{2.0, 2000.0}, {4.0, 4000.0}, {6.0, 6000.0}});
}

TEST_CASE("a cold cache is flushed before every launch", "[profile]") {
  FakeTimer timer;
  const std::vector<Launch> launches{timer.launch('a'), timer.launch('b')};
  profile::warm_up(timer, launches, {.count = 1, .cache = CacheMode::kCold});
  const auto samples = profile::sample(timer, launches, {.count = 1, .cache = CacheMode::kCold});
  CHECK(timer.log == "fafb(fafb)");
  CHECK(samples[0].size() == 1);
}

TEST_CASE("warm-up launches are not timed", "[profile]") {
  FakeTimer timer;
  const std::vector<Launch> launches{timer.launch('a')};
  profile::warm_up(timer, launches, {.count = 3, .cache = CacheMode::kWarm});
  CHECK(timer.log == "aaa");
  CHECK(timer.batches.empty());
}

TEST_CASE("many samples are taken in batches that a stream can hold", "[profile]") {
  FakeTimer timer;
  const std::vector<Launch> launches{timer.launch('a'), timer.launch('b'), timer.launch('c')};
  const auto samples = profile::sample(timer, launches, {.count = 50, .cache = CacheMode::kWarm});
  for (const auto& of_kernel : samples) CHECK(of_kernel.size() == 50);
  CHECK(timer.batches.size() == 3);
  for (const std::size_t launched : timer.batches) {
    CHECK(launched <= 64);
    CHECK(launched % 3 == 0);  // a batch holds whole rounds
  }
}

TEST_CASE("nothing to launch gives no samples", "[profile]") {
  FakeTimer timer;
  CHECK(profile::sample(timer, {}, {.count = 5, .cache = CacheMode::kWarm}).empty());
  const std::vector<Launch> launches{timer.launch('a')};
  const auto samples = profile::sample(timer, launches, {.count = 0, .cache = CacheMode::kWarm});
  REQUIRE(samples.size() == 1);
  CHECK(samples[0].empty());
}

}  // namespace
}  // namespace fa3prof::tests
