// --trace, --trace-ctas and --breakdown: timelines, and where the cycles of a traced kernel went.
#pragma once

#include "src/core/timeline.h"

#include <CLI/CLI.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace fa3prof::commands {

/// Spans of a timeline in a report: some 50 KB, of seq 8192 the first tile and into the next.
inline constexpr std::size_t kReportedSpans = 3000;

struct TraceOptions {
  std::string file;       ///< of the timelines; empty: none
  std::vector<int> ctas;  ///< to be traced; empty: the profiler's choice
  bool shows_breakdown = false;

  /// What a run is asked to trace, if anything.
  [[nodiscard]] std::optional<std::vector<int>> wanted_ctas() const {
    if (file.empty() && !shows_breakdown && ctas.empty()) return std::nullopt;
    return ctas;
  }
};

inline constexpr const char* kTimelineGroup = "Timeline";  ///< heading in --help

/// Adds --trace, which `run` and `simulate` have alike.
void add_trace_file_option(CLI::App& verb, std::string& file);

/// Adds --trace, --trace-ctas and --breakdown.
void add_tracing_options(CLI::App& verb, TraceOptions& options);

/// Where timelines go.
class TraceFile {
 public:
  /// An empty path: nowhere. Throws UsageError if the file could not be written.
  explicit TraceFile(std::string path);

  [[nodiscard]] bool is_wanted() const { return !path_.empty(); }

  /// Writes the file, if one is wanted.
  void write(const core::Timeline& timeline) const;

 private:
  std::string path_;
};

}  // namespace fa3prof::commands
