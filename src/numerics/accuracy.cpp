#include "src/numerics/accuracy.h"

#include "src/numerics/attention_emulation.h"
#include "src/numerics/exact_attention.h"
#include "src/numerics/parallel.h"

#include <algorithm>

namespace fa3prof::numerics {
namespace {

std::size_t to_size(std::int64_t value) { return static_cast<std::size_t>(value); }

/// What a kernel's accuracy is made of.
struct Sums {
  ErrorSums s;
  ErrorSums p;
  ErrorSums o;
  double lost_mass = 0.0;
  double max_lost_mass = 0.0;
  std::int64_t rows = 0;

  void add(const Sums& other) {
    s.add(other.s);
    p.add(other.p);
    o.add(other.o);
    lost_mass += other.lost_mass;
    max_lost_mass = std::max(max_lost_mass, other.max_lost_mass);
    rows += other.rows;
  }

  [[nodiscard]] Accuracy accuracy() const {
    return {.s = s.metrics(),
            .p = p.metrics(),
            .o = o.metrics(),
            .mean_lost_mass = lost_mass / static_cast<double>(std::max<std::int64_t>(1, rows)),
            .max_lost_mass = max_lost_mass};
  }
};

Sums compare_rows(const core::AttentionProblem& problem, const RowRange& range,
                  const ExactRows& exact, const EmulatedRows& emulated) {
  Sums sums;
  const std::size_t keys = to_size(problem.seqlen_kv);
  for (std::size_t row = 0; row < to_size(range.count); ++row) {
    const auto position = range.begin + static_cast<std::int64_t>(row);
    const std::size_t end = row * keys + to_size(visible_keys(problem, position));
    for (std::size_t i = row * keys; i < end; ++i) {
      sums.s.add(exact.s[i], static_cast<double>(emulated.s[i]));
      sums.p.add(exact.p[i], static_cast<double>(emulated.p[i]));
    }
    const auto lost = static_cast<double>(emulated.lost_mass[row]);
    sums.lost_mass += lost;
    sums.max_lost_mass = std::max(sums.max_lost_mass, lost);
    ++sums.rows;
  }
  for (std::size_t i = 0; i < exact.o.size(); ++i) {
    const float output = round_to(emulated.o[i], ElementFormat::kFloat16);
    sums.o.add(exact.o[i], static_cast<double>(output));
  }
  return sums;
}

/// All kernels on the query heads of one key/value head.
class HeadComparison {
 public:
  HeadComparison(const AttentionInputs& inputs, std::span<const QuantizedInputs> quantized,
                 std::span<const KernelNumerics> kernels, std::int64_t index)
      : inputs_(inputs),
        batch_(index / inputs.problem.num_heads_kv),
        kv_head_(index % inputs.problem.num_heads_kv) {
    for (std::size_t i = 0; i < kernels.size(); ++i) {
      emulators_.emplace_back(quantized[i], kernels[i], batch_, kv_head_);
    }
  }

  /// Adds to `totals`, in the order of rows whatever thread computed them.
  void add_to(std::span<Sums> totals) const {
    const core::AttentionProblem& problem = inputs_.problem;
    const std::int64_t heads = problem.num_heads / problem.num_heads_kv;
    const std::int64_t groups = (problem.seqlen_q + kEmulatedRows - 1) / kEmulatedRows;
    std::vector<Sums> parts(to_size(heads * groups) * emulators_.size());
    for_each_chunk(heads * groups, 1, [&](std::int64_t i, std::int64_t) {
      const std::int64_t begin = i % groups * kEmulatedRows;
      const RowRange range{.batch = batch_,
                           .head = kv_head_ * heads + i / groups,
                           .begin = begin,
                           .count = std::min(kEmulatedRows, problem.seqlen_q - begin)};
      const ExactRows exact = exact_rows(inputs_, range);
      for (std::size_t kernel = 0; kernel < emulators_.size(); ++kernel) {
        parts[to_size(i) * emulators_.size() + kernel] = compare_rows(
            problem, range, exact, emulators_[kernel].solve(range.head, begin, range.count, true));
      }
    });
    for (std::size_t i = 0; i < parts.size(); ++i) totals[i % emulators_.size()].add(parts[i]);
  }

 private:
  const AttentionInputs& inputs_;
  std::int64_t batch_;
  std::int64_t kv_head_;
  std::vector<HeadEmulator> emulators_;
};

}  // namespace

std::vector<Accuracy> measure_accuracy(const AttentionInputs& inputs,
                                       std::span<const KernelNumerics> kernels) {
  std::vector<QuantizedInputs> quantized;
  quantized.reserve(kernels.size());
  for (const KernelNumerics& kernel : kernels) quantized.push_back(prepare(inputs, kernel));
  std::vector<Sums> totals(kernels.size());
  for (std::int64_t i = 0; i < inputs.problem.batch * inputs.problem.num_heads_kv; ++i) {
    HeadComparison(inputs, quantized, kernels, i).add_to(totals);
  }
  std::vector<Accuracy> accuracies;
  std::ranges::transform(totals, std::back_inserter(accuracies),
                         [](const Sums& sums) { return sums.accuracy(); });
  return accuracies;
}

}  // namespace fa3prof::numerics
