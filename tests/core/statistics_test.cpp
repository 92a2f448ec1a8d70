#include "src/core/statistics.h"

#include "src/core/error.h"
#include "tests/catch.h"

#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

namespace fa3prof::tests {
namespace {

using Samples = std::vector<double>;

// 1, 2 .. n in an order that is not sorted.
Samples shuffled(std::size_t n) {
  Samples values(n);
  std::iota(values.begin(), values.end(), 1.0);
  for (std::size_t i = 0; i + 1 < n; i += 2) std::swap(values[i], values[n - 1 - i]);
  return values;
}

// P(k <= Binomial(n, 1/2) <= n - k) from exact integers; n <= 60.
double coverage(int n, int k) {
  std::uint64_t inside = 0;
  std::uint64_t choose = 1;
  for (int i = 0; i <= n; ++i) {
    if (i >= k && i <= n - k) inside += choose;
    choose = choose * static_cast<std::uint64_t>(n - i) / static_cast<std::uint64_t>(i + 1);
  }
  return std::ldexp(static_cast<double>(inside), -n);
}

TEST_CASE("median is the middle value, or the mean of the two middle ones", "[core]") {
  CHECK(core::median(Samples{7.0}) == 7.0);
  CHECK(core::median(Samples{9.0, 1.0, 5.0}) == 5.0);
  CHECK(core::median(Samples{4.0, 1.0, 3.0, 2.0}) == 2.5);
}

TEST_CASE("quantiles interpolate between order statistics", "[core]") {
  const Samples values{4.0, 2.0, 1.0, 3.0};
  CHECK(core::quantile(values, 0.0) == 1.0);
  CHECK_THAT(core::quantile(values, 0.25), WithinAbs(1.75, 1e-15));
  CHECK_THAT(core::quantile(values, 0.9), WithinAbs(3.7, 1e-15));
  CHECK(core::quantile(values, 1.0) == 4.0);
}

TEST_CASE("median interval takes the tabulated ranks of the sign test", "[core]") {
  struct Ranks {
    std::size_t n;
    double lower;
  };

  const auto [n, lower] =
      GENERATE(Ranks{6, 1}, Ranks{7, 1}, Ranks{9, 2}, Ranks{10, 2}, Ranks{15, 4}, Ranks{20, 6},
               Ranks{30, 10}, Ranks{100, 40}, Ranks{1000, 469});
  const core::Interval interval = core::median_ci95(shuffled(n));
  CHECK(interval.lower == lower);
  CHECK(interval.upper == static_cast<double>(n + 1) - lower);
}

TEST_CASE("median interval is the narrowest with 95 % coverage for every sample count", "[core]") {
  for (int n = 6; n <= 60; ++n) {
    const core::Interval interval = core::median_ci95(shuffled(static_cast<std::size_t>(n)));
    const int k = static_cast<int>(interval.lower);
    CAPTURE(n, k);
    CHECK(coverage(n, k) >= 0.95);
    CHECK(coverage(n, k + 1) < 0.95);
  }
}

TEST_CASE("median interval of 100000 samples neither underflows nor is wide", "[core]") {
  const core::Interval interval = core::median_ci95(shuffled(100000));
  CHECK_THAT(interval.lower, WithinAbs(50000.0 - 1.96 * std::sqrt(100000.0) / 2.0, 2.0));
  CHECK(interval.lower + interval.upper == 100001.0);
}

TEST_CASE("median interval of fewer than six samples is their range", "[core]") {
  CHECK(core::median_ci95(Samples{5.0, 1.0, 3.0, 4.0, 2.0}) == core::Interval{1.0, 5.0});
  CHECK(core::median_ci95(Samples{8.0}) == core::Interval{8.0, 8.0});
}

TEST_CASE("paired ratio is blind to a drift that both members of a pair share", "[core]") {
  Samples slow;
  Samples fast;
  for (int i = 0; i < 20; ++i) {
    const double drift = 1.0 + 0.125 * i;
    slow.push_back(2.0 * drift);
    fast.push_back(drift);
  }
  const core::RatioInterval ratio = core::paired_ratio(slow, fast);
  CHECK(ratio.median == 2.0);
  CHECK(ratio.ci95 == core::Interval{2.0, 2.0});
}

TEST_CASE("paired ratio of few pairs is the median over the pairs", "[core]") {
  Samples slow;
  for (std::size_t i = 0; i < core::kRatioBlocks; ++i) slow.push_back(static_cast<double>(i + 1));
  const core::RatioInterval ratio = core::paired_ratio(slow, Samples(core::kRatioBlocks, 1.0));
  CHECK(ratio.median == 16.5);
  CHECK(ratio.ci95 == core::Interval{10.0, 23.0});
}

TEST_CASE("paired ratio of a clock that hops between plateaus lies between them", "[core]") {
  // The ratio is 2.0 or 2.2 in runs of seven rounds; the median over the pairs would be one of them
  // and its interval would reach from one to the other.
  Samples slow;
  for (int i = 0; i < 20 * 32; ++i) slow.push_back(i / 7 % 2 == 0 ? 2.0 : 2.2);
  const core::RatioInterval ratio = core::paired_ratio(slow, Samples(slow.size(), 1.0));
  CAPTURE(ratio.ci95.lower, ratio.ci95.upper);
  CHECK_THAT(ratio.median, WithinRel(2.1, 0.01));
  CHECK((ratio.ci95.upper - ratio.ci95.lower) / 2.0 < 0.01 * ratio.median);
}

TEST_CASE("paired ratio shrugs off a stretch that something disturbed", "[core]") {
  Samples slow(320, 2.0);
  for (std::size_t i = 100; i < 140; ++i) slow[i] = 50.0;
  const core::RatioInterval ratio = core::paired_ratio(slow, Samples(slow.size(), 1.0));
  CHECK(ratio.median == 2.0);
  CHECK(ratio.ci95 == core::Interval{2.0, 2.0});
}

TEST_CASE("paired ratio uses every pair, however many", "[core]") {
  Samples fast(77, 1.0);
  const Samples slow(77, 3.0);
  CHECK(core::paired_ratio(slow, fast).median == 3.0);
  fast.back() = 2.0;  // in the last block of two or three
  const core::RatioInterval ratio = core::paired_ratio(slow, fast);
  CHECK(ratio.median == 3.0);
  fast.assign(77, 1.0);
  fast.back() = 0.0;
  CHECK_THROWS_WITH(core::paired_ratio(slow, fast), contains("sample 76 of the denominators"));
}

TEST_CASE("bootstrap ratio of constant series is exact", "[core]") {
  const core::RatioInterval ratio = core::bootstrap_ratio(Samples(9, 3.0), Samples(20, 2.0));
  CHECK(ratio.median == 1.5);
  CHECK(ratio.ci95 == core::Interval{1.5, 1.5});
}

TEST_CASE("bootstrap ratio gives the same interval for the same series", "[core]") {
  const core::RatioInterval once = core::bootstrap_ratio(shuffled(50), shuffled(31));
  const core::RatioInterval again = core::bootstrap_ratio(shuffled(50), shuffled(31));
  CHECK(once.median == 25.5 / 16.0);
  CHECK(once.ci95 == again.ci95);
  CHECK(once.ci95.lower < once.median);
  CHECK(once.median < once.ci95.upper);
}

TEST_CASE("bootstrap interval covers the true ratio of independent samples about as promised",
          "[core]") {
  std::mt19937 random(1);
  const auto draw = [&random](std::size_t count) {
    Samples values(count);
    for (double& value : values) {
      value = 1.0 + 0.1 * static_cast<double>(random()) / static_cast<double>(std::mt19937::max());
    }
    return values;
  };
  int covered = 0;
  for (int i = 0; i < 400; ++i) {
    const core::Interval ci95 = core::bootstrap_ratio(draw(60), draw(60)).ci95;
    if (ci95.lower <= 1.0 && 1.0 <= ci95.upper) ++covered;
  }
  CAPTURE(covered);
  // 95 % of 400 are 380; blocks of eight of sixty cost a little.
  CHECK(covered >= 356);
}

TEST_CASE("bootstrap interval of samples that depend on each other is wider", "[core]") {
  Samples sorted_runs;  // a level for each ten samples
  for (int i = 0; i < 100; ++i) sorted_runs.push_back(1.0 + 0.01 * ((i / 10 * 7) % 10));
  Samples scattered;  // the same values one by one
  for (int i = 0; i < 100; ++i) scattered.push_back(1.0 + 0.01 * ((i * 7) % 10));
  const auto width = [](const Samples& samples) {
    const core::Interval ci95 = core::bootstrap_ratio(samples, Samples{1.0}).ci95;
    return ci95.upper - ci95.lower;
  };
  CHECK(width(sorted_runs) > 1.5 * width(scattered));
}

TEST_CASE("drift is what the last third lies above the first", "[core]") {
  CHECK(core::drift_ratio(Samples{1.0, 1.0, 5.0, 9.0, 1.1, 1.1}) == 1.1 - 1.0);
  CHECK(core::drift_ratio(Samples{1.0, 2.0}) == 0.0);
}

TEST_CASE("statistics refuse input that has no answer", "[core]") {
  const Samples none;
  const Samples with_nan{1.0, std::numeric_limits<double>::quiet_NaN()};
  const Samples one{1.0};
  CHECK_THROWS_AS(core::median(none), core::UsageError);
  CHECK_THROWS_AS(core::quantile(none, 0.5), core::UsageError);
  CHECK_THROWS_AS(core::median_ci95(none), core::UsageError);
  CHECK_THROWS_AS(core::paired_ratio(none, none), core::UsageError);
  CHECK_THROWS_WITH(core::median(with_nan), contains("NaN"));
  CHECK_THROWS_WITH(core::quantile(one, 1.5), contains("1.5"));
  CHECK_THROWS_WITH(core::paired_ratio(one, with_nan), contains("1 and 2 samples"));
  CHECK_THROWS_WITH(core::paired_ratio(one, Samples{0.0}), contains("denominators is 0"));
  CHECK_THROWS_AS(core::bootstrap_ratio(none, one), core::UsageError);
  CHECK_THROWS_WITH(core::bootstrap_ratio(one, Samples{0.0}), contains("0 or less"));
}

}  // namespace

TEST_CASE("Kendall's tau is 1 for the same ranking, -1 for the reverse, 1/3 for a swap", "[core]") {
  const std::vector<double> rising{1.0, 2.0, 3.0};
  CHECK(core::count_pairs(rising, std::vector{10.0, 20.0, 30.0}).tau() == 1.0);
  CHECK(core::count_pairs(rising, std::vector{3.0, 2.0, 1.0}).tau() == -1.0);
  CHECK_THAT(core::count_pairs(rising, std::vector{1.0, 3.0, 2.0}).tau(),
             Catch::Matchers::WithinRel(1.0 / 3.0, 1e-12));
}

TEST_CASE("ties count as tau-b counts them, and pairs of several groups add up", "[core]") {
  // scipy.stats.kendalltau([1, 2, 2, 3], [1, 2, 3, 3]) is 0.8
  core::PairCounts counts =
      core::count_pairs(std::vector{1.0, 2.0, 2.0, 3.0}, std::vector{1.0, 2.0, 3.0, 3.0});
  CHECK(counts.concordant == 4);
  CHECK(counts.tied_in_one == 1);
  CHECK(counts.tied_in_other == 1);
  CHECK_THAT(counts.tau(), Catch::Matchers::WithinRel(0.8, 1e-12));
  counts += core::count_pairs(std::vector{1.0, 2.0}, std::vector{2.0, 1.0});
  CHECK(counts.discordant == 1);
  CHECK(core::count_pairs({}, {}).tau() == 0.0);
  CHECK_THROWS_AS(core::count_pairs(std::vector{1.0}, {}), core::UsageError);
}

}  // namespace fa3prof::tests
