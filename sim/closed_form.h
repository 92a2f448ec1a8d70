// The closed form: a tile takes what its busiest unit or its longest chain of dependent steps
// needs, whichever is more, and the tiles are laid on the SMs. docs/model.md derives it. Contention
// between steps is not simulated.
#pragma once

#include "sim/grid.h"
#include "sim/machine.h"
#include "sim/pipeline.h"
#include "sim/tile_model.h"
#include "src/core/attention_problem.h"

#include <cstdint>
#include <string_view>

namespace fa3prof::sim {

/// One evaluation and what it was made from.
struct ClosedForm {
  std::int64_t most_trips = 0;        ///< of the loop, in the longest tile
  TileTime longest_tile;              ///< on each of the CTAs that fit an SM
  std::int64_t tiles = 0;             ///< of all heads and batch entries
  std::int64_t busiest_sm_tiles = 0;  ///< of equal tiles; 0 when they differ in length
  double makespan_cycles = 0.0;       ///< until the last SM has done its tiles
  double launch_cycles = 0.0;         ///< start and end of the kernel
  double first_fill_cycles = 0.0;     ///< see TileModel
  double hbm_cycles = 0.0;            ///< compulsory bytes at the memory's rate; 0: none stated
  Breakdown breakdown;
  double cycles = 0.0;       ///< the sum of the breakdown
  std::string_view limiter;  ///< a unit's name, "hbm" or "dependency chain"
};

struct ClosedFormInputs {
  const Machine& machine;
  const Pipeline& pipeline;
  const core::AttentionProblem& problem;
  const core::Tile& tile;
};

/// Loop trips of a tile that sees `key_blocks` blocks.
[[nodiscard]] std::int64_t loop_trips(const Pipeline& pipeline, std::int64_t key_blocks);

/// Trips of the longest loop of the problem.
[[nodiscard]] std::int64_t most_loop_trips(const Pipeline& pipeline,
                                           const core::AttentionProblem& problem,
                                           const core::Tile& tile);

/// `model` is of the same machine, pipeline and problem.
[[nodiscard]] ClosedForm evaluate_closed_form(const ClosedFormInputs& inputs,
                                              const TileModel& model);

/// The cycles of evaluate_closed_form() alone. For sweeps over problems that share a tile model:
/// with equal tiles it allocates nothing.
[[nodiscard]] double closed_form_cycles(const ClosedFormInputs& inputs, const TileModel& model);

/// The clock that turns cycles into time: under load if stated, else the maximum, else none.
[[nodiscard]] Machine::Number clock_mhz(const Machine& machine);

}  // namespace fa3prof::sim
