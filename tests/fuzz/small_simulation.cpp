#include "tests/fuzz/small_simulation.h"

#include "sim/engine.h"
#include "sim/timeline.h"
#include "src/core/error.h"

namespace fa3prof::fuzz {
namespace {

void simulate_one(const sim::Machine& machine, const sim::Pipeline& pipeline,
                  const core::AttentionProblem& problem) {
  for (const sim::Engine engine : {sim::Engine::kClosedForm, sim::Engine::kDiscreteEvent}) {
    try {
      static_cast<void>(sim::simulate(engine, machine, pipeline, problem));
    } catch (const core::Error&) {  // the other engine may take what this one refuses
    }
  }
  static_cast<void>(
      sim::simulate_timeline({.machine = machine, .pipeline = pipeline, .problem = problem}));
}

}  // namespace

void simulate_small(const sim::Machine& machine, const sim::Pipeline& pipeline) {
  core::AttentionProblem problem{.batch = 1,
                                 .num_heads = 2,
                                 .num_heads_kv = 1,
                                 .seqlen_q = 384,
                                 .seqlen_kv = 512,
                                 .head_dim = 128};
  for (const bool is_causal : {false, true}) {
    problem.is_causal = is_causal;
    simulate_one(machine, pipeline, problem);
  }
}

}  // namespace fa3prof::fuzz
