// The dense tensor peak of a GPU at its highest clock.
#pragma once

#include "src/core/report.h"

#include <optional>
#include <string>

namespace fa3prof::profile {

struct Peak {
  double tflops = 0.0;
  std::string basis;  ///< "4096 FLOP/clk/SM x 132 SM at max clock 1980 MHz"
};

/// Dense tensor FLOPs per clock and SM for inputs of `dtype` with FP32 accumulators, or nothing for
/// a GPU whose rate is not known. Sources: A100 whitepaper (312 TFLOPS, 108 SM, 1410 MHz), H100
/// whitepaper (989.4 TFLOPS, 132 SM, 1830 MHz; FP8 twice that). H20 has the capability of H100 but
/// about a quarter of its rate, so it is left out.
[[nodiscard]] std::optional<double> tensor_flops_per_clock_per_sm(const core::Gpu& gpu,
                                                                  core::DataType dtype);

/// Rate times SMs times max_sm_clock_mhz; nothing when the rate is not known.
[[nodiscard]] std::optional<Peak> tensor_peak(const core::Gpu& gpu, core::DataType dtype);

}  // namespace fa3prof::profile
