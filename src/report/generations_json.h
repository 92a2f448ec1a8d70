// The comparison of generations as the `generations` of a report document.
#pragma once

#include "src/core/json_reader.h"
#include "src/core/report.h"

namespace fa3prof::report {

/// An entry for each problem; empty where fa1 was not to be measured.
[[nodiscard]] core::Json generations_json(const core::Report& report);

}  // namespace fa3prof::report
