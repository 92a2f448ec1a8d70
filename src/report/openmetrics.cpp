#include "src/report/openmetrics.h"

#include "src/analysis/comparison.h"

#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <optional>
#include <string_view>

namespace fa3prof::report {
namespace {

using core::Result;

constexpr double kSecondsPerUs = 1e-6;
constexpr double kHertzPerMhz = 1e6;
constexpr double kFlopsPerTflops = 1e12;

/// name="value", with what would end the value escaped.
std::string label(std::string_view name, std::string_view value) {
  std::string safe;
  for (const char c : value) {
    if (c == '\\' || c == '"') safe += '\\';
    safe += c == '\n' ? std::string("\\n") : std::string(1, c);
  }
  return fmt::format("{}=\"{}\"", name, safe);
}

/// Which row a sample is of; the same for all metrics of the row.
std::string labels_of(const NamedReport& named, const Result& result) {
  const core::AttentionProblem& problem = result.problem;
  const core::Environment& environment = named.report.environment;
  std::string labels = label("report", named.name);
  const auto add = [&labels](std::string_view name, std::string_view value) {
    labels += "," + label(name, value);
  };
  add("source", core::name_of(result.source));
  add("kernel", result.kernel);
  if (!result.pipeline.empty()) add("pipeline", result.pipeline);
  if (!result.machine.empty()) add("machine", result.machine);
  if (environment.gpu) add("gpu", environment.gpu->name);
  if (result.device) add("gpu_index", std::to_string(result.device->index));
  add("dtype", core::name_of(problem.dtype));
  add("batch", std::to_string(problem.batch));
  add("num_heads", std::to_string(problem.num_heads));
  add("num_heads_kv", std::to_string(problem.num_heads_kv));
  add("seqlen_q", std::to_string(problem.seqlen_q));
  add("seqlen_kv", std::to_string(problem.seqlen_kv));
  add("head_dim", std::to_string(problem.head_dim));
  add("causal", problem.is_causal ? "true" : "false");
  return labels;
}

/// A metric of a row; absent where the row does not have it.
struct Family {
  std::string name;  ///< ends in the unit, if it has one
  std::string unit;
  std::string help;
  std::function<std::optional<double>(const Result&)> read;
};

std::optional<double> scaled(const std::optional<double>& value, double factor) {
  return value ? std::optional(*value * factor) : std::nullopt;
}

/// A member of an optional part of a result.
std::optional<double> member(const auto& part, auto read) {
  return part ? std::optional<double>(read(*part)) : std::nullopt;
}

void add_speed(std::vector<Family>& families) {
  families.push_back({"fa3prof_kernel_time_seconds", "seconds", "Median time of a launch.",
                      [](const Result& r) { return scaled(r.time_us, kSecondsPerUs); }});
  families.push_back({"fa3prof_kernel_time_lower_seconds", "seconds",
                      "Lower end of the median's 95 % interval.", [](const Result& r) {
                        return member(r.timing, [](const auto& t) {
                          return t.median_ci95_us.lower * kSecondsPerUs;
                        });
                      }});
  families.push_back({"fa3prof_kernel_time_upper_seconds", "seconds",
                      "Upper end of the median's 95 % interval.", [](const Result& r) {
                        return member(r.timing, [](const auto& t) {
                          return t.median_ci95_us.upper * kSecondsPerUs;
                        });
                      }});
  families.push_back({"fa3prof_kernel_flops_per_second", "",
                      "Floating-point operations by the papers' convention over the median time.",
                      [](const Result& r) { return scaled(r.tflops, kFlopsPerTflops); }});
  families.push_back({"fa3prof_kernel_peak_ratio", "ratio",
                      "The same over the dense tensor peak of the GPU.",
                      [](const Result& r) -> std::optional<double> {
                        if (!r.tflops || r.peak_tflops.value_or(0.0) <= 0.0) return std::nullopt;
                        return *r.tflops / *r.peak_tflops;
                      }});
  families.push_back({"fa3prof_kernel_cycles", "cycles", "Elapsed SM cycles of a launch.",
                      [](const Result& r) { return r.cycles; }});
  families.push_back({"fa3prof_kernel_tensor_active_ratio", "ratio",
                      "Share of the cycles in which the tensor cores were active.",
                      [](const Result& r) { return r.counters.find(core::kTensorActiveRatio); }});
}

void add_state(std::vector<Family>& families) {
  const auto add_clock = [&families](const char* name, const char* unit, const char* help,
                                     auto read) {
    families.push_back(
        {name, unit, help, [read](const Result& r) { return member(r.clocks, read); }});
  };
  add_clock("fa3prof_kernel_sm_clock_hertz", "hertz", "SM clock while timing.",
            [](const core::ClockRecord& c) { return c.sm_clock_mhz * kHertzPerMhz; });
  add_clock("fa3prof_kernel_power_watts", "watts", "Mean power of the GPU while timing.",
            [](const core::ClockRecord& c) { return c.power_watts; });
  add_clock("fa3prof_kernel_temperature_celsius", "celsius",
            "Highest temperature of the GPU while timing.",
            [](const core::ClockRecord& c) { return c.temperature_celsius; });
  add_clock("fa3prof_kernel_throttled", "", "1 if something held the clock back while timing.",
            [](const core::ClockRecord& c) { return c.throttle_reasons.empty() ? 0.0 : 1.0; });
  families.push_back({"fa3prof_kernel_samples", "", "Timed launches.", [](const Result& r) {
                        return member(r.timing, [](const auto& t) {
                          return static_cast<double>(t.samples_us.size());
                        });
                      }});
  families.push_back({"fa3prof_kernel_verified", "", "1 if the output agrees with FP64, 0 if not.",
                      [](const Result& r) {
                        return member(r.verification,
                                      [](const auto& v) { return v.passed ? 1.0 : 0.0; });
                      }});
  families.push_back({"fa3prof_kernel_error_ratio", "ratio",
                      "Relative error against FP64, Frobenius norm.", [](const Result& r) {
                        return member(r.verification,
                                      [](const auto& v) { return v.relative_error; });
                      }});
}

void put_head(std::string& text, const Family& family) {
  text += fmt::format("# TYPE {} gauge\n", family.name);
  if (!family.unit.empty()) text += fmt::format("# UNIT {} {}\n", family.name, family.unit);
  text += fmt::format("# HELP {} {}\n", family.name, family.help);
}

void put_family(std::string& text, const Family& family, const std::vector<NamedReport>& reports) {
  std::string samples;
  for (const NamedReport& named : reports) {
    for (const Result& result : named.report.results) {
      const auto value = family.read(result);
      if (!value || !std::isfinite(*value)) continue;
      samples += fmt::format("{}{{{}}} {}\n", family.name, labels_of(named, result), *value);
    }
  }
  if (samples.empty()) return;
  put_head(text, family);
  text += samples;
}

void put_deviations(std::string& text, const std::vector<NamedReport>& reports) {
  const Family family{.name = "fa3prof_model_deviation_ratio",
                      .unit = "ratio",
                      .help = "Simulated over measured cycles, less one.",
                      .read = {}};
  std::string samples;
  for (const NamedReport& named : reports) {
    for (const auto& comparison : analysis::compare(named.report.results)) {
      for (const analysis::Row& row : comparison.rows) {
        if (!row.cycles_deviation_ratio || !std::isfinite(*row.cycles_deviation_ratio)) continue;
        samples += fmt::format("{}{{{}}} {}\n", family.name, labels_of(named, *row.simulated),
                               *row.cycles_deviation_ratio);
      }
    }
  }
  if (samples.empty()) return;
  put_head(text, family);
  text += samples;
}

void put_info(std::string& text, const std::vector<NamedReport>& reports) {
  const std::string name = "fa3prof_report_info";
  put_head(text, {.name = name, .unit = "", .help = "1; what wrote the report.", .read = {}});
  for (const NamedReport& named : reports) {
    const core::Environment& environment = named.report.environment;
    text += fmt::format("{}{{{},{},{},{},{}}} 1\n", name, label("report", named.name),
                        label("created_at", named.report.created_at),
                        label("tool_version", environment.tool_version),
                        label("tool_commit", environment.tool_commit),
                        label("driver", environment.driver));
  }
}

}  // namespace

std::string openmetrics_text(const std::vector<NamedReport>& reports) {
  std::vector<Family> families;
  add_speed(families);
  add_state(families);
  std::string text;
  put_info(text, reports);
  for (const Family& family : families) put_family(text, family, reports);
  put_deviations(text, reports);
  return text + "# EOF\n";
}

}  // namespace fa3prof::report
