// The report of a run that a simulation is set against: what it measured, and on which GPU.
#pragma once

#include "sim/machine.h"
#include "src/core/attention_problem.h"
#include "src/core/report.h"

#include <optional>
#include <string>
#include <vector>

namespace fa3prof::commands {

class MeasuredReport {
 public:
  /// Keeps what was measured and verified, of `kernels` only unless that is empty. Throws
  /// ConfigError for a report that cannot be read or holds none of it.
  MeasuredReport(const std::string& path, const std::vector<std::string>& kernels);

  /// The problems that were measured, each once.
  [[nodiscard]] std::vector<core::AttentionProblem> problems() const;

  /// Our kernels that were measured on a problem, in the report's order.
  [[nodiscard]] std::vector<std::string> own_kernels(const core::AttentionProblem& problem) const;

  /// The machine file of the measured GPU. Throws UsageError where there is none.
  [[nodiscard]] sim::Machine machine() const;

  /// Puts the measured results of the simulated problems in front, and says which GPU it was.
  void add_to(core::Report& report) const;

 private:
  std::string path_;
  core::Report report_;
  std::vector<std::string> warnings_;
};

}  // namespace fa3prof::commands
