#include "src/profile/metrics.h"

#include "src/core/result.h"
#include "src/profile/profiler.h"

#include <fmt/format.h>

#include <array>
#include <vector>

namespace fa3prof::profile {
namespace {

constexpr double kPercent = 0.01;
constexpr std::string_view kFlopsSuffix = "_flops";
constexpr std::string_view kL2Hits = "l2_hit_sectors";
constexpr std::string_view kL2Misses = "l2_miss_sectors";
constexpr std::string_view kL2HitRatio = "l2_hit_ratio";
constexpr std::string_view kTensorInstructions = "tensor_instructions";

// Names from the metric list that CUPTI 13.0 gives for chip GH100. HGMMA is the machine instruction
// of wgmma with 16-bit inputs, HMMA that of mma.sync; XU is the pipe of MUFU (ex2, rcp, ...).
constexpr std::array kMetrics{
    Metric{core::kSmCyclesElapsed, "sm__cycles_elapsed.max", 1.0,
           "SM cycles from launch to end, largest over the SMs"},
    Metric{"sm_cycles_active", "sm__cycles_active.avg", 1.0,
           "cycles with at least one resident warp, mean over the SMs"},
    Metric{"sm_clock_mhz", "sm__cycles_elapsed.avg.per_second", 1e-6,
           "achieved SM clock during the replay"},
    Metric{"gpu_time_us", "gpu__time_duration.sum", 1e-3, "duration of the replayed launch"},
    Metric{core::kTensorActiveRatio,
           "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed", kPercent,
           "cycles in which the tensor pipe was busy"},
    Metric{"tensor_mma_fp16_flops", "sm__ops_path_tensor_op_hmma_src_fp16_dst_fp32.sum", 1.0,
           "tensor FLOPs of mma.sync, fp16 inputs, fp32 accumulators"},
    Metric{"tensor_mma_bf16_flops", "sm__ops_path_tensor_op_hmma_src_bf16_dst_fp32.sum", 1.0,
           "tensor FLOPs of mma.sync, bf16 inputs"},
    Metric{"tensor_wgmma_fp16_flops", "sm__ops_path_tensor_op_hgmma_src_fp16.sum", 1.0,
           "tensor FLOPs of wgmma, fp16 inputs"},
    Metric{"tensor_wgmma_bf16_flops", "sm__ops_path_tensor_op_hgmma_src_bf16_dst_fp32.sum", 1.0,
           "tensor FLOPs of wgmma, bf16 inputs"},
    Metric{"tensor_fp8_flops", "sm__ops_path_tensor_src_fp8.sum", 1.0,
           "tensor FLOPs with fp8 inputs, mma.sync and wgmma"},
    Metric{"issue_active_ratio", "smsp__issue_active.avg.pct_of_peak_sustained_elapsed", kPercent,
           "issue slots in which an instruction was issued"},
    // The counter of HMMA has HGMMA and QGMMA in it, as an H200 shows.
    Metric{kTensorInstructions, "smsp__inst_executed_pipe_tensor_op_hmma.sum", 1.0,
           "HMMA, HGMMA and QGMMA instructions of warps"},
    Metric{core::kWgmmaInstructions, "smsp__inst_executed_pipe_tensor_op_gmma.sum", 1.0,
           "HGMMA and QGMMA instructions of warps, four to a wgmma"},
    Metric{core::kGlobalLoadInstructions, "smsp__inst_executed_op_global_ld.sum", 1.0,
           "LDG instructions of warps: global memory to registers"},
    Metric{core::kCpAsyncInstructions, "smsp__inst_executed_op_ldgsts.sum", 1.0,
           "LDGSTS instructions of warps: cp.async"},
    Metric{core::kTmaInstructions, "smsp__inst_executed_pipe_tma.sum", 1.0,
           "instructions of the TMA pipe: a box or a bulk copy each"},
    Metric{core::kMufuActiveRatio, "sm__inst_executed_pipe_xu.avg.pct_of_peak_sustained_elapsed",
           kPercent, "use of the special-function pipe (exp2, reciprocal, conversions)"},
    Metric{"fma_active_ratio", "sm__pipe_fma_cycles_active.avg.pct_of_peak_sustained_elapsed",
           kPercent, "cycles in which the FP32 multiply-add pipes were busy"},
    Metric{"alu_active_ratio", "sm__pipe_alu_cycles_active.avg.pct_of_peak_sustained_elapsed",
           kPercent, "cycles in which the integer and comparison pipe was busy"},
    Metric{"tma_active_ratio", "sm__pipe_tma_cycles_active.avg.pct_of_peak_sustained_elapsed",
           kPercent, "cycles in which the TMA pipe was busy issuing"},
    Metric{"tma_load_bytes", "l1tex__m_xbar2l1tex_read_bytes_mem_global_op_tma_ld.sum", 1.0,
           "bytes that TMA loads brought into shared memory"},
    Metric{"dram_bytes", "dram__bytes.sum", 1.0, "bytes read from and written to DRAM"},
    Metric{"l2_bytes", "lts__t_bytes.sum", 1.0, "bytes moved through the L2 slices"},
    Metric{kL2Hits, "lts__t_sectors_lookup_hit.sum", 1.0, "L2 sector look-ups that hit"},
    Metric{kL2Misses, "lts__t_sectors_lookup_miss.sum", 1.0, "L2 sector look-ups that missed"},
    Metric{"barrier_stall_ratio", "smsp__warp_issue_stalled_barrier_per_warp_active.pct", kPercent,
           "resident warp-cycles spent waiting at a CTA barrier"},
    Metric{"long_scoreboard_stall_ratio",
           "smsp__warp_issue_stalled_long_scoreboard_per_warp_active.pct", kPercent,
           "resident warp-cycles spent waiting for global, local or L1 data"},
    Metric{"wgmma_stall_ratio", "smsp__warp_issue_stalled_gmma_per_warp_active.pct", kPercent,
           "resident warp-cycles spent waiting on the wgmma hand-over"},
    Metric{"math_pipe_stall_ratio",
           "smsp__warp_issue_stalled_math_pipe_throttle_per_warp_active.pct", kPercent,
           "resident warp-cycles spent waiting for a busy execution pipe"},
};

bool is_tensor_flops(const Metric& metric) {
  return metric.key.starts_with("tensor_") && metric.key.ends_with(kFlopsSuffix);
}

}  // namespace

std::span<const Metric> metrics() { return kMetrics; }

void derive(std::map<std::string, double>& values) {
  // CUPTI's own hit rate divides counts of different passes and can exceed 1 on short kernels.
  const auto hits = values.find(std::string(kL2Hits));
  const auto misses = values.find(std::string(kL2Misses));
  if (hits != values.end() && misses != values.end() && hits->second + misses->second > 0.0) {
    values[std::string(kL2HitRatio)] = hits->second / (hits->second + misses->second);
  }
  const auto tensor = values.find(std::string(kTensorInstructions));
  const auto wgmma = values.find(std::string(core::kWgmmaInstructions));
  if (tensor != values.end() && wgmma != values.end()) {
    values[std::string(core::kMmaSyncInstructions)] = tensor->second - wgmma->second;
  }
  double total = 0.0;
  for (const Metric& metric : kMetrics) {
    if (!is_tensor_flops(metric)) continue;
    const auto found = values.find(std::string(metric.key));
    if (found == values.end()) return;
    total += found->second;
  }
  values[std::string(core::kTensorFlops)] = total;
}

std::vector<MetricDescription> describe_metrics() {
  std::vector<MetricDescription> descriptions;
  std::string addends;
  for (const Metric& metric : kMetrics) {
    descriptions.push_back(
        {std::string(metric.key), std::string(metric.cupti), std::string(metric.meaning)});
    if (!is_tensor_flops(metric)) continue;
    if (!addends.empty()) addends += " + ";
    addends += metric.key;
  }
  descriptions.push_back(
      {std::string(core::kTensorFlops), addends, "all tensor FLOPs; a multiply-add counts two"});
  descriptions.push_back({std::string(core::kMmaSyncInstructions),
                          fmt::format("{} - {}", kTensorInstructions, core::kWgmmaInstructions),
                          "HMMA instructions of warps: mma.sync"});
  descriptions.push_back({std::string(kL2HitRatio),
                          fmt::format("{0} / ({0} + {1})", kL2Hits, kL2Misses),
                          "share of the L2 sector look-ups that hit"});
  return descriptions;
}

}  // namespace fa3prof::profile
