// Reports as JSON: the document that `--json` writes and `--against` reads. Its layout is in
// json_fields.h and, for other programs, in configs/schemas/report.schema.json.
#pragma once

#include "src/analysis/validation.h"
#include "src/core/json_reader.h"
#include "src/core/report.h"

#include <optional>
#include <string>
#include <string_view>

namespace fa3prof::report {

/// The whole document, schema_version first: the report and what follows from its results
/// ("deviations" of simulated from measured, "speedups" over the first kernel of each problem),
/// with a `validation` also what that sums up to.
/// Throws core::Error naming the JSON pointer if a number is infinite or NaN, which JSON cannot
/// hold.
[[nodiscard]] core::Json to_json(
    const core::Report& report,
    const std::optional<analysis::Validation>& validation = std::nullopt);

/// A problem as reports write it.
[[nodiscard]] core::Json to_json(const core::AttentionProblem& problem);

/// Text of a document for a file or stdout: indented, ends with a newline.
[[nodiscard]] std::string to_text(const core::Json& document);

/// Throws core::Error naming the JSON pointer of the first infinite or NaN number.
void require_finite(const core::Json& document);

/// Inverse of to_json. `file` is what errors call the text. Throws ConfigError with a JSON pointer
/// for malformed text, a missing or unknown key, a wrong type, or another schema_version. A report
/// of a newer schema_minor reads without what that adds, and says so in its warnings.
[[nodiscard]] core::Report parse_report(std::string_view text, const std::string& file);

/// Reads and parses a file. Throws ConfigError.
[[nodiscard]] core::Report load_report(const std::string& path);

}  // namespace fa3prof::report
