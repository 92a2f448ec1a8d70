// A pipeline on a machine as the event engine runs it: each step as an operation with its durations
// in ticks and its claims on units.
#pragma once

#include "sim/pipeline.h"
#include "sim/step_costs.h"
#include "sim/ticks.h"

#include <array>
#include <cstddef>
#include <vector>

namespace fa3prof::sim {

/// Units that running steps share: the first of Resource, up to shared memory.
inline constexpr std::size_t kSharedUnits = static_cast<std::size_t>(Resource::kSharedMemory) + 1;

enum class OpKind {
  kShared,  ///< work on shared units, then a latency
  kWait,    ///< for a barrier
  kArrive,
  kIssue,  ///< WGMMA instructions, one by one
  kWaitGroup,
  kLoad,        ///< into the SM by TMA, in the order of issue
  kCopy,        ///< by cp.async: those under way share the path
  kBackground,  ///< a time that passes elsewhere
};

inline constexpr std::size_t kNone = static_cast<std::size_t>(-1);

struct EventOp {
  OpKind kind = OpKind::kShared;
  Activity activity = Activity::kBarrier;
  bool is_own = false;            ///< `barrier` is the first of several, one for each instance
  bool is_from_memory = false;    ///< a load that misses L2
  Ticks l2_work = 0;              ///< of a load, at the SM's share of the L2's bandwidth
  Ticks memory_work = 0;          ///< of a load, if all its bytes came from memory
  Ticks miss_latency = 0;         ///< what a miss takes longer than a hit
  bool blocks = true;             ///< WGMMA: the issuer waits for room in the queue, and
  bool waits_for_itself = false;  ///< for the end, since no wait_group follows
  std::size_t barrier = kNone;    ///< waited for, arrived on or signalled at the end
  std::size_t group = kNone;      ///< completed at the end, or waited for
  Ticks work = 0;                 ///< with all units for itself; a load's time on the inbound path
  /// After the work, no unit in use; of a wait, what passing takes where all is there.
  Ticks latency = 0;
  double speed_beside_wgmma = 1.0;      ///< of elementwise work, <= 1
  double speed_beside_own_wgmma = 1.0;  ///< while the role instance's own WGMMA executes
  bool stalls_wgmma = false;            ///< elementwise work that the FP32 pipe limits
  int instructions = 0;
  Ticks instruction = 0;                     ///< of a WGMMA, on the tensor unit
  std::array<double, kSharedUnits> share{};  ///< of each unit while at full speed
  std::array<double, kResources> busy_cycles{};
};

/// Everything the engine needs to know about a kernel and a machine.
struct EventProgram {
  struct RoleOps {
    std::array<std::vector<EventOp>, kSectionNames.size()> sections;
    bool uses_tensor = false;  ///< its waiting is what the tensor unit idles for
  };

  const Pipeline* pipeline = nullptr;
  bool has_cross = false;
  std::vector<RoleOps> roles;
  std::vector<Ticks> handoff;                ///< of each barrier
  std::vector<std::int64_t> initially_free;  ///< of each barrier
  std::vector<bool> is_load_signal;          ///< of each barrier: a load arrives on it
  int issue_ahead = 1;
  Ticks tensor_start = 0;
  double stall_per_fp32 = 0.0;  ///< tensor cycles lost per FP32 cycle of an op that stalls WGMMA
  /// How far loads may be ahead of the SM's share of the L2: by what fills its shared memory.
  Ticks l2_ahead = 0;
};

/// Throws UsageError when the machine lacks a number that a step needs. Where it does not state
/// wgmma_issue_ahead_instructions, one is taken; wgmma_start_cycles, none;
/// a slowdown beside WGMMA, that of work which EX2 limits, and 1 where that is missing, too. The
/// context must outlive the program.
[[nodiscard]] EventProgram event_program(const CostContext& context, const ProgramCosts& costs);

}  // namespace fa3prof::sim
