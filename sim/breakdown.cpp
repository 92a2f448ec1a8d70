#include "sim/breakdown.h"

#include <numeric>

namespace fa3prof::sim {

double Breakdown::sum() const { return std::accumulate(cycles.begin(), cycles.end(), 0.0); }

void Breakdown::add(double factor, const Breakdown& other) {
  for (std::size_t i = 0; i < cycles.size(); ++i) cycles[i] += factor * other.cycles[i];
}

}  // namespace fa3prof::sim
