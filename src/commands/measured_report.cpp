#include "src/commands/measured_report.h"

#include "sim/machine_match.h"
#include "src/core/attention_kernel.h"
#include "src/core/error.h"
#include "src/report/json.h"

#include <fmt/format.h>

#include <algorithm>

namespace fa3prof::commands {
namespace {

using core::AttentionProblem;
using core::Result;

bool was_run(const Result& result) {
  return result.source == core::ResultSource::kMeasured && result.unsupported_reason.empty();
}

bool has_failed(const Result& result) {
  return result.verification && !result.verification->passed;
}

}  // namespace

MeasuredReport::MeasuredReport(const std::string& path, const std::vector<std::string>& kernels)
    : path_(path), report_(report::load_report(path)) {
  std::erase_if(report_.results, [&kernels](const Result& result) {
    const bool is_chosen =
        kernels.empty() || std::ranges::find(kernels, result.kernel) != kernels.end();
    return !was_run(result) || !is_chosen;
  });
  // A kernel that failed verification measured nothing.
  std::erase_if(report_.results, [this](const Result& result) {
    if (!has_failed(result)) return false;
    warnings_.push_back(fmt::format("{} is left out on {}: it failed verification", result.kernel,
                                    core::describe(result.problem)));
    return true;
  });
  if (report_.results.empty() && kernels.empty()) {
    throw core::ConfigError(path, "/results",
                            "nothing in it was measured and verified; give a report of run");
  }
  for (const std::string& kernel : kernels) {
    if (std::ranges::find(report_.results, kernel, &Result::kernel) != report_.results.end())
      continue;
    throw core::ConfigError(path, "/results",
                            "nothing of " + kernel + " was measured and verified");
  }
  for (const Result& result : report_.results) {
    if (result.cycles.value_or(1.0) <= 0.0 || result.time_us.value_or(1.0) <= 0.0) {
      throw core::ConfigError(path, "/results",
                              result.kernel + " has cycles or a time of zero or below");
    }
  }
}

std::vector<AttentionProblem> MeasuredReport::problems() const {
  std::vector<AttentionProblem> problems;
  for (const Result& result : report_.results) {
    if (std::ranges::find(problems, result.problem) == problems.end()) {
      problems.push_back(result.problem);
    }
  }
  return problems;
}

std::vector<std::string> MeasuredReport::own_kernels(const AttentionProblem& problem) const {
  std::vector<std::string> names;
  for (const Result& result : report_.results) {
    if (result.problem != problem) continue;
    const auto own = core::attention_kernels();
    const bool is_own =
        std::ranges::find(own, result.kernel, &core::AttentionKernel::name) != own.end();
    if (is_own && std::ranges::find(names, result.kernel) == names.end()) {
      names.push_back(result.kernel);
    }
  }
  return names;
}

sim::Machine MeasuredReport::machine() const {
  const auto& gpu = report_.environment.gpu;
  if (!gpu) throw core::UsageError(path_ + " names no GPU; choose a machine with --machine");
  if (const auto known = sim::machine_for(*gpu)) return sim::load_machine(*known);
  throw core::UsageError(path_ + ": " + sim::why_no_machine(*gpu));
}

void MeasuredReport::add_to(core::Report& report) const {
  report.environment.gpu = report_.environment.gpu;
  report.environment.driver = report_.environment.driver;
  report.seed = report_.seed;
  report.warnings.insert(report.warnings.end(), warnings_.begin(), warnings_.end());
  std::vector<Result> measured = report_.results;
  std::erase_if(measured, [&report](const Result& result) {
    return std::ranges::find(report.results, result.problem, &Result::problem) ==
           report.results.end();
  });
  if (measured.empty()) {
    report.warnings.push_back(path_ + " measured none of these problems, but " +
                              core::describe(report_.results.front().problem));
  }
  report.results.insert(report.results.begin(), measured.begin(), measured.end());
}

}  // namespace fa3prof::commands
