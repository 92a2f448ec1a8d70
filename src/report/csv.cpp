#include "src/analysis/comparison.h"
#include "src/report/row_text.h"

#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <optional>

namespace fa3prof::report {
namespace {

using analysis::Row;
using core::Result;

/// A cell: text as it is, numbers with the fewest digits that read back to the same number.
std::string cell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

std::string cell(const std::optional<double>& number) {
  return number && std::isfinite(*number) ? fmt::format("{}", *number) : std::string();
}

std::string cell(std::int64_t number) { return fmt::format("{}", number); }

/// What a cell of a row is made of.
struct Source {
  const std::string& report;
  const Row& row;
  const core::AttentionProblem& problem;
};

const Result& any_result(const Row& row) {
  return row.measured != nullptr ? *row.measured : *row.simulated;
}

/// `read` of a result that may be missing.
std::string of(const Result* result, auto read) {
  return result == nullptr ? std::string() : cell(std::optional<double>(read(*result)));
}

/// A member of an optional part of a result.
std::optional<double> member(const auto& part, auto read) {
  return part ? std::optional<double>(read(*part)) : std::nullopt;
}

struct Column {
  std::string name;
  std::function<std::string(const Source&)> text;
};

void add_problem(std::vector<Column>& columns) {
  columns.push_back({"report", [](const Source& s) { return cell(s.report); }});
  columns.push_back({"kernel", [](const Source& s) { return cell(s.row.label); }});
  columns.push_back(
      {"kernel_version", [](const Source& s) { return cell(any_result(s.row).kernel_version); }});
  columns.push_back(
      {"dtype", [](const Source& s) { return std::string(core::name_of(s.problem.dtype)); }});
  const auto add = [&columns](const char* name, std::int64_t core::AttentionProblem::*size) {
    columns.push_back({name, [size](const Source& s) { return cell(s.problem.*size); }});
  };
  add("batch", &core::AttentionProblem::batch);
  add("num_heads", &core::AttentionProblem::num_heads);
  add("num_heads_kv", &core::AttentionProblem::num_heads_kv);
  add("seqlen_q", &core::AttentionProblem::seqlen_q);
  add("seqlen_kv", &core::AttentionProblem::seqlen_kv);
  add("head_dim", &core::AttentionProblem::head_dim);
  columns.push_back({"is_causal", [](const Source& s) {
                       return std::string(s.problem.is_causal ? "true" : "false");
                     }});
}

void add_measured(std::vector<Column>& columns) {
  const auto add = [&columns](const char* name, auto read) {
    columns.push_back({name, [read](const Source& s) { return of(s.row.measured, read); }});
  };
  add("time_us", [](const Result& r) { return r.time_us; });
  add("time_ci95_lower_us", [](const Result& r) {
    return member(r.timing, [](const auto& t) { return t.median_ci95_us.lower; });
  });
  add("time_ci95_upper_us", [](const Result& r) {
    return member(r.timing, [](const auto& t) { return t.median_ci95_us.upper; });
  });
  add("quantization_us", [](const Result& r) {
    return member(r.quantization, [](const auto& q) { return q.time_us; });
  });
  columns.push_back({"quantization_is_in_time", [](const Source& s) {
                       const Result* result = s.row.measured;
                       if (result == nullptr || !result->quantization) return std::string();
                       return std::string(result->quantization->is_included ? "true" : "false");
                     }});
  add("tflops", [](const Result& r) { return r.tflops; });
  add("peak_tflops", [](const Result& r) { return r.peak_tflops; });
  columns.push_back({"cycles", [](const Source& s) { return cell(s.row.measured_cycles); }});
  columns.push_back(
      {"cycles_basis", [](const Source& s) { return cell(s.row.measured_cycles_basis); }});
  add("tensor_active_ratio",
      [](const Result& r) { return r.counters.find(core::kTensorActiveRatio); });
  add("sm_clock_mhz", [](const Result& r) {
    return member(r.clocks, [](const auto& c) { return c.sm_clock_mhz; });
  });
  add("power_watts", [](const Result& r) {
    return member(r.clocks, [](const auto& c) { return c.power_watts; });
  });
  columns.push_back({"verified", [](const Source& s) {
                       const Result* result = s.row.measured;
                       if (result == nullptr || !result->verification) return std::string();
                       return std::string(result->verification->passed ? "true" : "false");
                     }});
  add("relative_error", [](const Result& r) {
    return member(r.verification, [](const auto& v) { return v.relative_error; });
  });
}

void add_simulated(std::vector<Column>& columns) {
  const auto add = [&columns](const char* name, auto read) {
    columns.push_back({name, [read](const Source& s) { return of(s.row.simulated, read); }});
  };
  const auto add_text = [&columns](const char* name, std::string Result::*text) {
    columns.push_back({name, [text](const Source& s) {
                         return s.row.simulated == nullptr ? "" : cell(s.row.simulated->*text);
                       }});
  };
  add_text("pipeline", &Result::pipeline);
  add_text("machine", &Result::machine);
  add("simulated_time_us", [](const Result& r) { return r.time_us; });
  add("simulated_cycles", [](const Result& r) { return r.cycles; });
  add("simulated_tflops", [](const Result& r) { return r.tflops; });
  columns.push_back({"cycles_deviation_ratio",
                     [](const Source& s) { return cell(s.row.cycles_deviation_ratio); }});
}

void add_speedup(std::vector<Column>& columns) {
  const auto add = [&columns](const char* name, auto read) {
    columns.push_back({name, [read](const Source& s) {
                         return s.row.speedup ? cell(read(*s.row.speedup)) : std::string();
                       }});
  };
  add("baseline", [](const analysis::Speedup& speedup) { return speedup.baseline; });
  add("time_ratio", [](const analysis::Speedup& speedup) { return speedup.measured_time_ratio; });
  add("simulated_time_ratio",
      [](const analysis::Speedup& speedup) { return speedup.simulated_time_ratio; });
  columns.push_back({"not_run_because",
                     [](const Source& s) { return cell(any_result(s.row).unsupported_reason); }});
}

std::vector<Column> make_columns() {
  std::vector<Column> columns;
  add_problem(columns);
  add_measured(columns);
  add_simulated(columns);
  add_speedup(columns);
  return columns;
}

std::string line_of(const std::vector<Column>& columns, auto text_of) {
  std::string line;
  for (const Column& column : columns) line += text_of(column) + ",";
  line.back() = '\n';
  return line;
}

}  // namespace

std::string csv_text(const std::vector<NamedReport>& reports) {
  const std::vector<Column> columns = make_columns();
  std::string text = line_of(columns, [](const Column& column) { return column.name; });
  for (const NamedReport& named : reports) {
    for (const analysis::ProblemComparison& comparison : analysis::compare(named.report.results)) {
      for (const Row& row : comparison.rows) {
        const Source source{.report = named.name, .row = row, .problem = comparison.problem};
        text += line_of(columns, [&source](const Column& column) { return column.text(source); });
      }
    }
  }
  return text;
}

}  // namespace fa3prof::report
