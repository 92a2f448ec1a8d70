// Where a series of independent values changed for good.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace fa3prof::core {

/// Between two changes there are at least so many values: one odd value is no level.
inline constexpr std::size_t kShortestLevel = 2;

/// The indices at which a new level begins, in order.
///
/// E-divisive (Matteson and James 2014, "A nonparametric approach for multiple change point
/// analysis of multivariate data", with exponent 1), which MongoDB found fit for the results of a
/// continuous integration (Daly et al. 2020): a stretch is cut where the energy distance between
/// what is left of the cut and the values right of it, up to some end, weighted by their numbers,
/// is largest; the cut holds where at most 5 % of the stretch's permutations, over all their cuts,
/// have one as large; then both sides are cut alike. Values more than 5 median absolute deviations
/// from a stretch's median are first drawn in to there, lest one outweigh all others. No
/// distribution is assumed. The permutations are seeded: the same series gives the same changes.
///
/// So it takes evidence: of clear steps the first to be seen are 4 values after 4, 3 after 5, or 2
/// after 8. Throws UsageError for a NaN.
[[nodiscard]] std::vector<std::size_t> change_points(std::span<const double> values);

}  // namespace fa3prof::core
