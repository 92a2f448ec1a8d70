// A report: what ran, where, when, and its results. What `--json` writes and `--against` reads.
#pragma once

#include "src/core/attention_kernel.h"
#include "src/core/result.h"
#include "src/core/shard.h"
#include "src/core/what_if.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fa3prof::core {

/// Breaking changes of the JSON layout raise the version; a report of another one is refused.
inline constexpr int kReportSchemaVersion = 1;
/// Additions raise the minor version: older ones read as ever, what newer ones add is ignored.
/// 1: per-sample power and throttle reasons, method, kernels in turn, shard.
/// 2: warm-up, per-sample temperature, burst mode, device of a row, the GPU's memory bus and PCI
/// device, what-if, sensitivities, generations.
inline constexpr int kReportSchemaMinor = 2;

/// What identifies a GPU by its properties; names are for people.
struct Gpu {
  std::string name;
  std::string uuid;
  ComputeCapability capability;
  int sm_count = 0;
  double max_sm_clock_mhz = 0.0;
  double max_memory_clock_mhz = 0.0;
  int memory_bus_width_bits = 0;   ///< 0: unknown
  int pci_device_id = 0;           ///< of vendor 0x10de; 0: unknown
  double power_limit_watts = 0.0;  ///< 0: unknown
  std::int64_t memory_bytes = 0;
  std::int64_t l2_bytes = 0;
  std::int64_t shared_memory_per_sm_bytes = 0;
};

struct Environment {
  std::string tool_version;
  std::string tool_commit;  ///< "unknown" when built outside a git checkout
  std::string host;
  std::string os;
  std::string compiler;
  std::string cuda_toolkit;  ///< version the kernels were compiled with; empty without CUDA
  std::string driver;        ///< NVIDIA driver version; empty without a driver
  std::optional<Gpu> gpu;    ///< the GPU that was measured
};

struct Report {
  std::string created_at;            ///< UTC, ISO 8601: "2026-11-30T12:00:00Z"
  std::vector<std::string> command;  ///< argv
  Environment environment;
  std::uint64_t seed = 0;  ///< of the random inputs; 0 in reports without measured results
  std::optional<Shard> shard = std::nullopt;  ///< absent: the whole sweep
  std::vector<ValueChange> what_if = {};      ///< what the changed ones of the results differ in
  std::vector<Result> results;
  std::vector<std::string> warnings;
};

}  // namespace fa3prof::core
