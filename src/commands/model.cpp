#include "src/commands/model.h"

#include "sim/engine.h"
#include "sim/pipeline.h"
#include "src/core/error.h"

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

void add_simulated(const sim::Machine& machine, const core::AttentionKernel& kernel,
                   const core::AttentionProblem& problem, core::Report& report) {
  try {
    const sim::Pipeline pipeline = sim::load_pipeline(std::string(kernel.pipeline));
    report.results.push_back(sim::simulate(sim::Engine::kClosedForm, machine, pipeline, problem));
  } catch (const core::UsageError& error) {
    report.warnings.push_back(std::string(kernel.name) + " not simulated: " + error.what());
  }
}

}  // namespace fa3prof::commands
