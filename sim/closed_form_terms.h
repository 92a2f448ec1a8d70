// The closed form, term by term, so that a reader can recompute a result by hand.
#pragma once

#include "sim/closed_form.h"
#include "src/core/result.h"

#include <vector>

namespace fa3prof::sim {

/// From the steps of a loop trip to the total, for example (a few of the lines)
///   consumer.scores        2 * 64 * 176 * 128 / 4096 tensor                       704
///   trip on tensor         2 consumer * 1408 + 0.445 stall * 525.1 fp32          3049.7
///   trip along the chain   tensor 704 + softmax 1100.5 + barrier 54              1858.5
///   tile                   46 trips * 3049.7 + 3049.7 outside the loop (on ...)  143335.1
///   all tiles              ceil(2048 / 132 SMs) = 16 tiles                       2293360.9
///   total                  max(SMs 2293360.9 + launch 2138.5 + ..., hbm 113667)  2296723.1
[[nodiscard]] std::vector<core::Term> describe_terms(const CostContext& context,
                                                     const ClosedFormInputs& inputs,
                                                     const TileModel& model,
                                                     const ClosedForm& form);

}  // namespace fa3prof::sim
