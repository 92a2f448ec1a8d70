#include "src/core/version.h"
#include "src/report/json.h"
#include "src/report/prefill_text.h"

namespace fa3prof::report {
namespace {

using analysis::CacheFit;
using analysis::Prefill;
using analysis::PrefillRow;
using core::Json;

constexpr int kSchemaVersion = 1;

Json row_json(const PrefillRow& row) {
  Json json{{"kernel", row.variant.kernel},
            {"attention_dtype", core::name_of(row.variant.attention)},
            {"gemm_dtype", core::name_of(row.variant.gemm)}};
  if (!row.layer) {
    json["unsupported_reason"] = row.variant.unsupported_reason;
    return json;
  }
  json["layer"] = {{"attention_us", row.layer->attention_us},
                   {"gemm_us", row.layer->gemm_us},
                   {"elementwise_us", row.layer->elementwise_us},
                   {"all_reduce_us", row.layer->all_reduce_us}};
  json["head_us"] = row.head_us;
  json["first_token_us"] = row.first_token_us;
  json["attention_ratio"] = row.attention_ratio;
  if (row.first_token_change_ratio) {
    json["first_token_change_ratio"] = *row.first_token_change_ratio;
  }
  return json;
}

Json cache_json(const CacheFit& cache) {
  return {{"dtype", core::name_of(cache.dtype)},
          {"bytes_per_token", cache.bytes_per_token},
          {"bytes_per_sequence", cache.bytes_per_sequence},
          {"sequences", cache.sequences}};
}

Json prefill_json(const Prefill& prefill) {
  Json json{{"model", prefill.model.name},
            {"machine", prefill.machine.name},
            {"tokens", prefill.prompt.tokens},
            {"batch", prefill.prompt.batch},
            {"tensor_parallel", prefill.prompt.tensor_parallel},
            {"gemm_efficiency_ratio", prefill.assumptions.gemm_efficiency_ratio},
            {"memory_ratio", prefill.assumptions.memory_ratio},
            {"memory_bytes", prefill.memory_bytes},
            {"weights_bytes", prefill.weights_bytes},
            {"rows", Json::array()},
            {"caches", Json::array()},
            {"warnings", prefill.warnings}};
  for (const PrefillRow& row : prefill.rows) json["rows"].push_back(row_json(row));
  for (const CacheFit& cache : prefill.caches) json["caches"].push_back(cache_json(cache));
  return json;
}

}  // namespace

Json prefill_json(const std::vector<Prefill>& prefills) {
  Json document{{"schema_version", kSchemaVersion},
                {"tool_version", core::tool_version()},
                {"tool_commit", core::tool_commit()},
                {"prefills", Json::array()}};
  for (const Prefill& prefill : prefills) document["prefills"].push_back(prefill_json(prefill));
  require_finite(document);
  return document;
}

}  // namespace fa3prof::report
