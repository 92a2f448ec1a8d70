#include "src/report/origin_json.h"

namespace fa3prof::report {

core::Json origin_json(const NamedReport& named) {
  const core::Environment& environment = named.report.environment;
  core::Json json{{"name", named.name},
                  {"created_at", named.report.created_at},
                  {"tool_version", environment.tool_version},
                  {"tool_commit", environment.tool_commit}};
  if (environment.gpu) json["gpu"] = environment.gpu->name;
  if (!environment.driver.empty()) json["driver"] = environment.driver;
  return json;
}

}  // namespace fa3prof::report
