#include "sim/sm_units.h"

#include <algorithm>
#include <cmath>

namespace fa3prof::sim {
namespace {

constexpr double kSlowestTensor = 0.05;  // a stall leaves the tensor unit some of its speed

bool is_later(const Event& a, const Event& b) { return a.is_after(b); }

/// No longer than to_ticks() allows; what is left then is looked at again.
Ticks time_for(Ticks work, double speed) {
  if (speed <= 0.0) return kNever;
  const double longest = kMostCyclesOfAStep * static_cast<double>(kTicksPerCycle);
  return static_cast<Ticks>(std::fmin(std::ceil(static_cast<double>(work) / speed), longest));
}

/// Of the FP32 pipe, by what stalls WGMMA.
double stalling_use(std::span<const Sharer> sharers) {
  double use = 0.0;
  for (const Sharer& sharer : sharers) {
    if (sharer.op->stalls_wgmma) {
      use += sharer.op->share[static_cast<std::size_t>(Resource::kFp32)] * sharer.speed;
    }
  }
  return use;
}

Ticks done(double speed, Ticks duration, Ticks remaining) {
  return std::min(remaining,
                  static_cast<Ticks>(std::llround(speed * static_cast<double>(duration))));
}

}  // namespace

void SmUnits::schedule(Ticks after, EventKind kind, std::size_t instance, std::size_t target) {
  state_.events.push_back({.at = state_.now.at + after,
                           .order = state_.scheduled++,
                           .kind = kind,
                           .instance = instance,
                           .target = target});
  std::ranges::push_heap(state_.events, is_later);
}

void SmUnits::schedule_end(std::size_t instance, const EventOp& op, Ticks after) {
  if (op.barrier != kNone) schedule(after, EventKind::kArrival, instance, op.barrier);
  if (op.group != kNone) schedule(after, EventKind::kGroupDone, instance, op.group);
}

void SmUnits::start_background(std::size_t instance, const EventOp& op, double from_memory_ratio) {
  if (op.group != kNone) ++state_.instances[instance].pending[op.group];
  const auto memory_work =
      static_cast<Ticks>(std::llround(from_memory_ratio * static_cast<double>(op.memory_work)));
  const Ticks latency = op.latency + (from_memory_ratio > 0.0 ? op.miss_latency : 0);
  if (op.kind == OpKind::kCopy) {
    state_.copies.push_back({.instance = instance,
                             .op = &op,
                             .remaining = std::max({op.work, op.l2_work, memory_work}),
                             .latency = latency});
    return;
  }
  if (op.kind == OpKind::kLoad && op.work > 0) {
    // All SMs of a launch begin to load at the same time, so none is behind its share then.
    if (!state_.has_loaded) state_.l2_due = state_.now.at;
    state_.has_loaded = true;
    const auto work = static_cast<double>(op.work);
    state_.transfers.push_back({.instance = instance,
                                .op = &op,
                                .remaining = op.work,
                                .latency = latency,
                                .l2_per_path = static_cast<double>(op.l2_work) / work,
                                .memory_per_path = static_cast<double>(memory_work) / work});
    return;
  }
  schedule_end(instance, op, op.work + latency);
}

/// The SM's path takes transfers in the order of issue. What limits them all is shared alike:
/// tiles that are as long as each other begin together on all SMs, so what comes from memory never
/// has more than the SM's share of it. What L2 has is asked for at other moments: an SM that has
/// had less than its share of the L2 may for a while have more.
void SmUnits::set_transfer_speeds() {
  const auto& transfers = state_.transfers;
  double memory_use = 0.0;
  double l2_use = 0.0;
  for (const Transfer& transfer : transfers) {
    memory_use += transfer.memory_per_path;
    l2_use += transfer.l2_per_path;
  }
  const bool is_behind = program_.l2_ahead > 0 && state_.l2_due < state_.now.at;
  const double l2_speed = is_behind || l2_use == 0.0 ? 1.0 : 1.0 / l2_use;
  transfer_speeds_.clear();
  l2_use_ = 0.0;
  double path_left = 1.0;
  for (const Transfer& transfer : transfers) {
    double speed = std::min(path_left, l2_speed);
    if (transfer.memory_per_path > 0.0) speed = std::min(speed, 1.0 / memory_use);
    path_left -= speed;
    l2_use_ += speed * transfer.l2_per_path;
    transfer_speeds_.push_back(speed);
  }
  if (!is_behind) l2_use_ = std::min(l2_use_, 1.0);  // but for rounding it is no more
}

/// Until a transfer ends or the SM has used up what it was behind its share.
Ticks SmUnits::next_transfer_change() const {
  Ticks after = kNever;
  for (std::size_t i = 0; i < state_.transfers.size(); ++i) {
    after = std::min(after, time_for(state_.transfers[i].remaining, transfer_speeds_[i]));
  }
  if (l2_use_ <= 1.0) return after;
  const Ticks behind = std::min(program_.l2_ahead, state_.now.at - state_.l2_due);
  return std::min(after, time_for(behind, l2_use_ - 1.0));
}

void SmUnits::pass_transfers(Ticks duration) {
  for (std::size_t i = 0; i < state_.transfers.size(); ++i) {
    Ticks& remaining = state_.transfers[i].remaining;
    remaining -= done(transfer_speeds_[i], duration, remaining);
  }
  const auto used = static_cast<Ticks>(std::llround(l2_use_ * static_cast<double>(duration)));
  state_.l2_due = std::max(state_.l2_due, state_.now.at - program_.l2_ahead) + used;
}

bool SmUnits::issue(std::size_t instance) {
  Instance& at = state_.instances[instance];
  if (at.op->blocks && at.queued > program_.issue_ahead) return false;
  // A stream of instructions is already on its way behind the warpgroup's one before.
  const bool is_stream = at.queued > 0 || at.stream_end == state_.now.at;
  --at.to_issue;
  if (at.op->blocks) ++at.queued;
  state_.tensor.push_back({.instance = instance,
                           .op = at.op,
                           .ready = state_.now.at + (is_stream ? 0 : program_.tensor_start),
                           .remaining = at.op->instruction,
                           .is_last = at.to_issue == 0});
  is_sharing_stale_ = true;
  return true;
}

bool SmUnits::is_tensor_busy() const {
  return !state_.tensor.empty() && state_.tensor.front().ready <= state_.now.at;
}

/// Who runs how fast until something changes.
void SmUnits::share() {
  const bool is_busy = is_tensor_busy();
  if (!is_sharing_stale_ && is_busy == was_tensor_busy_) return;
  is_sharing_stale_ = false;
  was_tensor_busy_ = is_busy;
  sharers_.clear();
  for (std::size_t i = 0; i < state_.instances.size(); ++i) {
    const Instance& at = state_.instances[i];
    if (at.doing != Doing::kSharing) continue;
    const bool is_own = is_busy && state_.tensor.front().instance == i;
    const double slowed_to = is_own ? at.op->speed_beside_own_wgmma : at.op->speed_beside_wgmma;
    sharers_.push_back({.op = at.op, .slowed_to = is_busy ? slowed_to : 1.0});
  }
  share_units(sharers_);
  const double stall = program_.stall_per_fp32 * stalling_use(sharers_);
  tensor_speed_ = is_busy ? std::max(kSlowestTensor, 1.0 - stall) : 0.0;
}

Ticks SmUnits::next_change() {
  share();
  Ticks after = kNever;
  std::size_t s = 0;
  for (const Instance& at : state_.instances) {
    if (at.doing == Doing::kSharing) {
      after = std::min(after, time_for(at.remaining, sharers_[s++].speed));
    }
  }
  if (is_tensor_busy()) {
    after = std::min(after, time_for(state_.tensor.front().remaining, tensor_speed_));
  } else if (!state_.tensor.empty()) {
    after = std::min(after, state_.tensor.front().ready - state_.now.at);
  }
  set_transfer_speeds();
  after = std::min(after, next_transfer_change());
  const auto count = static_cast<Ticks>(state_.copies.size());
  for (const Copy& copy : state_.copies) after = std::min(after, copy.remaining * count);
  const Ticks next = after == kNever ? kNever : later(state_.now.at, 1, after);
  return state_.events.empty() ? next : std::min(next, state_.events.front().at);
}

void SmUnits::pass_time(Ticks until) {
  const Ticks duration = until - state_.now.at;
  if (duration == 0) return;
  account_.pass(state_, sharers_, tensor_speed_, duration);
  std::size_t s = 0;
  for (Instance& at : state_.instances) {
    if (at.doing != Doing::kSharing) continue;
    at.remaining -= done(sharers_[s++].speed, duration, at.remaining);
  }
  if (is_tensor_busy()) {
    Ticks& remaining = state_.tensor.front().remaining;
    remaining -= done(tensor_speed_, duration, remaining);
  }
  pass_transfers(duration);
  for (Copy& copy : state_.copies) {
    copy.remaining -=
        done(1.0 / static_cast<double>(state_.copies.size()), duration, copy.remaining);
  }
  state_.now.at = until;
}

std::optional<Event> SmUnits::pop_due() {
  if (state_.events.empty() || state_.events.front().at > state_.now.at) return std::nullopt;
  std::ranges::pop_heap(state_.events, is_later);
  const Event event = state_.events.back();
  state_.events.pop_back();
  return event;
}

void SmUnits::end_operations() {
  for (const Transfer& transfer : state_.transfers) {
    if (transfer.remaining == 0) schedule_end(transfer.instance, *transfer.op, transfer.latency);
  }
  std::erase_if(state_.transfers, [](const Transfer& transfer) { return transfer.remaining == 0; });
  for (const Copy& copy : state_.copies) {
    if (copy.remaining == 0) schedule_end(copy.instance, *copy.op, copy.latency);
  }
  std::erase_if(state_.copies, [](const Copy& copy) { return copy.remaining == 0; });
  if (is_tensor_busy() && state_.tensor.front().remaining == 0) end_instruction();
}

void SmUnits::end_instruction() {
  const QueuedMma mma = state_.tensor.front();
  state_.tensor.pop_front();
  // Nothing holds warpgroups together that contend for the tensor core: they drift apart until they
  // no longer meet. Going on with the same one brings them there at once.
  const auto next = std::ranges::find(state_.tensor, mma.instance, &QueuedMma::instance);
  if (next != state_.tensor.end()) std::rotate(state_.tensor.begin(), next, next + 1);
  is_sharing_stale_ = true;
  Instance& at = state_.instances[mma.instance];
  at.stream_end = state_.now.at;
  if (mma.op->blocks) --at.queued;
  if (!mma.is_last) return;
  const EventOp& op = *mma.op;
  if (op.waits_for_itself) schedule(op.latency, EventKind::kPauseEnds, mma.instance, kNone);
  schedule_end(mma.instance, op, op.latency);
}

void SmUnits::shift(Ticks ticks) {
  for (QueuedMma& mma : state_.tensor) mma.ready += ticks;
  for (Event& event : state_.events) event.at += ticks;
  state_.l2_due += ticks;
}

}  // namespace fa3prof::sim
