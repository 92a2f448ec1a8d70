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

Output run_attention(std::string_view kernel, const core::AttentionProblem& problem,
                     const Inputs& inputs, Order order) {
  const Extents queries = query_extents(problem);
  const Extents keys = key_extents(problem);
  const DeviceBuffer q = upload(inputs.q, queries, order);
  const DeviceBuffer k = upload(inputs.k, keys, order);
  const DeviceBuffer v = upload(inputs.v, keys, order);
  const DeviceBuffer o(q.size_bytes());
  const auto lse_count =
      static_cast<std::size_t>(problem.batch * problem.num_heads * problem.seqlen_q);
  const DeviceBuffer lse(lse_count * sizeof(float));
  const DeviceBuffer workspace(kernels::kWorkspaceBytes);
  constexpr int kNanBytes = 0xFF;
  cuda_check(cudaMemset(o.get(), kNanBytes, o.size_bytes()));
  cuda_check(cudaMemset(lse.get(), kNanBytes, lse.size_bytes()));
  cuda_check(cudaMemset(workspace.get(), 0, workspace.size_bytes()));

  kernels::launch_attention(core::find_kernel(kernel), problem,
                            {.q = q.get(),
                             .k = k.get(),
                             .v = v.get(),
                             .o = o.get(),
                             .lse = static_cast<float*>(lse.get()),
                             .q_strides = strides_of(queries, order),
                             .k_strides = strides_of(keys, order),
                             .v_strides = strides_of(keys, order),
                             .o_strides = strides_of(queries, order),
                             .softmax_scale = static_cast<float>(core::softmax_scale(problem)),
                             .workspace = workspace.get()},
                            nullptr);
  cuda_check(cudaDeviceSynchronize());

  Output output;
  std::vector<std::uint16_t> placed(queries.elements());
  output.o.resize(placed.size());
  output.lse.resize(lse_count);
  cuda_check(cudaMemcpy(placed.data(), o.get(), o.size_bytes(), cudaMemcpyDeviceToHost));
  cuda_check(cudaMemcpy(output.lse.data(), lse.get(), lse.size_bytes(), cudaMemcpyDeviceToHost));
  cuda_check(cudaMemcpy(&output.workspace, workspace.get(), sizeof(output.workspace),
                        cudaMemcpyDeviceToHost));
  reorder(placed, strides_of(queries, order), output.o, strides_of(queries, Order::kBatchSeqHead),
          queries);
  return output;
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
  std::vector<double> o;
  std::vector<double> lse;
  for (const auto& at : rows) {
    const std::int64_t first =
        ((at.batch * problem.seqlen_q + at.row) * problem.num_heads + at.head) * problem.head_dim;
    o.insert(o.end(), values.begin() + first, values.begin() + first + problem.head_dim);
    const std::int64_t lse_at =
        (at.batch * problem.num_heads + at.head) * problem.seqlen_q + at.row;
    lse.push_back(static_cast<double>(output.lse[static_cast<std::size_t>(lse_at)]));
  }
  return {numerics::compare(reference.o, o).relative_error,
          numerics::compare(reference.lse, lse).max_abs_error};
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
