// A prefill estimate for people, for pages and for programs.
#pragma once

#include "src/analysis/prefill.h"
#include "src/core/json_reader.h"
#include "src/report/table.h"

#include <string>
#include <vector>

namespace fa3prof::report {

/// What `fa3prof prefill` prints of each prompt:
///
///   llama3_70b on 8 h200_sxm, 131,072 tokens, batch 1
///                        attention ms  GEMM ms  elementwise ms  all-reduce ms  first token s ...
///   per layer
///     fa2                       109.0     35.9             4.6           16.7          13.30
[[nodiscard]] std::string prefill_text(const std::vector<analysis::Prefill>& prefills,
                                       Colour colour);

/// The same as GitHub Markdown.
[[nodiscard]] std::string prefill_markdown(const std::vector<analysis::Prefill>& prefills);

/// Every number; its layout is in configs/schemas/prefill.schema.json.
[[nodiscard]] core::Json prefill_json(const std::vector<analysis::Prefill>& prefills);

}  // namespace fa3prof::report
