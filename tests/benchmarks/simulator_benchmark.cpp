// Prints how fast the simulator is, beside what is wanted of it.
#include "sim/closed_form.h"
#include "sim/engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <sys/resource.h>

namespace {

using namespace fa3prof;

core::AttentionProblem problem(std::int64_t seqlen, std::int64_t batch, bool is_causal) {
  return {.batch = batch,
          .num_heads = 16,
          .num_heads_kv = 16,
          .seqlen_q = seqlen,
          .seqlen_kv = seqlen,
          .head_dim = 128,
          .is_causal = is_causal};
}

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// The fastest of five runs.
double event_engine_seconds(const std::string& pipeline_name, const core::AttentionProblem& p) {
  const sim::Machine machine = sim::load_machine("h200_sxm");
  const sim::Pipeline pipeline = sim::load_pipeline(pipeline_name);
  double fastest = 1e9;
  for (int i = 0; i < 5; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    (void)sim::simulate(sim::Engine::kDiscreteEvent, machine, pipeline, p);
    fastest = std::min(fastest, seconds_since(begin));
  }
  return fastest;
}

/// Problems without a mask that share a tile model.
double closed_forms_per_second() {
  constexpr int kCount = 2'000'000;
  const sim::Machine machine = sim::load_machine("h200_sxm");
  const auto shape = problem(8192, 2, false);
  const sim::Pipeline pipeline = sim::shaped_for(sim::load_pipeline("fa3_fp16"), shape);
  const sim::TileSizes sizes = sim::tile_sizes(pipeline, shape);
  const sim::CostContext context{machine, pipeline, sizes.scope, shape.dtype};
  const sim::TileModel model(context, 1023);
  const auto begin = std::chrono::steady_clock::now();
  double sum_cycles = 0.0;
  for (int i = 0; i < kCount; ++i) {
    const auto p = problem(512 + i % 8192, 1 + i % 31, false);
    sum_cycles += sim::closed_form_cycles({machine, pipeline, p, sizes.tile}, model);
  }
  const double seconds = seconds_since(begin);
  return sum_cycles > 0.0 ? kCount / seconds : 0.0;
}

double peak_memory_mb() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1000.0;
}

}  // namespace

int main() {
  for (const std::string name : {"fa2", "fa3_fp16"}) {
    for (const bool is_causal : {false, true}) {
      fmt::print("discrete_event, {}, 16k tokens, {}: {:.1f} ms (wanted: below 50)\n", name,
                 is_causal ? "causal" : "no mask",
                 1e3 * event_engine_seconds(name, problem(16384, 1, is_causal)));
    }
    fmt::print("discrete_event, {}, 1M tokens, causal: {:.3f} s (wanted: below 1)\n", name,
               event_engine_seconds(name, problem(1 << 20, 1, true)));
  }
  fmt::print("closed_form: {:.2f} million problems/s (wanted: above 1)\n",
             1e-6 * closed_forms_per_second());
  fmt::print("peak memory: {:.0f} MB (wanted: below 200)\n", peak_memory_mb());
  return 0;
}
