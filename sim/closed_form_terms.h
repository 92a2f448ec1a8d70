// The closed form, term by term, so that a reader can recompute a result by hand.
#pragma once

#include "sim/closed_form.h"
#include "src/core/result.h"

#include <vector>

namespace fa3prof::sim {

/// From the steps of a loop trip to the total, for example
///   consumer.scores         2 * 64 * 176 * 128 / 4096 tensor                        704
///   trip on tensor          2 consumer * 1408 + 0.49 * 481 fp32                    3052
///   trip along the chain    tensor 704 + softmax_exposed 1049 + barrier 150        1903
///   tile                    46 trips * 3052 + 3241 (unit tensor)                 143633
///   total                   launch 2137 + first fill 1300 + SM 2298128 ...      2301565
[[nodiscard]] std::vector<core::Term> describe_terms(const CostContext& context,
                                                     const ClosedFormInputs& inputs,
                                                     const TileModel& model,
                                                     const ClosedForm& form);

}  // namespace fa3prof::sim
