#include "src/profile/machine_numbers.h"

#include "src/core/statistics.h"
#include "src/profile/series_lookup.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

namespace fa3prof::profile {
namespace {

/// A number that is one point of one series, times a factor.
struct Direct {
  const char* key;
  const char* series;
  double x;
  double factor;
  const char* how;
};

constexpr std::array kDriverSizes{
    "sm_count",
    "memory_bytes",
    "l2_bytes",
    "shared_memory_per_cta_bytes",
    "shared_memory_per_sm_bytes",
    "shared_memory_reserved_bytes",
    "registers_per_sm",
    "threads_per_sm",
};

constexpr double k32KiB = 32768.0;

constexpr std::array kDirect{
    Direct{"mma_sync_fp16_flop_per_cycle", "mma_sync_rate", 8, 1, "m16n8k16, 8 warps"},
    Direct{"mufu_per_cycle", "ex2_rate", 8, 1, "MUFU.EX2, 8 warps"},
    Direct{"alu_per_cycle", "fmnmx_rate", 8, 1, "FMNMX, 8 warps"},
    Direct{"convert_fp16_per_cycle", "f2fp_f16x2_rate", 8, 1, "F2FP f16x2, 8 warps"},
    Direct{"convert_fp8_per_cycle", "f2fp_e4m3x2_rate", 8, 1, "F2FP e4m3x2, 8 warps"},
    Direct{"shuffle_per_cycle", "shfl_rate", 8, 1, "SHFL, 8 warps"},
    Direct{"shuffle_latency_cycles", "shfl_fmnmx_latency", 0, 1, "SHFL and a dependent FMNMX"},
    Direct{"fp32_latency_cycles", "ffma_latency", 0, 1, "dependent FFMA"},
    Direct{"alu_latency_cycles", "fmnmx_latency", 0, 1, "dependent FMNMX"},
    Direct{"mufu_latency_cycles", "ex2_latency", 0, 1, "dependent MUFU.EX2"},
    Direct{"shared_memory_bytes_per_cycle", "ldmatrix_rate", 8, 1, "ldmatrix.x4, 8 warps"},
    Direct{"tma_bytes_per_cycle", "tma_one_sm", k32KiB, 1,
           "32 KiB boxes that hit L2, eight in flight, one SM alone"},
    Direct{"cp_async_latency_cycles", "cp_async_latency", 0, 1, "512 bytes of one warp, L2 hit"},
    Direct{"cp_async_bytes_per_cycle", "cp_async_one_sm", 0, 1,
           "32 warps with 4 KiB in flight each, L2 hits, one SM alone"},
    Direct{"mbarrier_open_cycles", "mbarrier_open", 128, 1,
           "waits of a warpgroup for a phase that has completed, back to back"},
    Direct{"named_barrier_open_cycles", "cta_barrier", 128, 1,
           "bar.sync of 128 threads, back to back"},
    Direct{"mbarrier_cycles", "mbarrier_answer", 64, 1,
           "two warps that answer each other over mbarriers, half a round trip"},
    Direct{"named_barrier_cycles", "named_barrier_turn", 256, 1,
           "two warpgroups that take turns over bar.sync and bar.arrive, half a round trip"},
    Direct{"cta_barrier_cycles", "cta_barrier", 256, 1, "bar.sync of 256 threads, back to back"},
    Direct{"atomic_cycles", "atomic_round_trip", 0, 1, "dependent atomicAdd of one thread"},
    Direct{"launch_us", "launch_overhead", 0, 1,
           "period of kernels that fill every SM, in a stream of 200, less the time they spin"},
};

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
    add_memory();
    add_clock();
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
    constexpr double kFp32PerElement = 2.0;  // FFMA and FADD
    const std::vector<MeasuredPoint> stalls = of_both_sides("softmax_wgmma_slowdown");
    const std::vector<MeasuredPoint> rates = of_both_sides("softmax_rate_beside");
    if (!stalls.empty() && !rates.empty()) {
      double stall = 0.0;
      double spread = 0.0;
      for (std::size_t i = 0; i < stalls.size(); ++i) {
        const double busy_ratio =
            rates[i].value * kFp32PerElement / fp32_per_cycle_.value_or(128.0);
        const double slowdown = stalls[i].value;
        stall += (slowdown - 1.0) / (slowdown * busy_ratio) / static_cast<double>(stalls.size());
        spread = std::max(spread, spread_of(stalls[i]));
      }
      add("wgmma_stall_per_fp32_cycle", std::max(0.0, stall), spread,
          "(s - 1) / (s r), s the slowdown of one warpgroup's m64n128k16 beside another's softmax "
          "mix, r the share of cycles in which that keeps the FP32 pipe busy; mean of A in shared "
          "memory and in registers");
    }
    add_slowdown("elementwise_slowdown_beside_wgmma_ratio", {"exponential"},
                 "FFMA, EX2, FADD and half an F2FP for each element");
    add_slowdown("alu_slowdown_beside_wgmma_ratio", {"fmnmx", "f2fp"}, "FMNMX or F2FP");
    add_slowdown("fp32_slowdown_beside_wgmma_ratio", {"ffma", "fadd"}, "FFMA or FADD");
    const auto alone = series_.at("exponentials_alone");
    const auto beside = series_.at("exponentials_beside_own_wgmma");
    if (!alone || !beside) return;
    add("elementwise_slowdown_beside_own_wgmma_ratio", std::max(1.0, beside->value / alone->value),
        std::max(spread_of(*alone), spread_of(*beside)),
        "32 elements a thread of the same mix while eight m64n256k16 of the warpgroup execute");
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

  void add_slowdown(const char* key, const std::vector<std::string>& works, const char* what) {
    double sum = 0.0;
    double spread = 0.0;
    std::size_t count = 0;
    for (const std::string& work : works) {
      for (const MeasuredPoint& slowdown : of_both_sides(work + "_slowdown")) {
        sum += slowdown.value;
        spread = std::max(spread, spread_of(slowdown));
        ++count;
      }
    }
    if (count != 2 * works.size()) return;
    add(key, std::max(1.0, sum / static_cast<double>(count)), spread,
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

  void add_clock() {
    constexpr std::size_t kLast = 10;
    const Series* clock = series_.find("clock_under_tensor_load");
    if (clock == nullptr || clock->points.size() < kLast) return;
    std::vector<double> last;
    for (auto point = clock->points.end() - kLast; point != clock->points.end(); ++point) {
      last.push_back(point->value);
    }
    const double mhz = core::median(last);
    add("clock_load_mhz", mhz,
        (core::quantile(last, 0.9) - core::quantile(last, 0.1)) / (2.0 * mhz),
        "m64n256k16 of random data on every SM, the last 0.5 s of 2.8 s");
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
