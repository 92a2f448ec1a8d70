#include "src/analysis/ablation.h"

#include "src/core/attention_kernel.h"

#include <algorithm>
#include <array>
#include <string>

namespace fa3prof::analysis {
namespace {

struct Published {
  std::string_view schedule;
  double tflops;
};

// The paper's "no GEMM-softmax pipelining" keeps warp specialization with its turns, and its "no
// warp specialization" has neither producer nor turns.
constexpr std::array<Published, 3> kPublished{
    {{"full", 661.0}, {"pingpong", 582.0}, {"overlap", 570.0}}};

struct Mechanism {
  std::string_view name;
  std::string_view without;  ///< schedules
  std::string_view with;
};

constexpr std::array<Mechanism, 5> kMechanisms{{
    {"a producer warp", "serial", "ws"},
    {"turns (ping-pong)", "ws", "pingpong"},
    {"overlap of GEMMs and softmax", "pingpong", "full"},
    {"producer warp and turns", "overlap", "full"},
    {"all of them", "serial", "full"},
}};

const Row* find_row(const std::vector<Row>& rows, std::string_view kernel) {
  const auto found = std::ranges::find(rows, kernel, &Row::label);
  return found == rows.end() ? nullptr : &*found;
}

}  // namespace

core::AttentionProblem ablation_problem() {
  return {.batch = 4,
          .num_heads = 16,
          .num_heads_kv = 16,
          .seqlen_q = 8448,
          .seqlen_kv = 8448,
          .head_dim = 128};
}

std::optional<double> published_tflops(std::string_view schedule) {
  for (const Published& published : kPublished) {
    if (published.schedule == schedule) return published.tflops;
  }
  return std::nullopt;
}

std::vector<MechanismGain> mechanism_gains(const ProblemComparison& comparison) {
  std::vector<MechanismGain> gains;
  for (const Mechanism& mechanism : kMechanisms) {
    const std::string_view from = core::find_schedule(mechanism.without).name;
    const std::string_view to = core::find_schedule(mechanism.with).name;
    const Row* slow = find_row(comparison.rows, from);
    const Row* fast = find_row(comparison.rows, to);
    if (slow == nullptr || fast == nullptr) continue;
    MechanismGain gain{.mechanism = mechanism.name,
                       .from = from,
                       .to = to,
                       .speedup = speedup_over(*slow, *fast),
                       .published_ratio = std::nullopt};
    const auto without = published_tflops(mechanism.without);
    const auto with = published_tflops(mechanism.with);
    if (without && with) gain.published_ratio = *with / *without;
    gains.push_back(gain);
  }
  return gains;
}

}  // namespace fa3prof::analysis
