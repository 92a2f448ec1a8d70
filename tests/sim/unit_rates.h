// The numbers of a machine of which more is better: what the laws of the engines double.
#pragma once

#include "sim/machine.h"

#include <array>

namespace fa3prof::tests {

inline constexpr std::array kUnitRates{&sim::Machine::wgmma_fp16_flop_per_cycle,
                                       &sim::Machine::mma_sync_fp16_flop_per_cycle,
                                       &sim::Machine::fp32_per_cycle,
                                       &sim::Machine::mufu_per_cycle,
                                       &sim::Machine::alu_per_cycle,
                                       &sim::Machine::convert_fp16_per_cycle,
                                       &sim::Machine::shuffle_per_cycle,
                                       &sim::Machine::issue_per_cycle,
                                       &sim::Machine::shared_memory_bytes_per_cycle,
                                       &sim::Machine::tma_bytes_per_cycle,
                                       &sim::Machine::cp_async_bytes_per_cycle,
                                       &sim::Machine::l2_bytes_per_cycle,
                                       &sim::Machine::hbm_bytes_per_s};

/// The machine with that rate doubled.
inline sim::Machine doubled(sim::Machine machine, sim::Machine::Number sim::Machine::*rate) {
  machine.*rate = 2.0 * *(machine.*rate);
  return machine;
}

}  // namespace fa3prof::tests
