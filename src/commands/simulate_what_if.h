// `simulate --what-if` and `--sensitivity`: other values than the files have.
#pragma once

#include "sim/scenario.h"
#include "sim/what_if.h"
#include "src/core/progress.h"
#include "src/core/report.h"

#include <CLI/CLI.hpp>

#include <optional>
#include <string>
#include <vector>

namespace fa3prof::commands {

struct WhatIfOptions {
  std::vector<sim::StatedChange> changes;  ///< empty: none
  bool lists_names = false;                ///< of what can be changed, instead of simulating
  std::optional<double> sensitivity_step;  ///< ratio by which each number of the machine is moved
};

void add_what_if_options(CLI::App& verb, WhatIfOptions& options);

/// What --what-if list prints: short names, the machine's numbers and each pipeline's values, each
/// with its present value and unit.
[[nodiscard]] std::string change_names_text(const sim::Scenario& scenario);

/// Simulates the scenario's problems with the changes, too: adds results of machines and pipelines
/// "... with ..." and what was changed. Returns the scenario of these.
sim::Scenario add_changed(const sim::Scenario& scenario,
                          const std::vector<sim::StatedChange>& changes,
                          const core::PieceProgress& progress, core::Report& report);

/// Fills in the sensitivities of the results that `scenario` gave. `progress` is told of each.
void add_sensitivities(const sim::Scenario& scenario, double step_ratio,
                       const core::PieceProgress& progress, std::vector<core::Result>& results);

}  // namespace fa3prof::commands
