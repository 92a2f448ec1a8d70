#include "sim/time_account.h"

#include <algorithm>
#include <array>

namespace fa3prof::sim {
namespace {

/// The first of these that some instance names is why the tensor unit idles.
constexpr std::array kByWeight{Category::kSoftmaxExposed, Category::kRamp, Category::kLoadExposed,
                               Category::kBarrier};

std::size_t weight_of(Category category) {
  return static_cast<std::size_t>(std::ranges::find(kByWeight, category) - kByWeight.begin());
}

/// Whether the wait is for loads that come by a group.
bool waits_for_load_group(const Instance& at, const EventProgram& program) {
  if (at.doing != Doing::kAtGroup) return false;
  for (const auto& ops : program.roles[at.role].sections) {
    for (const EventOp& op : ops) {
      const bool is_load = op.kind == OpKind::kLoad || op.kind == OpKind::kCopy;
      if (is_load && op.group == at.op->group) return true;
    }
  }
  return false;
}

}  // namespace

void TimeAccount::add_busy(const EventOp& op, Moment& now) {
  for (std::size_t i = 0; i < kResources; ++i) now.busy_cycles[i] += op.busy_cycles[i];
}

void TimeAccount::pass(SmState& state, std::span<const Sharer> sharers, double tensor_speed,
                       Ticks duration) const {
  const double cycles = to_cycles(duration);
  Breakdown& parts = state.now.parts;
  if (tensor_speed > 0.0) {
    parts[Category::kTensorBusy] += tensor_speed * cycles;
    parts[Category::kSoftmaxExposed] += (1.0 - tensor_speed) * cycles;
    return;
  }
  const double use = std::min(1.0, use_of(Resource::kTensor, sharers));
  parts[Category::kTensorBusy] += use * cycles;
  if (use < 1.0) parts[reason(state)] += (1.0 - use) * cycles;
}

Category TimeAccount::reason(const SmState& state) const {
  std::size_t heaviest = weight_of(Category::kBarrier);
  for (const Instance& at : state.instances) {
    if (at.doing == Doing::kDone || !program_.roles[at.role].uses_tensor) continue;
    heaviest = std::min(heaviest, weight_of(reason(at)));
  }
  return kByWeight[heaviest];
}

Category TimeAccount::reason(const Instance& at) const {
  const bool is_in_loop = at.cursor.section == Section::kLoop;
  const bool is_waiting = at.doing == Doing::kAtBarrier || at.doing == Doing::kAtGroup;
  if (!is_waiting && at.op != nullptr && at.op->activity == Activity::kElementwise) {
    return is_in_loop ? Category::kSoftmaxExposed : Category::kRamp;
  }

  if (!is_in_loop && at.cursor.section != Section::kCross) return Category::kRamp;
  const bool waits_for_load =
      (at.doing == Doing::kAtBarrier && program_.is_load_signal[at.barrier]) ||
      waits_for_load_group(at, program_);
  if (waits_for_load) return Category::kLoadExposed;
  // A GEMM that its operands hold up, one that has been issued, a turn, a hand-over.
  return at.op != nullptr && at.op->activity == Activity::kTensor && at.doing == Doing::kSharing
             ? Category::kLoadExposed
             : Category::kBarrier;
}

}  // namespace fa3prof::sim
