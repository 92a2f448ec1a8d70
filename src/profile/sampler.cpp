#include "src/profile/sampler.h"

#include <algorithm>
#include <cstddef>

namespace fa3prof::profile {
namespace {

// A stream holds about a thousand commands before enqueueing blocks; a batch stays far below.
constexpr std::size_t kLaunchesPerBatch = 64;

}  // namespace

void warm_up(LaunchTimer& timer, std::span<const Launch> launches, const Rounds& rounds) {
  for (int round = 0; round < rounds.count; ++round) {
    for (const Launch& launch : launches) {
      if (rounds.cache == CacheMode::kCold) timer.flush_cache();
      launch();
    }
  }
}

std::vector<std::vector<TimedLaunch>> sample(LaunchTimer& timer, std::span<const Launch> launches,
                                             const Rounds& rounds) {
  std::vector<std::vector<TimedLaunch>> samples(launches.size());
  if (launches.empty()) return samples;
  const std::size_t rounds_per_batch =
      std::max<std::size_t>(1, kLaunchesPerBatch / launches.size());
  auto remaining = static_cast<std::size_t>(std::max(rounds.count, 0));
  while (remaining > 0) {
    const std::size_t batch_rounds = std::min(rounds_per_batch, remaining);
    timer.begin_batch();
    for (std::size_t i = 0; i < batch_rounds * launches.size(); ++i) {
      if (rounds.cache == CacheMode::kCold) timer.flush_cache();
      timer.enqueue_timed(launches[i % launches.size()]);
    }
    const std::vector<TimedLaunch> timed = timer.end_batch();
    for (std::size_t i = 0; i < timed.size(); ++i) {
      samples[i % launches.size()].push_back(timed[i]);
    }
    remaining -= batch_rounds;
  }
  return samples;
}

}  // namespace fa3prof::profile
