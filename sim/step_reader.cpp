#include "sim/step_reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace fa3prof::sim {
namespace {

/// Where a step is read from and into.
struct Context {
  core::JsonReader& reader;  ///< the step's object
  Pipeline& pipeline;
  Role& role;
};

/// Index of the element of `named` called as `reader` says; `what` is for the error.
template <typename Named>
std::size_t index_of(const core::JsonReader& reader, const std::vector<Named>& named,
                     std::string_view what) {
  const std::string name = reader.string();
  const auto found = std::ranges::find(named, name, &Named::name);
  if (found != named.end()) return static_cast<std::size_t>(found - named.begin());
  std::vector<std::string> names;
  names.reserve(named.size());
  for (const Named& element : named) names.push_back(element.name);
  reader.fail(fmt::format("'{}' is no {} of this pipeline; it has: {}", name, what,
                          fmt::join(names, ", ")));
}

template <std::size_t kCount>
std::size_t choice_of(const core::JsonReader& reader,
                      const std::array<std::string_view, kCount>& choices) {
  const std::string word = reader.string();
  const auto found = std::ranges::find(choices, word);
  if (found != choices.end()) return static_cast<std::size_t>(found - choices.begin());
  reader.fail(fmt::format("'{}' must be one of {}", word, fmt::join(choices, ", ")));
}

GroupIndex group_named(Role& role, const std::string& name) {
  const auto found = std::ranges::find(role.groups, name);
  const auto index = static_cast<GroupIndex>(found - role.groups.begin());
  if (found == role.groups.end()) role.groups.push_back(name);
  return index;
}

std::optional<BarrierIndex> read_signal(const Context& at) {
  const auto signals = at.reader.find("signals");
  if (!signals) return std::nullopt;
  const BarrierIndex barrier = index_of(*signals, at.pipeline.barriers, "barrier");
  if (at.pipeline.barriers[barrier].kind != BarrierKind::kMbarrier) {
    signals->fail("the end of a background operation can only arrive on an mbarrier");
  }
  return barrier;
}

/// `name` when "is_async" is true.
std::optional<GroupIndex> read_group(const Context& at, const std::string& name) {
  const auto is_async = at.reader.find("is_async");
  if (!is_async || !is_async->boolean()) return std::nullopt;
  return group_named(at.role, name);
}

Step read_load(const Context& at, const core::JsonReader& verb) {
  const std::size_t buffer = index_of(verb, at.pipeline.buffers, "buffer");
  Load load{.bytes = at.pipeline.buffers[buffer].bytes, .buffer = buffer};
  constexpr std::array<std::string_view, 3> kUnits{"tma", "cp_async", "registers"};
  load.by = static_cast<CopyUnit>(choice_of(at.reader.at("by"), kUnits));
  constexpr std::array<std::string_view, 2> kSources{"l2", "memory"};
  if (const auto from = at.reader.find("from"))
    load.is_from_memory = choice_of(*from, kSources) == 1;
  if (at.pipeline.buffers[buffer].is_in_registers && load.by != CopyUnit::kRegisters) {
    verb.fail("this buffer is in registers; load it by registers");
  }
  load.signals = read_signal(at);
  if (load.signals && load.by == CopyUnit::kRegisters) {
    verb.fail("a load by registers signals nothing; use wait_group");
  }
  if (!load.signals) load.group = group_named(at.role, verb.string());
  return {.name = verb.string(), .action = load};
}

Step read_store(const Context& at, const core::JsonReader& verb) {
  return {.name = verb.string(), .action = Store{.bytes = Size::read(at.reader.at("bytes"))}};
}

Step read_exchange(const Context& at, const core::JsonReader& verb) {
  return {.name = verb.string(), .action = Exchange{.bytes = Size::read(at.reader.at("bytes"))}};
}

/// wait, arrive and sync; which kinds of barrier a verb fits is PTX's rule.
template <typename Action>
Step read_barrier_use(const Context& at, const core::JsonReader& verb, bool fits_mbarrier,
                      bool fits_named) {
  const BarrierIndex index = index_of(verb, at.pipeline.barriers, "barrier");
  const bool is_mbarrier = at.pipeline.barriers[index].kind == BarrierKind::kMbarrier;
  if (is_mbarrier && !fits_mbarrier) verb.fail("this is an mbarrier; use wait or arrive");
  if (!is_mbarrier && !fits_named) verb.fail("this is a named barrier; use sync or arrive");
  return {.name = verb.string(), .action = Action{.barrier = index}};
}

Step read_wait(const Context& at, const core::JsonReader& verb) {
  return read_barrier_use<Wait>(at, verb, true, false);
}

Step read_arrive(const Context& at, const core::JsonReader& verb) {
  return read_barrier_use<Arrive>(at, verb, true, true);
}

Step read_sync(const Context& at, const core::JsonReader& verb) {
  return read_barrier_use<Wait>(at, verb, false, true);
}

Step read_cta_barrier(const Context& at, const core::JsonReader& verb) {
  auto& barriers = at.pipeline.barriers;
  auto found = std::ranges::find(barriers, BarrierKind::kCta, &Barrier::kind);
  if (found == barriers.end()) {
    found = barriers.insert(barriers.end(), {.name = "barrier", .kind = BarrierKind::kCta});
  }
  return {.name = verb.string(),
          .action = Wait{.barrier = static_cast<BarrierIndex>(found - barriers.begin())}};
}

Step read_mma(const Context& at, const core::JsonReader& verb) {
  constexpr std::array<std::string_view, 2> kUnits{"wgmma", "mma_sync"};
  constexpr std::array<std::string_view, 2> kSources{"registers", "shared"};
  const auto b = at.reader.find("b");
  const bool is_b_shared = !b || choice_of(*b, kSources) == 1;
  Mma mma{.m = Size::read(at.reader.at("m")),
          .n = Size::read(at.reader.at("n")),
          .k = Size::read(at.reader.at("k")),
          .by = static_cast<MmaUnit>(choice_of(at.reader.at("by"), kUnits)),
          .is_a_shared = choice_of(at.reader.at("a"), kSources) == 1,
          .is_b_shared = is_b_shared,
          .group = read_group(at, verb.string())};
  if (mma.by == MmaUnit::kMmaSync && mma.group) verb.fail("mma_sync cannot be asynchronous");
  if (mma.by == MmaUnit::kWgmma && !is_b_shared) b->fail("wgmma takes B from shared memory only");
  return {.name = verb.string(), .action = mma};
}

Step read_wait_group(const Context& at, const core::JsonReader& verb) {
  return {.name = "wait_" + verb.string(),
          .action = WaitGroup{.group = group_named(at.role, verb.string())}};
}

/// Counts by the names of operations.
std::array<double, kOperationNames.size()> read_operations(core::JsonReader reader) {
  std::array<double, kOperationNames.size()> counts{};
  for (std::size_t i = 0; i < kOperationNames.size(); ++i) {
    if (const auto count = reader.find(kOperationNames[i])) {
      counts[i] = count->number(core::kNotNegative);
    }
  }
  reader.finish();
  return counts;
}

template <StatedTime kTime>
Step read_pause(const Context&, const core::JsonReader& verb) {
  return {.name = verb.string(), .action = Pause{.time = kTime}};
}

/// Work per element, a chain of dependent instructions, or both.
Step read_elementwise(const Context& at, const core::JsonReader& verb) {
  Elementwise step;
  const auto chain = at.reader.find("dependent");
  const auto chain_of_shuffles = at.reader.find("dependent_shuffles");
  if (const auto work = at.reader.find("per_element");
      work || (!chain && !chain_of_shuffles) || at.reader.find("elements")) {
    step.elements = Size::read(at.reader.at("elements"));
    step.operations = read_operations(at.reader.at("per_element"));
  }
  if (chain) step.dependent = read_operations(*chain);
  if (chain_of_shuffles) {
    step.dependent[static_cast<std::size_t>(Operation::kShuffle)] +=
        chain_of_shuffles->number(core::kNotNegative);
  }
  return {.name = verb.string(), .action = step};
}

Step read_delay(const Context& at, const core::JsonReader& verb) {
  Delay delay{.cycles = at.reader.at("cycles").sourced_number(core::kNotNegative).value};
  const auto unit = at.reader.at("unit");
  if (unit.string() != "barrier")
    delay.unit = static_cast<Resource>(choice_of(unit, kResourceNames));
  delay.signals = read_signal(at);
  delay.group = read_group(at, verb.string());
  if (delay.signals && delay.group) verb.fail("state signals or is_async, not both");
  return {.name = verb.string(), .action = delay};
}

struct Verb {
  std::string_view key;
  Step (*read)(const Context&, const core::JsonReader&);
};

constexpr std::array kVerbs{
    Verb{"load", read_load},
    Verb{"store", read_store},
    Verb{"exchange", read_exchange},
    Verb{"wait", read_wait},
    Verb{"arrive", read_arrive},
    Verb{"sync", read_sync},
    Verb{"barrier", read_cta_barrier},
    Verb{"mma", read_mma},
    Verb{"wait_group", read_wait_group},
    Verb{"delay", read_delay},
    Verb{"elementwise", read_elementwise},
    Verb{"atomic", read_pause<StatedTime::kAtomic>},
    Verb{"register_change", read_pause<StatedTime::kRegisterChange>},
    Verb{"tensor_map", read_pause<StatedTime::kTensorMap>},
};

}  // namespace

Step read_step(core::JsonReader reader, Pipeline& pipeline, Role& role) {
  std::optional<Step> step;
  for (const Verb& verb : kVerbs) {
    const auto value = reader.find(verb.key);
    if (!value) continue;
    if (step) value->fail("a step has one verb; make two steps of this");
    step = verb.read({reader, pipeline, role}, *value);
  }
  if (!step) {
    std::vector<std::string_view> keys;
    keys.reserve(kVerbs.size());
    for (const Verb& verb : kVerbs) keys.push_back(verb.key);
    reader.fail(fmt::format("this step has no verb; write one of {}", fmt::join(keys, ", ")));
  }
  if (const auto when = reader.find("for")) {
    step->when = static_cast<StepFor>(choice_of(*when, kStepForNames));
  }
  if (const auto trait = reader.find("with")) step->with = trait->string();
  if (const auto trait = reader.find("without")) step->without = trait->string();
  reader.finish();
  return *std::move(step);
}

}  // namespace fa3prof::sim
