#include "src/analysis/stage_timeline.h"

#include "src/analysis/stage_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <string_view>

namespace fa3prof::analysis {
namespace {

using core::Stage;

std::string_view span_name(const Stretch& stretch) {
  switch (stretch.until) {
    case Stage::kKeysWait:
      return "control";
    case Stage::kKeysReady:
      return "wait K";
    case Stage::kTurnTaken:
      return "wait turn";
    case Stage::kFirstIssued:
    case Stage::kTurnGiven:
      return "issue";
    case Stage::kValuesReady:
      return "wait V";
    case Stage::kScoresDone:
      return "wait scores";
    case Stage::kOutputDone:
      return "wait output";
    case Stage::kTileStored:
      return "epilogue";
    default:
      return "softmax";
  }
}

/// A load of K or V and the moments at which warpgroups saw its data.
struct Load {
  std::string_view name;
  std::int64_t buffer = 0;
  std::int64_t begin = 0;
  std::size_t producer = 0;  ///< track
  std::int64_t first_use = std::numeric_limits<std::int64_t>::max();
  std::size_t user = 0;  ///< track of the first
};

class CtaTimeline {
 public:
  CtaTimeline(const core::TracedCta& cta, const std::string& kernel, double clock_mhz) : cta_(cta) {
    process_.name = fmt::format("{} measured: CTA {} on SM {}", kernel, cta.number, cta.life.sm);
    process_.clock_mhz = clock_mhz;
  }

  [[nodiscard]] core::Process make() {
    for (const core::RoleStamps& role : cta_.roles) {
      role.role == "producer" ? add_loads(role) : add_consumer(role);
    }
    add_load_track();
    return std::move(process_);
  }

 private:
  [[nodiscard]] double at(std::int64_t cycles) const {
    return static_cast<double>(cycles - cta_.life.begin_cycles);
  }

  std::size_t add_track(const std::string& name, bool overlaps) {
    process_.tracks.push_back({.name = name, .overlaps = overlaps, .spans = {}});
    return process_.tracks.size() - 1;
  }

  void add_loads(const core::RoleStamps& role) {
    const std::size_t producer = add_track(role.role, false);
    core::Track& track = process_.tracks[producer];
    std::int64_t begin = cta_.life.begin_cycles;
    for (const core::Stamp& stamp : role.stamps) {
      const std::string_view name = stamp.stage == Stage::kLoadK   ? "K"
                                    : stamp.stage == Stage::kLoadV ? "V"
                                                                   : "Q";
      track.spans.push_back(
          {.name = fmt::format("load {}", name), .begin = at(begin), .end = at(stamp.cycles)});
      begin = stamp.cycles;
      if (stamp.stage != Stage::kLoadQ) {
        loads_[stamp.stage].push_back(
            {.name = name, .buffer = stamp.value, .begin = begin, .producer = producer});
      }
    }
  }

  void add_consumer(const core::RoleStamps& role) {
    const std::size_t track = add_track(role.role, false);
    const std::size_t gemms = add_track(role.role + " WGMMA", true);
    const std::vector<Step> steps = steps_of(role);
    const std::int64_t begin =
        role.dropped == 0 || role.stamps.empty() ? cta_.life.begin_cycles : role.stamps[0].cycles;
    for (const Stretch& stretch : stretches_of(steps, begin)) {
      if (stretch.end <= stretch.begin) continue;
      process_.tracks[track].spans.push_back({.name = std::string(span_name(stretch)),
                                              .begin = at(stretch.begin),
                                              .end = at(stretch.end)});
    }
    for (const Step& step : steps) {
      for (const Gemm& gemm : gemms_of(step)) {
        process_.tracks[gemms].spans.push_back({.name = gemm.is_scores ? "scores" : "output",
                                                .begin = at(gemm.issue_begin),
                                                .end = at(gemm.done)});
      }
      if (const auto& ready = step[Stage::kKeysReady]) {
        use(Stage::kLoadK, step.k_buffer, *ready, track);
      }
      if (const auto& ready = step[Stage::kValuesReady]) {
        use(Stage::kLoadV, step.v_buffer, *ready, track);
      }
    }
  }

  /// The latest load into a buffer before a use is the one used: the next one waits for its end.
  void use(Stage kind, std::int64_t buffer, std::int64_t ready, std::size_t track) {
    std::vector<Load>& loads = loads_[kind];
    auto load = std::ranges::upper_bound(loads, ready, {}, &Load::begin);
    while (load != loads.begin()) {
      --load;
      if (load->buffer != buffer) continue;
      if (ready < load->first_use) {
        load->first_use = ready;
        load->user = track;
      }
      return;
    }
  }

  void add_load_track() {
    const std::size_t track = add_track("TMA", true);
    for (const auto& [kind, loads] : loads_) {
      for (const Load& load : loads) {
        if (load.first_use == std::numeric_limits<std::int64_t>::max()) continue;
        process_.tracks[track].spans.push_back(
            {.name = std::string(load.name), .begin = at(load.begin), .end = at(load.first_use)});
        process_.flows.push_back({.name = std::string(load.name),
                                  // Inside the span that the load ends.
                                  .from = {.track = load.producer, .at = at(load.begin) - 1.0},
                                  .to = {.track = load.user, .at = at(load.first_use)}});
      }
    }
    std::ranges::stable_sort(process_.tracks[track].spans, {}, &core::Span::begin);
  }

  const core::TracedCta& cta_;
  core::Process process_;
  std::map<Stage, std::vector<Load>> loads_;
};

}  // namespace

std::vector<core::Process> timelines_of(const core::StageTrace& trace, const std::string& kernel) {
  std::vector<core::Process> processes;
  if (trace.ctas.empty()) return processes;
  const std::int64_t begin_ns =
      std::ranges::min(trace.lives, {}, &core::CtaLife::begin_ns).begin_ns;
  for (const core::TracedCta& cta : trace.ctas) {
    processes.push_back(CtaTimeline(cta, kernel, trace.clock_mhz).make());
    constexpr double kNsPerUs = 1e3;
    processes.back().begin_us = static_cast<double>(cta.life.begin_ns - begin_ns) / kNsPerUs;
  }
  return processes;
}

}  // namespace fa3prof::analysis
