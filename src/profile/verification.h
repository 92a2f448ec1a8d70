// Judges a kernel's O and LSE against the FP64 reference. Nothing that is not a number passes, and
// nothing that the kernel left unwritten.
#pragma once

#include "src/core/result.h"
#include "src/numerics/reference_attention.h"
#include "src/profile/profiler.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace fa3prof::profile {

/// Every 16-bit word of O before a launch that will be verified: a NaN in fp16 and bf16. LSE is
/// filled with the same bytes, a NaN in fp32.
inline constexpr int kPoisonByte = 0xFF;

/// Bound of ||O - reference|| / ||reference|| over the checked rows: 1e-3 for fp16 (its rounding
/// alone gives 3e-4), 8e-3 for bf16, 0.1 for e4m3. Its rounding is off by 2.6 % of a number in the
/// root mean square; Q, K, P and V each have it, which makes 5 % of N(0,1) inputs.
[[nodiscard]] double relative_tolerance(core::DataType multiplied);

/// A single row may be off by this many times the tolerance: one bad row among many long ones would
/// vanish in the norm over all.
inline constexpr double kRowToleranceFactor = 4.0;

/// Bound of |LSE - reference|: 1e-3, which holds float32 sums over up to millions of keys; 0.3 for
/// e4m3, whose scores are off by some 0.04 each, more where a row sees few keys.
[[nodiscard]] double lse_tolerance(core::DataType multiplied);

/// kFull: all rows. kSampled: at most 128, the same for the same problem: first and last row, rows
/// at both sides of tile edges and of the first row that sees a key, first and last head and batch
/// entry, and rows spread over the rest.
[[nodiscard]] std::vector<numerics::RowIndex> choose_rows(const core::AttentionProblem& problem,
                                                          VerifyMode mode);

/// The rows to check and what they must hold; one serves all kernels on a problem.
struct Reference {
  std::vector<numerics::RowIndex> rows;
  numerics::ReferenceRows values;  ///< of `rows`
};

/// A kernel's whole output as downloaded.
/// o: [batch, seqlen_q, num_heads, head_dim] bits of the problem's dtype; lse: [batch, num_heads,
/// seqlen_q].
struct Output {
  std::span<const std::uint16_t> o;
  std::span<const float> lse;
};

/// All of O must be finite and all of LSE finite or, for a row that sees no key, -inf; the rows of
/// `reference` must be within the tolerances for a kernel that multiplies this type. Otherwise
/// `failure` names the first bad place.
[[nodiscard]] core::Verification verify(const core::AttentionProblem& problem,
                                        core::DataType multiplied, const Reference& reference,
                                        const Output& output);

/// The verdict on a kernel of which nothing can be judged, for this reason: it failed, no error is
/// a number and no row was checked.
[[nodiscard]] core::Verification failed_verification(const core::AttentionProblem& problem,
                                                     core::DataType multiplied,
                                                     const std::string& reason);

}  // namespace fa3prof::profile
