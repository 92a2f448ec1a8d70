#include "sim/fit.h"

#include "src/core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace fa3prof::sim {
namespace {

// PTX ISA 8.7, mbarrier: an object takes 8 bytes, its tx-count reaches 2^20 - 1.
constexpr double kMbarrierBytes = 8.0;
constexpr double kMostMbarrierBytes = 1048575.0;

/// Rings are as long as the longest: full and empty barriers come in pairs, and only the empty ones
/// say how many.
double mbarrier_bytes(const Pipeline& pipeline, const SizeScope& scope) {
  double ring = 1.0;
  double rings = 0.0;
  for (const Barrier& barrier : pipeline.barriers) {
    if (barrier.kind != BarrierKind::kMbarrier) continue;
    ring = std::max(ring, barrier.initially_free.value(scope));
    rings += 1.0;
  }
  return kMbarrierBytes * ring * rings;
}

/// "q 32768 + k 2 * 45056 + mbarriers 64": each buffer by copies and bytes.
std::string buffer_sum(const Pipeline& pipeline, const SizeScope& scope) {
  std::string text;
  for (const Buffer& buffer : pipeline.buffers) {
    if (buffer.is_in_registers) continue;
    if (!text.empty()) text += " + ";
    const double copies = buffer.copies.value(scope);
    text += copies == 1.0
                ? fmt::format("{} {}", buffer.name, buffer.bytes.value(scope))
                : fmt::format("{} {} * {}", buffer.name, copies, buffer.bytes.value(scope));
  }
  const double barriers = mbarrier_bytes(pipeline, scope);
  if (barriers > 0.0) text += fmt::format(" + mbarriers {}", barriers);
  return text;
}

/// "12288 more than machine h200_sxm has for a CTA (232448)".
std::string excess(double needed, double there, std::string_view of) {
  return fmt::format("{:.0f} more than {} ({:.0f})", needed - there, of, there);
}

void check_shared_memory(const Machine& machine, const Pipeline& pipeline, const SizeScope& scope) {
  const double bytes = shared_memory_bytes(pipeline, scope) + mbarrier_bytes(pipeline, scope);
  if (machine.shared_memory_per_cta_bytes && bytes > *machine.shared_memory_per_cta_bytes) {
    throw core::UsageError(
        fmt::format("pipeline {} needs {} bytes of shared memory ({}), {}: use fewer stages or a "
                    "smaller tile",
                    pipeline.name, bytes, buffer_sum(pipeline, scope),
                    excess(bytes, *machine.shared_memory_per_cta_bytes,
                           "machine " + machine.name + " has for a CTA")));
  }
  const double per_sm =
      pipeline.ctas_per_sm * (bytes + machine.shared_memory_reserved_bytes.value_or(0.0));
  if (machine.shared_memory_per_sm_bytes && per_sm > *machine.shared_memory_per_sm_bytes) {
    throw core::UsageError(fmt::format(
        "pipeline {} needs {} bytes of shared memory for {} CTAs on an SM, {}: use fewer stages, a "
        "smaller tile or a smaller ctas_per_sm",
        pipeline.name, per_sm, pipeline.ctas_per_sm,
        excess(per_sm, *machine.shared_memory_per_sm_bytes, "machine " + machine.name + " has")));
  }
}

void check_registers(const Machine& machine, const Pipeline& pipeline) {
  double registers = 0.0;
  for (const Role& role : pipeline.roles) {
    registers += 32.0 * role.instances * role.warps * role.registers_per_thread;
  }
  registers *= pipeline.ctas_per_sm;
  if (machine.registers_per_sm && registers > *machine.registers_per_sm) {
    throw core::UsageError(fmt::format(
        "pipeline {} needs {} registers for {} CTAs on an SM, {}: lower registers_per_thread of a "
        "role or ctas_per_sm",
        pipeline.name, registers, pipeline.ctas_per_sm,
        excess(registers, *machine.registers_per_sm, "machine " + machine.name + " has")));
  }
}

void check_threads(const Machine& machine, const Pipeline& pipeline) {
  const int threads = pipeline.threads() * pipeline.ctas_per_sm;
  if (machine.threads_per_sm && threads > *machine.threads_per_sm) {
    throw core::UsageError(
        fmt::format("pipeline {} needs {} threads for {} CTAs on an SM, {}: lower ctas_per_sm",
                    pipeline.name, threads, pipeline.ctas_per_sm,
                    excess(threads, *machine.threads_per_sm, "machine " + machine.name + " has")));
  }
}

/// A load whose bytes an mbarrier cannot count would never be seen to end.
void check_mbarriers(const Pipeline& pipeline, const SizeScope& scope) {
  for (const Role& role : pipeline.roles) {
    for (const std::vector<Step>& steps : role.sections) {
      for (const Step& step : steps) {
        const Load* load = std::get_if<Load>(&step.action);
        if (load == nullptr || !load->signals) continue;
        const double bytes = load->bytes.value(scope);
        if (bytes <= kMostMbarrierBytes) continue;
        throw core::UsageError(fmt::format(
            "pipeline {}, role {}: load {} signals an mbarrier with {} bytes, {}: use a smaller "
            "tile",
            pipeline.name, role.name, step.name, bytes,
            excess(bytes, kMostMbarrierBytes, "a phase can count")));
      }
    }
  }
}

/// A warp's instruction is m16n8k16.
void check_mma_sync(const Pipeline& pipeline, const SizeScope& scope) {
  const auto is_multiple = [](double size, double of) { return std::fmod(size, of) == 0.0; };
  for (const Role& role : pipeline.roles) {
    for (const std::vector<Step>& steps : role.sections) {
      for (const Step& step : steps) {
        const Mma* mma = std::get_if<Mma>(&step.action);
        if (mma == nullptr || mma->by != MmaUnit::kMmaSync) continue;
        const double m = mma->m.value(scope);
        const double n = mma->n.value(scope);
        const double k = mma->k.value(scope);
        if (is_multiple(m, 16.0) && is_multiple(n, 8.0) && is_multiple(k, 16.0)) continue;
        throw core::UsageError(fmt::format(
            "pipeline {}, role {}: mma {} is {} x {} x {}, but mma_sync makes multiples of 16 x 8 "
            "x 16: change tile_m or tile_n",
            pipeline.name, role.name, step.name, m, n, k));
      }
    }
  }
}

/// The rows of a role's instances make the tile.
void check_rows(const Pipeline& pipeline, const SizeScope& scope) {
  const double tile_m = scope[SizeName::kTileM];
  for (const Role& role : pipeline.roles) {
    const double rows = role.rows.value(scope);
    if (rows == 0.0 || rows * role.instances == tile_m) continue;
    throw core::UsageError(fmt::format(
        "pipeline {}: {} instances of role {} do {} rows each, which are not the {} of "
        "the tile: change tile_m by {} or the instances of the role",
        pipeline.name, role.instances, role.name, rows, tile_m, rows * role.instances - tile_m));
  }
}

}  // namespace

void check_fit(const Machine& machine, const Pipeline& pipeline, const SizeScope& scope) {
  check_rows(pipeline, scope);
  check_shared_memory(machine, pipeline, scope);
  check_registers(machine, pipeline);
  check_threads(machine, pipeline);
  check_mbarriers(pipeline, scope);
  check_mma_sync(pipeline, scope);
}

}  // namespace fa3prof::sim
