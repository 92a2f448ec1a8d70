#include "src/core/version.h"
#include "src/report/json.h"
#include "src/report/tune.h"

#include <algorithm>
#include <string>

namespace fa3prof::report {
namespace {

using core::Json;
using sim::TunedPoint;

constexpr int kSchemaVersion = 1;

Json point_json(std::size_t rank, const TunedPoint& tuned) {
  const sim::DesignPoint& point = tuned.point;
  Json json{{"rank", rank},
            {"pipeline", tuned.pipeline},
            {"kernel", tuned.kernel},
            {"is_compiled", tuned.is_stated},
            {"tile_m", point.tile_m},
            {"tile_n", point.tile_n},
            {"stages", point.stages},
            {"consumers", point.consumers},
            {"ctas_per_sm", point.ctas_per_sm},
            {"grid", std::string(sim::name_of(point.grid))},
            {"is_longest_first", point.is_longest_first},
            {"registers_needed_per_thread", tuned.registers_needed},
            {"registers_there_per_thread", tuned.registers_there},
            {"shared_memory_bytes", tuned.shared_memory_bytes},
            {"cycles", *tuned.result.cycles},
            {"bound_cycles", tuned.bound_cycles},
            {"limiter", tuned.result.limiter}};
  if (tuned.result.time_us) json["time_us"] = *tuned.result.time_us;
  if (tuned.result.tflops) json["tflops"] = *tuned.result.tflops;
  return json;
}

Json tuning_json(const sim::Tuning& tuning, std::size_t shown) {
  Json obstacles = Json::object();
  for (std::size_t i = 0; i < tuning.obstacles.size(); ++i) {
    obstacles[std::string(sim::kObstacleNames[i])] = tuning.obstacles[i];
  }
  Json json{{"problem", to_json(tuning.problem)},
            {"machine", tuning.machine},
            {"points", tuning.points},
            {"feasible_points", tuning.feasible},
            {"obstacles", std::move(obstacles)},
            {"simulated_points", tuning.simulated.size()},
            {"seconds", tuning.seconds},
            {"left_out", tuning.left_out},
            {"best", Json::array()}};
  for (std::size_t i = 0; i < tuning.simulated.size(); ++i) {
    const TunedPoint& tuned = tuning.simulated[i];
    if (i < shown || tuned.is_stated) json["best"].push_back(point_json(i + 1, tuned));
  }
  return json;
}

Json pairs_json(const core::PairCounts& pairs) {
  return {{"kendall_tau", pairs.tau()},
          {"concordant", pairs.concordant},
          {"discordant", pairs.discordant}};
}

Json ranking_json(const analysis::TuneFindings& findings) {
  const analysis::Ranking& ranking = *findings.ranking;
  Json json{{"measured_by", findings.measured_by},
            {"problems", ranking.problems},
            {"same_problem", pairs_json(ranking.same_problem)},
            {"all_rows", pairs_json(ranking.all_rows)},
            {"rows", Json::array()}};
  for (const analysis::RankedRow& row : ranking.rows) {
    json["rows"].push_back({{"label", row.label},
                            {"problem", to_json(row.problem)},
                            {"predicted_us", row.predicted_us},
                            {"measured_us", row.measured_us}});
  }
  return json;
}

}  // namespace

Json tune_json(const analysis::TuneFindings& findings, const core::Report& origin) {
  Json document{{"schema_version", kSchemaVersion},   {"tool_version", core::tool_version()},
                {"tool_commit", core::tool_commit()}, {"created_at", origin.created_at},
                {"command", origin.command},          {"tunings", Json::array()}};
  for (const sim::Tuning& tuning : findings.tunings) {
    document["tunings"].push_back(tuning_json(tuning, findings.shown));
  }
  if (findings.ranking) document["ranking"] = ranking_json(findings);
  document["warnings"] = findings.warnings;
  require_finite(document);
  return document;
}

}  // namespace fa3prof::report
