// Which machine file describes a GPU, by what its driver states of it. Names are not compared:
// drivers and resellers vary them, and "H200" is a part of "GH200".
#pragma once

#include "src/core/report.h"

#include <optional>
#include <string>
#include <vector>

namespace fa3prof::sim {

/// The built-in machines that nothing contradicts which the GPU states: compute capability, number
/// of SMs, maximum clock, size, clock and bus width of the memory, L2. What it does not state
/// (reports of older versions) contradicts nothing. Where several remain, those with its PCI device
/// number, if one has it: an H800 differs from an H100 in nothing else.
[[nodiscard]] std::vector<std::string> machines_for(const core::Gpu& gpu);

/// The only one of machines_for(), or nothing.
[[nodiscard]] std::optional<std::string> machine_for(const core::Gpu& gpu);

/// Why machine_for() has no answer and what to do: "no machine file describes NVIDIA H300 (compute
/// capability 9.0, 150 SMs, 2,000 MHz): gh200 comes nearest, but has sm_count 132, not 150; ...".
[[nodiscard]] std::string why_no_machine(const core::Gpu& gpu);

}  // namespace fa3prof::sim
