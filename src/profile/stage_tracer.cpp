#include "src/profile/stage_tracer.h"

#include "src/core/error.h"
#include "src/profile/stage_decoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

namespace fa3prof::profile {
namespace {

/// A role writes one record for a key block; the producer another one for a tile.
constexpr double kRoom = 1.5;
constexpr std::size_t kFewestRecords = 1 << 8;
constexpr std::size_t kMostRecords = 1 << 18;

static_assert(sizeof(RawRecord) == sizeof(kernels::StampRecord));

struct Work {
  std::int64_t tiles = 0;
  std::int64_t key_blocks = 0;  ///< of all tiles
};

Work work_of(const core::AttentionProblem& problem, const core::Tile& tile) {
  Work work;
  for (std::int64_t row = 0; row < problem.seqlen_q; row += tile.m) {
    ++work.tiles;
    work.key_blocks += core::key_blocks(problem, std::min(row + tile.m, problem.seqlen_q), tile.n);
  }
  const std::int64_t heads = problem.batch * problem.num_heads;
  return {.tiles = work.tiles * heads, .key_blocks = work.key_blocks * heads};
}

template <typename T>
std::vector<T> download(const kernels::DeviceBuffer& buffer, cudaStream_t stream) {
  std::vector<T> values(buffer.size_bytes() / sizeof(T));
  kernels::cuda_check(cudaMemcpyAsync(values.data(), buffer.get(), values.size() * sizeof(T),
                                      cudaMemcpyDeviceToHost, stream));
  kernels::cuda_check(cudaStreamSynchronize(stream));
  return values;
}

core::CtaLife life_of(const kernels::CtaStamps& cta) {
  kernels::ClockStamp end;
  for (const kernels::ClockStamp& stamp : cta.ends) {
    if (stamp.cycles > end.cycles) end = stamp;
  }
  return {.sm = static_cast<int>(cta.sm),
          .begin_cycles = static_cast<std::int64_t>(cta.begin.cycles),
          .end_cycles = static_cast<std::int64_t>(end.cycles),
          .begin_ns = static_cast<std::int64_t>(cta.begin.time_ns),
          .end_ns = static_cast<std::int64_t>(end.time_ns)};
}

std::string role_name(int role) {
  return role == 0 ? "producer" : fmt::format("consumer {}", role);
}

}  // namespace

TracePlan plan_trace(const core::AttentionProblem& problem,
                     const kernels::LaunchDescription& launch, const std::vector<int>& ctas) {
  const int grid = static_cast<int>(launch.grid);
  TracePlan plan{.ctas = ctas, .grid = grid};
  if (ctas.empty()) plan.ctas = {0, grid - 1};
  std::erase_if(plan.ctas, [grid](int cta) { return cta < 0 || cta >= grid; });
  std::ranges::sort(plan.ctas);
  const auto repeated = std::ranges::unique(plan.ctas);
  plan.ctas.erase(repeated.begin(), repeated.end());
  if (plan.ctas.empty() || plan.ctas.size() > kernels::kMostTracedCtas) {
    throw core::UsageError(fmt::format("the launch has CTAs 0 to {}: choose 1 to {} of them",
                                       grid - 1, kernels::kMostTracedCtas));
  }
  const Work work = work_of(problem, launch.tile);
  plan.key_blocks = work.key_blocks;
  const double records = kRoom * static_cast<double>(work.key_blocks + 2 * work.tiles) / grid;
  plan.capacity =
      std::bit_ceil(static_cast<std::size_t>(std::min(records, static_cast<double>(kMostRecords))));
  plan.capacity = std::max(plan.capacity, kFewestRecords);
  return plan;
}

std::size_t StageTracer::slots() const {
  return std::bit_ceil(plan_.ctas.size() * static_cast<std::size_t>(kernels::kTraceRoles));
}

StageTracer::StageTracer(const core::AttentionKernel& kernel, const core::AttentionProblem& problem,
                         TracePlan plan)
    : kernel_(kernel),
      problem_(problem),
      plan_(std::move(plan)),
      records_(slots() * plan_.capacity * sizeof(kernels::StampRecord)),
      counts_(slots() * sizeof(std::uint32_t)),
      ctas_(static_cast<std::size_t>(plan_.grid) * sizeof(kernels::CtaStamps)) {
  for (const kernels::DeviceBuffer* buffer : {&records_, &counts_, &ctas_}) {
    kernels::cuda_check(cudaMemset(buffer->get(), 0, buffer->size_bytes()));
  }
  rings_.records = static_cast<kernels::StampRecord*>(records_.get());
  rings_.counts = static_cast<std::uint32_t*>(counts_.get());
  rings_.ctas = static_cast<kernels::CtaStamps*>(ctas_.get());
  rings_.slots = static_cast<std::uint32_t>(slots());
  rings_.capacity = static_cast<std::uint32_t>(plan_.capacity);
  rings_.traced_ctas = static_cast<int>(plan_.ctas.size());
  std::ranges::copy(plan_.ctas, rings_.cta.begin());
}

void StageTracer::launch(const kernels::AttentionTensors& tensors, cudaStream_t stream) const {
  kernels::launch_traced(kernel_, problem_, tensors, rings_, stream);
}

core::StageTrace StageTracer::collect(cudaStream_t stream) const {
  const auto records = download<RawRecord>(records_, stream);
  const auto counts = download<std::uint32_t>(counts_, stream);
  core::StageTrace trace;
  trace.key_blocks = plan_.key_blocks;
  for (const kernels::CtaStamps& cta : download<kernels::CtaStamps>(ctas_, stream)) {
    trace.lives.push_back(life_of(cta));
  }
  trace.clock_mhz = mean_clock_mhz(trace.lives);
  for (std::size_t c = 0; c < plan_.ctas.size(); ++c) {
    const auto number = static_cast<std::size_t>(plan_.ctas[c]);
    core::TracedCta& cta = trace.ctas.emplace_back();
    cta.number = plan_.ctas[c];
    cta.life = trace.lives[number];
    for (int role = 0; role < kernels::kTraceRoles; ++role) {
      const std::size_t slot = c * kernels::kTraceRoles + static_cast<std::size_t>(role);
      if (counts[slot] == 0) continue;
      cta.roles.push_back(decode({.records = records,
                                  .capacity = plan_.capacity,
                                  .stride = slots(),
                                  .offset = slot,
                                  .made = counts[slot],
                                  .is_producer = role == 0},
                                 cta.life.end_cycles));
      cta.roles.back().role = role_name(role);
    }
  }
  return trace;
}

}  // namespace fa3prof::profile
