#include "src/analysis/roofline.h"

#include <fmt/format.h>

namespace fa3prof::analysis {
namespace {

constexpr double kHertzPerMegahertz = 1e6;

/// What a unit does in a cycle of the whole GPU, and how that is written.
struct Rate {
  std::string unit;
  RoofKind kind = RoofKind::kCompute;
  double per_cycle = 0.0;
  std::string formula;
};

std::vector<Rate> rates_of(const sim::Machine& machine, std::int64_t head_dim) {
  const auto sms = static_cast<double>(machine.sm_count);
  const double flops_per_pair = 4.0 * static_cast<double>(head_dim);
  std::vector<Rate> rates;
  const auto add_tensor = [&](const char* unit, const sim::Machine::Number& flops) {
    if (!flops) return;
    rates.push_back({.unit = unit,
                     .per_cycle = *flops * sms,
                     .formula = fmt::format("{:g} FLOP/cycle/SM x {:g} SM", *flops, sms)});
  };
  add_tensor("tensor_fp16", machine.wgmma_fp16_flop_per_cycle
                                ? machine.wgmma_fp16_flop_per_cycle
                                : machine.mma_sync_fp16_flop_per_cycle);
  add_tensor("tensor_fp8", machine.wgmma_fp8_flop_per_cycle);
  if (machine.mufu_per_cycle) {
    rates.push_back({.unit = "exponentials",
                     .per_cycle = *machine.mufu_per_cycle * flops_per_pair * sms,
                     .formula = fmt::format("{:g} exp2/cycle/SM x 4 x {} FLOP each x {:g} SM",
                                            *machine.mufu_per_cycle, head_dim, sms)});
  }
  if (machine.l2_bytes_per_cycle) {
    rates.push_back({.unit = "l2",
                     .kind = RoofKind::kMemory,
                     .per_cycle = *machine.l2_bytes_per_cycle,
                     .formula = fmt::format("{:g} bytes/cycle", *machine.l2_bytes_per_cycle)});
  }
  return rates;
}

}  // namespace

std::vector<Roof> roofs_of(const sim::Machine& machine, std::int64_t head_dim) {
  std::vector<Roof> roofs;
  if (const auto load_mhz = machine.clock_load_mhz) {
    const double max_mhz = machine.clock_max_mhz.value_or(*load_mhz);
    for (const Rate& rate : rates_of(machine, head_dim)) {
      roofs.push_back({.unit = rate.unit,
                       .kind = rate.kind,
                       .value = rate.per_cycle * *load_mhz * kHertzPerMegahertz,
                       .value_at_max_clock = rate.per_cycle * max_mhz * kHertzPerMegahertz,
                       .formula = fmt::format("{} x {:g} MHz", rate.formula, *load_mhz)});
    }
  }
  if (const auto bytes = machine.hbm_bytes_per_s) {
    roofs.push_back({.unit = "hbm",
                     .kind = RoofKind::kMemory,
                     .value = *bytes,
                     .value_at_max_clock = *bytes,
                     .formula = fmt::format("{:g} GB/s, read", *bytes * 1e-9)});
  }
  return roofs;
}

}  // namespace fa3prof::analysis
