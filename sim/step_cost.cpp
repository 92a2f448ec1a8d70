#include "sim/step_costs.h"

#include <algorithm>

namespace fa3prof::sim {

Activity activity_of(Resource resource) {
  switch (resource) {
    case Resource::kTensor:
      return Activity::kTensor;
    case Resource::kSharedMemory:
    case Resource::kLoad:
    case Resource::kL2:
      return Activity::kLoad;
    case Resource::kFp32:
    case Resource::kMufu:
    case Resource::kAlu:
    case Resource::kShuffle:
    case Resource::kIssue:
      break;
  }
  return Activity::kElementwise;
}

Resource StepCost::busiest() const {
  return static_cast<Resource>(std::ranges::max_element(busy_cycles) - busy_cycles.begin());
}

double StepCost::longest_busy_cycles() const { return busy(busiest()); }

double StepCost::cycles(int copies) const {
  return std::max(alone_cycles, copies * longest_busy_cycles());
}

}  // namespace fa3prof::sim
