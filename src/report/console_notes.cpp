#include "src/report/console_notes.h"

#include "src/report/console.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <set>

namespace fa3prof::report {
namespace {

using core::Result;

using Results = std::vector<const Result*>;

std::string whole(double value) { return grouped(value, 0); }

/// "1,755" when all are alike, else "1,605-1,755".
std::string range_text(const Results& results, const std::function<double(const Result&)>& get) {
  const auto [low, high] =
      std::ranges::minmax(results, {}, [&get](const Result* result) { return get(*result); });
  const std::string first = whole(get(*low));
  const std::string last = whole(get(*high));
  return first == last ? first : first + "-" + last;
}

/// The results that `has`, kernel by kernel in their order.
std::vector<Results> by_kernel(const core::Report& report,
                               const std::function<bool(const Result&)>& has) {
  std::vector<Results> groups;
  for (const Result& result : report.results) {
    if (!has(result)) continue;
    const auto group = std::ranges::find_if(groups, [&result](const Results& results) {
      return results.front()->kernel == result.kernel;
    });
    if (group == groups.end()) {
      groups.push_back({&result});
    } else {
      group->push_back(&result);
    }
  }
  return groups;
}

/// "fa2 1.9e-04, fa3 2.0e-04": each kernel with what `describe` says of its results.
std::string per_kernel(const std::vector<Results>& groups,
                       const std::function<std::string(const Results&)>& describe) {
  std::vector<std::string> parts;
  parts.reserve(groups.size());
  for (const Results& results : groups) {
    parts.push_back(results.front()->kernel + " " + describe(results));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string verified_text(const core::Report& report) {
  const auto groups = by_kernel(report, [](const Result& result) {
    return result.verification && result.verification->passed;
  });
  if (groups.empty()) return "";
  const auto error = [](const Result* r) { return r->verification->relative_error; };
  const core::Verification& any = *groups.front().front()->verification;
  const auto describe = [&](const Results& results) {
    const std::string worst = fmt::format("{:.1e}", error(std::ranges::max(results, {}, error)));
    const double limit = results.front()->verification->tolerance;
    return limit == any.tolerance ? worst : fmt::format("{} (limit {:.0e})", worst, limit);
  };
  return fmt::format("{} relative error to FP64, limit {:.0e}; {} of {} rows",
                     per_kernel(groups, describe), any.tolerance,
                     whole(static_cast<double>(any.rows_checked)),
                     whole(static_cast<double>(any.rows_total)));
}

Results flatten(const std::vector<Results>& groups) {
  Results all;
  for (const Results& results : groups) all.insert(all.end(), results.begin(), results.end());
  return all;
}

/// "; enough for +-1.0 %, ratios included", or that a limit came first.
std::string stopped_text(const Results& results) {
  const auto stopped_by = [&results](std::string_view reason) {
    return std::ranges::any_of(
        results, [reason](const Result* result) { return result->timing->stopped_by == reason; });
  };
  const auto& target = results.front()->timing->target_ci95_ratio;
  if (!target) return "";
  const std::string aim = fmt::format("+-{}, ratios included", percent(*target));
  if (stopped_by("limit")) return "; the limit came before " + aim;
  return stopped_by("intervals") ? "; enough for " + aim : "";
}

/// "each after 50 ms of rest, ", or nothing for a load without pauses.
std::string burst_text(const core::Timing& timing) {
  if (!timing.method || timing.method->pause_ms <= 0.0) return "";
  return fmt::format("each after {} ms of rest, ", whole(timing.method->pause_ms));
}

std::string timed_text(const core::Report& report) {
  const auto groups =
      by_kernel(report, [](const Result& result) { return result.timing.has_value(); });
  if (groups.empty()) return "";
  const auto half_width = [](const Result* result) {
    const core::Interval& ci = result->timing->median_ci95_us;
    return (ci.upper - ci.lower) / 2.0 / result->timing->median_us;
  };
  const Results all = flatten(groups);
  return fmt::format(
      "median of {} launches each, in turn, {}{} L2; 95 % interval {}{}",
      range_text(all,
                 [](const Result& r) { return static_cast<double>(r.timing->samples_us.size()); }),
      burst_text(*all.front()->timing), all.front()->timing->cache,
      per_kernel(groups,
                 [&half_width](const Results& results) {
                   return "+-" + percent(half_width(std::ranges::max(results, {}, half_width)));
                 }),
      stopped_text(all));
}

/// "2,100 launches in 3,120 ms, to 1,590 MHz, steady".
std::string warm_up_text(const core::Report& report) {
  const auto groups = by_kernel(
      report, [](const Result& result) { return result.timing && result.timing->warm_up; });
  if (groups.empty()) return "";
  Results all = flatten(groups);
  const auto warm_up = [](const Result& r) -> const core::WarmUp& { return *r.timing->warm_up; };
  std::string text = fmt::format(
      "{} launches in {} ms",
      range_text(all, [&](const Result& r) { return static_cast<double>(warm_up(r).launches); }),
      range_text(all, [&](const Result& r) { return warm_up(r).duration_ms; }));
  const bool has_moved =
      std::ranges::any_of(all, [&](const Result* r) { return warm_up(*r).is_steady == false; });
  const bool is_steady =
      std::ranges::all_of(all, [&](const Result* r) { return warm_up(*r).is_steady == true; });
  std::erase_if(all, [&](const Result* r) { return !warm_up(*r).clock_mhz; });
  if (all.empty()) return text;
  text += fmt::format(", to {} MHz",
                      range_text(all, [&](const Result& r) { return *warm_up(r).clock_mhz; }));
  if (has_moved) return text + ", not steady";
  return is_steady ? text + ", steady" : text;
}

std::string quantized_text(const core::Report& report) {
  return per_kernel(
      by_kernel(report, [](const Result& result) { return result.quantization.has_value(); }),
      [](const Results& results) {
        return fmt::format(
            "{} us for Q, K and V, {} the time",
            range_text(results, [](const Result& r) { return r.quantization->time_us; }),
            results.front()->quantization->is_included ? "included in" : "not in");
      });
}

std::string clocks_text(const core::Report& report) {
  const auto groups =
      by_kernel(report, [](const Result& result) { return result.clocks.has_value(); });
  if (groups.empty()) return "";
  std::set<std::string> limits;
  for (const Result& result : report.results) {
    if (!result.clocks) continue;
    limits.insert(result.clocks->throttle_reasons.begin(), result.clocks->throttle_reasons.end());
  }
  const std::string text = per_kernel(groups, [](const Results& results) {
    return fmt::format(
        "{} MHz {} W {} C",
        range_text(results, [](const Result& r) { return r.clocks->sm_clock_mhz; }),
        range_text(results, [](const Result& r) { return r.clocks->power_watts; }),
        range_text(results, [](const Result& r) { return r.clocks->temperature_celsius; }));
  });
  return limits.empty() ? text : fmt::format("{}; limited by {}", text, fmt::join(limits, ", "));
}

std::string peers_text(const core::Report& report) {
  return per_kernel(
      by_kernel(report, [](const Result& result) { return !result.kernel_version.empty(); }),
      [](const Results& results) { return results.front()->kernel_version; });
}

std::string model_text(const core::Report& report) {
  std::set<std::string> models;
  for (const Result& result : report.results) {
    if (result.source == core::ResultSource::kMeasured) continue;
    models.insert(fmt::format("{} by {}", result.machine, core::name_of(result.source)));
  }
  return fmt::format("{}", fmt::join(models, ", "));
}

std::string peak_text(const core::Report& report) {
  std::set<std::string> peaks;
  for (const Result& result : report.results) {
    if (result.source != core::ResultSource::kMeasured || !result.peak_tflops) continue;
    peaks.insert(fmt::format("{} TFLOPS, {}", grouped(*result.peak_tflops, 1), result.peak_basis));
  }
  return fmt::format("{}", fmt::join(peaks, "; "));
}

void add_counters(Table& table, const core::Report& report) {
  std::set<std::string> reasons;
  int passes = 0;
  for (const Result& result : report.results) {
    const core::Counters& counters = result.counters;
    if (counters.status == core::Counters::Status::kCollected) passes = counters.passes;
    if (counters.status != core::Counters::Status::kUnavailable) continue;
    if (!reasons.insert(counters.reason).second) continue;
    table.add_note("counters", "unavailable: " + counters.reason, Tone::kWarning);
    table.add_note("", "cure: " + counters.cure, Tone::kWarning);
  }
  if (passes > 0) {
    table.add_note("counters", fmt::format("CUPTI, {} passes in a replay of their own", passes));
  }
}

}  // namespace

std::string notes_text(const core::Report& report, Colour colour) {
  Table table({{""}, {""}});
  const auto add = [&table](const char* label, const std::string& text) {
    if (!text.empty()) table.add_note(label, text);
  };
  add("peers", peers_text(report));
  add("verified", verified_text(report));
  add("warm-up", warm_up_text(report));
  add("timed", timed_text(report));
  add("quantized", quantized_text(report));
  add("clocks", clocks_text(report));
  add_counters(table, report);
  add("peak", peak_text(report));
  add("model", model_text(report));
  const bool has_estimate = std::ranges::any_of(report.results, [](const Result& result) {
    return result.source == core::ResultSource::kMeasured && !result.cycles && result.clocks;
  });
  if (has_estimate) table.add_note("*", "not counted: time x SM clock");
  return table.text(colour);
}

std::string warnings_text(const core::Report& report, Colour colour) {
  Table table({{""}, {""}});
  std::set<std::string> seen;
  const auto add = [&](const std::string& text) {
    if (seen.insert(text).second) table.add_note("warning ", text, Tone::kWarning);
  };
  std::ranges::for_each(report.warnings, add);
  for (const Result& result : report.results) {
    for (const std::string& text : result.warnings) add(core::row_label(result) + ": " + text);
  }
  return table.text(colour);
}

}  // namespace fa3prof::report
