#include "sim/scenario.h"

#include "sim/builtin_configs.h"
#include "src/core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <span>

namespace fa3prof::sim {
namespace {

/// A value or an array of values.
template <typename Read>
auto read_list(const core::JsonReader& reader, Read read) {
  std::vector<decltype(read(reader))> values;
  if (reader.is_array()) {
    for (const auto& item : reader.items()) values.push_back(read(item));
    if (values.empty()) reader.fail("is empty; name a value or leave the key out");
  } else {
    values.push_back(read(reader));
  }
  return values;
}

/// UsageError of a parser of words, placed in the file.
template <typename Parse>
auto parse_word(const core::JsonReader& reader, Parse parse) {
  try {
    return parse(reader.string());
  } catch (const core::UsageError& error) {
    reader.fail(error.what());
  }
}

core::ProblemGrid read_problems(core::JsonReader reader) {
  const auto sizes = [&reader](std::string_view key, std::vector<std::int64_t>& list) {
    constexpr std::int64_t kLargest = std::numeric_limits<std::int32_t>::max();
    if (const auto value = reader.find(key)) {
      list = read_list(*value, [](const core::JsonReader& item) {
        return item.integer({.min = 1, .max = kLargest});
      });
    }
  };
  core::ProblemGrid grid;
  if (const auto value = reader.find("dtype")) {
    grid.dtypes = read_list(*value, [](const core::JsonReader& item) {
      return parse_word(item, [](const std::string& word) { return core::parse_data_type(word); });
    });
  }
  if (const auto value = reader.find("causal")) {
    grid.causal = read_list(*value, [](const core::JsonReader& item) { return item.boolean(); });
  }
  sizes("head_dim", grid.head_dims);
  sizes("seqlen_q", grid.seqlens_q);
  sizes("seqlen_kv", grid.seqlens_kv);
  sizes("batch", grid.batches);
  sizes("num_heads", grid.num_heads);
  sizes("num_heads_kv", grid.num_heads_kv);
  reader.finish();
  return grid;
}

TflopsRule read_tflops_rule(core::JsonReader reader) {
  TflopsRule rule;
  rule.baseline_pipeline = reader.at("baseline_pipeline").string();
  rule.baseline_tflops = reader.at("baseline_tflops").sourced_number(core::kPositive).value;
  if (const auto cap = reader.find("cap_tflops")) {
    rule.cap_tflops = cap->sourced_number(core::kPositive).value;
  }
  if (const auto value = reader.find("is_rounded_down")) rule.is_rounded_down = value->boolean();
  reader.finish();
  return rule;
}

/// A name stays as it is; a relative path is meant from the folder of the file that holds it.
std::string resolved(const core::JsonReader& reader) {
  std::string name = reader.string();
  if (!is_config_path(name)) return name;
  return (std::filesystem::path(reader.file()).parent_path() / name).string();
}

Machine machine_of(const core::JsonReader& reader) {
  if (reader.is_object()) return read_machine(reader);
  return parse_word(reader, [&](const std::string&) { return load_machine(resolved(reader)); });
}

Pipeline pipeline_of(const core::JsonReader& reader) {
  if (reader.is_object()) return read_pipeline(reader);
  return parse_word(reader, [&](const std::string&) { return load_pipeline(resolved(reader)); });
}

/// Replaces the TFLOPS of one problem's results.
void apply(const TflopsRule& rule, std::span<core::Result> results) {
  const auto baseline = std::ranges::find(results, rule.baseline_pipeline, &core::Result::pipeline);
  if (baseline == results.end()) return;
  const double baseline_cycles = *baseline->cycles;
  for (core::Result& result : results) {
    double tflops = rule.baseline_tflops * baseline_cycles / *result.cycles;
    if (rule.is_rounded_down) tflops = std::floor(tflops);
    result.tflops = rule.cap_tflops ? std::min(tflops, *rule.cap_tflops) : tflops;
  }
}

/// Says once where the TFLOPS come from.
std::string describe(const TflopsRule& rule, const std::vector<core::Result>& results) {
  if (std::ranges::find(results, rule.baseline_pipeline, &core::Result::pipeline) ==
      results.end()) {
    return fmt::format("the scenario's TFLOPS rule needs pipeline {}, which was not simulated",
                       rule.baseline_pipeline);
  }
  std::string formula =
      fmt::format("{} * cycles of {} / cycles", rule.baseline_tflops, rule.baseline_pipeline);
  if (rule.is_rounded_down) formula = fmt::format("floor({})", formula);
  if (rule.cap_tflops) formula = fmt::format("min({}, {})", *rule.cap_tflops, formula);
  return "TFLOPS are by the scenario's rule, not by a clock: " + formula;
}

}  // namespace

Scenario read_scenario(core::JsonReader reader) {
  Scenario scenario;
  scenario.name = reader.at("name").string();
  if (const auto text = reader.find("description")) scenario.description = text->string();
  if (const auto machine = reader.find("machine")) scenario.machine = machine_of(*machine);
  if (const auto pipelines = reader.find("pipelines")) {
    scenario.pipelines = read_list(*pipelines, pipeline_of);
  }
  if (const auto problem = reader.find("problem")) scenario.problems = read_problems(*problem);
  if (const auto engine = reader.find("engine")) {
    scenario.engine =
        parse_word(*engine, [](const std::string& word) { return parse_engine(word); });
  }
  if (const auto rule = reader.find("tflops_rule")) scenario.tflops_rule = read_tflops_rule(*rule);
  reader.finish();
  return scenario;
}

Scenario load_scenario(const std::string& name_or_path) {
  const ConfigDocument document = load_config(ConfigKind::kScenario, name_or_path);
  return read_scenario({document.json, document.file});
}

std::vector<std::string> builtin_scenarios() { return builtin_config_names(ConfigKind::kScenario); }

std::vector<core::Result> run_scenario(const Scenario& scenario,
                                       const core::PieceProgress& progress) {
  if (!scenario.machine)
    throw core::UsageError("no machine is stated; add \"machine\" or --machine");
  if (scenario.pipelines.empty()) {
    throw core::UsageError("no pipeline is stated; add \"pipelines\" or --pipeline");
  }
  std::vector<core::Result> results;
  const std::vector<core::AttentionProblem> problems =
      core::deal(core::expand(scenario.problems), scenario.shard);
  for (std::size_t i = 0; i < problems.size(); ++i) {
    const core::AttentionProblem& problem = problems[i];
    progress(i, problems.size(), core::describe(problem));
    const std::size_t begin = results.size();
    for (const Pipeline& pipeline : scenario.pipelines) {
      const Engine engine = scenario.engine.value_or(default_engine(pipeline));
      results.push_back(simulate(engine, *scenario.machine, pipeline, problem));
    }
    if (scenario.tflops_rule) apply(*scenario.tflops_rule, std::span(results).subspan(begin));
  }
  if (scenario.tflops_rule && !results.empty()) {
    results.front().warnings.push_back(describe(*scenario.tflops_rule, results));
  }
  return results;
}

}  // namespace fa3prof::sim
