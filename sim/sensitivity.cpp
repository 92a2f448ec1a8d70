#include "sim/sensitivity.h"

#include "src/core/error.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <utility>

namespace fa3prof::sim {
namespace {

using core::MovedNumber;
using core::Sensitivity;

/// Time, or cycles where no clock is known.
double cost_of(const core::Result& result) { return result.time_us.value_or(*result.cycles); }

double simulated_cost(const SensitivityRequest& request, const Machine& machine) {
  return cost_of(simulate(request.engine, machine, request.pipeline, request.problem));
}

class Mover {
 public:
  explicit Mover(const SensitivityRequest& request)
      : request_(request), base_cost_(simulated_cost(request, request.machine)) {}

  [[nodiscard]] MovedNumber moved(double value, const std::function<void(Machine&)>& set) const {
    Machine machine = request_.machine;
    set(machine);
    MovedNumber moved{.value = value, .time_ratio = std::nullopt, .unsupported_reason = ""};
    try {
      moved.time_ratio = simulated_cost(request_, machine) / base_cost_;
    } catch (const core::UsageError& error) {
      moved.unsupported_reason = error.what();
    }
    return moved;
  }

 private:
  const SensitivityRequest& request_;
  double base_cost_;
};

Sensitivity of_number(const Mover& mover, const SensitivityRequest& request,
                      const MachineNumber& number) {
  const double value = *(request.machine.*number.member);
  const auto moved = [&](double factor) {
    const double to = std::max(value * factor, range_of(number.key).min);
    return mover.moved(to, [&](Machine& machine) { machine.*number.member = to; });
  };
  return {.number = std::string(number.key),
          .value = value,
          .lower = moved(1.0 - request.step_ratio),
          .upper = moved(1.0 + request.step_ratio)};
}

Sensitivity of_sm_count(const Mover& mover, const SensitivityRequest& request) {
  const auto sms = static_cast<double>(request.machine.sm_count);
  const auto moved = [&](double factor) {
    const double to = std::max(1.0, std::round(sms * factor));
    return mover.moved(to,
                       [&](Machine& machine) { machine.sm_count = static_cast<std::int64_t>(to); });
  };
  return {.number = "sm_count",
          .value = sms,
          .lower = moved(1.0 - request.step_ratio),
          .upper = moved(1.0 + request.step_ratio)};
}

}  // namespace

double effect_ratio(const Sensitivity& sensitivity) {
  double effect = 0.0;
  for (const MovedNumber* side : {&sensitivity.lower, &sensitivity.upper}) {
    if (!side->time_ratio) return std::numeric_limits<double>::infinity();
    effect = std::max(effect, std::abs(*side->time_ratio - 1.0));
  }
  return effect;
}

std::vector<Sensitivity> sensitivities(const SensitivityRequest& request) {
  const Mover mover(request);
  std::vector<Sensitivity> all{of_sm_count(mover, request)};
  for (const MachineNumber& number : machine_numbers()) {
    if (request.machine.*number.member) all.push_back(of_number(mover, request, number));
  }
  constexpr double kNoEffect = 1e-9;
  std::erase_if(all, [](const Sensitivity& each) { return effect_ratio(each) < kNoEffect; });
  std::ranges::stable_sort(all, std::greater<>(), effect_ratio);
  return all;
}

}  // namespace fa3prof::sim
