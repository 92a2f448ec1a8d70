// The model beside a measurement: which machine file stands for a GPU, and one more result.
#pragma once

#include "sim/engine.h"
#include "sim/machine.h"
#include "src/commands/kernel_choice.h"
#include "src/core/report.h"

#include <optional>
#include <string>
#include <vector>

namespace fa3prof::commands {

/// The machine called `name` (or in that file); for an empty name the one of the report's GPU.
/// Where there is none, adds a warning to the report and returns nothing. Throws UsageError or
/// ConfigError when the stated machine cannot be loaded.
[[nodiscard]] std::optional<sim::Machine> find_machine(const std::string& name,
                                                       core::Report& report);

/// The pipelines of our kernels of these names, of all complete ones for an empty list. Throws
/// UsageError for a name that is none of them.
[[nodiscard]] std::vector<std::string> pipelines_of(const std::vector<std::string>& kernels);

/// The problem with the data type that the pipeline's kernel multiplies.
[[nodiscard]] core::AttentionProblem multiplied_problem(const sim::Pipeline& pipeline,
                                                        core::AttentionProblem problem);

/// The pipeline on the problem as its kernel multiplies it, which may quantize it before; the
/// result is for the problem as stated. Throws UsageError as sim::simulate does.
[[nodiscard]] core::Result simulate_problem(sim::Engine engine, const sim::Machine& machine,
                                            const sim::Pipeline& pipeline,
                                            const core::AttentionProblem& problem);

/// The model that stands beside a measurement.
struct Model {
  sim::Machine machine;
  std::optional<sim::Engine> engine = {};  ///< none: sim::default_engine()
};

/// Simulates the kernel's pipeline on the problem and adds the result to the report, under the
/// kernel's name, or a warning when the model cannot do it. Adds nothing for a kernel without one.
void add_simulated(const Model& model, const ChosenKernel& kernel,
                   const core::AttentionProblem& problem, core::Report& report);

}  // namespace fa3prof::commands
