#include "sim/pipeline.h"

#include "sim/builtin_configs.h"
#include "sim/own_barriers.h"
#include "src/core/error.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace fa3prof::sim {
namespace {

bool matches(const TileChoice& choice, const core::AttentionProblem& problem) {
  return choice.head_dim.value_or(problem.head_dim) == problem.head_dim &&
         choice.is_causal.value_or(problem.is_causal) == problem.is_causal &&
         choice.dtype.value_or(problem.dtype) == problem.dtype;
}

std::string describe(const TileChoice& choice) {
  std::vector<std::string> conditions;
  if (choice.head_dim) conditions.push_back(fmt::format("head_dim {}", *choice.head_dim));
  if (choice.is_causal) conditions.emplace_back(*choice.is_causal ? "causal" : "not causal");
  if (choice.dtype) conditions.emplace_back(core::name_of(*choice.dtype));
  return fmt::format("{}", fmt::join(conditions, " "));
}

[[noreturn]] void refuse(const Pipeline& pipeline, const core::AttentionProblem& problem) {
  std::vector<std::string> choices;
  for (const TileChoice& choice : pipeline.tiles) choices.push_back(describe(choice));
  throw core::UsageError(fmt::format("pipeline {} has no tile for {}; it has: {}", pipeline.name,
                                     core::describe(problem), fmt::join(choices, "; ")));
}

std::int64_t whole(const Pipeline& pipeline, const Size& size, const SizeScope& scope,
                   std::string_view name) {
  const double value = size.value(scope);
  constexpr double kLargest = std::numeric_limits<std::int32_t>::max();
  if (!(value >= 1.0 && value <= kLargest) || value != std::floor(value)) {
    throw core::UsageError(
        fmt::format("pipeline {}: {} is {} = {}, but must be a whole number from 1 to {:.0f}",
                    pipeline.name, name, size.formula(scope), value, kLargest));
  }
  return static_cast<std::int64_t>(value);
}

/// Of a CTA whose roles are as `choice` shapes them.
double warps_of(const Pipeline& pipeline, const TileChoice& choice) {
  int warps = 0;
  for (const Role& role : pipeline.roles) {
    const auto shape = std::ranges::find(choice.roles, role.name, &RoleShape::role);
    const bool is_shaped = shape != choice.roles.end() && shape->instances > 0;
    warps += role.warps * (is_shaped ? shape->instances : role.instances);
  }
  return warps;
}

}  // namespace

const TileChoice& choice_for(const Pipeline& pipeline, const core::AttentionProblem& problem) {
  if (std::ranges::find(pipeline.dtypes, problem.dtype) == pipeline.dtypes.end()) {
    std::vector<std::string_view> dtypes;
    for (const core::DataType dtype : pipeline.dtypes) dtypes.push_back(core::name_of(dtype));
    throw core::UsageError(fmt::format("pipeline {} is for {}, not for {}; choose with --dtype",
                                       pipeline.name, fmt::join(dtypes, " and "),
                                       core::name_of(problem.dtype)));
  }
  const auto choice = std::ranges::find_if(
      pipeline.tiles, [&](const TileChoice& c) { return matches(c, problem); });
  if (choice == pipeline.tiles.end()) refuse(pipeline, problem);
  return *choice;
}

bool TileChoice::has(const std::string& trait) const {
  return std::ranges::find(traits, trait) != traits.end();
}

int Pipeline::threads() const {
  int warps = 0;
  for (const Role& role : roles) warps += role.instances * role.warps;
  return 32 * warps;
}

bool Pipeline::has_cross() const {
  return std::ranges::any_of(roles,
                             [](const Role& role) { return !role.steps(Section::kCross).empty(); });
}

TileSizes tile_sizes(const Pipeline& pipeline, const core::AttentionProblem& problem) {
  const TileChoice& choice = choice_for(pipeline, problem);
  TileSizes sizes{.tile = {}, .stages = choice.stages, .scope = {}};
  SizeScope& scope = sizes.scope;
  scope[SizeName::kHeadDim] = static_cast<double>(problem.head_dim);
  scope[SizeName::kValueChannels] =
      static_cast<double>(choice.value_channels.value_or(problem.head_dim));
  sizes.tile.value_channels = choice.value_channels;
  scope[SizeName::kElementBytes] = static_cast<double>(core::element_bytes(problem.dtype));
  scope[SizeName::kSeqlenQ] = static_cast<double>(problem.seqlen_q);
  scope[SizeName::kSeqlenKv] = static_cast<double>(problem.seqlen_kv);
  scope[SizeName::kStages] = static_cast<double>(choice.stages);
  scope[SizeName::kWarpgroups] = warps_of(pipeline, choice) / kWarpsOfGroup;
  sizes.tile.m = whole(pipeline, choice.tile_m, scope, "tile_m");
  scope[SizeName::kTileM] = static_cast<double>(sizes.tile.m);
  sizes.tile.n = whole(pipeline, choice.tile_n, scope, "tile_n");
  scope[SizeName::kTileN] = static_cast<double>(sizes.tile.n);
  for (const Role& role : pipeline.roles) {
    if (role.rows.value(scope) == 0.0) continue;
    static_cast<void>(whole(pipeline, role.rows, scope, "rows of role " + role.name));
  }
  return sizes;
}

Pipeline with_steps_of(Pipeline pipeline, const TileChoice& choice) {
  for (Role& role : pipeline.roles) {
    for (std::vector<Step>& steps : role.sections) {
      std::erase_if(steps, [&choice](const Step& step) {
        const bool lacks = !step.with.empty() && !choice.has(step.with);
        return lacks || (!step.without.empty() && choice.has(step.without));
      });
    }
  }
  return pipeline;
}

Pipeline shaped_by(Pipeline pipeline, const TileChoice& choice) {
  for (const RoleShape& shape : choice.roles) {
    Role& role = *std::ranges::find(pipeline.roles, shape.role, &Role::name);
    if (shape.instances > 0) role.instances = shape.instances;
    if (shape.registers_per_thread > 0) role.registers_per_thread = shape.registers_per_thread;
  }
  if (choice.ctas_per_sm > 0) pipeline.ctas_per_sm = choice.ctas_per_sm;
  return with_own_barriers(with_steps_of(std::move(pipeline), choice));
}

Pipeline shaped_for(Pipeline pipeline, const core::AttentionProblem& problem) {
  const TileChoice choice = choice_for(pipeline, problem);
  return shaped_by(std::move(pipeline), choice);
}

double shared_memory_bytes(const Pipeline& pipeline, const SizeScope& scope) {
  double bytes = 0.0;
  for (const Buffer& buffer : pipeline.buffers) {
    if (buffer.is_in_registers) continue;
    bytes += buffer.bytes.value(scope) * buffer.copies.value(scope);
  }
  return bytes;
}

Pipeline load_pipeline(const std::string& name_or_path) {
  const ConfigDocument document = load_config(ConfigKind::kPipeline, name_or_path);
  return read_pipeline({document.json, document.file});
}

std::vector<std::string> builtin_pipelines() { return builtin_config_names(ConfigKind::kPipeline); }

}  // namespace fa3prof::sim
