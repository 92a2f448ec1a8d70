#include "src/report/prefill_text.h"

#include "src/report/markdown_cell.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace fa3prof::report {
namespace {

using analysis::CacheFit;
using analysis::LayerTime;
using analysis::Prefill;
using analysis::PrefillRow;

constexpr double kUsPerMs = 1e3;
constexpr double kUsPerSecond = 1e6;
constexpr double kBytesPerGb = 1e9;

using Cells = std::vector<std::string>;

const Cells kTimeHeadings{"time of a layer", "attention ms",  "GEMM ms",   "elementwise ms",
                          "all-reduce ms",   "first token s", "attention", "change"};
const Cells kCacheHeadings{"KV cache", "bytes a token", "GB a sequence and GPU",
                           "sequences that fit", "over the first"};

std::string count(std::int64_t value) { return grouped(static_cast<double>(value), 0); }

std::string heading_of(const Prefill& prefill) {
  const sim::Prompt& prompt = prefill.prompt;
  const std::string gpus = prompt.tensor_parallel == 1
                               ? prefill.machine.name
                               : fmt::format("{} {} by tensor parallelism", prompt.tensor_parallel,
                                             prefill.machine.name);
  return fmt::format("{} on {}, {} tokens, batch {}", prefill.model.name, gpus,
                     count(prompt.tokens), prompt.batch);
}

/// "fa3_fp8, GEMMs in fp8_e4m3"
std::string name_of(const PrefillRow& row) {
  if (core::element_bytes(row.variant.gemm) == 2) return row.variant.kernel;
  return fmt::format("{}, GEMMs in {}", row.variant.kernel, core::name_of(row.variant.gemm));
}

Cells time_cells(const PrefillRow& row) {
  const auto ms = [](double us) { return grouped(us / kUsPerMs, 2); };
  const LayerTime& layer = *row.layer;
  return {name_of(row),
          ms(layer.attention_us),
          ms(layer.gemm_us),
          ms(layer.elementwise_us),
          layer.all_reduce_us > 0.0 ? ms(layer.all_reduce_us) : "",
          grouped(row.first_token_us / kUsPerSecond, 3),
          percent(row.attention_ratio),
          text_or_empty(row.first_token_change_ratio, signed_percent)};
}

Cells cache_cells(const CacheFit& cache, const CacheFit& first) {
  std::string gain;
  if (&cache != &first && first.sequences > 0) {
    gain = times(static_cast<double>(cache.sequences) / static_cast<double>(first.sequences));
  }
  return {std::string(core::name_of(cache.dtype)), grouped(cache.bytes_per_token, 0),
          grouped(cache.bytes_per_sequence / kBytesPerGb, 2), count(cache.sequences), gain};
}

std::string memory_line(const Prefill& prefill) {
  return fmt::format(
      "memory      {:.1f} GB of a GPU for weights and KV cache ({} of it), {:.1f} GB "
      "of them 16-bit weights",
      prefill.memory_bytes / kBytesPerGb, percent(prefill.assumptions.memory_ratio),
      prefill.weights_bytes / kBytesPerGb);
}

/// What the numbers rest on, in words.
Cells basis_lines(const Prefill& prefill) {
  Cells lines{
      "attention   simulated, causal, one GPU's heads; nothing else runs beside it",
      fmt::format("GEMM        the larger of FLOP at {} of the tensor rate at {:.0f} MHz and bytes "
                  "at {:.2f} TB/s",
                  percent(prefill.assumptions.gemm_efficiency_ratio),
                  prefill.machine.clock_load_mhz.value_or(0.0),
                  prefill.machine.hbm_bytes_per_s.value_or(0.0) * 1e-12)};
  if (prefill.prompt.tensor_parallel > 1) {
    lines.push_back(
        fmt::format("all-reduce  two a layer, each 2 (n - 1) / n of the activations at "
                    "{:.0f} GB/s, not overlapped",
                    prefill.machine.link_bytes_per_s.value_or(0.0) / kBytesPerGb));
  }
  lines.push_back(memory_line(prefill));
  return lines;
}

Table table_of(const Cells& headings) {
  std::vector<Table::Column> columns;
  for (const std::string& heading : headings) columns.push_back({.heading = heading});
  return Table(std::move(columns));
}

std::string console_of(const Prefill& prefill, Colour colour) {
  Table times = table_of(kTimeHeadings);
  for (const PrefillRow& row : prefill.rows) {
    if (row.layer) {
      Cells cells = time_cells(row);
      cells.front().insert(0, "  ");
      times.add_row(std::move(cells));
    } else {
      times.add_note("  " + name_of(row), row.variant.unsupported_reason, Tone::kWarning);
    }
  }
  Table caches = table_of(kCacheHeadings);
  for (const CacheFit& cache : prefill.caches) {
    Cells cells = cache_cells(cache, prefill.caches.front());
    cells.front().insert(0, "  ");
    caches.add_row(std::move(cells));
  }
  std::string text = paint(heading_of(prefill), Tone::kHeading, colour) + "\n\n" +
                     times.text(colour) + "\n" + caches.text(colour) + "\n";
  for (const std::string& line : basis_lines(prefill)) text += line + "\n";
  for (const std::string& warning : prefill.warnings) {
    text += paint("warning     " + warning, Tone::kWarning, colour) + "\n";
  }
  return text;
}

std::string markdown_line(const Cells& cells) {
  Cells escaped;
  for (const std::string& cell : cells) escaped.push_back(markdown_escaped(cell));
  return fmt::format("| {} |\n", fmt::join(escaped, " | "));
}

std::string markdown_head(const Cells& headings) {
  std::string rule = "|---|";
  for (std::size_t i = 1; i < headings.size(); ++i) rule += "---:|";
  return markdown_line(headings) + rule + "\n";
}

std::string markdown_of(const Prefill& prefill) {
  std::string text =
      "### " + markdown_escaped(heading_of(prefill)) + "\n\n" + markdown_head(kTimeHeadings);
  for (const PrefillRow& row : prefill.rows) {
    if (row.layer) text += markdown_line(time_cells(row));
  }
  text += "\n" + markdown_head(kCacheHeadings);
  for (const CacheFit& cache : prefill.caches) {
    text += markdown_line(cache_cells(cache, prefill.caches.front()));
  }
  text += "\n";
  for (const std::string& line : basis_lines(prefill)) text += "- " + markdown_escaped(line) + "\n";
  for (const PrefillRow& row : prefill.rows) {
    if (row.layer) continue;
    text += "- " + markdown_escaped(name_of(row) + ": " + row.variant.unsupported_reason) + "\n";
  }
  for (const std::string& warning : prefill.warnings) {
    text += "- warning: " + markdown_escaped(warning) + "\n";
  }
  return text;
}

std::string joined(const std::vector<Prefill>& prefills, auto text_of) {
  std::string text;
  for (const Prefill& prefill : prefills) text += (text.empty() ? "" : "\n") + text_of(prefill);
  return text;
}

}  // namespace

std::string prefill_text(const std::vector<Prefill>& prefills, Colour colour) {
  return joined(prefills, [colour](const Prefill& prefill) { return console_of(prefill, colour); });
}

std::string prefill_markdown(const std::vector<Prefill>& prefills) {
  return joined(prefills, markdown_of);
}

}  // namespace fa3prof::report
