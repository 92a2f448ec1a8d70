// What `fa3prof tune` has found, for people and for programs.
#pragma once

#include "src/analysis/tuning.h"
#include "src/core/json_reader.h"
#include "src/core/report.h"
#include "src/report/table.h"

#include <string>

namespace fa3prof::report {

/// The best points of each problem, how many there were and what kept the others from running, and
/// how well measurements confirm the ranking.
///
///       pipeline  tile m  tile n  stages  consumers  CTAs per SM  grid  ...  TFLOPS  limited by
///   1   fa3_fp16     128     128       3          2            1  ...        741.5  tensor
[[nodiscard]] std::string tune_text(const analysis::TuneFindings& findings, Colour colour);

/// The document of configs/schemas/tune.schema.json. `origin` has tool, time, command and host.
[[nodiscard]] core::Json tune_json(const analysis::TuneFindings& findings,
                                   const core::Report& origin);

}  // namespace fa3prof::report
