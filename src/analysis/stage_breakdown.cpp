#include "src/analysis/stage_breakdown.h"

#include "sim/breakdown.h"
#include "src/analysis/stage_steps.h"

#include <algorithm>
#include <set>
#include <string>

namespace fa3prof::analysis {
namespace {

using sim::Breakdown;
using sim::Category;

/// A wait for a GEMM that takes no longer found it done.
constexpr std::int64_t kOpenWaitCycles = 64;

struct Stretches {
  std::vector<Stretch> all;
  std::size_t at = 0;  ///< the one that a sweep through time has come to
};

struct Interval {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

/// A CTA's GEMMs, and what its consumers do.
struct CtaActivity {
  std::vector<Interval> gemms;  ///< merged, in order
  double busy_cycles = 0.0;     ///< that the tensor core needs for them
  std::vector<Stretches> consumers;
};

/// When each GEMM was under way. A wait that blocked saw the end; else it was before the wait, and
/// not before the last instruction was taken in or the tensor core could have done all of it.
std::vector<Interval> under_way(std::vector<Gemm> gemms, const core::StageTrace& trace) {
  std::ranges::sort(gemms, {}, &Gemm::issue_begin);
  std::vector<Interval> merged;
  std::int64_t free = 0;
  for (const Gemm& gemm : gemms) {
    const double needed = gemm.is_scores ? trace.scores_cycles : trace.output_cycles;
    const std::int64_t soonest = std::max(
        std::max(gemm.issue_begin, free) + static_cast<std::int64_t>(needed), gemm.issue_end);
    const bool has_blocked = gemm.done - gemm.wait_begin > kOpenWaitCycles;
    const std::int64_t end = has_blocked ? gemm.done : std::min(gemm.done, soonest);
    free = std::max(free, end);
    if (!merged.empty() && gemm.issue_begin <= merged.back().end) {
      merged.back().end = std::max(merged.back().end, end);
    } else {
      merged.push_back({gemm.issue_begin, end});
    }
  }
  return merged;
}

CtaActivity activity_of(const core::TracedCta& cta, const core::StageTrace& trace) {
  CtaActivity activity;
  std::vector<Gemm> gemms;
  for (const core::RoleStamps& role : cta.roles) {
    const std::vector<Step> steps = steps_of(role);
    if (steps.empty()) continue;
    const std::int64_t begin = role.dropped == 0 ? cta.life.begin_cycles : role.stamps[0].cycles;
    activity.consumers.push_back({.all = stretches_of(steps, begin)});
    for (const Step& step : steps) {
      for (const Gemm& gemm : gemms_of(step)) {
        gemms.push_back(gemm);
        activity.busy_cycles += gemm.is_scores ? trace.scores_cycles : trace.output_cycles;
      }
    }
  }
  activity.gemms = under_way(std::move(gemms), trace);
  return activity;
}

Category category_of(Doing doing) {
  switch (doing) {
    case Doing::kSoftmax:
      return Category::kSoftmaxExposed;
    case Doing::kRamp:
      return Category::kRamp;
    case Doing::kLoadWait:
      return Category::kLoadExposed;
    default:
      return Category::kBarrier;
  }
}

/// The moments between which nothing changes.
std::set<std::int64_t> moments(const CtaActivity& activity, const core::CtaLife& life) {
  std::set<std::int64_t> times{life.begin_cycles, life.end_cycles};
  for (const Interval& gemm : activity.gemms) times.insert({gemm.begin, gemm.end});
  for (const Stretches& consumer : activity.consumers) {
    for (const Stretch& stretch : consumer.all) times.insert({stretch.begin, stretch.end});
  }
  return times;
}

/// The heaviest of what the consumers do at `time`; ramp where all have ended.
Category reason_at(std::int64_t time, std::vector<Stretches>& consumers) {
  bool is_any = false;
  Category heaviest = Category::kBarrier;
  const auto weight = [](Category category) {
    switch (category) {
      case Category::kSoftmaxExposed:
        return 3;
      case Category::kRamp:
        return 2;
      case Category::kLoadExposed:
        return 1;
      default:
        return 0;
    }
  };
  for (Stretches& consumer : consumers) {
    while (consumer.at < consumer.all.size() && consumer.all[consumer.at].end <= time) {
      ++consumer.at;
    }
    if (consumer.at == consumer.all.size()) continue;
    is_any = true;
    const Category category = category_of(consumer.all[consumer.at].doing);
    if (weight(category) > weight(heaviest)) heaviest = category;
  }
  return is_any ? heaviest : Category::kRamp;
}

/// The CTA's life in cycles.
Breakdown breakdown_of(const core::TracedCta& cta, const core::StageTrace& trace) {
  CtaActivity activity = activity_of(cta, trace);
  Breakdown parts;
  double active = 0.0;
  double beside_softmax = 0.0;
  auto gemm = activity.gemms.begin();
  const std::set<std::int64_t> times = moments(activity, cta.life);
  for (auto time = times.begin(); std::next(time) != times.end(); ++time) {
    const auto length = static_cast<double>(*std::next(time) - *time);
    while (gemm != activity.gemms.end() && gemm->end <= *time) ++gemm;
    const bool is_active = gemm != activity.gemms.end() && gemm->begin <= *time;
    const Category reason = reason_at(*time, activity.consumers);
    if (!is_active) {
      parts[reason] += length;
      continue;
    }
    active += length;
    if (reason == Category::kSoftmaxExposed) beside_softmax += length;
  }
  if (active == 0.0) return parts;
  const double busy = std::min(active, activity.busy_cycles);
  const double held_up = active - busy;
  parts[Category::kTensorBusy] += busy;
  parts[Category::kSoftmaxExposed] += held_up * beside_softmax / active;
  parts[Category::kBarrier] += held_up * (1.0 - beside_softmax / active);
  return parts;
}

/// Means over all CTAs, in nanoseconds.
struct Lives {
  double late = 0.0;  ///< from the first beginning to a CTA's own
  double life = 0.0;
  double tail = 0.0;  ///< from its end to the last one's
};

Lives lives_of(const std::vector<core::CtaLife>& lives) {
  const auto begin = std::ranges::min(lives, {}, &core::CtaLife::begin_ns).begin_ns;
  const auto end = std::ranges::max(lives, {}, &core::CtaLife::end_ns).end_ns;
  Lives mean;
  for (const core::CtaLife& life : lives) {
    mean.late += static_cast<double>(life.begin_ns - begin);
    mean.life += static_cast<double>(life.end_ns - life.begin_ns);
    mean.tail += static_cast<double>(end - life.end_ns);
  }
  const auto count = static_cast<double>(lives.size());
  return {mean.late / count, mean.life / count, mean.tail / count};
}

}  // namespace

std::vector<ShareComparison> compare_shares(const core::Result& measured,
                                            const core::Result& simulated) {
  const auto sum_of = [](const core::Result& result) {
    double sum = 0.0;
    for (const core::BreakdownPart& part : result.breakdown) sum += part.cycles;
    return sum;
  };
  const double measured_sum = sum_of(measured);
  const double simulated_sum = sum_of(simulated);
  std::vector<ShareComparison> shares;
  if (measured_sum <= 0.0 || simulated_sum <= 0.0) return shares;
  for (const core::BreakdownPart& part : measured.breakdown) {
    const auto other =
        std::ranges::find(simulated.breakdown, part.category, &core::BreakdownPart::category);
    const double cycles = other == simulated.breakdown.end() ? 0.0 : other->cycles;
    shares.push_back({.category = part.category,
                      .measured_ratio = part.cycles / measured_sum,
                      .simulated_ratio = cycles / simulated_sum});
  }
  return shares;
}

std::vector<core::BreakdownPart> measured_shares(const core::StageTrace& trace) {
  return measured_breakdown(trace, 1.0);
}

std::vector<core::BreakdownPart> measured_breakdown(const core::StageTrace& trace, double cycles) {
  if (trace.ctas.empty() || trace.lives.empty()) return {};
  Breakdown sum;
  for (const core::TracedCta& cta : trace.ctas) {
    const Breakdown parts = breakdown_of(cta, trace);
    sum.add(1.0 / parts.sum(), parts);
  }
  const Lives lives = lives_of(trace.lives);
  constexpr double kNsPerUs = 1e3;
  const double on_chip = lives.late + lives.life + lives.tail;
  const double launch = std::max(0.0, trace.launch_us * kNsPerUs - on_chip);
  Breakdown whole;
  whole.add(lives.life / static_cast<double>(trace.ctas.size()), sum);
  whole[Category::kRamp] += lives.late + launch;
  whole[Category::kTail] += lives.tail;
  const double scale = cycles / whole.sum();
  std::vector<core::BreakdownPart> parts;
  for (std::size_t i = 0; i < sim::kCategoryNames.size(); ++i) {
    parts.push_back(
        {.category = std::string(sim::kCategoryNames[i]), .cycles = whole.cycles[i] * scale});
  }
  return parts;
}

}  // namespace fa3prof::analysis
