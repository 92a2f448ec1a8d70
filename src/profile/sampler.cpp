#include "src/profile/sampler.h"

#include "src/core/statistics.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace fa3prof::profile {
namespace {

using std::chrono::steady_clock;

constexpr double kBatchUs = 100e3;  // long beside the pauses between batches
constexpr std::size_t kBatchesUnderWay = 2;

bool is_narrow(const core::Interval& interval, double middle, double target_ratio) {
  return interval.upper - interval.lower <= 2.0 * target_ratio * middle;
}

}  // namespace

StuckLaunch::StuckLaunch(std::size_t index)
    : std::runtime_error("a launch did not end"), index_(index) {}

Sampler::Sampler(LaunchTimer& timer, std::vector<Launch> launches, const SamplingPlan& plan,
                 Counts counts)
    : timer_(timer),
      launches_(std::move(launches)),
      plan_(plan),
      counts_(std::move(counts)),
      samples_(launches_.size()),
      settling_(plan.settle),
      warmup_left_(static_cast<std::size_t>(std::max(plan.warmup_rounds, 0))) {}

void Sampler::run() {
  if (launches_.empty()) return;
  const std::size_t at_once = is_burst() ? 1 : kBatchesUnderWay;
  while (true) {
    while (under_way_.size() < at_once) {
      const auto batch = next_batch();
      if (!batch) break;
      enqueue(*batch);
    }
    if (under_way_.empty()) return;
    collect();
    if (stopped_by_.empty()) judge();
  }
}

/// What to launch next, or nothing when all that is needed has been enqueued.
std::optional<Sampler::Batch> Sampler::next_batch() {
  if (!stopped_by_.empty()) return std::nullopt;
  const std::size_t rounds = rounds_per_batch();
  if (!settling_.is_over()) return Batch{.launches = rounds * launches_.size()};
  if (warmup_left_ > 0) {
    const std::size_t warmup = std::min(rounds, warmup_left_);
    warmup_left_ -= warmup;
    return Batch{.launches = warmup * launches_.size()};
  }
  const std::size_t wanted =
      plan_.rounds ? static_cast<std::size_t>(std::max(*plan_.rounds, 0)) : kMostRounds;
  if (enqueued_ >= wanted * launches_.size()) return std::nullopt;
  return next_kept(wanted * launches_.size());
}

/// Whole rounds, or in a burst one launch; no more than there are still `wanted`.
Sampler::Batch Sampler::next_kept(std::size_t wanted) {
  if (!begin_) begin_ = steady_clock::now();
  const std::size_t most = is_burst() ? 1 : rounds_per_batch() * launches_.size();
  const Batch batch{.first_kernel = enqueued_ % launches_.size(),
                    .launches = std::min(most, wanted - enqueued_),
                    .is_kept = true};
  enqueued_ += batch.launches;
  return batch;
}

std::size_t Sampler::rounds_per_batch() const {
  if (!launch_us_) return 1;
  const auto kernels = static_cast<double>(launches_.size());
  const std::size_t most = std::max<std::size_t>(kLaunchesPerBatch / launches_.size(), 1);
  const double rounds =
      std::clamp(kBatchUs / (*launch_us_ * kernels), 1.0, static_cast<double>(most));
  return static_cast<std::size_t>(rounds);
}

std::chrono::microseconds Sampler::pause() const {
  const std::chrono::duration<double, std::micro> after_load(kRestPerBusyTime *
                                                             launch_us_.value_or(0.0));
  return std::max<std::chrono::microseconds>(
      plan_.pause, std::chrono::duration_cast<std::chrono::microseconds>(after_load));
}

void Sampler::enqueue(const Batch& batch) {
  if (is_burst() && batch.is_kept) timer_.rest(pause());
  timer_.begin_batch();
  for (std::size_t i = 0; i < batch.launches; ++i) {
    if (plan_.cache == CacheMode::kCold) timer_.flush_cache();
    timer_.enqueue_timed(launches_[(batch.first_kernel + i) % launches_.size()]);
  }
  timer_.end_batch();
  under_way_.push_back(batch);
}

void Sampler::collect() {
  const Batch batch = under_way_.front();
  under_way_.pop_front();
  std::vector<TimedLaunch> timed;
  try {
    timed = timer_.collect_batch();
  } catch (const StuckLaunch& stuck) {
    throw StuckLaunch((batch.first_kernel + stuck.index()) % launches_.size());
  }
  double total_us = 0.0;
  for (std::size_t i = 0; i < timed.size(); ++i) {
    total_us += timed[i].duration_us;
    if (batch.is_kept) {
      samples_[(batch.first_kernel + i) % launches_.size()].push_back(timed[i]);
    } else {
      settling_.add(timed[i]);
    }
  }
  launch_us_ = std::max(total_us, 1.0) / static_cast<double>(batch.launches);
}

/// Judging at 30, 60, 120 ... rounds rather than all the time: the more often one looks, the more
/// often an interval is narrow by chance.
void Sampler::judge() {
  const std::size_t rounds = samples_.front().size();
  if (samples_.back().size() < rounds) return;  // within a round
  if (plan_.rounds) {
    if (rounds >= static_cast<std::size_t>(std::max(*plan_.rounds, 0))) stopped_by_ = "request";
    return;
  }
  if (!begin_ || rounds < kFewestRounds) return;
  const auto elapsed = steady_clock::now() - *begin_;
  const bool is_long_enough = elapsed >= plan_.at_least || rounds >= kManyRounds;
  if (is_long_enough && rounds >= next_judgement_) {
    while (next_judgement_ <= rounds) next_judgement_ *= 2;
    if (is_within_target()) {
      stopped_by_ = "intervals";
      return;
    }
  }
  if (rounds >= kMostRounds || elapsed >= plan_.limit) stopped_by_ = "limit";
}

bool Sampler::is_within_target() const {
  std::vector<double> baseline;
  for (std::size_t kernel = 0; kernel < launches_.size(); ++kernel) {
    if (!counts_(kernel)) continue;
    const std::vector<double> times = durations(kernel);
    if (std::ranges::find(times, 0.0) != times.end()) return false;
    const bool is_own_narrow =
        is_narrow(core::median_ci95(times), core::median(times), plan_.target_ci95_ratio);
    if (!is_own_narrow) return false;
    if (baseline.empty()) {
      baseline = times;
      continue;
    }
    const auto ratio = core::paired_ratio(baseline, times);
    if (!is_narrow(ratio.ci95, ratio.median, plan_.target_ci95_ratio)) return false;
  }
  return true;
}

std::vector<double> Sampler::durations(std::size_t kernel) const {
  std::vector<double> times;
  for (const TimedLaunch& launch : samples_[kernel]) times.push_back(launch.duration_us);
  return times;
}

}  // namespace fa3prof::profile
