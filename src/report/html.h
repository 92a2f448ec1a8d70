// Reports as one HTML page that opens without a network. Its text, style and behaviour are the
// files in src/report/html, embedded at build time; this only fills in the data.
#pragma once

#include "src/analysis/roofline.h"
#include "src/core/json_reader.h"
#include "src/core/report.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace fa3prof::report {

/// One report of a page.
struct PageReport {
  std::string name;  ///< what the page calls it: the name of its file, without folder and ending
  core::Report report;
  std::string machine = {};  ///< machine file of its roofs; empty: none describes its GPU
  std::map<std::int64_t, std::vector<analysis::Roof>> roofs = {};  ///< by head_dim
};

/// What a page shows, as the JSON that it holds: every report's own document, but instead of its
/// deviations and speedups the `problems` whose rows have them and say by index which results were
/// measured and simulated, and the `roofs`.
///
/// Samples are rounded to nanoseconds and kilohertz. A page keeps some 40,000 of them: of more,
/// each result keeps every n-th and says so in timing/samples_kept_every. Of timelines it keeps the
/// first, up to 24,000 spans; a report without some of its own says how many in timelines_left_out.
[[nodiscard]] core::Json page_document(const std::vector<PageReport>& reports);

/// The whole page. Throws core::Error as to_json does.
[[nodiscard]] std::string html_page(const std::vector<PageReport>& reports);

/// The page whose text is the file of that name in src/report/html, with the files that it names
/// between {{ and }}, and the document as {{data}}.
[[nodiscard]] std::string filled_page(std::string_view file, const core::Json& document);

/// JSON that may stand inside a <script> element: without "<", which could end it or begin a
/// comment in it, and without the two line ends that JavaScript once took for its own.
[[nodiscard]] std::string script_safe_text(const core::Json& document);

}  // namespace fa3prof::report
