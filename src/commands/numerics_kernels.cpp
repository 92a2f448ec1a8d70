#include "src/commands/numerics_kernels.h"

#include "src/cli/choice.h"
#include "src/cli/text_list.h"
#include "src/core/error.h"
#include "src/core/problem_grid.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace fa3prof::commands {
namespace {

using cli::Choices;
using numerics::Accumulator;
using numerics::ElementFormat;
using numerics::KernelNumerics;
using numerics::KeyOrder;
using numerics::ScaleGranularity;

constexpr const char* kGroup = "Kernel (each a list; all combinations are computed)";

const Choices<ElementFormat> kFormats{{"e4m3", ElementFormat::kE4M3},
                                      {"e5m2", ElementFormat::kE5M2},
                                      {"fp16", ElementFormat::kFloat16},
                                      {"bf16", ElementFormat::kBFloat16}};
const Choices<ScaleGranularity> kScales{{"tensor", ScaleGranularity::kTensor},
                                        {"head", ScaleGranularity::kHead},
                                        {"block", ScaleGranularity::kBlock},
                                        {"row", ScaleGranularity::kRow}};
const Choices<bool> kSwitch{{"on", true}, {"off", false}};
const Choices<KeyOrder> kOrders{{"forward", KeyOrder::kFirstToLast},
                                {"reverse", KeyOrder::kLastToFirst}};
const Choices<Accumulator> kAccumulators{{"fp32", Accumulator::kFloat32},
                                         {"tensor", Accumulator::kHopperFp8}};
const Choices<VScales> kVScales{
    {"flush", VScales::kFlush}, {"p", VScales::kIntoP}, {"p-pow2", VScales::kIntoPAsPowersOfTwo}};

template <typename T>
std::string word_for(const Choices<T>& choices, T wanted) {
  return std::ranges::find(choices, wanted, &std::pair<std::string, T>::second)->first;
}

template <typename T>
void add_words(CLI::App& app, const std::string& flag, std::vector<T>& list,
               const std::pair<Choices<T>, std::string>& choices_and_meaning) {
  const auto& [choices, meaning] = choices_and_meaning;
  const auto parse = [flag, &list, known = choices](const std::string& text) {
    list.clear();
    for (const std::string& word : cli::split_list(text, flag)) {
      const auto it = std::ranges::find(known, word, &std::pair<std::string, T>::first);
      if (it == known.end()) {
        throw core::UsageError(
            fmt::format("{}: '{}' is no choice; write {}", flag, word, cli::words_of(known)));
      }
      list.push_back(it->second);
    }
  };
  app.add_option_function<std::string>(flag, parse, meaning)
      ->type_name(cli::words_of(choices))
      ->group(kGroup);
}

/// Numbers from 0 on.
template <typename T>
void add_numbers(CLI::App& app, const std::string& flag, std::vector<T>& list,
                 const std::string& meaning) {
  const auto parse = [flag, &list](const std::string& text) {
    list.clear();
    for (const std::string& word : cli::split_list(text, flag)) {
      T value = 0;
      const char* end = word.data() + word.size();
      const auto [stop, error] = std::from_chars(word.data(), end, value);
      if (error != std::errc() || stop != end || value < 0) {
        throw core::UsageError(fmt::format("{}: '{}' is no number from 0 on", flag, word));
      }
      list.push_back(value);
    }
  };
  app.add_option_function<std::string>(flag, parse, meaning)->type_name("NUMBERS")->group(kGroup);
}

/// The kernels so far, each with every value of the list.
template <typename T, typename Set>
void multiply(std::vector<KernelNumerics>& kernels, const std::vector<T>& list, const Set& set) {
  if (list.empty()) return;
  std::vector<KernelNumerics> product;
  for (const KernelNumerics& kernel : kernels) {
    for (const T& value : list) set(product.emplace_back(kernel), value);
  }
  kernels = std::move(product);
}

void set_v_scales(KernelNumerics& kernel, VScales v_scales) {
  kernel.v_scaling =
      v_scales == VScales::kFlush ? numerics::VScaling::kAtFlush : numerics::VScaling::kIntoP;
  kernel.has_power_of_two_v_scales = v_scales == VScales::kIntoPAsPowersOfTwo;
}

KernelNumerics sixteen_bit(const KernelNumerics& kernel, ElementFormat format) {
  return {.format = format,
          .is_rotated = false,
          .p_offset_log2 = 0,
          .order = kernel.order,
          .tile_n = kernel.tile_n,
          .accumulator = Accumulator::kFloat32,
          .pv_flush_keys = 0};
}

/// FP16, the plainest E4M3, and one more remedy a row: what each of them brings.
std::vector<KernelNumerics> ladder(const KernelNumerics& start) {
  KernelNumerics kernel = start;
  std::vector<KernelNumerics> kernels{sixteen_bit(kernel, ElementFormat::kFloat16)};
  kernel.is_rotated = false;
  kernel.p_offset_log2 = 0;
  kernel.order = KeyOrder::kFirstToLast;
  kernel.accumulator = Accumulator::kFloat32;
  kernel.pv_flush_keys = 0;
  for (const auto& [word, scales] : kScales) {
    kernel.scales = scales;
    kernels.push_back(kernel);
  }
  kernel.scales = ScaleGranularity::kBlock;
  const auto add = [&](auto KernelNumerics::*field, auto value) {
    kernel.*field = value;
    kernels.push_back(kernel);
  };
  add(&KernelNumerics::is_rotated, true);
  add(&KernelNumerics::p_offset_log2, 8);
  add(&KernelNumerics::order, KeyOrder::kLastToFirst);
  add(&KernelNumerics::accumulator, Accumulator::kHopperFp8);
  add(&KernelNumerics::pv_flush_keys, std::int64_t{128});
  return kernels;
}

bool is_any_stated(const KernelLists& lists) {
  return !(lists.formats.empty() && lists.scales.empty() && lists.rotations.empty() &&
           lists.p_offsets.empty() && lists.p_headrooms.empty() && lists.p_raises.empty() &&
           lists.orders.empty() && lists.accumulators.empty() && lists.pv_flushes.empty() &&
           lists.v_scales.empty() && !lists.sums_casts);
}

}  // namespace

void add_kernel_options(CLI::App& app, KernelLists& lists) {
  add_words(app, "--format", lists.formats, {kFormats, "of Q, K, V and P [e4m3]"});
  add_words(app, "--scales", lists.scales, {kScales, "what shares a scale [block]"});
  add_words(app, "--hadamard", lists.rotations, {kSwitch, "rotate Q and K [on]"});
  add_numbers(app, "--p-offset", lists.p_offsets, "P is cast times 2 to this [8]");
  add_numbers(app, "--p-headroom", lists.p_headrooms,
              "further powers of two that P may grow by before it is rescaled [0]");
  add_numbers(app, "--p-raise", lists.p_raises,
              "powers of two of --p-headroom that a rescale uses up [0]");
  add_words(app, "--order", lists.orders, {kOrders, "of the key blocks [reverse]"});
  add_words(app, "--accumulator", lists.accumulators,
            {kAccumulators, "sums in FP32, or as Hopper's tensor core adds FP8 products [tensor]"});
  add_numbers(app, "--pv-flush", lists.pv_flushes,
              "keys after which P V is added in FP32; 0: never [128]");
  add_words(app, "--v-scales", lists.v_scales,
            {kVScales,
             "scales of V onto the flushed sums, into P, or into P as powers of two "
             "[flush]"});
  app.add_flag("--sum-casts", lists.sums_casts,
               "rows are divided by the sum of P as it was cast, not by that in FP32")
      ->group(kGroup);
  add_numbers(app, "--tile-n", lists.tile_ns, "keys of a block [128]");
  app.add_option("--block-rows", lists.block_rows,
                 "rows that share a scale of --scales block [128]")
      ->check(CLI::PositiveNumber)
      ->group(kGroup);
  app.add_flag("--smooth-v", lists.is_v_smoothed,
               "V without its channels' means, which are added to O again")
      ->group(kGroup);
}

std::vector<KernelNumerics> kernels_of(const KernelLists& lists) {
  const KernelNumerics start{.scale_block_rows = lists.block_rows,
                             .is_v_smoothed = lists.is_v_smoothed,
                             .sums_casts = lists.sums_casts};
  std::vector<KernelNumerics> kernels{start};
  multiply(kernels, lists.tile_ns, [](auto& kernel, std::int64_t value) { kernel.tile_n = value; });
  if (!is_any_stated(lists)) {
    std::vector<KernelNumerics> all;
    for (const KernelNumerics& kernel : kernels)
      std::ranges::copy(ladder(kernel), std::back_inserter(all));
    return all;
  }
  std::vector<KernelNumerics> all;
  for (const ElementFormat format :
       lists.formats.empty() ? std::vector{ElementFormat::kE4M3} : lists.formats) {
    std::vector<KernelNumerics> of_format = kernels;
    for (KernelNumerics& kernel : of_format) {
      if (is_fp8(format)) kernel.format = format;
      if (!is_fp8(format)) kernel = sixteen_bit(kernel, format);
    }
    multiply(of_format, lists.orders, [](auto& kernel, KeyOrder value) { kernel.order = value; });
    if (is_fp8(format)) {
      multiply(of_format, lists.scales, [](auto& kernel, auto value) { kernel.scales = value; });
      multiply(of_format, lists.rotations,
               [](auto& kernel, bool value) { kernel.is_rotated = value; });
      multiply(of_format, lists.p_offsets,
               [](auto& kernel, int value) { kernel.p_offset_log2 = value; });
      multiply(of_format, lists.p_headrooms,
               [](auto& kernel, double value) { kernel.p_headroom_log2 = value; });
      multiply(of_format, lists.p_raises,
               [](auto& kernel, double value) { kernel.p_raise_log2 = value; });
      multiply(of_format, lists.accumulators,
               [](auto& kernel, auto value) { kernel.accumulator = value; });
      multiply(of_format, lists.pv_flushes,
               [](auto& kernel, auto value) { kernel.pv_flush_keys = value; });
      multiply(of_format, lists.v_scales, set_v_scales);
    }
    std::ranges::copy(of_format, std::back_inserter(all));
  }
  return all;
}

std::string name_of(ScaleGranularity scales) { return word_for(kScales, scales); }

std::string name_of(KeyOrder order) { return word_for(kOrders, order); }

std::string name_of(Accumulator accumulator) { return word_for(kAccumulators, accumulator); }

std::string name_of(VScales v_scales) { return word_for(kVScales, v_scales); }

VScales v_scales_of(const KernelNumerics& kernel) {
  if (kernel.v_scaling == numerics::VScaling::kAtFlush) return VScales::kFlush;
  return kernel.has_power_of_two_v_scales ? VScales::kIntoPAsPowersOfTwo : VScales::kIntoP;
}

}  // namespace fa3prof::commands
