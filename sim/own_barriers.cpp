#include "sim/own_barriers.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace fa3prof::sim {
namespace {

/// Where the barriers of the file are now, and how many there are of each.
struct Places {
  std::vector<BarrierIndex> first;
  std::vector<int> count;
};

/// The barrier that a step names, or nothing.
const BarrierIndex* barrier_of(const Step& step) {
  if (const auto* wait = std::get_if<Wait>(&step.action)) return &wait->barrier;
  if (const auto* arrive = std::get_if<Arrive>(&step.action)) return &arrive->barrier;
  if (const auto* load = std::get_if<Load>(&step.action)) {
    return load->signals ? &*load->signals : nullptr;
  }
  if (const auto* delay = std::get_if<Delay>(&step.action)) {
    return delay->signals ? &*delay->signals : nullptr;
  }
  return nullptr;
}

/// The step with its barrier at its new place; `instance` chooses among several.
Step moved(Step step, const Places& places, int instance) {
  const auto move = [&](BarrierIndex& barrier) {
    barrier = places.first[barrier] + static_cast<BarrierIndex>(instance);
  };
  if (auto* wait = std::get_if<Wait>(&step.action)) move(wait->barrier);
  if (auto* arrive = std::get_if<Arrive>(&step.action)) move(arrive->barrier);
  if (auto* load = std::get_if<Load>(&step.action); load != nullptr && load->signals) {
    move(*load->signals);
  }
  if (auto* delay = std::get_if<Delay>(&step.action); delay != nullptr && delay->signals) {
    move(*delay->signals);
  }
  return step;
}

/// How often neighbouring steps for each instance are written out.
int copies_of(const std::vector<Step>& steps, std::size_t begin, std::size_t end,
              const Places& places) {
  int copies = 1;
  for (std::size_t i = begin; i < end; ++i) {
    if (const BarrierIndex* barrier = barrier_of(steps[i])) {
      copies = std::max(copies, places.count[*barrier]);
    }
  }
  return copies;
}

std::vector<Step> written_out(const std::vector<Step>& steps, const Places& places) {
  std::vector<Step> result;
  for (std::size_t i = 0; i < steps.size();) {
    std::size_t end = i + 1;
    if (steps[i].when != StepFor::kEachInstance) {
      result.push_back(moved(steps[i], places, 0));
      i = end;
      continue;
    }
    while (end < steps.size() && steps[end].when == StepFor::kEachInstance) ++end;
    const int copies = copies_of(steps, i, end, places);
    for (int copy = 0; copy < copies; ++copy) {
      for (std::size_t s = i; s < end; ++s) {
        const BarrierIndex* barrier = barrier_of(steps[s]);
        const bool is_one_of_several = barrier != nullptr && places.count[*barrier] > 1;
        result.push_back(moved(steps[s], places, is_one_of_several ? copy : 0));
        result.back().when = StepFor::kEachBlock;
      }
    }
    i = end;
  }
  return result;
}

void mark_own(Role& role, const Pipeline& pipeline) {
  for (auto& steps : role.sections) {
    for (Step& step : steps) {
      if (auto* wait = std::get_if<Wait>(&step.action)) {
        wait->is_own = wait->is_own || pipeline.barriers[wait->barrier].of == role.name;
      }
      if (auto* arrive = std::get_if<Arrive>(&step.action)) {
        arrive->is_own = arrive->is_own || pipeline.barriers[arrive->barrier].of == role.name;
      }
    }
  }
}

}  // namespace

Pipeline with_own_barriers(Pipeline pipeline) {
  Places places;
  std::vector<Barrier> barriers;
  for (const Barrier& barrier : pipeline.barriers) {
    const auto role = std::ranges::find(pipeline.roles, barrier.of, &Role::name);
    const int count = barrier.of.empty() ? 1 : role->instances;
    places.first.push_back(barriers.size());
    places.count.push_back(count);
    for (int i = 0; i < count; ++i) {
      barriers.push_back(barrier);
      barriers.back().of.clear();
      if (count > 1) barriers.back().name += fmt::format("[{}]", i);
    }
  }
  for (Role& role : pipeline.roles) {
    mark_own(role, pipeline);
    for (auto& steps : role.sections) steps = written_out(steps, places);
  }
  pipeline.barriers = std::move(barriers);
  return pipeline;
}

}  // namespace fa3prof::sim
