#include "sim/fit.h"

#include "src/core/error.h"

#include <fmt/format.h>

namespace fa3prof::sim {
namespace {

/// "q 32768 + k 2 * 45056": each buffer by copies and bytes.
std::string buffer_sum(const Pipeline& pipeline, const SizeScope& scope) {
  std::string text;
  for (const Buffer& buffer : pipeline.buffers) {
    if (!text.empty()) text += " + ";
    const double copies = buffer.copies.value(scope);
    text += copies == 1.0
                ? fmt::format("{} {}", buffer.name, buffer.bytes.value(scope))
                : fmt::format("{} {} * {}", buffer.name, copies, buffer.bytes.value(scope));
  }
  return text;
}

void check_shared_memory(const Machine& machine, const Pipeline& pipeline, const SizeScope& scope) {
  const double bytes = shared_memory_bytes(pipeline, scope);
  if (machine.shared_memory_per_cta_bytes && bytes > *machine.shared_memory_per_cta_bytes) {
    throw core::UsageError(
        fmt::format("pipeline {} needs {} bytes of shared memory ({}), machine {} has {} for a "
                    "CTA: use fewer stages or a smaller tile",
                    pipeline.name, bytes, buffer_sum(pipeline, scope), machine.name,
                    *machine.shared_memory_per_cta_bytes));
  }
  const double per_sm =
      pipeline.ctas_per_sm * (bytes + machine.shared_memory_reserved_bytes.value_or(0.0));
  if (machine.shared_memory_per_sm_bytes && per_sm > *machine.shared_memory_per_sm_bytes) {
    throw core::UsageError(
        fmt::format("pipeline {} needs {} bytes of shared memory for {} CTAs on an SM, machine {} "
                    "has {}: use fewer stages, a smaller tile or a smaller ctas_per_sm",
                    pipeline.name, per_sm, pipeline.ctas_per_sm, machine.name,
                    *machine.shared_memory_per_sm_bytes));
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
        "pipeline {} needs {} registers for {} CTAs on an SM, machine {} has {}: lower "
        "registers_per_thread of a role or ctas_per_sm",
        pipeline.name, registers, pipeline.ctas_per_sm, machine.name, *machine.registers_per_sm));
  }
}

void check_threads(const Machine& machine, const Pipeline& pipeline) {
  const int threads = pipeline.threads() * pipeline.ctas_per_sm;
  if (machine.threads_per_sm && threads > *machine.threads_per_sm) {
    throw core::UsageError(fmt::format(
        "pipeline {} needs {} threads for {} CTAs on an SM, machine {} has {}: lower ctas_per_sm",
        pipeline.name, threads, pipeline.ctas_per_sm, machine.name, *machine.threads_per_sm));
  }
}

}  // namespace

void check_fit(const Machine& machine, const Pipeline& pipeline, const SizeScope& scope) {
  check_shared_memory(machine, pipeline, scope);
  check_registers(machine, pipeline);
  check_threads(machine, pipeline);
}

}  // namespace fa3prof::sim
