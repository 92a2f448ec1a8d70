#include "src/core/attention_kernel.h"

#include "src/core/error.h"

#include <algorithm>
#include <array>

namespace fa3prof::core {
namespace {

constexpr std::array<std::int64_t, 2> kFa1HeadDims{64, 128};
constexpr std::array kFa1DataTypes{DataType::kFloat16};
constexpr std::array<std::int64_t, 3> kHeadDims{64, 128, 256};
constexpr std::array kDataTypes{DataType::kFloat16, DataType::kBFloat16};

// Three consumer warpgroups (head_dim 64) leave no registers for another order of the steps.
constexpr std::array<std::int64_t, 2> kScheduleHeadDims{128, 256};
constexpr std::array kScheduleDataTypes{DataType::kFloat16};

// A second accumulator for P V fits beside the first in the registers of head_dim 128.
constexpr std::array<std::int64_t, 1> kFlushHeadDims{128};
constexpr std::array kFlushDataTypes{DataType::kFloat16};

constexpr AttentionKernel schedule(std::string_view name, std::string_view pipeline,
                                   std::string_view description) {
  return {.name = name,
          .schedule = name.substr(name.find('-') + 1),
          .pipeline = pipeline,
          .description = description,
          .min_capability = {9, 0},
          .needs_exact_major = true,
          .head_dims = kScheduleHeadDims,
          .dtypes = kScheduleDataTypes};
}

constexpr AttentionKernel fp8(std::string_view name, std::string_view pipeline,
                              std::string_view description) {
  return {.name = name,
          .schedule = "",
          .pipeline = pipeline,
          .description = description,
          .min_capability = {9, 0},
          .needs_exact_major = true,
          .head_dims = kHeadDims,
          .dtypes = kDataTypes,
          .quantizes = true};
}

constexpr AttentionKernel fp8_flushing() {
  AttentionKernel kernel =
      fp8(kFp8Flushing, "", "fa3_fp8 that adds P V to O in float32 every 128 keys");
  kernel.head_dims = kFlushHeadDims;
  kernel.dtypes = kFlushDataTypes;
  return kernel;
}

constexpr std::size_t kFirstComplete = 1;
constexpr std::size_t kCompleteKernels = 2;

constexpr std::array<AttentionKernel, 9> kKernels{{
    {.name = "fa1",
     .schedule = "",
     .pipeline = "fa1",
     .description = "FlashAttention-1 style: one CTA a head, key blocks outside, O through memory",
     .min_capability = {8, 0},
     .needs_exact_major = false,
     .head_dims = kFa1HeadDims,
     .dtypes = kFa1DataTypes},
    {.name = "fa2",
     .schedule = "",
     .pipeline = "fa2",
     .description = "FlashAttention-2 style: cp.async, ldmatrix, mma.sync, one serial loop",
     .min_capability = {8, 0},
     .needs_exact_major = false,
     .head_dims = kHeadDims,
     .dtypes = kDataTypes},
    {.name = "fa3",
     .schedule = kFullSchedule,
     .pipeline = "fa3_fp16",
     .description = "FlashAttention-3 style: TMA producer warp, WGMMA consumer warpgroups",
     .min_capability = {9, 0},
     .needs_exact_major = true,
     .head_dims = kHeadDims,
     .dtypes = kDataTypes},
    fp8(kFp8, "fa3_fp8", "fa3 in e4m3: scales per block, rotated Q and K, V without its mean"),
    fp8_flushing(),
    schedule("fa3-serial", "fa3_serial", "fa3 without producer, turns or overlap"),
    schedule("fa3-ws", "fa3_ws", "fa3 with a producer warp, without turns or overlap"),
    schedule("fa3-pingpong", "fa3_pingpong", "fa3 with a producer warp and turns, without overlap"),
    schedule("fa3-overlap", "fa3_overlap", "fa3 with overlap, without producer or turns"),
}};

std::string text_of(ComputeCapability capability) {
  return std::to_string(capability.major) + "." + std::to_string(capability.minor);
}

template <typename Range, typename Name>
std::string join(const Range& range, Name name) {
  std::string text;
  for (const auto& item : range) {
    if (!text.empty()) text += ", ";
    text += name(item);
  }
  return text;
}

}  // namespace

std::span<const AttentionKernel> attention_kernels() { return kKernels; }

std::span<const AttentionKernel> complete_kernels() {
  return attention_kernels().subspan(kFirstComplete, kCompleteKernels);
}

DataType multiplied_type(const AttentionKernel& kernel, const AttentionProblem& problem) {
  return kernel.quantizes ? DataType::kFloat8E4M3 : problem.dtype;
}

std::vector<std::string_view> schedules() {
  std::vector<std::string_view> names;
  for (const AttentionKernel& kernel : kKernels) {
    const bool lacks = !kernel.schedule.empty() && kernel.schedule != kFullSchedule;
    if (lacks) names.push_back(kernel.schedule);
  }
  names.push_back(kFullSchedule);
  return names;
}

const AttentionKernel& find_schedule(std::string_view schedule) {
  for (const AttentionKernel& kernel : kKernels) {
    if (!schedule.empty() && kernel.schedule == schedule) return kernel;
  }
  throw UsageError("unknown schedule '" + std::string(schedule) + "': choose from " +
                   join(schedules(), [](std::string_view name) { return std::string(name); }));
}

const AttentionKernel& find_kernel(std::string_view name,
                                   const std::vector<std::string>& also_there) {
  for (const AttentionKernel& kernel : kKernels) {
    if (kernel.name == name) return kernel;
  }
  std::vector<std::string> names{"fa1"};
  for (const AttentionKernel& kernel : complete_kernels()) names.emplace_back(kernel.name);
  names.emplace_back(kFp8);
  names.emplace_back(kCudnn);
  names.insert(names.end(), also_there.begin(), also_there.end());
  const std::string last = names.back();
  names.pop_back();
  throw UsageError("unknown kernel '" + std::string(name) + "': choose " +
                   join(names, [](const std::string& text) { return text; }) + " or " + last);
}

std::optional<std::string> why_unsupported(const AttentionKernel& kernel,
                                           const AttentionProblem& problem) {
  const std::string name(kernel.name);
  if (std::ranges::find(kernel.head_dims, problem.head_dim) == kernel.head_dims.end()) {
    return name + " has no head_dim " + std::to_string(problem.head_dim) + "; it has " +
           join(kernel.head_dims, [](std::int64_t d) { return std::to_string(d); });
  }
  if (std::ranges::find(kernel.dtypes, problem.dtype) == kernel.dtypes.end()) {
    return name + " has no dtype " + std::string(name_of(problem.dtype)) + "; it has " +
           join(kernel.dtypes, [](DataType t) { return std::string(name_of(t)); });
  }
  return std::nullopt;
}

std::optional<std::string> why_unsupported(const AttentionKernel& kernel,
                                           ComputeCapability capability) {
  const bool old = capability < kernel.min_capability;
  const bool other = kernel.needs_exact_major && capability.major != kernel.min_capability.major;
  if (!old && !other) return std::nullopt;
  return std::string(kernel.name) + " needs compute capability " + text_of(kernel.min_capability) +
         (kernel.needs_exact_major ? "" : " or newer") + ", this GPU has " + text_of(capability);
}

}  // namespace fa3prof::core
