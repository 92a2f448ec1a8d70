#include "src/analysis/merge.h"

#include "src/analysis/comparability.h"
#include "src/analysis/row_pairs.h"
#include "src/core/error.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace fa3prof::analysis {
namespace {

using core::Report;
using core::Result;

void require_same(const std::string& what, const Part& first, const Part& other,
                  const std::pair<std::string, std::string>& values) {
  if (values.first == values.second) return;
  throw core::UsageError(
      fmt::format("{} and {} are not of one {}: {} and {}; merge shards of one "
                  "run",
                  first.name, other.name, what, values.first, values.second));
}

std::string gpu_of(const Report& report) {
  return report.environment.gpu ? gpu_kind(*report.environment.gpu) : "no GPU";
}

std::string build_of(const Report& report) {
  return report.environment.tool_version + " (" + report.environment.tool_commit + ")";
}

/// "mufu=2x, stages=2"; "no change" where nothing was changed.
std::string changes_of(const Report& report) {
  std::vector<std::string> stated;
  for (const core::ValueChange& change : report.what_if) {
    if (std::ranges::find(stated, change.stated) == stated.end()) stated.push_back(change.stated);
  }
  return stated.empty() ? "no change" : fmt::format("{}", fmt::join(stated, ", "));
}

void require_one_run(const std::vector<Part>& parts) {
  const Part& first = parts.front();
  for (const Part& other : parts) {
    require_same("kind of GPU", first, other, {gpu_of(first.report), gpu_of(other.report)});
    require_same("build", first, other, {build_of(first.report), build_of(other.report)});
    require_same("seed", first, other,
                 {std::to_string(first.report.seed), std::to_string(other.report.seed)});
    require_same("what-if", first, other, {changes_of(first.report), changes_of(other.report)});
    require_same("number of shards", first, other,
                 {std::to_string(first.report.shard ? first.report.shard->count : 0),
                  std::to_string(other.report.shard ? other.report.shard->count : 0)});
  }
}

/// Numbers of the shards that are not there. Throws where one is there twice.
std::vector<int> missing_shards(const std::vector<Part>& parts) {
  std::vector<int> missing;
  if (!parts.front().report.shard) return missing;
  for (int index = 1; index <= parts.front().report.shard->count; ++index) {
    const auto there = std::ranges::count_if(
        parts, [index](const Part& part) { return part.report.shard->index == index; });
    if (there > 1) {
      throw core::UsageError(
          fmt::format("shard {} is there {} times; give each once", index, there));
    }
    if (there == 0) missing.push_back(index);
  }
  return missing;
}

/// Results of each problem together, in the order in which the problems come.
std::vector<std::vector<Result>> by_problem(std::vector<Result> results) {
  std::vector<std::vector<Result>> groups;
  for (Result& result : results) {
    auto group = std::ranges::find_if(groups, [&result](const std::vector<Result>& known) {
      return known.front().problem == result.problem;
    });
    if (group == groups.end()) group = groups.insert(groups.end(), std::vector<Result>());
    group->push_back(std::move(result));
  }
  return groups;
}

/// One problem of each part in turn, as the shards were dealt.
std::vector<Result> dealt_back(std::vector<Part>& parts) {
  std::vector<std::vector<std::vector<Result>>> hands;
  std::size_t rounds = 0;
  for (Part& part : parts) {
    hands.push_back(by_problem(std::move(part.report.results)));
    rounds = std::max(rounds, hands.back().size());
  }
  std::vector<Result> results;
  for (std::size_t round = 0; round < rounds; ++round) {
    for (auto& hand : hands) {
      if (round >= hand.size()) continue;
      std::ranges::move(hand[round], std::back_inserter(results));
    }
  }
  return results;
}

void require_distinct(const std::vector<Result>& results) {
  for (auto row = results.begin(); row != results.end(); ++row) {
    const bool is_there_twice = std::any_of(
        row + 1, results.end(), [row](const Result& other) { return is_same_row(*row, other); });
    if (!is_there_twice) continue;
    throw core::UsageError(
        fmt::format("{} on {} is in two of the reports; merge shards that share "
                    "nothing",
                    row->kernel, core::describe(row->problem)));
  }
}

/// Where all parts ran.
void merge_places(const std::vector<Part>& parts, Report& merged) {
  std::vector<std::string> hosts;
  bool is_one_board = true;
  for (const Part& part : parts) {
    const core::Environment& environment = part.report.environment;
    if (std::ranges::find(hosts, environment.host) == hosts.end())
      hosts.push_back(environment.host);
    is_one_board =
        is_one_board && (!environment.gpu || environment.gpu->uuid == merged.environment.gpu->uuid);
    for (const std::string& warning : part.report.warnings) {
      if (std::ranges::find(merged.warnings, warning) == merged.warnings.end()) {
        merged.warnings.push_back(warning);
      }
    }
    merged.created_at = std::min(merged.created_at, part.report.created_at);
  }
  merged.environment.host = fmt::format("{}", fmt::join(hosts, ", "));
  if (!is_one_board) merged.environment.gpu->uuid.clear();
}

}  // namespace

Report merge(std::vector<Part> parts, bool is_partial) {
  if (parts.empty()) throw core::UsageError("there is nothing to merge; give the shards' reports");
  require_one_run(parts);
  const std::vector<int> missing = missing_shards(parts);
  const std::string missing_text = fmt::format("{}", fmt::join(missing, ", "));
  if (!missing.empty() && !is_partial) {
    throw core::UsageError(
        fmt::format("of {} shards these are missing: {}; give them, or merge what is there with "
                    "--partial",
                    parts.front().report.shard->count, missing_text));
  }
  std::ranges::stable_sort(
      parts, {}, [](const Part& part) { return part.report.shard ? part.report.shard->index : 0; });
  Report merged = parts.front().report;
  merged.results.clear();
  merge_places(parts, merged);
  if (!missing.empty()) merged.warnings.push_back("shards that are missing: " + missing_text);
  merged.shard.reset();
  merged.results = dealt_back(parts);
  require_distinct(merged.results);
  return merged;
}

}  // namespace fa3prof::analysis
