#include "src/commands/numerics_findings.h"

#include "src/commands/numerics_kernels.h"
#include "src/core/version.h"
#include "src/report/json.h"

#include <fmt/format.h>

#include <cmath>

namespace fa3prof::commands {
namespace {

using core::Json;
using numerics::KernelNumerics;
using report::Table;
using enum report::Table::Align;

constexpr int kSchemaVersion = 1;

std::string scientific(double value) { return fmt::format("{:.2e}", value); }

std::string guide_text(const numerics::GuideExperiment& guide, report::Colour colour) {
  Table table({{"guide, S = Q K^T against FP32"}, {"MSE"}, {"cosine"}, {"MSE gain"}});
  const auto add = [&](const char* name, const numerics::ScoreAgreement& agreement,
                       const std::string& gain) {
    table.add_row({name, fmt::format("{:.6f}", agreement.mse),
                   fmt::format("{:.6f}", agreement.cosine), gain});
  };
  add("  integer grid, one scale", guide.grid_tensor, "");
  add("  integer grid, a scale for each row", guide.grid_row,
      report::times(guide.grid_mse_ratio()));
  add("  E4M3, one scale", guide.e4m3_tensor, "");
  add("  E4M3, a scale for each row", guide.e4m3_row, report::times(guide.e4m3_mse_ratio()));
  return table.text(colour) +
         fmt::format(
             "note  the guide rounds to the integers -448..448, a uniform grid, not to E4M3: its "
             "figures are no FP8\n"
             "note  its cosines are float32 sums; in double they are {:.6f} and {:.6f}\n",
             guide.grid_tensor.exact_cosine, guide.grid_row.exact_cosine);
}

std::string rotation_text(const std::vector<numerics::RotationError>& errors,
                          report::Colour colour) {
  Table table({{"(Q M)(K M)^T against Q K^T in FP64"}, {"largest difference / norms"}});
  for (const numerics::RotationError& error : errors) {
    table.add_row({fmt::format("  head_dim {}", error.head_dim), scientific(error.max_relative)});
  }
  return table.text(colour) + "note  FP64 rounds by up to 1.1e-16\n";
}

std::string paper_text(const numerics::PublishedTable& paper, std::uint64_t seed,
                       report::Colour colour) {
  Table table({{"FlashAttention-3 paper, RMSE of O"}, {"published"}, {"here"}, {"deviation"}});
  for (const numerics::PublishedRow& row : paper.rows) {
    table.add_row({"  " + row.name, scientific(row.published_rmse), scientific(row.rmse),
                   report::signed_percent(row.rmse / row.published_rmse - 1.0)});
  }
  return table.text(colour) +
         fmt::format("note  {} heads of {} queries and {} keys, head_dim {}, seed {}\n",
                     paper.problem.num_heads, paper.problem.seqlen_q, paper.problem.seqlen_kv,
                     paper.problem.head_dim, seed);
}

/// Where the largest P is cast, and how far beyond it may grow.
std::string p_cell(const KernelNumerics& kernel) {
  std::string start = fmt::format("2^{}", kernel.p_offset_log2);
  if (kernel.p_headroom_log2 == 0.0) return start;
  return fmt::format("{} to 2^{}", start, kernel.p_offset_log2 + kernel.p_headroom_log2);
}

/// Cells that say how a kernel computes.
std::vector<std::string> kernel_cells(const KernelNumerics& kernel) {
  const std::string format = "  " + std::string(name_of(kernel.format));
  const std::string blocks = fmt::format("{} {}", name_of(kernel.order), kernel.tile_n);
  if (!is_fp8(kernel.format)) return {format, "", "", "", "", blocks, "fp32", ""};
  return {format,
          name_of(kernel.scales),
          name_of(v_scales_of(kernel)) + (kernel.is_v_smoothed ? ", no mean" : ""),
          kernel.is_rotated ? "on" : "off",
          p_cell(kernel),
          blocks,
          name_of(kernel.accumulator),
          kernel.pv_flush_keys > 0 ? std::to_string(kernel.pv_flush_keys) : "never"};
}

std::string attention_text(const AttentionFindings& findings, report::Colour colour) {
  const core::AttentionProblem& problem = findings.problem;
  Table table({{fmt::format("")},
               {"scales", kLeft},
               {"of V", kLeft},
               {"Hadamard", kLeft},
               {"P", kLeft},
               {"blocks", kLeft},
               {"sums", kLeft},
               {"flush"},
               {"S relative"},
               {"P relative"},
               {"P lost"},
               {"O RMSE"},
               {"O largest"},
               {"O relative"},
               {"O cosine"}});
  table.add_line(fmt::format("b{} h{} sq{} skv{} d{}{}, {}", problem.batch, problem.num_heads,
                             problem.seqlen_q, problem.seqlen_kv, problem.head_dim,
                             problem.is_causal ? " causal" : "", findings.input));
  for (std::size_t i = 0; i < findings.kernels.size(); ++i) {
    std::vector<std::string> cells = kernel_cells(findings.kernels[i]);
    const numerics::Accuracy& accuracy = findings.accuracies[i];
    for (std::string& cell : std::vector<std::string>{
             scientific(accuracy.s.relative_error), scientific(accuracy.p.relative_error),
             scientific(accuracy.mean_lost_mass), scientific(accuracy.o.rmse),
             scientific(accuracy.o.max_abs_error), scientific(accuracy.o.relative_error),
             fmt::format("{:.6f}", accuracy.o.cosine)}) {
      cells.push_back(std::move(cell));
    }
    table.add_row(std::move(cells));
  }
  return table.text(colour) +
         "note  against FP64 of the unrounded inputs; O is rounded to FP16; P lost: mean share of "
         "a "
         "row that its cast made zero\n";
}

Json to_json(const numerics::ScoreAgreement& agreement) {
  return {{"mse", agreement.mse},
          {"cosine", agreement.cosine},
          {"exact_cosine", agreement.exact_cosine}};
}

Json to_json(const numerics::GuideExperiment& guide) {
  return {{"rounding", "integers -448..448, a uniform grid and not E4M3"},
          {"grid_tensor", to_json(guide.grid_tensor)},
          {"grid_row", to_json(guide.grid_row)},
          {"grid_mse_ratio", guide.grid_mse_ratio()},
          {"e4m3_tensor", to_json(guide.e4m3_tensor)},
          {"e4m3_row", to_json(guide.e4m3_row)},
          {"e4m3_mse_ratio", guide.e4m3_mse_ratio()}};
}

Json to_json(const core::AttentionProblem& problem) {
  return {{"batch", problem.batch},
          {"num_heads", problem.num_heads},
          {"num_heads_kv", problem.num_heads_kv},
          {"seqlen_q", problem.seqlen_q},
          {"seqlen_kv", problem.seqlen_kv},
          {"head_dim", problem.head_dim},
          {"is_causal", problem.is_causal}};
}

Json to_json(const numerics::PublishedTable& paper) {
  Json rows = Json::array();
  for (const numerics::PublishedRow& row : paper.rows) {
    rows.push_back({{"name", row.name.substr(row.name.find_first_not_of(' '))},
                    {"published_rmse", row.published_rmse},
                    {"rmse", row.rmse}});
  }
  return {{"source", "arXiv 2407.08608, table 3"},
          {"problem", to_json(paper.problem)},
          {"rows", std::move(rows)}};
}

Json to_json(const KernelNumerics& kernel) {
  return {{"format", std::string(name_of(kernel.format))},
          {"scales", name_of(kernel.scales)},
          {"scale_block_rows", kernel.scale_block_rows},
          {"is_rotated", kernel.is_rotated},
          {"is_v_smoothed", kernel.is_v_smoothed},
          {"v_scales", name_of(v_scales_of(kernel))},
          {"p_offset_log2", kernel.p_offset_log2},
          {"p_headroom_log2", kernel.p_headroom_log2},
          {"p_raise_log2", kernel.p_raise_log2},
          {"sums_casts", kernel.sums_casts},
          {"order", name_of(kernel.order)},
          {"tile_n", kernel.tile_n},
          {"accumulator", name_of(kernel.accumulator)},
          {"pv_flush_keys", kernel.pv_flush_keys}};
}

/// null where a NaN or an infinity of the inputs has left no number.
Json number_or_null(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json to_json(const numerics::ErrorMetrics& metrics) {
  return {{"rmse", number_or_null(metrics.rmse)},
          {"max_abs_error", number_or_null(metrics.max_abs_error)},
          {"relative_error", number_or_null(metrics.relative_error)},
          {"cosine", number_or_null(metrics.cosine)},
          {"elements", metrics.elements}};
}

Json to_json(const AttentionFindings& findings) {
  Json kernels = Json::array();
  for (std::size_t i = 0; i < findings.kernels.size(); ++i) {
    const numerics::Accuracy& accuracy = findings.accuracies[i];
    kernels.push_back({{"numerics", to_json(findings.kernels[i])},
                       {"s", to_json(accuracy.s)},
                       {"p", to_json(accuracy.p)},
                       {"o", to_json(accuracy.o)},
                       {"mean_lost_mass_ratio", number_or_null(accuracy.mean_lost_mass)},
                       {"max_lost_mass_ratio", number_or_null(accuracy.max_lost_mass)}});
  }
  return {{"problem", to_json(findings.problem)},
          {"input", findings.input},
          {"kernels", std::move(kernels)}};
}

}  // namespace

std::string to_text(const NumericsFindings& findings, report::Colour colour) {
  std::vector<std::string> parts;
  if (findings.guide) parts.push_back(guide_text(*findings.guide, colour));
  if (!findings.rotation.empty()) parts.push_back(rotation_text(findings.rotation, colour));
  if (findings.paper) parts.push_back(paper_text(*findings.paper, findings.seed, colour));
  for (const AttentionFindings& attention : findings.attention) {
    parts.push_back(attention_text(attention, colour));
  }
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : "\n") + part;
  return text;
}

Json to_json(const NumericsFindings& findings, const Context& context) {
  Json document{{"schema_version", kSchemaVersion},   {"tool_version", core::tool_version()},
                {"tool_commit", core::tool_commit()}, {"created_at", context.created_at},
                {"command", context.command},         {"seed", findings.seed}};
  if (findings.guide) document["guide"] = to_json(*findings.guide);
  for (const numerics::RotationError& error : findings.rotation) {
    document["rotation"].push_back(
        {{"head_dim", error.head_dim}, {"max_relative_error", error.max_relative}});
  }
  if (findings.paper) document["paper"] = to_json(*findings.paper);
  for (const AttentionFindings& attention : findings.attention) {
    document["attention"].push_back(to_json(attention));
  }
  report::require_finite(document);
  return document;
}

}  // namespace fa3prof::commands
