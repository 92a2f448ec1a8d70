// What a time series is called where other programs keep one for each kernel and problem.
#pragma once

#include "src/core/result.h"
#include "src/report/row_text.h"

#include <functional>
#include <string>
#include <vector>

namespace fa3prof::report {

/// "fa3 fp16 b2 h16 sq8192 skv8192 d128"; of a simulated result " by fa3_fp16 on h200_sxm" follows,
/// of one of several GPUs " on GPU 1".
/// It never changes with what was measured.
[[nodiscard]] std::string series_name(const core::Result& result);

/// Calls `visit` with the name and the result of every row that has a time. Among several reports
/// the name begins with that of the report: "h200: fa3 ...".
void for_each_timed(const std::vector<NamedReport>& reports,
                    const std::function<void(const std::string& name, const NamedReport& report,
                                             const core::Result& result)>& visit);

}  // namespace fa3prof::report
