// The numbers of a machine file that are one point of one measured series, or stated by the driver.
#pragma once

#include <array>

namespace fa3prof::profile {

/// A number that is one point of one series, times a factor.
struct Direct {
  const char* key;
  const char* series;
  double x;
  double factor;
  const char* how;
};

inline constexpr std::array kDriverSizes{
    "sm_count",
    "memory_bytes",
    "l2_bytes",
    "shared_memory_per_cta_bytes",
    "shared_memory_per_sm_bytes",
    "shared_memory_reserved_bytes",
    "registers_per_sm",
    "threads_per_sm",
};

inline constexpr double k32KiB = 32768.0;

inline constexpr std::array kDirect{
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
    Direct{"store_bytes_per_cycle", "store_rows_all_sms", 0, 1,
           "rows of 256 bytes from one warpgroup on every SM"},
    Direct{"register_change_cycles", "register_change", 0, 1,
           "setmaxnreg in a producer and two consumer warpgroups"},
    Direct{"launch_us", "launch_overhead", 0, 1,
           "period of kernels that fill every SM, in a stream of 200, less the time they spin"},
};

}  // namespace fa3prof::profile
