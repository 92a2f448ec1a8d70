// Timing and counting of a GpuRun, and what is checked between the two.
#include "src/core/error.h"
#include "src/core/statistics.h"
#include "src/profile/clock_monitor.h"
#include "src/profile/gpu_run.h"
#include "src/profile/neighbours.h"
#include "src/profile/sampler.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <unistd.h>

namespace fa3prof::profile {
namespace {

/// The power control hunts about its level with a period below a second.
constexpr std::chrono::milliseconds kTimingAtLeast(1000);
constexpr std::chrono::milliseconds kTimingLimit(8000);
constexpr std::chrono::milliseconds kSettlingLimit(15'000);
constexpr double kBusyUs = 20e3;  // enough for the clock to be that of the load
constexpr double kMaxBusyLaunches = 64.0;

/// "fa2, fa3": what happens while several run cannot be pinned on one.
std::string names_of(const auto& entrants) {
  std::vector<std::string> names;
  for (const auto* entrant : entrants) names.push_back(entrant->candidate.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

bool is_burst(const RunRequest& request) { return request.mode == TimingMode::kBurst; }

std::chrono::milliseconds pause_of(const RunRequest& request) {
  return is_burst(request) ? request.pause : std::chrono::milliseconds(0);
}

std::chrono::milliseconds settle_time_of(const RunRequest& request) {
  return is_burst(request) ? std::chrono::milliseconds(0) : request.settle_time;
}

core::Method method_of(const RunRequest& request) {
  const auto settle = settle_time_of(request);
  return {.timer = "CUDA events",
          .mode = is_burst(request) ? "burst" : "sustained",
          .inputs = "normal(0, 1)",
          .settle_ms = static_cast<double>(settle.count()),
          .warmup_rounds = request.warmup_launches,
          .includes_quantization = request.includes_quantization,
          .steady_clock_ratio = settle.count() > 0 ? kSteadyClockRatio : 0.0,
          .pause_ms = static_cast<double>(pause_of(request).count())};
}

}  // namespace

/// Those that may show a speed.
std::vector<GpuRun::Entrant*> GpuRun::passed() {
  std::vector<Entrant*> entrants;
  for (Entrant& entrant : entrants_) {
    if (!entrant.is_shut_out && entrant.measurement->verification.passed) {
      entrants.push_back(&entrant);
    }
  }
  return entrants;
}

void GpuRun::time_in_turn(const std::vector<Entrant*>& entrants) {
  if (entrants.empty()) return;
  report("timing");
  timer_.emplace(stream_.get(),
                 EventTimer::Limits{.flush_bytes = flush_bytes_, .launch = request_.launch_limit});
  std::vector<Launch> launches;
  for (Entrant* entrant : entrants) launches.push_back(timed_launcher(*entrant));
  const SamplingPlan plan{.cache = request_.cache,
                          .settle = {.at_least = settle_time_of(request_),
                                     .at_most = settle_time_of(request_) + kSettlingLimit},
                          .warmup_rounds = request_.warmup_launches,
                          .pause = pause_of(request_),
                          .rounds = request_.samples,
                          .at_least = kTimingAtLeast,
                          .limit = kTimingLimit};
  buffers_->poison_outputs(stream_.get());  // and makes the guard zones whole
  Sampler sampler(*timer_, std::move(launches), plan, [&entrants](std::size_t kernel) {
    return entrants[kernel]->measurement->verification.passed;
  });
  try {
    sample(entrants, sampler);
  } catch (const StuckLaunch& stuck) {
    keep_samples(entrants, sampler);
    fail_stuck(*entrants[stuck.index()], " (while timing)");
  } catch (const core::DeviceError& error) {
    keep_samples(entrants, sampler);
    throw core::DeviceError(error.what(), "while timing " + names_of(entrants));
  }
  keep_samples(entrants, sampler);
  for (Entrant* entrant : passed()) time_quantization(*entrant);
  name_device_errors("checking what was written while timing " + names_of(entrants),
                     [this, &entrants] { check_after_timing(entrants); });
}

/// What counts as the kernel's time.
Launch GpuRun::timed_launcher(Entrant& entrant) {
  const Launch launch = launcher(entrant, " (while timing)");
  return [this, &entrant, launch] {
    if (request_.check_stop) request_.check_stop();
    if (request_.includes_quantization) quantize(entrant);
    launch();
  };
}

/// After the kernels, so that they find each other's clock and cache and not those of a pass over
/// the inputs.
void GpuRun::time_quantization(Entrant& entrant) {
  if (!entrant.candidate.quantize) return;
  const SamplingPlan plan{.cache = request_.cache,
                          .warmup_rounds = request_.warmup_launches,
                          .pause = pause_of(request_),
                          .rounds = request_.samples.value_or(static_cast<int>(kFewestRounds))};
  Sampler sampler(*timer_, {[this, &entrant] { quantize(entrant); }}, plan,
                  [](std::size_t) { return true; });
  try {
    sampler.run();
  } catch (const StuckLaunch&) {
    fail_stuck(entrant, " (while quantizing)");
  }
  std::vector<double> times_us;
  for (const TimedLaunch& timed : sampler.samples().front()) times_us.push_back(timed.duration_us);
  entrant.measurement->quantization = {.time_us = core::median(times_us),
                                       .is_included = request_.includes_quantization};
}

void GpuRun::sample(const std::vector<Entrant*>& entrants, Sampler& sampler) {
  NeighbourWatch neighbours(
      nvml_ ? [this] { return nvml_->compute_pids(); } : NeighbourWatch::Source(),
      static_cast<unsigned>(getpid()));
  const auto read = [this, &neighbours] {
    neighbours.look();
    return nvml_->sample();
  };
  ClockMonitor monitor(nvml_ ? ClockMonitor::Source(read) : ClockMonitor::Source());
  sampler.run();
  const auto clocks = monitor.finish();
  clock_readings_ = monitor.samples();
  neighbours.look({});
  for (Entrant* entrant : entrants) {
    entrant->measurement->clocks = clocks;
    entrant->measurement->neighbours = neighbours.warnings();
  }
}

void GpuRun::keep_samples(const std::vector<Entrant*>& entrants, const Sampler& sampler) const {
  for (std::size_t kernel = 0; kernel < entrants.size(); ++kernel) {
    Measurement& measurement = *entrants[kernel]->measurement;
    if (!measurement.verification.passed) {
      measurement.clocks.reset();
      continue;
    }
    for (const TimedLaunch& timed : sampler.samples()[kernel]) {
      measurement.samples_us.push_back(timed.duration_us);
      if (timed.clock_mhz) measurement.samples_clock_mhz.push_back(*timed.clock_mhz);
      if (clock_readings_.empty()) continue;
      const ClockSample& reading = reading_at(clock_readings_, timed.ended_at);
      measurement.samples_power_watts.push_back(reading.power_watts);
      measurement.samples_throttle_reasons.push_back(
          fmt::format("{}", fmt::join(throttle_reasons(reading.event_reasons), ", ")));
      measurement.samples_temperature_celsius.push_back(reading.temperature_celsius);
    }
    measurement.warm_up = sampler.warm_up();
    measurement.method = method_of(request_);
    for (const Entrant* entrant : entrants) measurement.in_turn.push_back(entrant->candidate.name);
    measurement.stopped_by = sampler.stopped_by();
    if (!request_.samples) measurement.target_ci95_ratio = SamplingPlan{}.target_ci95_ratio;
  }
}

/// The first launch was checked alone; a kernel may spoil things later. All write the same O and
/// LSE, so a launch of each alone must show whose damage it is.
void GpuRun::check_after_timing(const std::vector<Entrant*>& entrants) {
  for (Entrant* entrant : entrants) {
    const Damage damage = find_own_damage(*entrant);
    if (damage) fail(*entrant, *damage + " (while timing)");
  }
  const Damage shared = buffers_->find_damage(stream_.get());
  if (!shared) return;
  bool is_found = false;
  for (Entrant* entrant : passed()) {
    buffers_->poison_outputs(stream_.get());
    launch_and_wait(*entrant, " (after timing)");
    const Damage damage = buffers_->find_damage(stream_.get());
    if (!damage) continue;
    is_found = true;
    fail(*entrant, *damage + " (while timing, not at first)");
  }
  if (is_found) return;
  for (Entrant* entrant : passed()) {
    fail(*entrant, fmt::format("{} while {} were timed in turn; a launch of each alone does not "
                               "show whose doing it is",
                               *shared, names_of(entrants)));
  }
}

/// Keeps the GPU as busy as timing did, so that the counted launch finds the same clock and cache;
/// for a burst one launch leaves the cache as it was and does not bring the clock down.
Launch GpuRun::preparation(const Entrant& entrant, const Launch& launch) {
  const double busy_us = is_burst(request_) ? 0.0 : kBusyUs;
  const double launches = busy_us / core::median(entrant.measurement->samples_us);
  const int count = static_cast<int>(std::clamp(launches, 1.0, kMaxBusyLaunches));
  return [this, count, launch] {
    for (int i = 0; i < count; ++i) launch();
    if (request_.cache == CacheMode::kCold) timer_->flush_cache();
  };
}

/// After all timing, because CUPTI stays hooked into the driver.
void GpuRun::count() {
  if (request_.counters == CounterMode::kOff) return;
  counter_.emplace(request_.device);
  for (Entrant* entrant : passed()) {
    const std::string step = fmt::format("counting {}", entrant->candidate.name);
    report(step);
    const Launch launch = launcher(*entrant, " (while counting)");
    name_device_errors(step, [&] {
      entrant->measurement->counters = counter_->collect(preparation(*entrant, launch), launch);
    });
    core::Counters& counters = entrant->measurement->counters;
    if (!entrant->measurement->verification.passed) counters = {};
    if (counters.status == core::Counters::Status::kUnavailable &&
        request_.counters == CounterMode::kRequired) {
      throw core::DeviceError(fmt::format("counters are required but unavailable: {}; {}",
                                          counters.reason, counters.cure),
                              "CUPTI range profiler");
    }
  }
}

}  // namespace fa3prof::profile
