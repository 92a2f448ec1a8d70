#include "src/commands/trace_output.h"

#include "src/cli/output_target.h"
#include "src/cli/text_list.h"
#include "src/core/error.h"
#include "src/report/chrome_trace.h"

#include <charconv>
#include <utility>

namespace fa3prof::commands {
namespace {

int parse_cta(const std::string& text) {
  int cta = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, cta);
  if (error != std::errc() || rest != end || cta < 0) {
    throw core::UsageError("--trace-ctas: '" + text + "' is no number of a CTA, 0 or above");
  }
  return cta;
}

}  // namespace

void add_trace_file_option(CLI::App& verb, std::string& file) {
  verb.add_option_function<std::string>(
          "--trace",
          [&file](const std::string& path) {
            if (path.empty()) throw core::UsageError("--trace needs a file");
            file = path;
          },
          "write timelines to a file for ui.perfetto.dev or chrome://tracing")
      ->type_name("FILE")
      ->group(kTimelineGroup);
}

void add_tracing_options(CLI::App& verb, TraceOptions& options) {
  add_trace_file_option(verb, options.file);
  verb.add_option_function<std::string>(
          "--trace-ctas",
          [&options](const std::string& text) {
            for (const std::string& cta : cli::split_list(text, "--trace-ctas")) {
              options.ctas.push_back(parse_cta(cta));
            }
          },
          "CTAs whose stages are stamped, at most 32 [the first and the last]")
      ->type_name("NUMBERS")
      ->group(kTimelineGroup);
  verb.add_flag("--breakdown", options.shows_breakdown,
                "where the cycles go, measured by stamps beside simulated")
      ->group(kTimelineGroup);
}

TraceFile::TraceFile(std::string path) : path_(std::move(path)) {
  // A bad path fails before the work; the file is opened anew when there is something to write.
  if (is_wanted()) const cli::AtomicFile probe(path_);
}

void TraceFile::write(const core::Timeline& timeline) const {
  if (is_wanted()) cli::AtomicFile(path_).commit(report::chrome_trace(timeline));
}

}  // namespace fa3prof::commands
