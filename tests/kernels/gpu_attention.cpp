#include "tests/kernels/gpu_attention.h"

#include "kernels/runtime/cuda_check.h"
#include "kernels/runtime/handles.h"
#include "src/numerics/error_metrics.h"
#include "src/numerics/float_conversion.h"
#include "src/numerics/random_tensors.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <span>

namespace fa3prof::tests {
namespace {

using kernels::cuda_check;
using kernels::DeviceBuffer;

struct Extents {
  std::int64_t batch, seqlen, heads, head_dim;

  [[nodiscard]] std::size_t elements() const {
    return static_cast<std::size_t>(batch * seqlen * heads * head_dim);
  }
};

kernels::Strides strides_of(const Extents& e, Order order) {
  return order == Order::kBatchSeqHead
             ? kernels::dense_strides(e.seqlen, e.heads, e.head_dim)
             : kernels::Strides{e.heads * e.seqlen * e.head_dim, e.head_dim, e.seqlen * e.head_dim};
}

/// Copies rows between the dense [batch, seqlen, heads, head_dim] order and `strides`.
void reorder(std::span<const std::uint16_t> from, const kernels::Strides& from_strides,
             std::span<std::uint16_t> to, const kernels::Strides& to_strides, const Extents& e) {
  for (std::int64_t b = 0; b < e.batch; ++b) {
    for (std::int64_t s = 0; s < e.seqlen; ++s) {
      for (std::int64_t h = 0; h < e.heads; ++h) {
        const auto at = [&](const kernels::Strides& t) {
          return b * t.batch + s * t.seq + h * t.head;
        };
        std::copy_n(from.begin() + at(from_strides), e.head_dim, to.begin() + at(to_strides));
      }
    }
  }
}

DeviceBuffer upload(std::span<const std::uint16_t> dense, const Extents& e, Order order) {
  std::vector<std::uint16_t> placed(e.elements());
  reorder(dense, strides_of(e, Order::kBatchSeqHead), placed, strides_of(e, order), e);
  DeviceBuffer buffer(placed.size() * sizeof(std::uint16_t));
  cuda_check(cudaMemcpy(buffer.get(), placed.data(), buffer.size_bytes(), cudaMemcpyHostToDevice));
  return buffer;
}

Extents query_extents(const core::AttentionProblem& p) {
  return {p.batch, p.seqlen_q, p.num_heads, p.head_dim};
}

Extents key_extents(const core::AttentionProblem& p) {
  return {p.batch, p.seqlen_kv, p.num_heads_kv, p.head_dim};
}

/// Enough for each of our kernels.
std::size_t workspace_bytes(const core::AttentionProblem& problem) {
  std::size_t bytes = kernels::kCounterBytes;
  for (const core::AttentionKernel& kernel : core::attention_kernels()) {
    if (core::why_unsupported(kernel, problem)) continue;
    bytes = std::max(bytes, kernels::workspace_bytes(kernel, problem));
  }
  return bytes;
}

std::size_t size(std::int64_t value) { return static_cast<std::size_t>(value); }

bool sees_a_key(const core::AttentionProblem& p, std::int64_t row) {
  return !p.is_causal || row + p.seqlen_kv - p.seqlen_q >= 0;
}

}  // namespace

bool gpu_runs(std::string_view kernel) {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::puts("SKIPPED: no GPU");
    return false;
  }
  core::ComputeCapability capability;
  cuda_check(cudaDeviceGetAttribute(&capability.major, cudaDevAttrComputeCapabilityMajor, 0));
  cuda_check(cudaDeviceGetAttribute(&capability.minor, cudaDevAttrComputeCapabilityMinor, 0));
  const auto reason = core::why_unsupported(core::find_kernel(kernel), capability);
  if (reason) std::printf("left out: %s\n", reason->c_str());
  return !reason;
}

std::vector<Variant> variants() {
  std::vector<Variant> all;
  for (const core::AttentionKernel& kernel : core::attention_kernels()) {
    if (kernel.quantizes) continue;
    for (const std::int64_t head_dim : kernel.head_dims) {
      for (const core::DataType dtype : kernel.dtypes) {
        all.push_back({std::string(kernel.name), head_dim, dtype});
      }
    }
  }
  return all;
}

core::AttentionProblem random_problem(std::mt19937& random, const Variant& variant, bool is_causal,
                                      const ShapeLimits& limits) {
  const auto pick = [&](std::int64_t lowest, std::int64_t highest) {
    return std::uniform_int_distribution<std::int64_t>(lowest, highest)(random);
  };
  const auto length = [&] {
    return pick(0, 1) == 0 ? pick(1, limits.short_length) : pick(1, limits.length);
  };
  core::AttentionProblem problem;
  problem.batch = pick(0, 3) == 0 ? pick(1, limits.large_batch) : pick(1, limits.batch);
  problem.num_heads_kv = pick(1, limits.heads_kv);
  problem.num_heads = problem.num_heads_kv * pick(1, limits.group);
  problem.seqlen_q = length();
  problem.seqlen_kv = pick(0, 1) == 0 ? problem.seqlen_q : length();
  problem.head_dim = variant.head_dim;
  problem.dtype = variant.dtype;
  problem.is_causal = is_causal;
  return problem;
}

double tolerance(core::DataType dtype) { return dtype == core::DataType::kBFloat16 ? 8e-3 : 1e-3; }

Inputs random_inputs(const core::AttentionProblem& problem, std::uint64_t seed) {
  Inputs inputs;
  inputs.q.resize(query_extents(problem).elements());
  inputs.k.resize(key_extents(problem).elements());
  inputs.v.resize(key_extents(problem).elements());
  numerics::fill_normal(inputs.q, problem.dtype, seed, 0);
  numerics::fill_normal(inputs.k, problem.dtype, seed, 1);
  numerics::fill_normal(inputs.v, problem.dtype, seed, 2);
  return inputs;
}

DeviceProblem::DeviceProblem(const core::AttentionProblem& problem, const Inputs& inputs,
                             Order order)
    : problem_(problem),
      order_(order),
      q_(upload(inputs.q, query_extents(problem), order)),
      k_(upload(inputs.k, key_extents(problem), order)),
      v_(upload(inputs.v, key_extents(problem), order)),
      o_(q_.size_bytes()),
      lse_(size(problem.batch * problem.num_heads * problem.seqlen_q) * sizeof(float)),
      workspace_(workspace_bytes(problem)) {
  constexpr int kNanBytes = 0xFF;
  cuda_check(cudaMemset(o_.get(), kNanBytes, o_.size_bytes()));
  cuda_check(cudaMemset(lse_.get(), kNanBytes, lse_.size_bytes()));
  cuda_check(cudaMemset(workspace_.get(), 0, workspace_.size_bytes()));
  const kernels::Strides queries = strides_of(query_extents(problem), order);
  const kernels::Strides keys = strides_of(key_extents(problem), order);
  tensors_ = {.q = q_.get(),
              .k = k_.get(),
              .v = v_.get(),
              .o = o_.get(),
              .lse = static_cast<float*>(lse_.get()),
              .q_strides = queries,
              .k_strides = keys,
              .v_strides = keys,
              .o_strides = queries,
              .softmax_scale = static_cast<float>(core::softmax_scale(problem)),
              .workspace = workspace_.get()};
}

Output DeviceProblem::download() const {
  cuda_check(cudaDeviceSynchronize());
  const Extents queries = query_extents(problem_);
  Output output;
  std::vector<std::uint16_t> placed(queries.elements());
  output.o.resize(placed.size());
  output.lse.resize(lse_.size_bytes() / sizeof(float));
  cuda_check(cudaMemcpy(placed.data(), o_.get(), o_.size_bytes(), cudaMemcpyDeviceToHost));
  cuda_check(cudaMemcpy(output.lse.data(), lse_.get(), lse_.size_bytes(), cudaMemcpyDeviceToHost));
  cuda_check(cudaMemcpy(&output.workspace, workspace_.get(), sizeof(output.workspace),
                        cudaMemcpyDeviceToHost));
  reorder(placed, strides_of(queries, order_), output.o, strides_of(queries, Order::kBatchSeqHead),
          queries);
  return output;
}

Output run_attention(std::string_view kernel, const core::AttentionProblem& problem,
                     const Inputs& inputs, Order order) {
  const DeviceProblem on_device(problem, inputs, order);
  kernels::launch_attention(core::find_kernel(kernel), problem, on_device.tensors(), nullptr);
  return on_device.download();
}

Deviation deviation(const core::AttentionProblem& problem, const Inputs& inputs,
                    const Output& output, const std::vector<numerics::RowIndex>& rows) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  std::vector<float> values(output.o.size());
  numerics::decode(output.o, problem.dtype, std::span<float>(values));
  if (!std::ranges::all_of(values, [](float x) { return std::isfinite(x); })) return {kInfinity, 0};
  for (std::size_t i = 0; i < output.lse.size(); ++i) {
    const auto row = static_cast<std::int64_t>(i) % problem.seqlen_q;
    const bool expected_finite = sees_a_key(problem, row);
    if (std::isfinite(output.lse[i]) != expected_finite || std::isnan(output.lse[i])) {
      return {0, kInfinity};
    }
  }

  const auto reference = numerics::reference_rows(problem, {inputs.q, inputs.k, inputs.v}, rows);
  const auto actual = rows_of(problem, output, rows);
  return {numerics::compare(reference.o, actual.o).relative_error,
          numerics::compare(reference.lse, actual.lse).max_abs_error};
}

numerics::ReferenceRows rows_of(const core::AttentionProblem& problem, const Output& output,
                                const std::vector<numerics::RowIndex>& rows) {
  numerics::ReferenceRows result;
  result.o.resize(rows.size() * size(problem.head_dim));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto& at = rows[i];
    const std::int64_t first =
        ((at.batch * problem.seqlen_q + at.row) * problem.num_heads + at.head) * problem.head_dim;
    numerics::decode(
        std::span(output.o).subspan(size(first), size(problem.head_dim)), problem.dtype,
        std::span(result.o).subspan(i * size(problem.head_dim), size(problem.head_dim)));
    const std::int64_t lse_at =
        (at.batch * problem.num_heads + at.head) * problem.seqlen_q + at.row;
    result.lse.push_back(double{output.lse[size(lse_at)]});
  }
  return result;
}

Agreement compare_kinds(std::vector<double> reference, std::vector<double> actual) {
  Agreement result;
  for (std::size_t i = 0; i < reference.size(); ++i) {
    const bool is_finite = std::isfinite(reference[i]);
    if (!is_finite) ++result.not_finite;
    if (is_finite != std::isfinite(actual[i])) ++result.different_kind;
    if (!is_finite || !std::isfinite(actual[i])) reference[i] = actual[i] = 0.0;
  }
  const numerics::ErrorMetrics metrics = numerics::compare(reference, actual);
  result.relative_error = metrics.relative_error;
  result.max_abs_error = metrics.max_abs_error;
  return result;
}

std::vector<numerics::RowIndex> spread_rows(const core::AttentionProblem& problem,
                                            std::int64_t at_most) {
  const std::int64_t total = problem.batch * problem.num_heads * problem.seqlen_q;
  const std::int64_t count = std::min(total, at_most);
  std::vector<numerics::RowIndex> rows;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t flat = count == 1 ? 0 : i * (total - 1) / (count - 1);
    const std::int64_t pair = flat / problem.seqlen_q;
    rows.push_back({pair / problem.num_heads, pair % problem.num_heads, flat % problem.seqlen_q});
  }
  return rows;
}

}  // namespace fa3prof::tests
