#include "src/commands/run_options.h"

#include "src/cli/choice.h"

#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>

namespace fa3prof::commands {
namespace {

constexpr double kMsPerSecond = 1e3;

void add_mode_options(CLI::App& verb, profile::RunRequest& request) {
  cli::add_choice<profile::TimingMode>(
      verb, "--mode", request.mode,
      {{"burst", profile::TimingMode::kBurst}, {"sustained", profile::TimingMode::kSustained}})
      ->description(
          "sustained: launch upon launch once the clock is steady under the load; burst: "
          "each launch after a pause, at the clock of a cool GPU [sustained]")
      ->group(kMeasuring);
  verb.add_option_function<double>(
          "--settle",
          [&request](double seconds) {
            request.settle_time = std::chrono::milliseconds(std::llround(seconds * kMsPerSecond));
          },
          "sustained: load before the first sample, at least; 0 for none, and then it does not "
          "wait for a steady clock either [3]")
      ->type_name("SECONDS")
      ->check(CLI::Range(0.0, 3600.0))
      ->group(kMeasuring);
  verb.add_option_function<int>(
          "--pause",
          [&request](int milliseconds) { request.pause = std::chrono::milliseconds(milliseconds); },
          "burst: idle before each launch, at least [50]")
      ->type_name("MS")
      ->check(CLI::Range(1, 60'000))
      ->group(kMeasuring);
}

void add_sampling_options(CLI::App& verb, profile::RunRequest& request) {
  verb.add_option("--samples,--rounds", request.samples,
                  "rounds, each with one timed launch of every kernel in turn; at least 20 [until "
                  "every 95 % interval is within 1 %: 30 to 1920, at most 8 s]")
      ->type_name("N")
      ->check(CLI::Range(20, 1'000'000))
      ->group(kMeasuring);
  verb.add_option("--warmup", request.warmup_launches, "rounds before them, not kept [5]")
      ->check(CLI::Range(0, 1'000'000))
      ->group(kMeasuring);
  verb.add_option_function<int>(
          "--launch-limit",
          [&request](int seconds) { request.launch_limit = std::chrono::seconds(seconds); },
          "a launch that takes longer ends the run [60]")
      ->type_name("SECONDS")
      ->check(CLI::Range(1, 86'400))
      ->group(kMeasuring);
  verb.add_option("--seed", request.seed, "of the random inputs [1]")
      ->check(CLI::Range(std::int64_t{1}, std::numeric_limits<std::int64_t>::max()))
      ->group(kMeasuring);
  cli::add_choice<profile::CacheMode>(
      verb, "--cache", request.cache,
      {{"cold", profile::CacheMode::kCold}, {"warm", profile::CacheMode::kWarm}})
      ->description("L2 flushed before each launch, or not [warm]")
      ->group(kMeasuring);
  cli::add_choice<profile::VerifyMode>(
      verb, "--verify", request.verify,
      {{"sampled", profile::VerifyMode::kSampled}, {"full", profile::VerifyMode::kFull}})
      ->description("rows checked against the FP64 reference [sampled]")
      ->group(kMeasuring);
}

void add_quantization_option(CLI::App& verb, profile::RunRequest& request) {
  verb.add_flag("--include-quantization", request.includes_quantization,
                "the time of a kernel in FP8 is that of quantizing Q, K and V and of itself")
      ->group(kMeasuring);
}

void add_counter_options(CLI::App& verb, profile::RunRequest& request) {
  using enum profile::CounterMode;
  auto* off = verb.add_flag_callback("--no-counters", [&request] { request.counters = kOff; });
  off->description("skip the hardware counters")->group(kMeasuring);
  verb.add_flag_callback("--require-counters", [&request] { request.counters = kRequired; })
      ->description("fail where the hardware counters cannot be had")
      ->excludes(off)
      ->group(kMeasuring);
}

}  // namespace

void add_measuring_options(CLI::App& verb, profile::RunRequest& request) {
  add_mode_options(verb, request);
  add_sampling_options(verb, request);
  add_quantization_option(verb, request);
  add_counter_options(verb, request);
}

}  // namespace fa3prof::commands
