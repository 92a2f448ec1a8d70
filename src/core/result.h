// The one result type: what a kernel did on a problem, measured on a GPU or computed by the model.
// Both producers fill the same fields, so every report, comparison and gate works on either.
#pragma once

#include "src/core/attention_problem.h"
#include "src/core/method.h"
#include "src/core/stage_trace.h"
#include "src/core/timeline.h"
#include "src/core/what_if.h"

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fa3prof::core {

enum class ResultSource { kMeasured, kClosedForm, kDiscreteEvent };

/// "measured", "closed_form", "discrete_event".
[[nodiscard]] std::string_view name_of(ResultSource source);

/// Inverse of name_of. Throws UsageError naming the choices.
[[nodiscard]] ResultSource parse_result_source(std::string_view text);

struct Interval {
  double lower = 0.0;
  double upper = 0.0;

  bool operator==(const Interval&) const = default;
};

/// What ran before the first sample that was kept.
struct WarmUp {
  std::int64_t launches = 0;  ///< of all kernels timed in turn together
  double duration_ms = 0.0;   ///< from the begin of the first to the end of the last
  std::optional<double> clock_mhz = std::nullopt;  ///< mean SM clock over its last second of load
  /// Whether that was within Method::steady_clock_ratio of the second before it; absent where the
  /// launches were too few, or without a clock, to tell.
  std::optional<bool> is_steady = std::nullopt;

  bool operator==(const WarmUp&) const = default;
};

/// Event-timed launches. `samples_us` are all timed launches in order, none dropped.
struct Timing {
  std::vector<double> samples_us;
  /// SM clock over each of them by the SMs' own cycle counters; empty where it was not measured.
  std::vector<double> samples_clock_mhz;
  /// Power as the driver stated it when each of them ended, on Hopper a mean over the last second;
  /// empty where it was not read.
  std::vector<double> samples_power_watts = {};
  /// What held the clock back then: "power cap", "" for nothing; empty where it was not read.
  std::vector<std::string> samples_throttle_reasons = {};
  std::vector<double> samples_temperature_celsius = {};  ///< then; empty where it was not read
  double median_us = 0.0;
  Interval median_ci95_us;
  std::string cache;  ///< "warm": launches back to back; "cold": L2 flushed before each
  /// Why there are as many samples as there are: "request" (asked for), "intervals" (all intervals
  /// of the kernels timed in turn, and of their ratios, are within the target) or "limit" (of time
  /// or samples, before that). Empty where a report does not say.
  std::string stopped_by = {};
  /// Half the width of an interval over its middle that was aimed at; nothing when asked for a
  /// number.
  std::optional<double> target_ci95_ratio = std::nullopt;
  std::optional<Method> method = std::nullopt;   ///< absent in reports before schema 1.1
  std::optional<WarmUp> warm_up = std::nullopt;  ///< absent in reports before schema 1.2
  /// All kernels that took turns, this one too, in their order: they share clock, power and cache.
  std::vector<std::string> in_turn = {};
};

/// State of the GPU while the samples were taken.
struct ClockRecord {
  std::string clock_source;   ///< "SM cycle counters" or "NVML", which lags by up to a second
  double sm_clock_mhz = 0.0;  ///< mean over the timed launches
  double sm_clock_min_mhz = 0.0;
  double sm_clock_max_mhz = 0.0;
  double power_watts = 0.0;
  double temperature_celsius = 0.0;
  std::vector<std::string> throttle_reasons = {};  ///< empty: none was active
};

/// O and LSE against the FP64 reference.
struct Verification {
  bool passed = false;
  /// Errors are NaN where the output made them so or was not even compared; reports omit those.
  double relative_error =
      std::numeric_limits<double>::quiet_NaN();  ///< ||O - ref|| / ||ref||, Frobenius, over the
                                                 ///< checked rows
  double tolerance = 0.0;                        ///< relative_error must be below
  double max_abs_error = std::numeric_limits<double>::quiet_NaN();
  double lse_max_abs_error = std::numeric_limits<double>::quiet_NaN();
  std::int64_t rows_checked = 0;
  std::int64_t rows_total = 0;  ///< batch * num_heads * seqlen_q
  std::string failure;          ///< why it failed, empty when passed
};

/// Keys of Counters::values that other layers rely on. The full list: src/profile/metrics.cpp.
inline constexpr std::string_view kSmCyclesElapsed = "sm_cycles_elapsed";
inline constexpr std::string_view kTensorActiveRatio = "tensor_active_ratio";
inline constexpr std::string_view kTensorFlops = "tensor_flops";
inline constexpr std::string_view kMufuActiveRatio = "mufu_active_ratio";
inline constexpr std::string_view kGlobalLoadInstructions = "global_load_instructions";
inline constexpr std::string_view kCpAsyncInstructions = "cp_async_instructions";
inline constexpr std::string_view kTmaInstructions = "tma_instructions";
inline constexpr std::string_view kMmaSyncInstructions = "mma_sync_instructions";
inline constexpr std::string_view kWgmmaInstructions = "wgmma_instructions";

/// Hardware counters of one launch, taken in a replay of their own, never while timing.
struct Counters {
  enum class Status { kNotRequested, kCollected, kUnavailable };

  Status status = Status::kNotRequested;
  std::string reason;                    ///< when unavailable: why
  std::string cure;                      ///< when unavailable: what to do about it
  int passes = 0;                        ///< replays of the kernel that it took
  std::map<std::string, double> values;  ///< key with unit ("dram_bytes") to value

  [[nodiscard]] std::optional<double> find(std::string_view key) const {
    const auto it = values.find(std::string(key));
    return it == values.end() ? std::nullopt : std::optional<double>(it->second);
  }
};

/// What turned Q, K and V into the numbers that a kernel multiplies.
struct Quantization {
  double time_us = 0.0;      ///< median of its own launches
  bool is_included = false;  ///< in the result's time
};

/// How a measured kernel was launched.
struct Launch {
  Tile tile;
  int stages = 0;
  int threads = 0;
  int ctas_per_sm = 0;
  int registers_per_thread = 0;
  std::int64_t shared_memory_bytes = 0;
  std::int64_t grid = 0;
  bool is_persistent = false;
};

/// A launch with stamps: what of it was kept, and what stamping cost.
struct TraceSummary {
  std::vector<int> ctas;             ///< numbers in the grid of those that were traced
  std::int64_t dropped_records = 0;  ///< that a full ring did not keep
  double traced_us = 0.0;            ///< median time of launches with stamps,
  double timed_us = 0.0;             ///< and of launches without, in turn with them
  double clock_mhz = 0.0;            ///< SM clock while tracing
  /// Cycles for a key block of the traced CTAs over those of the others, less one.
  std::optional<double> cta_loss_ratio;
};

/// Which GPU of its host a row was measured on, where the run measured several.
struct Device {
  int index = 0;  ///< as CUDA counts, and `--device`
  std::string uuid;
  double power_limit_watts = 0.0;  ///< 0: unknown

  bool operator==(const Device&) const = default;
};

/// A share of the elapsed SM cycles; the parts of one result sum to its cycles.
struct BreakdownPart {
  std::string category;  ///< "tensor_busy", "softmax_exposed", "load_exposed", "barrier", "ramp",
                         ///< "tail"
  double cycles = 0.0;
};

/// One term of the model's formula, shown so that a reader can recompute the result by hand.
struct Term {
  std::string name;     ///< "gemm_qk"
  std::string formula;  ///< "2 * 128 * 128 * 128 / 4096"
  double cycles = 0.0;
};

/// One kernel on one problem. Absent optional: not measured or not applicable.
struct Result {
  ResultSource source = ResultSource::kMeasured;
  std::string kernel;            ///< "fa2", "fa3"; for a user's own pipeline its name
  std::string kernel_version;    ///< of a plugin; empty for our kernels, which have the tool's
  std::string pipeline;          ///< pipeline file's name, simulated results only
  std::string machine;           ///< machine file's name, simulated results only
  std::optional<Device> device;  ///< only where the run measured several GPUs
  AttentionProblem problem;
  std::string unsupported_reason;  ///< why the kernel was not run on it; empty when it was

  std::optional<double> time_us;  ///< median when measured
  std::optional<double> cycles;   ///< elapsed SM cycles, launch to end
  std::optional<double>
      clock_mhz;  ///< simulated: turns cycles into time_us; measured: while cycles were counted
  std::string clock_basis;               ///< where clock_mhz comes from
  std::optional<double> tflops;          ///< flops_convention / time_us
  std::optional<double> peak_tflops;     ///< dense tensor peak
  std::string peak_basis;                ///< "spec 1830 MHz", "at clock 1605 MHz"
  std::optional<double> executed_flops;  ///< tile-padded count of this kernel's tile

  std::optional<Timing> timing;
  std::optional<Quantization> quantization;  ///< only of a kernel that quantizes
  std::optional<ClockRecord> clocks;
  std::optional<Verification> verification;
  std::optional<Launch> launch;
  Counters counters;

  std::string limiter;                   ///< simulated: the resource with the longest busy time
  std::vector<BreakdownPart> breakdown;  ///< measured: only of a traced kernel
  std::optional<TraceSummary> trace;
  std::optional<TimelineExcerpt> timeline;        ///< of a CTA or an SM, where one was asked for
  std::shared_ptr<const StageTrace> stage_trace;  ///< the stamps, which no report holds
  std::vector<Term> terms;
  /// Simulated: by how much it follows each number of the machine, largest first.
  std::vector<Sensitivity> sensitivities;

  std::vector<std::string> warnings;
};

/// What a row is called among others of its problem: "fa3", or "fa3 on GPU 1" where the run
/// measured several.
[[nodiscard]] std::string row_label(const Result& result);

/// Whether both are of the same GPU of their host, or neither says of which.
[[nodiscard]] bool is_same_device(const Result& a, const Result& b);

}  // namespace fa3prof::core
