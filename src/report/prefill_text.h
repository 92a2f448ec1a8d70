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
///   llama3_70b on 8 h200_sxm by tensor parallelism, 131,072 tokens, batch 1
///
///   time of a layer  attention ms  GEMM ms  ...  first token s  attention   change
///     fa2                  100.03    35.74  ...         12.557     63.7 %
///     fa3                   45.10    35.74  ...          8.162     44.2 %  -35.0 %
///
/// then the KV cache by format, what the numbers rest on, and warnings.
[[nodiscard]] std::string prefill_text(const std::vector<analysis::Prefill>& prefills,
                                       Colour colour);

/// The same as GitHub Markdown.
[[nodiscard]] std::string prefill_markdown(const std::vector<analysis::Prefill>& prefills);

/// Every number; its layout is in configs/schemas/prefill.schema.json.
[[nodiscard]] core::Json prefill_json(const std::vector<analysis::Prefill>& prefills);

}  // namespace fa3prof::report
