#include "src/analysis/generations.h"

#include <fmt/format.h>

#include <cmath>

namespace fa3prof::analysis {
namespace {

/// TFLOPS that differ by more from the guide's get a note, and so do overlaps and idle shares.
constexpr double kWorthMention = 0.05;

using Notes = std::vector<std::string>;

double count(const Generation& generation, std::string_view key) {
  return generation.measured->counters.find(key).value_or(0.0);
}

/// "12", "29.6 million".
std::string count_text(const Generation& generation, std::string_view key) {
  constexpr double kMillion = 1e6;
  const double value = count(generation, key);
  return value < kMillion ? fmt::format("{:.0f}", value)
                          : fmt::format("{:.1f} million", value / kMillion);
}

/// The guide's words name the copy that it means.
bool names(std::string_view text, std::string_view word) {
  return text.find(word) != std::string_view::npos;
}

void note_transfer(const Generation& generation, Notes& notes) {
  if (!generation.engine) return;
  const GuideGeneration& guide = *generation.guide;
  const bool says_cp_async = names(guide.transfer, "cp.async");
  const bool says_tma = names(guide.transfer, "TMA");
  if (says_cp_async && *generation.engine == TransferEngine::kRegisters) {
    notes.push_back(
        fmt::format("{} loads by cp.async in the guide; {} executed {} LDGSTS and {} LDG: "
                    "FlashAttention-1 copies through registers, as GPUs before Ampere must",
                    guide.name, guide.kernel, count_text(generation, core::kCpAsyncInstructions),
                    count_text(generation, core::kGlobalLoadInstructions)));
  } else if (says_cp_async && *generation.engine == TransferEngine::kCpAsync) {
    notes.push_back(fmt::format(
        "{}: cp.async (LDGSTS) is an asynchronous copy past the registers, not the synchronous one "
        "through them that the guide describes",
        guide.name));
  } else if (says_tma != (*generation.engine == TransferEngine::kTma)) {
    notes.push_back(fmt::format("{} loads by {} in the guide; {} was seen to use {}", guide.name,
                                guide.transfer, guide.kernel, name_of(*generation.engine)));
  }
}

void note_instruction(const Generation& generation, Notes& notes) {
  if (!generation.instruction) return;
  const GuideGeneration& guide = *generation.guide;
  const bool is_wgmma = *generation.instruction == TensorInstruction::kWgmma;
  if (names(guide.instruction, "WGMMA") == is_wgmma) return;
  notes.push_back(fmt::format(
      "{} multiplies by {} in the guide; {} executed {} HMMA and {} HGMMA or QGMMA", guide.name,
      guide.instruction, guide.kernel, count_text(generation, core::kMmaSyncInstructions),
      count_text(generation, core::kWgmmaInstructions)));
}

void note_overlap(const Generation& generation, Notes& notes) {
  if (!generation.both_busy_ratio) return;
  const GuideGeneration& guide = *generation.guide;
  const bool says_serial = names(guide.overlap, "serial");
  if (says_serial && *generation.both_busy_ratio > kWorthMention) {
    notes.push_back(fmt::format(
        "{} is strictly serialized in the guide; {} had tensor pipe and MUFU busy at once for at "
        "least {:.1f} % of the cycles",
        guide.name, guide.kernel, 100.0 * *generation.both_busy_ratio));
  }
  const double idle = 1.0 - count(generation, core::kTensorActiveRatio);
  if (!says_serial && idle > kWorthMention) {
    notes.push_back(fmt::format(
        "{} is fully overlapped in the guide; the tensor pipe was idle for {:.1f} % of the cycles",
        guide.name, 100.0 * idle));
  }
}

void note_speed(const Generation& generation, std::string_view gpu, Notes& notes) {
  if (!generation.measured->tflops) return;
  const GuideGeneration& guide = *generation.guide;
  const double deviation = *generation.measured->tflops / guide.tflops - 1.0;
  if (std::abs(deviation) <= kWorthMention) return;
  notes.push_back(
      fmt::format("{} reaches ~{:.0f} TFLOPS on an H100 in the guide; {} {:.0f} on {}, "
                  "{:+.0f} %",
                  guide.name, guide.tflops, guide.kernel, *generation.measured->tflops,
                  gpu.empty() ? "this GPU" : gpu, 100.0 * deviation));
}

}  // namespace

std::vector<std::string> generation_notes(const std::vector<Generation>& generations,
                                          std::string_view gpu) {
  Notes notes;
  for (const Generation& generation : generations) {
    if (generation.measured == nullptr || !generation.measured->time_us) continue;
    note_transfer(generation, notes);
    note_instruction(generation, notes);
    note_overlap(generation, notes);
    note_speed(generation, gpu, notes);
  }
  return notes;
}

}  // namespace fa3prof::analysis
