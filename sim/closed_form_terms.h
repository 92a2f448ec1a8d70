// The closed form, term by term, so that a reader can recompute a result by hand.
#pragma once

#include "sim/closed_form.h"
#include "src/core/result.h"

#include <vector>

namespace fa3prof::sim {

/// From the steps of a loop trip to the total, for example (a few of the lines)
///   consumer.scores        2 * 64 * 128 * 128 / 4096 tensor                       512
///   trip on tensor         2 consumer * 1024 + 0.445 stall * 420.1 fp32          2234.9
///   trip along the chain   tensor 512 + softmax 768.1 + barrier 54               1334.1
///   tile                   63 trips * 2234.9 + 2234.9 outside the loop (on ...)  143036.5
///   all tiles              ceil(2048 / 132 SMs) = 16 tiles                       2288584.3
///   total                  max(SMs 2288584.3 + launch 2138.5 + ..., hbm 113667)  2291612.8
[[nodiscard]] std::vector<core::Term> describe_terms(const CostContext& context,
                                                     const ClosedFormInputs& inputs,
                                                     const TileModel& model,
                                                     const ClosedForm& form);

}  // namespace fa3prof::sim
