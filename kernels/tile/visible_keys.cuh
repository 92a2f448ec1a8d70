// The keys that a query row sees: all of them or, under the causal mask, which is aligned to the
// bottom right, those up to its own.
#pragma once

#include <cstdint>

namespace fa3prof::kernels::tile {

/// Keys that query row `row` sees, counted from key 0. Parameters: of a kernel, with seqlen_q,
/// seqlen_kv and is_causal.
template <typename Parameters>
__device__ __forceinline__ int visible_keys(const Parameters& p, std::int64_t row) {
  if (!p.is_causal) return p.seqlen_kv;
  const std::int64_t visible = row + 1 + p.seqlen_kv - p.seqlen_q;
  return static_cast<int>(max(std::int64_t{0}, min(visible, std::int64_t{p.seqlen_kv})));
}

}  // namespace fa3prof::kernels::tile
