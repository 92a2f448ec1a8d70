#include "src/commands/model.h"

#include "src/core/error.h"

#include <utility>

namespace fa3prof::commands {

std::optional<sim::Machine> find_machine(const std::string& name, core::Report& report) {
  if (!name.empty()) return sim::load_machine(name);
  const auto& gpu = report.environment.gpu;
  if (!gpu) return std::nullopt;
  if (const auto known = sim::machine_for(*gpu)) return sim::load_machine(*known);
  report.warnings.push_back("not simulated: no machine file describes " + gpu->name +
                            "; choose one with --machine (fa3prof list --machines)");
  return std::nullopt;
}

void add_simulated(const Model& model, const ChosenKernel& kernel,
                   const core::AttentionProblem& problem, core::Report& report) {
  if (!kernel.pipeline) return;
  try {
    const sim::Engine engine = model.engine.value_or(sim::default_engine(*kernel.pipeline));
    core::Result result = sim::simulate(engine, model.machine, *kernel.pipeline, problem);
    result.kernel = kernel.name;
    report.results.push_back(std::move(result));
  } catch (const core::UsageError& error) {
    report.warnings.push_back(kernel.name + " not simulated: " + error.what());
  }
}

}  // namespace fa3prof::commands
