#include "src/profile/machine_numbers.h"

#include "src/core/statistics.h"
#include "src/profile/direct_numbers.h"
#include "src/profile/series_lookup.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace fa3prof::profile {
namespace {

/// Collects numbers from series by name.
class Numbers {
 public:
  explicit Numbers(const std::vector<Series>& all) : series_(all) {}

  [[nodiscard]] std::vector<MachineNumber> take() {
    add_driver_sizes();
    add_wgmma_rates();
    add_wgmma_batches();
    add_fp32_rate();
    for (const Direct& direct : kDirect) add_direct(direct);
    add_interference();
    add_tma_latency("tma_latency_cycles", "tma_latency", "L2 hits");
    add_tma_latency("tma_miss_latency_cycles", "tma_miss_latency", "L2 misses");
    add_tensor_map();
    add_memory();
    add_clock("clock_under_tensor_load", "clock_load_mhz",
              "m64n256k16 of random data on every SM, the last 0.5 s of 2.8 s");
    add_clock("clock_under_mma_sync_load", "clock_mma_sync_load_mhz",
              "mma.sync m16n8k16 of random data on every SM, the last 0.5 s of 2.8 s");
    return std::move(numbers_);
  }

 private:
  void add(const char* key, double value, double spread_ratio, std::string how) {
    numbers_.push_back(
        {.key = key, .value = value, .spread_ratio = spread_ratio, .how = std::move(how)});
  }

  void add_exact(const char* key, double value, std::string how) {
    add(key, value, 0.0, std::move(how));
    numbers_.back().is_exact = true;
  }

  void add_driver_sizes() {
    for (const char* key : kDriverSizes) {
      if (const auto size = series_.at(key)) add_exact(key, size->value, "stated by the driver");
    }
    constexpr double kMhzPerKhz = 1e-3;
    if (const auto clock = series_.at("clock_max_khz")) {
      add_exact("clock_max_mhz", clock->value * kMhzPerKhz, "stated by the driver");
    }
  }

  void add_direct(const Direct& direct) {
    const auto point = series_.at(direct.series, direct.x);
    if (!point) return;
    add(direct.key, point->value * direct.factor, spread_of(*point), direct.how);
  }

  void add_wgmma_rates() {
    constexpr double kN = 128.0;
    constexpr double kFlopPerColumn = 2.0 * 64 * 16;  // of m64nNk16; k32 has twice as many
    if (const auto cycles = series_.at("wgmma_shared_a_2_warpgroups", kN)) {
      add("wgmma_fp16_flop_per_cycle", kFlopPerColumn * kN / cycles->value, spread_of(*cycles),
          "m64n128k16 back to back, two warpgroups");
    }
    if (const auto cycles = series_.at("wgmma_fp8_2_warpgroups", kN)) {
      add("wgmma_fp8_flop_per_cycle", 2.0 * kFlopPerColumn * kN / cycles->value, spread_of(*cycles),
          "m64n128k32 back to back, two warpgroups");
    }
  }

  /// Batches of k = 8 on an idle tensor core. Over N, issuing returns after a + b N/2 cycles and
  /// the wait after c + 8 N/2: b is the number of instructions that had run when the last was
  /// taken, so 8 - 1 - b could be ahead of the executing one; a is the start, c - a the wait.
  void add_wgmma_batches() {
    constexpr double kBatch = 8.0;
    std::vector<double> execution_cycles;
    std::vector<double> issued;
    std::vector<double> fixed;
    double spread = 0.0;
    for (const int n : {64, 128, 256}) {
      const std::string name = fmt::format("wgmma_batch_n{}", n);
      const auto returned = series_.at(name + "_issued", kBatch);
      const auto done = series_.at(name + "_done", kBatch);
      const auto clock = series_.at(name + "_clock_read", kBatch);
      if (!returned || !done || !clock) return;
      execution_cycles.push_back(n / 2.0);
      issued.push_back(returned->value - clock->value);
      fixed.push_back(done->value - clock->value - kBatch * n / 2.0);
      spread = std::max({spread, spread_of(*returned), spread_of(*done)});
    }
    const Line line = fit_line(execution_cycles, issued);
    const double start = std::max(0.0, line.intercept);
    constexpr const char* kHow = "batches of eight m64nNk16 on an idle tensor core, N 64 to 256: ";
    add("wgmma_issue_ahead_instructions", std::max(0.0, kBatch - 1.0 - line.slope), spread,
        std::string(kHow) + "eight less one less the slope of the issue time over N/2");
    add("wgmma_start_cycles", start, spread,
        std::string(kHow) + "what remains of the issue time for N = 0");
    add("wgmma_wait_cycles", std::max(0.0, core::median(fixed) - start), spread,
        std::string(kHow) + "time until the wait returns, less execution and start");
  }

  /// Half of softmax's FP32 instructions are FFMA, half FADD.
  void add_fp32_rate() {
    const auto ffma = series_.at("ffma_rate", 8.0);
    const auto fadd = series_.at("fadd_rate", 8.0);
    if (!ffma || !fadd) return;
    fp32_per_cycle_ = (ffma->value + fadd->value) / 2.0;
    add("fp32_per_cycle", *fp32_per_cycle_, std::max(spread_of(*ffma), spread_of(*fadd)),
        "mean of FFMA and FADD, 8 warps");
  }

  void add_interference() {
    add_stall();
    add_slowdown("mufu_slowdown_beside_wgmma_ratio", slowdown({"ex2"}), "EX2");
    add_slowdown("alu_slowdown_beside_wgmma_ratio", slowdown({"fmnmx", "f2fp"}), "FMNMX or F2FP");
    add_slowdown("fp32_slowdown_beside_wgmma_ratio", slowdown({"ffma", "fadd"}), "FFMA or FADD");
    const auto exponentials = slowdown({"exponential"});
    const auto alone = series_.at("exponentials_alone");
    const auto beside = series_.at("exponentials_beside_own_wgmma");
    if (!exponentials || !alone || !beside) return;
    add("own_wgmma_slowdown_over_others_ratio",
        std::max(1.0, beside->value / alone->value / exponentials->ratio),
        std::max(spread_of(*alone), spread_of(*beside)),
        fmt::format(
            "slowdown of FFMA, EX2, FADD and F2FP as in a softmax while eight m64n256k16 of "
            "the warpgroup itself execute, over that beside another's ({:.2f})",
            exponentials->ratio));
  }

  /// What FP32 instructions in a row take from the tensor core; between EX2 they take nothing.
  void add_stall() {
    double stall = 0.0;
    double spread = 0.0;
    for (const std::string work : {"ffma", "fadd"}) {
      const std::vector<MeasuredPoint> slowdowns = of_both_sides(work + "_wgmma_slowdown");
      const std::vector<MeasuredPoint> rates = of_both_sides(work + "_rate_beside");
      if (slowdowns.empty() || rates.empty()) return;
      for (std::size_t i = 0; i < slowdowns.size(); ++i) {
        const double busy_ratio = rates[i].value / fp32_per_cycle_.value_or(128.0);
        const double s = slowdowns[i].value;
        stall += (s - 1.0) / (s * busy_ratio) / static_cast<double>(2 * slowdowns.size());
        spread = std::max(spread, spread_of(slowdowns[i]));
      }
    }
    add("wgmma_stall_per_fp32_cycle", std::max(0.0, stall), spread,
        "(s - 1) / (s r), s the slowdown of one warpgroup's m64n128k16 beside another's FFMA or "
        "FADD, r the share of cycles in which that keeps the FP32 pipe busy; mean of both, with A "
        "in shared memory and in registers");
  }

  struct Slowdown {
    double ratio = 0.0;
    double spread = 0.0;
  };

  /// Mean over works, with A in shared memory and in registers; nothing where a series is missing.
  [[nodiscard]] std::optional<Slowdown> slowdown(const std::vector<std::string>& works) const {
    Slowdown mean;
    for (const std::string& work : works) {
      const std::vector<MeasuredPoint> points = of_both_sides(work + "_slowdown");
      if (points.empty()) return std::nullopt;
      for (const MeasuredPoint& point : points) {
        mean.ratio += point.value / static_cast<double>(points.size() * works.size());
        mean.spread = std::max(mean.spread, spread_of(point));
      }
    }
    return mean;
  }

  /// The series of that name with A in shared memory and in registers; empty where one is missing.
  [[nodiscard]] std::vector<MeasuredPoint> of_both_sides(const std::string& name) const {
    std::vector<MeasuredPoint> points;
    for (const std::string side : {"beside_shared_a_", "beside_register_a_"}) {
      const auto found = series_.at(side + name);
      if (!found) return {};
      points.push_back(*found);
    }
    return points;
  }

  void add_slowdown(const char* key, const std::optional<Slowdown>& measured, const char* what) {
    if (!measured) return;
    add(key, std::max(1.0, measured->ratio), measured->spread,
        fmt::format("{} of one warpgroup beside m64n128k16 of another; mean of A in shared memory "
                    "and in registers",
                    what));
  }

  void add_tma_latency(const char* key, const char* name, const char* what) {
    const Series* series = series_.find(name);
    if (series == nullptr || series->points.size() < 2) return;
    std::vector<double> bytes;
    std::vector<double> cycles;
    for (const MeasuredPoint& point : series->points) {
      bytes.push_back(point.x);
      cycles.push_back(point.value);
    }
    const Line line = fit_line(bytes, cycles);
    add(key, line.intercept, spread_of(series->points.front()),
        fmt::format("one copy of 1 to 32 KiB, {}: the line {:.0f} + bytes / {:.0f} at zero bytes",
                    what, line.intercept, 1.0 / line.slope));
  }

  void add_tensor_map() {
    const auto first = series_.at("first_copy");
    const auto later = series_.at("later_copy");
    if (!first || !later) return;
    add("tensor_map_cycles", std::max(0.0, first->value - later->value), spread_of(*first),
        "a launch's first copy through a map, less a later one; 16 KiB, L2 hits, one SM alone");
  }

  /// L2's rate is that of 8 to 32 MiB; its effective size is where that has fallen by a tenth.
  void add_memory() {
    constexpr double kMib = 1024.0 * 1024.0;
    const Series* read = series_.find("read");
    const Series* read_time = series_.find("read_time");
    if (read == nullptr || read_time == nullptr) return;
    std::vector<double> plateau;
    double spread = 0.0;
    for (const MeasuredPoint& point : read->points) {
      if (point.x < 8 * kMib || point.x > 32 * kMib) continue;
      plateau.push_back(point.value);
      spread = std::max(spread, spread_of(point));
    }
    if (plateau.empty()) return;
    const double rate = core::median(plateau);
    add("l2_bytes_per_cycle", rate, spread, "all SMs read 8 to 32 MiB past L1, median");
    if (const auto knee = first_below(*read, 0.9 * rate, 32 * kMib)) {
      add("l2_effective_bytes", *knee, spread,
          "working set at which the rate of reading it has fallen by a tenth");
    }
    const MeasuredPoint& largest = read_time->points.back();
    add("hbm_bytes_per_s", largest.value, spread_of(largest),
        fmt::format("all SMs read {:.0f} MiB", largest.x / kMib));
  }

  /// The clock that a load of one kind of instruction settles at.
  void add_clock(const char* series, const char* key, const char* how) {
    constexpr std::size_t kLast = 10;
    const Series* clock = series_.find(series);
    if (clock == nullptr || clock->points.size() < kLast) return;
    std::vector<double> last;
    for (auto point = clock->points.end() - kLast; point != clock->points.end(); ++point) {
      last.push_back(point->value);
    }
    const double mhz = core::median(last);
    add(key, mhz, (core::quantile(last, 0.9) - core::quantile(last, 0.1)) / (2.0 * mhz), how);
  }

  SeriesLookup series_;
  std::optional<double> fp32_per_cycle_;
  std::vector<MachineNumber> numbers_;
};

}  // namespace

std::vector<MachineNumber> machine_numbers(const std::vector<Series>& all) {
  return Numbers(all).take();
}

}  // namespace fa3prof::profile
