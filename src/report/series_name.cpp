#include "src/report/series_name.h"

#include <fmt/format.h>

namespace fa3prof::report {

std::string series_name(const core::Result& result) {
  std::string name = result.kernel + " " + core::describe(result.problem);
  if (result.device) name += fmt::format(" on GPU {}", result.device->index);
  if (!result.pipeline.empty())
    name += fmt::format(" by {} on {}", result.pipeline, result.machine);
  return name;
}

void for_each_timed(const std::vector<NamedReport>& reports,
                    const std::function<void(const std::string& name, const NamedReport& report,
                                             const core::Result& result)>& visit) {
  for (const NamedReport& named : reports) {
    const std::string prefix = reports.size() > 1 ? named.name + ": " : "";
    for (const core::Result& result : named.report.results) {
      if (result.time_us) visit(prefix + series_name(result), named, result);
    }
  }
}

}  // namespace fa3prof::report
