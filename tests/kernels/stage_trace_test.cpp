// Traced launches on the GPU: what they compute, and that no stamp is lost uncounted.
#include "src/profile/stage_tracer.h"
#include "tests/catch.h"
#include "tests/kernels/gpu_attention.h"

#include <algorithm>
#include <span>
#include <string>
#include <vector>

namespace fa3prof::tests {
namespace {

using core::AttentionProblem;
using core::Stage;

AttentionProblem problem_of(std::int64_t seqlen, std::int64_t head_dim, bool is_causal) {
  return {.batch = 1,
          .num_heads = 8,
          .num_heads_kv = 4,
          .seqlen_q = seqlen,
          .seqlen_kv = seqlen + 77,
          .head_dim = head_dim,
          .is_causal = is_causal};
}

/// Every kernel that has an instance with stamps for some problem.
std::vector<AttentionProblem> traced_problems(const core::AttentionKernel& kernel) {
  std::vector<AttentionProblem> problems;
  for (const std::int64_t head_dim : kernel.head_dims) {
    for (const bool is_causal : {false, true}) {
      for (const std::int64_t seqlen : {1, 200, 3000}) {
        const AttentionProblem problem = problem_of(seqlen, head_dim, is_causal);
        if (kernels::has_stage_trace(kernel, problem)) problems.push_back(problem);
      }
    }
  }
  return problems;
}

std::int64_t count(const core::RoleStamps& role, Stage stage) {
  return std::ranges::count(role.stamps, stage, &core::Stamp::stage);
}

/// Inputs on the device, quantised as well where the kernel reads them so.
class TracedProblem {
 public:
  TracedProblem(const core::AttentionKernel& kernel, const AttentionProblem& problem,
                const Inputs& inputs)
      : device_(problem, inputs, Order::kBatchSeqHead),
        memory_(std::max<std::size_t>(1, kernels::quantized_bytes(kernel, problem))),
        tensors_(device_.tensors()) {
    if (kernels::quantized_bytes(kernel, problem) == 0) return;
    tensors_.quantized =
        kernels::quantize_inputs(kernel, problem, tensors_, memory_.get(), nullptr);
  }

  [[nodiscard]] const kernels::AttentionTensors& tensors() const { return tensors_; }

  [[nodiscard]] Output download() const { return device_.download(); }

 private:
  DeviceProblem device_;
  kernels::DeviceBuffer memory_;
  kernels::AttentionTensors tensors_;
};

core::StageTrace trace(const core::AttentionKernel& kernel, const AttentionProblem& problem,
                       const kernels::AttentionTensors& tensors, const profile::TracePlan& plan) {
  const profile::StageTracer tracer(kernel, problem, plan);
  tracer.launch(tensors, nullptr);
  return tracer.collect(nullptr);
}

void check_roles(const core::TracedCta& cta) {
  for (const core::RoleStamps& role : cta.roles) {
    INFO("CTA " << cta.number << " " << role.role);
    CHECK(role.dropped == 0);
    CHECK(std::ranges::is_sorted(role.stamps, {}, &core::Stamp::cycles));
    CHECK(role.stamps.front().cycles >= cta.life.begin_cycles);
    CHECK(role.stamps.back().cycles <= cta.life.end_cycles);
    if (role.role == "producer") continue;
    // Scores and P V come in pairs, and each tile is stored.
    CHECK(count(role, Stage::kScoresDone) == count(role, Stage::kOutputDone));
    CHECK(count(role, Stage::kTile) == count(role, Stage::kTileStored));
  }
}

}  // namespace

TEST_CASE("a traced launch writes the same bits as the timed kernel", "[kernels][gpu]") {
  for (const core::AttentionKernel& kernel : core::attention_kernels()) {
    if (!gpu_runs(kernel.name)) continue;
    for (const AttentionProblem& problem : traced_problems(kernel)) {
      INFO(kernel.name << " " << core::describe(problem));
      const Inputs inputs = random_inputs(problem, 5);
      const TracedProblem plain(kernel, problem, inputs);
      kernels::launch_attention(kernel, problem, plain.tensors(), nullptr);
      const Output timed = plain.download();
      const TracedProblem device(kernel, problem, inputs);
      const auto plan = profile::plan_trace(problem, kernels::describe_launch(kernel, problem), {});
      for (const core::TracedCta& cta : trace(kernel, problem, device.tensors(), plan).ctas) {
        check_roles(cta);
      }
      const Output traced = device.download();
      CHECK(traced.o == timed.o);
      CHECK(traced.lse == timed.lse);
      CHECK(traced.workspace == 0U);
    }
  }
}

TEST_CASE("stamps of all CTAs add up to the key blocks of all tiles", "[kernels][gpu]") {
  if (!gpu_runs("fa3")) return;
  const core::AttentionKernel& kernel = core::find_kernel("fa3");
  const AttentionProblem problem = {.batch = 1,
                                    .num_heads = 3,
                                    .num_heads_kv = 3,
                                    .seqlen_q = 1000,
                                    .seqlen_kv = 1500,
                                    .head_dim = 128};
  const kernels::LaunchDescription launch = kernels::describe_launch(kernel, problem);
  std::vector<int> all(static_cast<std::size_t>(launch.grid));
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int>(i);
  const DeviceProblem device(problem, random_inputs(problem, 5), Order::kBatchSeqHead);
  std::int64_t scores = 0;
  std::int64_t loads = 0;
  std::int64_t stored = 0;
  const auto traced =
      trace(kernel, problem, device.tensors(), profile::plan_trace(problem, launch, all));
  for (const core::TracedCta& cta : traced.ctas) {
    for (const core::RoleStamps& role : cta.roles) {
      scores += count(role, Stage::kScoresDone);
      loads += count(role, Stage::kLoadK) + count(role, Stage::kLoadV);
      stored += count(role, Stage::kTileStored);
    }
  }
  const std::int64_t tiles = 3 * 8;
  const std::int64_t blocks = tiles * 12;
  CHECK(scores == 2 * blocks);
  CHECK(loads == 2 * blocks);
  CHECK(stored == 2 * tiles);
}

TEST_CASE("a ring that is too small keeps the last stamps and counts the others",
          "[kernels][gpu]") {
  if (!gpu_runs("fa3")) return;
  const core::AttentionKernel& kernel = core::find_kernel("fa3");
  // One tile, whose CTA draws nothing: every launch stamps the same.
  const AttentionProblem problem = {.batch = 1,
                                    .num_heads = 1,
                                    .num_heads_kv = 1,
                                    .seqlen_q = 128,
                                    .seqlen_kv = 6000,
                                    .head_dim = 128};
  const DeviceProblem device(problem, random_inputs(problem, 5), Order::kBatchSeqHead);
  profile::TracePlan plan =
      profile::plan_trace(problem, kernels::describe_launch(kernel, problem), {});
  const core::StageTrace whole = trace(kernel, problem, device.tensors(), plan);
  plan.capacity = 16;
  const core::StageTrace part = trace(kernel, problem, device.tensors(), plan);
  REQUIRE(whole.dropped() == 0);
  REQUIRE(part.ctas.size() == 1);
  REQUIRE(part.ctas[0].roles.size() == whole.ctas[0].roles.size());
  for (std::size_t r = 0; r < part.ctas[0].roles.size(); ++r) {
    const core::RoleStamps& all = whole.ctas[0].roles[r];
    const core::RoleStamps& kept = part.ctas[0].roles[r];
    INFO(r);
    // 47 key blocks. Besides, the producer writes at the load of Q, a consumer at the last P V and
    // at its end.
    CHECK(kept.dropped == (kept.role == "producer" ? 48 : 49) - 16);
    REQUIRE(kept.stamps.size() < all.stamps.size());
    CHECK(std::ranges::equal(kept.stamps, std::span(all.stamps).last(kept.stamps.size()), {},
                             &core::Stamp::stage, &core::Stamp::stage));
  }
}

}  // namespace fa3prof::tests
