#include "src/profile/peak.h"

#include <fmt/format.h>

namespace fa3prof::profile {
namespace {

// "NVIDIA H20" and "NVIDIA H20-3e", not "NVIDIA H200".
bool is_h20(const core::Gpu& gpu) {
  const auto at = gpu.name.find("H20");
  return at != std::string::npos && gpu.name.compare(at, 4, "H200") != 0;
}

}  // namespace

std::optional<double> tensor_flops_per_clock_per_sm(const core::Gpu& gpu, core::DataType dtype) {
  const bool is_fp8 = dtype == core::DataType::kFloat8E4M3;
  if (gpu.capability == core::ComputeCapability{8, 0} && !is_fp8) return 2048.0;
  if (gpu.capability == core::ComputeCapability{9, 0} && !is_h20(gpu)) {
    return is_fp8 ? 8192.0 : 4096.0;
  }
  return std::nullopt;
}

std::optional<Peak> tensor_peak(const core::Gpu& gpu, core::DataType dtype) {
  const auto rate = tensor_flops_per_clock_per_sm(gpu, dtype);
  if (!rate || gpu.max_sm_clock_mhz <= 0.0) return std::nullopt;
  return Peak{*rate * gpu.sm_count * gpu.max_sm_clock_mhz * 1e-6,
              fmt::format("{:.0f} FLOP/clk/SM x {} SM at max clock {:.0f} MHz", *rate, gpu.sm_count,
                          gpu.max_sm_clock_mhz)};
}

}  // namespace fa3prof::profile
