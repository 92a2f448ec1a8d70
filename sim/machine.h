// A GPU as numbers: units, rates, latencies, capacities. Files: configs/machines. Not: any kernel.
#pragma once

#include "src/core/attention_kernel.h"
#include "src/core/json_reader.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fa3prof::sim {

/// Members are named as their keys in the file, where each is {"value": ..., "source": ...}. Rates
/// are per SM unless they say otherwise. An absent number is one that the machine lacks (an A100
/// has no WGMMA) or that nobody knows; a pipeline that needs it is refused.
struct Machine {
  using Number = std::optional<double>;

  std::string name;
  std::string description;
  std::int64_t sm_count = 1;
  std::optional<core::ComputeCapability> compute_capability;

  Number clock_spec_mhz;  ///< at which the datasheet counts its TFLOPS
  Number clock_max_mhz;   ///< as the driver reports it
  Number clock_load_mhz;  ///< while WGMMA keeps all tensor cores busy: turns cycles into time
  Number clock_mma_sync_load_mhz;  ///< the same for kernels of mma.sync; absent: as for WGMMA

  Number memory_bytes;  ///< device memory as the driver reports it
  Number memory_clock_mhz;
  Number memory_bus_width_bits;
  Number l2_bytes;
  Number pci_device_id;  ///< of NVIDIA (vendor 0x10de): tells boards apart that are else alike
  Number shared_memory_per_cta_bytes;
  Number shared_memory_per_sm_bytes;
  Number shared_memory_reserved_bytes;  ///< taken by the system from each CTA's share
  Number registers_per_sm;              ///< 32-bit
  Number threads_per_sm;

  Number wgmma_fp16_flop_per_cycle;
  Number wgmma_fp8_flop_per_cycle;
  Number mma_sync_fp16_flop_per_cycle;
  /// Instructions that a warpgroup can have issued beyond the executing one before its next issue
  /// blocks.
  Number wgmma_issue_ahead_instructions;
  Number wgmma_start_cycles;  ///< issue of a warpgroup's first WGMMA until it can run
  Number wgmma_wait_cycles;   ///< from the end of a WGMMA group to the waiting warpgroup
  Number
      wgmma_stall_per_fp32_cycle;  ///< tensor cycles lost per cycle of a busy FP32 pipe beside it
  /// How much slower work that EX2 limits runs while WGMMA of another warpgroup executes; >= 1.
  Number mufu_slowdown_beside_wgmma_ratio;  ///< of work that the MUFU limits
  /// How much slower still elementwise work is beside WGMMA of the warpgroup itself.
  Number own_wgmma_slowdown_over_others_ratio;
  Number alu_slowdown_beside_wgmma_ratio;   ///< of work that the ALU pipe limits
  Number fp32_slowdown_beside_wgmma_ratio;  ///< of work that the FP32 pipe limits

  Number fp32_per_cycle;          ///< FFMA, FADD, FMUL: thread instructions
  Number mufu_per_cycle;          ///< EX2
  Number alu_per_cycle;           ///< FMNMX, compare, select
  Number convert_fp16_per_cycle;  ///< F2FP instructions (two elements each), on the ALU pipe
  Number convert_fp8_per_cycle;   ///< the same to e4m3
  Number shuffle_per_cycle;       ///< SHFL
  Number issue_per_cycle;         ///< any thread instruction: 32 times the warp instructions
  Number shuffle_latency_cycles;  ///< SHFL and the instruction that combines its result
  Number fp32_latency_cycles;     ///< from an instruction to one that needs its result
  Number alu_latency_cycles;
  Number mufu_latency_cycles;

  Number shared_memory_bytes_per_cycle;
  Number tma_latency_cycles;  ///< L2 hit, issue to the thread that waits on the mbarrier, size 0
  Number tma_miss_latency_cycles;  ///< the same when L2 misses and DRAM answers
  Number tma_bytes_per_cycle;
  Number cp_async_latency_cycles;  ///< L2 hit
  Number cp_async_bytes_per_cycle;
  Number l2_bytes_per_cycle;  ///< reads of all SMs together
  Number l2_effective_bytes;  ///< working set up to which L2 keeps its rate
  Number hbm_bytes_per_s;
  Number link_bytes_per_s;  ///< from one GPU to others of its node, one direction

  Number mbarrier_open_cycles;       ///< a wait on an mbarrier phase that has completed
  Number named_barrier_open_cycles;  ///< bar.sync of a warpgroup for which all others have arrived
  Number mbarrier_cycles;            ///< arrive to the waiting thread
  Number named_barrier_cycles;       ///< bar.arrive to the warpgroup in bar.sync
  Number cta_barrier_cycles;         ///< __syncthreads
  Number store_bytes_per_cycle;      ///< that leave an SM's registers for global memory
  Number atomic_cycles;              ///< round trip of a global atomic: drawing a tile number
  Number register_change_cycles;     ///< setmaxnreg
  Number tensor_map_cycles;          ///< how much longer a launch's first copy by a map takes
  Number launch_us;                  ///< start and end of a kernel in a stream of launches

  /// What it was read from, whose values a what-if changes; empty for one made otherwise.
  std::shared_ptr<const core::Json> document = {};
};

/// A number of a machine file by its key.
struct MachineNumber {
  std::string_view key;
  Machine::Number Machine::*member;
};

/// All of them but sm_count, in the order of Machine.
[[nodiscard]] std::span<const MachineNumber> machine_numbers();

/// What the file may state under a key of machine_numbers().
[[nodiscard]] core::NumberRange range_of(std::string_view key);

/// `machine.*member`. Throws UsageError "<user> needs <key>, which machine <name> does not state".
[[nodiscard]] double required(const Machine& machine, Machine::Number Machine::*member,
                              std::string_view user);

/// Reads a machine object and refuses what it does not know. Throws ConfigError.
[[nodiscard]] Machine read_machine(core::JsonReader reader);

/// `name_or_path`: a built-in machine ("h200_sxm") or, with '/' or ".json" in it, a file.
/// Throws UsageError for an unknown name, ConfigError for a bad file.
[[nodiscard]] Machine load_machine(const std::string& name_or_path);

[[nodiscard]] std::vector<std::string> builtin_machines();

/// How much longer than a hit in L2 a load takes that memory answers; 0 where the machine does not
/// say. Measured with TMA and taken for cp.async too: the way from L2 to memory is the same.
[[nodiscard]] double miss_cycles(const Machine& machine);

}  // namespace fa3prof::sim
