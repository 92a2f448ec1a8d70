#include "sim/design_space.h"

#include "src/core/error.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <variant>

namespace fa3prof::sim {
namespace {

constexpr std::int64_t kMostKeys = 256;  // N of a WGMMA and a side of a TMA box (PTX ISA)
constexpr std::int64_t kMostStages = 8;
constexpr int kMostConsumers = 4;
constexpr int kMostCtas = 4;
constexpr std::int64_t kRowStep = 64;  // M of a WGMMA
constexpr double kRegisterStep = 8.0;  // of allocation and of setmaxnreg (PTX ISA)

bool multiplies(const Role& role) {
  return std::ranges::any_of(role.sections, [](const std::vector<Step>& steps) {
    return std::ranges::any_of(
        steps, [](const Step& step) { return std::holds_alternative<Mma>(step.action); });
  });
}

std::size_t multiplying_role(const Pipeline& pipeline) {
  if (pipeline.loops_over_rows) {
    throw core::UsageError("pipeline " + pipeline.name +
                           " loops over rows: its tiles and grid cannot be varied");
  }
  const auto role = std::ranges::find_if(pipeline.roles, multiplies);
  if (role == pipeline.roles.end() || std::ranges::count_if(pipeline.roles, multiplies) != 1) {
    throw core::UsageError("pipeline " + pipeline.name +
                           " has not one role that multiplies, whose tiles could be varied");
  }
  return static_cast<std::size_t>(role - pipeline.roles.begin());
}

bool changes_registers(const Pipeline& pipeline) {
  return std::ranges::any_of(pipeline.roles, [](const Role& role) {
    return std::ranges::any_of(role.steps(Section::kPrologue), [](const Step& step) {
      const Pause* pause = std::get_if<Pause>(&step.action);
      return pause != nullptr && pause->time == StatedTime::kRegisterChange;
    });
  });
}

GridStyle grid_of(const Pipeline& pipeline) {
  if (!pipeline.is_persistent) return GridStyle::kCtaPerTile;
  return pipeline.takes_strided_tiles ? GridStyle::kPersistentStrided
                                      : GridStyle::kPersistentWhenFree;
}

/// The pipeline with the tile for the problem as its only one.
Pipeline with_one_tile(const Pipeline& pipeline, const core::AttentionProblem& problem) {
  Pipeline one = pipeline;
  one.tiles = {choice_for(pipeline, problem)};
  return one;
}

/// What `choice` says of a role, there to be changed.
RoleShape& shape_of(TileChoice& choice, const std::string& role) {
  const auto known = std::ranges::find(choice.roles, role, &RoleShape::role);
  return known != choice.roles.end() ? *known : choice.roles.emplace_back(RoleShape{.role = role});
}

}  // namespace

std::string_view name_of(GridStyle style) {
  switch (style) {
    case GridStyle::kCtaPerTile:
      return "cta per tile";
    case GridStyle::kPersistentWhenFree:
      return "persistent, when free";
    case GridStyle::kPersistentStrided:
      return "persistent, strided";
  }
  throw core::UsageError("unknown grid style");
}

DesignSpace::DesignSpace(const Machine& machine, const Pipeline& pipeline,
                         const core::AttentionProblem& problem)
    : machine_(machine),
      base_(with_one_tile(pipeline, problem)),
      shaped_(shaped_for(base_, problem)),
      problem_(problem),
      sizes_(tile_sizes(base_, problem)),
      role_(multiplying_role(shaped_)),
      rows_(shaped_.roles[role_].rows.value(sizes_.scope)),
      stated_{.tile_m = sizes_.tile.m,
              .tile_n = sizes_.tile.n,
              .stages = sizes_.stages,
              .consumers = shaped_.roles[role_].instances,
              .ctas_per_sm = shaped_.ctas_per_sm,
              .grid = grid_of(base_),
              .is_longest_first = base_.is_longest_first} {}

SizeScope DesignSpace::scope_of(const DesignPoint& point) const {
  SizeScope scope = sizes_.scope;
  scope[SizeName::kTileM] = static_cast<double>(point.tile_m);
  scope[SizeName::kTileN] = static_cast<double>(point.tile_n);
  scope[SizeName::kStages] = static_cast<double>(point.stages);
  scope[SizeName::kWarpgroups] +=
      (point.consumers - stated_.consumers) * shaped_.roles[role_].warps / kWarpsOfGroup;
  return scope;
}

std::vector<GridStyle> DesignSpace::grid_styles() const {
  if (!base_.is_persistent) return {GridStyle::kCtaPerTile};
  if (!problem_.is_causal) return {GridStyle::kCtaPerTile, stated_.grid};
  return {GridStyle::kCtaPerTile, GridStyle::kPersistentWhenFree, GridStyle::kPersistentStrided};
}

std::vector<DesignPoint> DesignSpace::points() const {
  // K of P V takes 32 bytes of a row at a time: 16 keys of 16 bits, 32 of 8.
  const std::int64_t key_step = 32 / core::element_bytes(problem_.dtype);
  const bool has_stages = std::ranges::any_of(
      base_.buffers, [](const Buffer& buffer) { return buffer.copies.names(SizeName::kStages); });
  const std::vector<bool> orders = problem_.is_causal ? std::vector<bool>{false, true}
                                                      : std::vector<bool>{base_.is_longest_first};
  std::vector<DesignPoint> points;
  for (int many = 1; many <= kMostConsumers; ++many) {
    DesignPoint point;
    point.consumers = rows_ > 0.0 ? many : stated_.consumers;
    point.tile_m = rows_ > 0.0 ? many * static_cast<std::int64_t>(rows_) : many * kRowStep;
    for (point.tile_n = key_step; point.tile_n <= kMostKeys; point.tile_n += key_step) {
      for (point.stages = 1; point.stages <= (has_stages ? kMostStages : 1); ++point.stages) {
        for (point.ctas_per_sm = 1; point.ctas_per_sm <= kMostCtas; ++point.ctas_per_sm) {
          for (const GridStyle grid : grid_styles()) {
            for (const bool is_longest_first : orders) {
              points.push_back(point);
              points.back().grid = grid;
              points.back().is_longest_first = is_longest_first;
            }
          }
        }
      }
    }
  }
  return points;
}

double DesignSpace::shared_memory_bytes(const DesignPoint& point) const {
  return sim::shared_memory_bytes(base_, scope_of(point));
}

RegisterNeed DesignSpace::registers_needed(const DesignPoint& point) const {
  return register_need(shaped_.roles[role_], scope_of(point));
}

double DesignSpace::registers_there(const DesignPoint& point) const {
  const Role& role = shaped_.roles[role_];
  const auto most = static_cast<double>(kMostRegistersPerThread);
  if (!machine_.registers_per_sm) return most;
  double left = *machine_.registers_per_sm / point.ctas_per_sm;
  for (const Role& other : shaped_.roles) {
    if (&other == &role) continue;
    left -= 32.0 * other.instances * other.warps * other.registers_per_thread;
  }
  const double each = std::floor(left / (32.0 * role.warps * point.consumers) / kRegisterStep);
  const double cap =
      changes_registers(shaped_) ? std::floor(most / kRegisterStep) * kRegisterStep : most;
  return std::min(cap, each * kRegisterStep);
}

std::optional<Obstacle> DesignSpace::obstacle(const DesignPoint& point) const {
  const double bytes = shared_memory_bytes(point);
  const double per_sm =
      point.ctas_per_sm * (bytes + machine_.shared_memory_reserved_bytes.value_or(0.0));
  if (bytes > machine_.shared_memory_per_cta_bytes.value_or(bytes) ||
      per_sm > machine_.shared_memory_per_sm_bytes.value_or(per_sm)) {
    return Obstacle::kSharedMemory;
  }
  if (registers_needed(point).total() > registers_there(point)) return Obstacle::kRegisters;
  const Role& role = shaped_.roles[role_];
  const int warps = shaped_.threads() / 32 + (point.consumers - role.instances) * role.warps;
  const double threads = 32.0 * warps * point.ctas_per_sm;
  if (threads > machine_.threads_per_sm.value_or(threads)) return Obstacle::kThreads;
  return std::nullopt;
}

Pipeline DesignSpace::pipeline(const DesignPoint& point) const {
  Pipeline pipeline = base_;
  TileChoice& tile = pipeline.tiles.front();
  tile.tile_m = Size(static_cast<double>(point.tile_m));
  tile.tile_n = Size(static_cast<double>(point.tile_n));
  tile.stages = point.stages;
  RoleShape& shape = shape_of(tile, shaped_.roles[role_].name);
  shape.instances = point.consumers;
  shape.registers_per_thread = static_cast<int>(registers_there(point));
  tile.ctas_per_sm = point.ctas_per_sm;
  pipeline.is_persistent = point.grid != GridStyle::kCtaPerTile;
  pipeline.takes_strided_tiles = point.grid == GridStyle::kPersistentStrided;
  pipeline.is_longest_first = point.is_longest_first;
  if (!point.is_longest_first) pipeline.section_bytes = 0.0;
  return pipeline;
}

}  // namespace fa3prof::sim
