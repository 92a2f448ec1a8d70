#include "sim/program_check.h"

#include "sim/critical_path.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace fa3prof::sim {
namespace {

using Flaw = std::optional<std::string>;

/// Calls visit(role, section, index, step) for every step; stops at the first flaw it returns.
template <typename Visit>
Flaw first_flaw(const Pipeline& pipeline, Visit visit) {
  for (const Role& role : pipeline.roles) {
    for (std::size_t section = 0; section < role.sections.size(); ++section) {
      for (std::size_t i = 0; i < role.sections[section].size(); ++i) {
        const Step& step = role.sections[section][i];
        if (const Flaw flaw = visit(role, step)) {
          return fmt::format("role {}, {} step {} ({}): {}", role.name, kSectionNames[section],
                             i + 1, step.name, *flaw);
        }
      }
    }
  }
  return std::nullopt;
}

std::optional<BarrierIndex> barrier_signalled(const Step& step) {
  if (const auto* arrive = std::get_if<Arrive>(&step.action)) return arrive->barrier;
  if (const auto* load = std::get_if<Load>(&step.action)) return load->signals;
  if (const auto* delay = std::get_if<Delay>(&step.action)) return delay->signals;
  return std::nullopt;
}

std::optional<GroupIndex> group_issued(const Step& step) {
  if (const auto* mma = std::get_if<Mma>(&step.action)) return mma->group;
  if (const auto* load = std::get_if<Load>(&step.action)) return load->group;
  if (const auto* delay = std::get_if<Delay>(&step.action)) return delay->group;
  return std::nullopt;
}

Flaw find_unsignalled_wait(const Pipeline& pipeline) {
  std::set<BarrierIndex> signalled;
  first_flaw(pipeline, [&](const Role&, const Step& step) -> Flaw {
    if (const auto barrier = barrier_signalled(step)) signalled.insert(*barrier);
    return std::nullopt;
  });
  return first_flaw(pipeline, [&](const Role&, const Step& step) -> Flaw {
    const auto* wait = std::get_if<Wait>(&step.action);
    if (wait == nullptr || signalled.contains(wait->barrier)) return std::nullopt;
    const BarrierKind kind = pipeline.barriers[wait->barrier].kind;
    if (kind == BarrierKind::kNamed || kind == BarrierKind::kCta) return std::nullopt;
    return "nothing ever arrives on this barrier; add an arrive or a load that signals it";
  });
}

Flaw find_unissued_group(const Pipeline& pipeline) {
  return first_flaw(pipeline, [](const Role& role, const Step& step) -> Flaw {
    const auto* wait = std::get_if<WaitGroup>(&step.action);
    if (wait == nullptr) return std::nullopt;
    const auto issues = [&](const Step& other) { return group_issued(other) == wait->group; };
    for (const auto& steps : role.sections) {
      if (std::ranges::any_of(steps, issues)) return std::nullopt;
    }
    return "this role issues no background operation of that name";
  });
}

/// A turn goes round the instances of one role.
Flaw find_shared_turn(const Pipeline& pipeline) {
  std::vector<const Role*> users(pipeline.barriers.size());
  return first_flaw(pipeline, [&](const Role& role, const Step& step) -> Flaw {
    auto barrier = barrier_signalled(step);
    if (const auto* wait = std::get_if<Wait>(&step.action)) barrier = wait->barrier;
    if (!barrier || pipeline.barriers[*barrier].kind != BarrierKind::kTurn) return std::nullopt;
    if (users[*barrier] == nullptr) users[*barrier] = &role;
    if (users[*barrier] == &role) return std::nullopt;
    return fmt::format("this turn already goes round role {}; declare another",
                       users[*barrier]->name);
  });
}

bool names_stages_at_most(const Size& size) {
  for (std::size_t i = 0; i < kSizeNames.size(); ++i) {
    const auto name = static_cast<SizeName>(i);
    if (name != SizeName::kStages && size.names(name)) return false;
  }
  return true;
}

/// A wait that lets more loads pass at first than the buffer has copies, for some tile.
Flaw find_early_load(const Pipeline& pipeline, const Load& load, const Barrier& guard) {
  const Buffer& buffer = pipeline.buffers[load.buffer];
  if (guard.kind != BarrierKind::kMbarrier || !names_stages_at_most(buffer.copies)) {
    return std::nullopt;
  }
  for (const TileChoice& choice : pipeline.tiles) {
    SizeScope scope;
    scope[SizeName::kStages] = static_cast<double>(choice.stages);
    const double free = guard.initially_free.value(scope);
    const double copies = buffer.copies.value(scope);
    if (free > copies) {
      return fmt::format(
          "barrier {} lets {} loads pass before anyone has read, but buffer {} has {} copies: one "
          "in use is overwritten",
          guard.name, free, buffer.name, copies);
    }
  }
  return std::nullopt;
}

/// Step `index` loads; what must come before it, since the last load of that buffer.
Flaw find_overwriting(const Pipeline& pipeline, const std::vector<Step>& steps, std::size_t index) {
  const auto& load = std::get<Load>(steps[index].action);
  for (std::size_t i = index; i > 0; --i) {
    const Step& before = steps[i - 1];
    if (const auto* wait = std::get_if<Wait>(&before.action)) {
      return find_early_load(pipeline, load, pipeline.barriers[wait->barrier]);
    }
    const auto* other = std::get_if<Load>(&before.action);
    if (other != nullptr && other->buffer == load.buffer) break;
  }
  return fmt::format(
      "it loads buffer {} again while it may be in use; wait before for a barrier that its readers "
      "arrive on",
      pipeline.buffers[load.buffer].name);
}

/// What is loaded again and again must be free by then.
Flaw find_overwritten_buffer(const Pipeline& pipeline) {
  for (const Role& role : pipeline.roles) {
    for (const Section section : {Section::kLoop, Section::kCross}) {
      const auto& steps = role.steps(section);
      for (std::size_t i = 0; i < steps.size(); ++i) {
        const auto* load = std::get_if<Load>(&steps[i].action);
        // What comes by registers is put into its buffer where it is waited for.
        if (load == nullptr || load->by == CopyUnit::kRegisters) continue;
        if (const Flaw flaw = find_overwriting(pipeline, steps, i)) {
          return fmt::format("role {}, {} step {} ({}): {}", role.name,
                             kSectionNames[static_cast<std::size_t>(section)], i + 1, steps[i].name,
                             *flaw);
        }
      }
    }
  }
  return std::nullopt;
}

Flaw find_missing_part(const Pipeline& pipeline) {
  if (pipeline.dtypes.empty()) return "dtypes is empty; name at least one";
  if (pipeline.tiles.empty()) return "tiles is empty; state at least one tile";
  if (pipeline.roles.empty()) return "roles is empty; a kernel has at least one";
  for (const Barrier& barrier : pipeline.barriers) {
    for (std::size_t i = 0; i < kSizeNames.size(); ++i) {
      const auto name = static_cast<SizeName>(i);
      if (name != SizeName::kStages && barrier.initially_free.names(name)) {
        return fmt::format("barrier {}: initially_free may be a number or name stages, not {}",
                           barrier.name, kSizeNames[i]);
      }
    }
  }
  return std::nullopt;
}

/// A number of free waits that is none, for some tile.
Flaw find_bad_count(const Pipeline& pipeline) {
  constexpr double kMostFree = 1e6;
  for (const TileChoice& choice : pipeline.tiles) {
    SizeScope scope;
    scope[SizeName::kStages] = static_cast<double>(choice.stages);
    for (const Barrier& barrier : pipeline.barriers) {
      const double free = barrier.initially_free.value(scope);
      if (free >= 0.0 && free <= kMostFree) continue;
      return fmt::format("barrier {}: initially_free is {} = {}, but must be between 0 and {:.0f}",
                         barrier.name, barrier.initially_free.formula(scope), free, kMostFree);
    }
  }
  return std::nullopt;
}

/// Every step takes no time: who waits for whom does not depend on the machine.
ProgramCosts zero_costs(const Pipeline& pipeline) {
  ProgramCosts costs;
  for (const Role& role : pipeline.roles) {
    auto& sections = costs.roles.emplace_back().sections;
    for (std::size_t i = 0; i < sections.size(); ++i) sections[i].resize(role.sections[i].size());
  }
  costs.handoff_cycles.resize(pipeline.barriers.size());
  return costs;
}

/// Which tiles a flaw is of, where their steps differ: " (tiles with the traits: early)".
std::string traits_text(const Pipeline& pipeline, const TileChoice& choice) {
  const bool differ = std::ranges::any_of(
      pipeline.tiles, [&](const TileChoice& other) { return other.traits != choice.traits; });
  if (!differ) return "";
  if (choice.traits.empty()) return " (tiles without traits)";
  return fmt::format(" (tiles with the traits: {})", fmt::join(choice.traits, ", "));
}

Flaw find_deadlock(const Pipeline& pipeline) {
  for (const TileChoice& choice : pipeline.tiles) {
    const Pipeline shaped = shaped_by(pipeline, choice);
    const ProgramCosts costs = zero_costs(shaped);
    SizeScope scope;
    scope[SizeName::kStages] = static_cast<double>(choice.stages);
    // Two laps round the stages show every wait that depends on a buffer set free.
    const int most_trips = 2 * static_cast<int>(choice.stages) + 1;
    for (int trips = 0; trips <= most_trips; ++trips) {
      const PathRequest request{.tiles = pipeline.is_persistent ? 3 : 1, .trips = trips};
      const PathResult result = run_uncontended(shaped, scope, costs, request);
      if (result.stuck) return *result.stuck + traits_text(pipeline, choice);
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> find_flaw(const Pipeline& pipeline) {
  if (Flaw flaw = find_missing_part(pipeline)) return flaw;
  if (Flaw flaw = find_bad_count(pipeline)) return flaw;
  for (const TileChoice& choice : pipeline.tiles) {
    const Pipeline of_tile = with_steps_of(pipeline, choice);
    for (const auto find :
         {find_unsignalled_wait, find_unissued_group, find_shared_turn, find_overwritten_buffer}) {
      if (const Flaw flaw = find(of_tile)) return *flaw + traits_text(pipeline, choice);
    }
  }
  return find_deadlock(pipeline);
}

}  // namespace fa3prof::sim
