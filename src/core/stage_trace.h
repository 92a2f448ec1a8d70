// What one traced launch of a kernel stamped, as moments of the SMs' own cycle counters.
#pragma once

#include "src/core/stage.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fa3prof::core {

struct Stamp {
  std::int64_t cycles = 0;  ///< of the SM's counter
  Stage stage = Stage::kKeysWait;
  std::int64_t value = 0;  ///< see Stage

  bool operator==(const Stamp&) const = default;
};

/// The stamps of one role of a CTA, in the order made.
struct RoleStamps {
  std::string role;  ///< "producer", "consumer 1"
  std::vector<Stamp> stamps;
  std::int64_t dropped = 0;  ///< records (of a key block each) before these, which a ring that was
                             ///< too small did not keep
};

/// When a CTA ran. Counters of different SMs have nothing to do with each other; `ns` are the same
/// for all.
struct CtaLife {
  int sm = 0;
  std::int64_t begin_cycles = 0;
  std::int64_t end_cycles = 0;
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;

  [[nodiscard]] std::int64_t cycles() const { return end_cycles - begin_cycles; }
};

struct TracedCta {
  int number = 0;  ///< in the grid
  CtaLife life;
  std::vector<RoleStamps> roles;
};

struct StageTrace {
  std::vector<CtaLife> lives;  ///< of every CTA of the grid
  std::vector<TracedCta> ctas;
  double scores_cycles = 0.0;  ///< that the tensor core needs for Q K^T of a warpgroup's key block,
  double output_cycles = 0.0;  ///< and for P V
  double clock_mhz = 0.0;      ///< mean over the CTAs, from their cycles and nanoseconds
  double launch_us = 0.0;      ///< time of this launch, by events around it
  double traced_us = 0.0;      ///< median time of launches with stamps,
  double timed_us = 0.0;       ///< and of launches without, in turn with them
  std::int64_t key_blocks = 0;  ///< of all tiles of the launch

  [[nodiscard]] std::int64_t dropped() const {
    std::int64_t sum = 0;
    for (const TracedCta& cta : ctas) {
      for (const RoleStamps& role : cta.roles) sum += role.dropped;
    }
    return sum;
  }

  /// What stamping costs a traced CTA: its cycles for a key block over those of the others of the
  /// launch, less one. Nothing where there are no others, or where stamps were dropped.
  [[nodiscard]] std::optional<double> cta_loss_ratio() const;
};

}  // namespace fa3prof::core
