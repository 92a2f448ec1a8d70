#include "sim/sm_state.h"

#include <fmt/format.h>

#include <algorithm>

namespace fa3prof::sim {
namespace {

/// What an instance does with a barrier.
struct Use {
  bool arrives = false;
  bool waits = false;
};

Use use_of(const EventProgram& program, const Instance& at, std::size_t barrier) {
  const BarrierKind kind = program.pipeline->barriers[barrier].kind;
  const bool sync_arrives = kind == BarrierKind::kNamed || kind == BarrierKind::kCta;
  Use use;
  for (const auto& ops : program.roles[at.role].sections) {
    for (const EventOp& op : ops) {
      if (op.barrier == kNone || op.kind == OpKind::kWaitGroup) continue;
      const std::size_t own = op.is_own ? static_cast<std::size_t>(at.number) : 0;
      if (op.barrier + own != barrier) continue;
      const bool is_wait = op.kind == OpKind::kWait;
      use.waits = use.waits || is_wait;
      use.arrives = use.arrives || !is_wait || sync_arrives;
    }
  }
  return use;
}

BarrierCounts counts_of(const EventProgram& program, const SmState& state, std::size_t slot,
                        std::size_t barrier) {
  BarrierCounts counts{.kind = program.pipeline->barriers[barrier].kind,
                       .initially_free = program.initially_free[barrier]};
  for (std::size_t i = 0; i < state.instances.size(); ++i) {
    const bool is_here = state.instances[i].slot == slot;
    const Use use = is_here ? use_of(program, state.instances[i], barrier) : Use{};
    counts.passes.push_back(use.waits ? 0 : -1);
    if (use.arrives) counts.arrivers.push_back(i);
  }
  counts.arrivals.resize(counts.arrivers.size());
  return counts;
}

}  // namespace

void BarrierCounts::arrive(std::size_t instance) {
  const auto slot = std::ranges::find(arrivers, instance) - arrivers.begin();
  ++arrivals[static_cast<std::size_t>(slot)];
}

bool BarrierCounts::is_open(std::size_t instance, int number) const {
  if (arrivals.empty()) return false;
  const std::int64_t passed = passes[instance];
  if (kind != BarrierKind::kTurn) return std::ranges::min(arrivals) + initially_free > passed;
  // The turn comes from the instance before; the first one starts with it.
  if (number == 0) return arrivals.back() + 1 > passed;
  const auto before = static_cast<std::size_t>(number - 1);
  return before < arrivals.size() && arrivals[before] > passed;
}

bool BarrierCounts::pass_if_open(std::size_t instance, int number) {
  if (!is_open(instance, number)) return false;
  ++passes[instance];
  return true;
}

SmState initial_state(const EventProgram& program, std::size_t slots) {
  SmState state;
  for (std::size_t slot = 0; slot < slots; ++slot) {
    std::size_t work = 0;
    for (std::size_t role = 0; role < program.roles.size(); ++role) {
      const Role& of = program.pipeline->roles[role];
      for (int number = 0; number < of.instances; ++number) {
        state.instances.push_back({.role = role,
                                   .number = number,
                                   .slot = slot,
                                   .work = work++,
                                   .pending = std::vector<int>(of.groups.size())});
      }
    }
  }
  for (std::size_t slot = 0; slot < slots; ++slot) {
    auto& barriers = state.barriers.emplace_back();
    for (std::size_t b = 0; b < program.pipeline->barriers.size(); ++b) {
      barriers.push_back(counts_of(program, state, slot, b));
    }
  }
  return state;
}

Moment Moment::since(const Moment& earlier) const {
  Moment duration = *this;
  duration.at -= earlier.at;
  duration.parts.add(-1.0, earlier.parts);
  for (std::size_t i = 0; i < busy_cycles.size(); ++i) {
    duration.busy_cycles[i] -= earlier.busy_cycles[i];
  }
  return duration;
}

void Moment::add(std::int64_t count, const Moment& duration) {
  at = later(at, count, duration.at);
  parts.add(static_cast<double>(count), duration.parts);
  for (std::size_t i = 0; i < busy_cycles.size(); ++i) {
    busy_cycles[i] += static_cast<double>(count) * duration.busy_cycles[i];
  }
}

std::optional<std::string> describe_stuck(const SmState& state, const Pipeline& pipeline) {
  const auto at = std::ranges::find_if(
      state.instances, [](const Instance& instance) { return instance.doing != Doing::kDone; });
  if (at == state.instances.end()) return std::nullopt;
  const Role& role = pipeline.roles[at->role];
  const Cursor& cursor = at->cursor;
  return fmt::format("deadlock: role {} (instance {} of {}), {} step {}, waits on {} for ever",
                     role.name, at->number + 1, role.instances,
                     kSectionNames[static_cast<std::size_t>(cursor.section)], cursor.index + 1,
                     role.steps(cursor.section)[cursor.index].name);
}

}  // namespace fa3prof::sim
