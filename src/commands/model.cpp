#include "src/commands/model.h"

#include "sim/machine_match.h"
#include "src/core/attention_kernel.h"
#include "src/core/error.h"

#include <algorithm>
#include <utility>

namespace fa3prof::commands {

std::optional<sim::Machine> find_machine(const std::string& name, core::Report& report) {
  if (!name.empty()) return sim::load_machine(name);
  const auto& gpu = report.environment.gpu;
  if (!gpu) return std::nullopt;
  if (const auto known = sim::machine_for(*gpu)) return sim::load_machine(*known);
  report.warnings.push_back("not simulated: " + sim::why_no_machine(*gpu));
  return std::nullopt;
}

std::vector<std::string> pipelines_of(const std::vector<std::string>& kernels) {
  std::vector<std::string> names;
  if (kernels.empty()) {
    for (const core::AttentionKernel& kernel : core::complete_kernels()) {
      names.emplace_back(kernel.pipeline);
    }
  }
  for (const std::string& name : kernels) {
    const auto own = core::attention_kernels();
    const auto kernel = std::ranges::find(own, name, &core::AttentionKernel::name);
    if (kernel == own.end() || kernel->pipeline.empty()) {
      throw core::UsageError("no pipeline models the kernel '" + name +
                             "' (fa3prof list --kernels); --pipeline takes a file");
    }
    names.emplace_back(kernel->pipeline);
  }
  return names;
}

core::AttentionProblem multiplied_problem(const sim::Pipeline& pipeline,
                                          core::AttentionProblem problem) {
  const auto own = core::attention_kernels();
  const auto kernel = std::ranges::find(own, pipeline.kernel, &core::AttentionKernel::name);
  if (kernel != own.end()) problem.dtype = core::multiplied_type(*kernel, problem);
  return problem;
}

core::Result simulate_problem(sim::Engine engine, const sim::Machine& machine,
                              const sim::Pipeline& pipeline,
                              const core::AttentionProblem& problem) {
  core::Result result =
      sim::simulate(engine, machine, pipeline, multiplied_problem(pipeline, problem));
  result.problem = problem;
  return result;
}

void add_simulated(const Model& model, const ChosenKernel& kernel,
                   const core::AttentionProblem& problem, core::Report& report) {
  if (!kernel.pipeline) return;
  try {
    const sim::Engine engine = model.engine.value_or(sim::default_engine(*kernel.pipeline));
    core::Result result = simulate_problem(engine, model.machine, *kernel.pipeline, problem);
    result.kernel = kernel.name;
    report.results.push_back(std::move(result));
  } catch (const core::UsageError& error) {
    report.warnings.push_back(kernel.name + " not simulated: " + error.what());
  }
}

}  // namespace fa3prof::commands
