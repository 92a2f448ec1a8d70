// Where a report comes from, for documents that are made of several.
#pragma once

#include "src/core/json_reader.h"
#include "src/report/row_text.h"

namespace fa3prof::report {

/// Name, time, tool, GPU and driver of a report, as far as it states them.
[[nodiscard]] core::Json origin_json(const NamedReport& named);

}  // namespace fa3prof::report
