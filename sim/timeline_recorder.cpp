#include "sim/timeline_recorder.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>

namespace fa3prof::sim {
namespace {

std::string instance_name(const Pipeline& pipeline, const Instance& at, std::size_t slots) {
  const sim::Role& role = pipeline.roles[at.role];
  std::string name = role.name;
  if (role.instances > 1) name += fmt::format(" {}", at.number + 1);
  if (slots > 1) name += fmt::format(" of CTA {}", at.slot + 1);
  return name;
}

/// The names of the buffers whose loads arrive on each barrier.
std::vector<std::string> loaded_names(const Pipeline& pipeline) {
  std::vector<std::string> names(pipeline.barriers.size());
  for (const sim::Role& role : pipeline.roles) {
    for (const auto& steps : role.sections) {
      for (const Step& step : steps) {
        const auto* load = std::get_if<Load>(&step.action);
        if (load != nullptr && load->signals) names[*load->signals] = step.name;
      }
    }
  }
  return names;
}

/// The unit that a step keeps busiest; kNone for a chain of latencies, which keeps none busy.
std::size_t busiest_unit(const EventOp& op) {
  const auto* const most = std::ranges::max_element(op.share);
  return *most > 0.0 ? static_cast<std::size_t>(most - op.share.begin()) : kNone;
}

}  // namespace

TimelineRecorder::TimelineRecorder(const EventProgram& program, std::size_t slots)
    : program_(program), loaded_(loaded_names(*program.pipeline)) {
  for (const Instance& at : initial_state(program, slots).instances) {
    const std::string name = instance_name(*program.pipeline, at, slots);
    Role& role = roles_.emplace_back();
    role.steps = add_track(name, false);
    role.operations = add_track(name + " asynchronous", true);
    role.groups.resize(program.pipeline->roles[at.role].groups.size());
  }
  tensor_ = add_track("tensor core", false);
  for (std::size_t unit = 0; unit < kSharedUnits; ++unit) {
    units_[unit] = add_track(fmt::format("{} unit", kResourceNames[unit]), true);
  }
  loads_ = add_track("TMA", true);
}

std::size_t TimelineRecorder::add_track(const std::string& name, bool overlaps) {
  process_.tracks.push_back({.name = name, .overlaps = overlaps, .spans = {}});
  return process_.tracks.size() - 1;
}

void TimelineRecorder::put(std::size_t track, const Open& open, Ticks end) {
  if (end <= open.begin || open.name.empty()) return;
  process_.tracks[track].spans.push_back(
      {.name = open.name, .begin = to_cycles(open.begin), .end = to_cycles(end)});
}

std::string TimelineRecorder::step_name(const Instance& at) const {
  const std::string& name =
      program_.pipeline->roles[at.role].steps(at.cursor.section)[at.cursor.index].name;
  switch (at.op->kind) {
    case OpKind::kWait:
    case OpKind::kWaitGroup:
      return "wait " + name;
    case OpKind::kIssue:
      return "issue " + name;
    default:
      return name;
  }
}

void TimelineRecorder::watch(const SmState& state) {
  now_ = state.now.at;
  for (std::size_t i = 0; i < state.instances.size(); ++i) {
    watch_step(state, i);
    watch_groups(state.instances[i], roles_[i], now_);
  }
  watch_tensor(state);
  watch_loads(state);
  watch_uses(state);
}

void TimelineRecorder::watch_step(const SmState& state, std::size_t instance) {
  const Instance& at = state.instances[instance];
  Role& role = roles_[instance];
  const bool is_idle = at.doing == Doing::kDone || at.doing == Doing::kAtCtaEnd;
  const Place place{.op = is_idle ? nullptr : at.op, .cursor = at.cursor};
  if (place == role.place) return;
  put(role.steps, role.step, now_);
  const std::size_t unit = role.place.op == nullptr ? kNone : busiest_unit(*role.place.op);
  if (unit != kNone) {
    put(units_[unit],
        {.name = process_.tracks[role.steps].name + " " + role.step.name, .begin = role.step.begin},
        now_);
  }
  role.place = place;
  role.step = {.name = is_idle ? "" : step_name(at), .begin = now_};
}

void TimelineRecorder::watch_groups(const Instance& at, Role& role, Ticks now) {
  for (std::size_t group = 0; group < role.groups.size(); ++group) {
    auto& open = role.groups[group];
    const bool is_pending = at.pending[group] > 0;
    if (is_pending == open.has_value()) continue;
    if (is_pending) {
      open = Open{.name = program_.pipeline->roles[at.role].groups[group], .begin = now};
    } else {
      put(role.operations, *open, now);
      open.reset();
    }
  }
}

void TimelineRecorder::watch_tensor(const SmState& state) {
  const bool is_busy = !state.tensor.empty() && state.tensor.front().ready <= now_;
  const bool goes_on = is_busy && executing_ && state.tensor.front().op == executing_->op &&
                       state.tensor.front().instance == executing_->instance;
  if (goes_on || (!is_busy && !executing_)) return;
  if (executing_) put(tensor_, execution_, now_);
  executing_.reset();
  if (!is_busy) return;
  executing_ = state.tensor.front();
  const std::size_t instance = executing_->instance;
  const auto& steps = program_.pipeline->roles[state.instances[instance].role].groups;
  const std::string what = executing_->op->group == kNone ? "GEMM" : steps[executing_->op->group];
  execution_ = {.name = process_.tracks[roles_[instance].steps].name + " " + what, .begin = now_};
}

/// A load's end is an event from its beginning on.
void TimelineRecorder::watch_loads(const SmState& state) {
  std::vector<Event> begun;
  for (const Event& event : state.events) {
    const bool is_load = event.kind == EventKind::kArrival && !loaded_[event.target].empty();
    if (event.order >= next_event_ && is_load) begun.push_back(event);
  }
  std::ranges::sort(begun, {}, &Event::order);
  for (const Event& event : begun) {
    put(loads_, {.name = loaded_[event.target], .begin = now_}, event.at);
    begun_[{state.instances[event.instance].slot, event.target}].push_back(
        {.track = roles_[event.instance].steps, .at = to_cycles(now_)});
  }
  next_event_ = state.scheduled;
}

/// The n-th time that an instance passes the barrier of a load, it has come to the n-th load.
void TimelineRecorder::watch_uses(const SmState& state) {
  for (std::size_t slot = 0; slot < state.barriers.size(); ++slot) {
    for (std::size_t b = 0; b < loaded_.size(); ++b) {
      if (loaded_[b].empty()) continue;
      const std::vector<std::int64_t>& passes = state.barriers[slot][b].passes;
      std::vector<std::int64_t>& used = used_[{slot, b}];
      const std::vector<core::TrackPoint>& begun = begun_[{slot, b}];
      used.resize(passes.size());
      for (std::size_t i = 0; i < passes.size(); ++i) {
        if (passes[i] <= used[i]) continue;
        const auto load = static_cast<std::size_t>(used[i]++);
        if (load >= begun.size()) continue;
        process_.flows.push_back({.name = loaded_[b],
                                  .from = begun[load],
                                  .to = {.track = roles_[i].steps, .at = to_cycles(now_)}});
      }
    }
  }
}

core::Process TimelineRecorder::finish(Ticks end) {
  for (Role& role : roles_) {
    if (role.place.op != nullptr) put(role.steps, role.step, end);
  }
  if (executing_) put(tensor_, execution_, end);
  std::vector<std::size_t> place(process_.tracks.size(), kNone);
  core::Process kept;
  for (std::size_t track = 0; track < process_.tracks.size(); ++track) {
    if (process_.tracks[track].spans.empty()) continue;
    place[track] = kept.tracks.size();
    kept.tracks.push_back(std::move(process_.tracks[track]));
    std::ranges::stable_sort(kept.tracks.back().spans, {}, &core::Span::begin);
  }
  for (core::Flow& flow : process_.flows) {
    if (place[flow.from.track] == kNone || place[flow.to.track] == kNone) continue;
    flow.from.track = place[flow.from.track];
    flow.to.track = place[flow.to.track];
    kept.flows.push_back(std::move(flow));
  }
  return kept;
}

}  // namespace fa3prof::sim
