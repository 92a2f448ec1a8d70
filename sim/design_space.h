// Variants of a pipeline: other tiles, stages, consumers, occupancy and ways through the grid.
#pragma once

#include "sim/machine.h"
#include "sim/pipeline.h"
#include "sim/register_need.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fa3prof::sim {

/// How CTAs come to their tiles.
enum class GridStyle { kCtaPerTile, kPersistentWhenFree, kPersistentStrided };

/// "cta per tile", "persistent, when free", "persistent, strided".
[[nodiscard]] std::string_view name_of(GridStyle style);

/// One variant.
struct DesignPoint {
  std::int64_t tile_m = 0;
  std::int64_t tile_n = 0;
  std::int64_t stages = 1;
  int consumers = 1;  ///< instances of the role that multiplies
  int ctas_per_sm = 1;
  GridStyle grid = GridStyle::kCtaPerTile;
  bool is_longest_first = false;

  bool operator==(const DesignPoint&) const = default;
};

/// Why a point cannot run.
enum class Obstacle { kSharedMemory, kRegisters, kThreads };

inline constexpr std::array<std::string_view, 3> kObstacleNames{"shared_memory", "registers",
                                                                "threads"};

/// The variants of one pipeline on one problem and machine.
class DesignSpace {
 public:
  /// Throws UsageError where the pipeline has no tile for the problem or no one role that
  /// multiplies.
  DesignSpace(const Machine& machine, const Pipeline& pipeline,
              const core::AttentionProblem& problem);

  /// All of them, those that cannot run too: tile_n in steps of what a GEMM over it must divide, up
  /// to 256; 1 to 4 consumers, or 1 to 4 times 64 rows where the role does the whole tile; 1 to 8
  /// stages where a buffer has them; 1 to 4 CTAs on an SM; a CTA for each tile or persistent ones;
  /// with a causal mask, whose tiles differ, also both ways to take them and both orders.
  [[nodiscard]] std::vector<DesignPoint> points() const;

  /// As the pipeline's file has it.
  [[nodiscard]] const DesignPoint& stated() const { return stated_; }

  [[nodiscard]] std::optional<Obstacle> obstacle(const DesignPoint& point) const;

  [[nodiscard]] double shared_memory_bytes(const DesignPoint& point) const;

  /// Of a thread that multiplies.
  [[nodiscard]] RegisterNeed registers_needed(const DesignPoint& point) const;

  /// What such a thread can have, with what the other roles take; in steps of 8.
  [[nodiscard]] double registers_there(const DesignPoint& point) const;

  [[nodiscard]] Pipeline pipeline(const DesignPoint& point) const;

  [[nodiscard]] const Pipeline& base() const { return base_; }

 private:
  [[nodiscard]] SizeScope scope_of(const DesignPoint& point) const;
  [[nodiscard]] std::vector<GridStyle> grid_styles() const;

  const Machine& machine_;
  Pipeline base_;    ///< with the one tile that matches
  Pipeline shaped_;  ///< without steps of other tiles
  core::AttentionProblem problem_;
  TileSizes sizes_;
  std::size_t role_ = 0;  ///< that multiplies
  double rows_ = 0.0;     ///< of an instance; 0: the whole tile
  DesignPoint stated_;
};

}  // namespace fa3prof::sim
