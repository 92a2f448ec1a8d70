// Incoherent processing (FlashAttention-3, section 3.3): rows of Q and K are multiplied by the same
// orthogonal matrix M = diag(signs) H / sqrt(head_dim), H being the Hadamard matrix. Q K^T stays as
// it is, because M M^T = I, and an outlier's energy is spread over all elements of its row.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace fa3prof::numerics {

/// `size` numbers +1 or -1, each from one bit of the Philox sequence of `seed`.
[[nodiscard]] std::vector<float> random_signs(std::int64_t size, std::uint64_t seed);

/// Throws UsageError unless head_dim is a power of two. Another one is not padded: padding would
/// change the tensors' shape, and with it what a kernel computes.
void require_rotation(std::int64_t head_dim);

/// Multiplies each row of `rows` [rows, signs.size()] by diag(signs) H / sqrt(signs.size()), with
/// log2(head_dim) sums per element. Throws UsageError unless the number of signs is a power of two
/// that divides the number of elements.
///
///   {1, 0, 0, 0} with all signs +1 becomes {0.5, 0.5, 0.5, 0.5}
void rotate_rows(std::span<float> rows, std::span<const float> signs);
void rotate_rows(std::span<double> rows, std::span<const float> signs);

}  // namespace fa3prof::numerics
