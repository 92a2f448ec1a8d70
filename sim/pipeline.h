// A kernel as a program: roles that load, wait, multiply and signal. Files: configs/pipelines; the
// language is taught in docs/model.md. Nothing here or in the engines knows a kernel by name.
#pragma once

#include "sim/size.h"
#include "src/core/attention_problem.h"
#include "src/core/json_reader.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace fa3prof::sim {

/// Units of an SM that steps occupy; l2 is the SM's share of the chip's L2 bandwidth.
enum class Resource {
  kTensor,
  kFp32,
  kMufu,
  kAlu,
  kShuffle,
  kIssue,
  kSharedMemory,
  kLoad,  ///< the SM's inbound path, by TMA or cp.async
  kL2,
};

inline constexpr std::array<std::string_view, 9> kResourceNames{
    "tensor", "fp32", "mufu", "alu", "shuffle", "issue", "shared_memory", "load", "l2"};
inline constexpr std::size_t kResources = kResourceNames.size();

/// Kinds of instruction an elementwise step counts.
enum class Operation { kFma, kAdd, kMul, kExp2, kMax, kSelect, kConvert, kShuffle };

inline constexpr std::array<std::string_view, 8> kOperationNames{
    "fma", "add", "mul", "exp2", "max", "select", "convert", "shuffle"};

enum class BarrierKind {
  kMbarrier,  ///< wait / arrive in phases; passes after all arriving role instances have arrived
  kNamed,     ///< bar.sync / bar.arrive: sync arrives and waits
  kTurn,  ///< a token that goes round the instances of one role: sync takes it, arrive passes it
  kCta,   ///< __syncthreads of every instance that has a `barrier` step
};

struct Barrier {
  std::string name;
  BarrierKind kind = BarrierKind::kMbarrier;
  Size initially_free =
      {};               ///< mbarrier: waits that pass before anyone has arrived (empty buffers)
  std::string of = {};  ///< mbarrier: role whose instances have one each; empty: one for all
};

/// What loads fill.
struct Buffer {
  std::string name;
  Size bytes;
  Size copies;                   ///< stages
  bool is_in_registers = false;  ///< else in shared memory
};

using BarrierIndex = std::size_t;
using GroupIndex = std::size_t;  ///< an asynchronous group of a role, in Role::groups

enum class CopyUnit {
  kTma,
  kCpAsync,
  kRegisters,  ///< ordinary loads, and stores to shared memory if the buffer lies there
};
enum class MmaUnit { kWgmma, kMmaSync };

/// Asynchronous copy to shared memory: its end arrives on a barrier or completes a group.
struct Load {
  Size bytes;
  std::size_t buffer = 0;  ///< in Pipeline::buffers
  CopyUnit by = CopyUnit::kTma;
  bool is_from_memory = false;  ///< misses L2; else another CTA has lately read the same
  std::optional<BarrierIndex> signals = {};
  std::optional<GroupIndex> group = {};
};

/// Between the role's warps through shared memory: written once and read once.
struct Exchange {
  Size bytes;
};

/// Registers to global memory; nothing waits for it.
struct Store {
  Size bytes;
};

/// Blocks until the barrier's next phase; on named, turn and CTA barriers it is the sync.
struct Wait {
  BarrierIndex barrier = 0;
  bool is_own = false;  ///< the instance's own of several, which follow `barrier`

  [[nodiscard]] BarrierIndex index(int instance) const {
    return barrier + (is_own ? static_cast<BarrierIndex>(instance) : 0);
  }
};

struct Arrive {
  BarrierIndex barrier = 0;
  bool is_own = false;

  [[nodiscard]] BarrierIndex index(int instance) const {
    return barrier + (is_own ? static_cast<BarrierIndex>(instance) : 0);
  }
};

/// Times that the machine states and that keep no unit busy.
enum class StatedTime {
  kAtomic,          ///< a round trip to a counter in global memory
  kRegisterChange,  ///< setmaxnreg
  kTensorMap,       ///< the first use of a tensor map in a launch
};

/// Such a time passes.
struct Pause {
  StatedTime time = StatedTime::kAtomic;
};

/// D[m, n] += A[m, k] B[k, n] by one role instance; with a group it runs in the background.
struct Mma {
  Size m;
  Size n;
  Size k;
  MmaUnit by = MmaUnit::kWgmma;
  bool is_a_shared = true;  ///< A comes from shared memory, else from registers
  bool is_b_shared = true;  ///< B; with it in registers the warps split n, and each reads all of A
  std::optional<GroupIndex> group = {};
};

/// Blocks until the last issued operation of the group is done.
struct WaitGroup {
  GroupIndex group = 0;
};

/// `operations` per element on `elements` elements, then a chain of instructions of which each
/// waits for the result of the one before.
struct Elementwise {
  Size elements;
  std::array<double, kOperationNames.size()> operations{};
  std::array<double, kOperationNames.size()> dependent{};
};

/// A stated time, on a unit or (unit absent: "barrier") merely passing.
struct Delay {
  double cycles = 0.0;
  std::optional<Resource> unit = {};
  std::optional<BarrierIndex> signals = {};
  std::optional<GroupIndex> group = {};
};

/// When a step is done.
enum class StepFor {
  kEachBlock,
  kMaskedBlock,   ///< only on a block of which some row of the instance does not see all keys
  kLastBlock,     ///< only on the last block of the tile
  kHiddenBlocks,  ///< once per block that no row of the instance sees; neighbours form one body
  kEachInstance,  ///< once per instance of the role that its barriers are of; ditto
};

inline constexpr std::array<std::string_view, 5> kStepForNames{
    "each_block", "masked_block", "last_block", "hidden_blocks", "each_instance"};

struct Step {
  std::string name;
  std::variant<Load, Store, Exchange, Wait, Arrive, Mma, WaitGroup, Elementwise, Delay, Pause>
      action;
  StepFor when = StepFor::kEachBlock;
  /// Traits of tiles: done only with it, only without it; empty: no condition.
  std::string with = {};
  std::string without = {};
};

enum class Section { kPrologue, kLoop, kCross, kEpilogue };

inline constexpr std::array<std::string_view, 4> kSectionNames{"prologue", "loop", "cross",
                                                               "epilogue"};

/// What each instance does for one output tile: prologue, loop once per key block (less the peeled
/// ones), epilogue. A persistent CTA that has a cross section does that between two tiles, in place
/// of the epilogue of one and the prologue of the next.
struct Role {
  std::string name;
  int instances = 1;
  int warps = 1;                 ///< per instance, idle ones included; 0: another role's thread
  int registers_per_thread = 0;  ///< 0: not stated
  Size rows = {};                ///< query rows of an instance, one after the other; 0: all
  std::vector<std::string> groups;
  std::array<std::vector<Step>, kSectionNames.size()> sections;

  [[nodiscard]] const std::vector<Step>& steps(Section section) const {
    return sections[static_cast<std::size_t>(section)];
  }
};

/// What a tile changes of a role; 0 leaves it as the role says.
struct RoleShape {
  std::string role;
  int instances = 0;
  int registers_per_thread = 0;
};

/// Sizes for the problems that match; an absent condition matches all.
struct TileChoice {
  std::optional<std::int64_t> head_dim;
  std::optional<bool> is_causal;
  std::optional<core::DataType> dtype;
  Size tile_m;
  Size tile_n;
  std::optional<std::int64_t> value_channels;  ///< of V in shared memory, if not head_dim
  std::int64_t stages = 1;
  int ctas_per_sm = 0;  ///< 0: as the pipeline says
  std::vector<RoleShape> roles;
  std::vector<std::string> traits;  ///< words that steps may depend on

  [[nodiscard]] bool has(const std::string& trait) const;
};

struct Pipeline {
  std::string name;
  std::string kernel;  ///< what results call it; `name` where the file does not say
  std::string description;
  std::vector<core::DataType> dtypes;
  std::vector<TileChoice> tiles;  ///< the first match counts
  int ctas_per_sm = 1;            ///< where the tile does not say
  bool is_persistent = false;
  bool is_longest_first = false;  ///< order of causal tiles: those with most key blocks first
  /// Longest first within sections of heads whose K and V take so many bytes; 0: no sections.
  double section_bytes = 0.0;
  /// Persistent CTAs take each so many-th tile as there are CTAs, not the next when they are free.
  bool takes_strided_tiles = false;
  /// A CTA owns a head and does its key blocks one after the other: each is a tile, whose loop goes
  /// over tile_m query rows at a time. Else its tiles are of query rows, and loops go over keys.
  bool loops_over_rows = false;
  int peeled_blocks = 0;  ///< key blocks done by prologue and epilogue together
  std::optional<double> stated_ramp_iterations;  ///< replaces the computed fill and drain
  std::vector<Buffer> buffers;
  std::vector<Barrier> barriers;
  std::vector<Role> roles;
  /// What it was read from, whose values a what-if changes; empty for one made otherwise.
  std::shared_ptr<const core::Json> document = {};

  [[nodiscard]] int threads() const;

  /// Some role says what it does between two tiles.
  [[nodiscard]] bool has_cross() const;
};

/// A pipeline's sizes on one problem.
struct TileSizes {
  core::Tile tile;
  std::int64_t stages = 1;
  SizeScope scope;
};

/// The tile that counts. Throws UsageError when none matches the problem, naming what there is.
[[nodiscard]] const TileChoice& choice_for(const Pipeline& pipeline,
                                           const core::AttentionProblem& problem);

/// Throws like choice_for.
[[nodiscard]] TileSizes tile_sizes(const Pipeline& pipeline, const core::AttentionProblem& problem);

/// The pipeline with its roles as the tile of `problem` shapes them. Throws like tile_sizes.
[[nodiscard]] Pipeline shaped_for(Pipeline pipeline, const core::AttentionProblem& problem);

/// The pipeline without the steps that are not those of `choice`, one of its tiles.
[[nodiscard]] Pipeline with_steps_of(Pipeline pipeline, const TileChoice& choice);

/// The pipeline with its roles as `choice`, one of its tiles, shapes them, and without the steps
/// that are not its.
[[nodiscard]] Pipeline shaped_by(Pipeline pipeline, const TileChoice& choice);

/// Bytes of all buffers.
[[nodiscard]] double shared_memory_bytes(const Pipeline& pipeline, const SizeScope& scope);

/// Reads a pipeline object, refuses what it does not know, and checks the program: a wait that
/// nothing signals and a deadlock are errors naming role, step and barrier. Throws ConfigError.
[[nodiscard]] Pipeline read_pipeline(core::JsonReader reader);

/// `name_or_path`: a built-in pipeline ("fa3_fp16") or, with '/' or ".json" in it, a file.
/// Throws UsageError for an unknown name, ConfigError for a bad file.
[[nodiscard]] Pipeline load_pipeline(const std::string& name_or_path);

[[nodiscard]] std::vector<std::string> builtin_pipelines();

}  // namespace fa3prof::sim
