#include "src/analysis/stage_steps.h"

#include <algorithm>
#include <utility>

namespace fa3prof::analysis {
namespace {

using core::Stage;

/// Whether a stamp belongs to the step after `step`.
bool begins_step(const Step& step, Stage stage) {
  if (stage == Stage::kTile) return true;
  if (stage == Stage::kKeysWait) return step[Stage::kKeysWait].has_value() || !step.tile;
  // The last P V of all: nothing was waited for before it.
  return stage == Stage::kTurnTaken && (step[Stage::kTurnTaken] || step[Stage::kScoresDone]);
}

bool is_empty(const Step& step) {
  return std::ranges::none_of(step.at, [](const auto& at) { return at.has_value(); });
}

void put(const core::Stamp& stamp, Step& step) {
  if (stamp.stage == Stage::kTile) {
    step.tile = stamp.value;
    return;
  }
  step.at[static_cast<std::size_t>(stamp.stage)] = stamp.cycles;
  if (stamp.stage == Stage::kKeysReady) step.k_buffer = stamp.value;
  if (stamp.stage == Stage::kValuesReady) step.v_buffer = stamp.value;
}

Doing doing_until(Stage stage, bool is_of_tile_edge) {
  switch (stage) {
    case Stage::kKeysReady:
    case Stage::kValuesReady:
      return Doing::kLoadWait;
    case Stage::kTurnTaken:
      return Doing::kTurnWait;
    case Stage::kFirstIssued:
    case Stage::kTurnGiven:
      return Doing::kIssue;
    case Stage::kScoresDone:
    case Stage::kOutputDone:
      return Doing::kGemmWait;
    case Stage::kTileStored:
      return Doing::kRamp;
    default:
      return is_of_tile_edge ? Doing::kRamp : Doing::kSoftmax;
  }
}

/// The stamps of a step by time.
std::vector<std::pair<std::int64_t, Stage>> in_order(const Step& step) {
  std::vector<std::pair<std::int64_t, Stage>> stamps;
  for (std::size_t i = 0; i < step.at.size(); ++i) {
    if (step.at[i]) stamps.emplace_back(*step.at[i], static_cast<Stage>(i));
  }
  std::ranges::stable_sort(stamps, {}, &std::pair<std::int64_t, Stage>::first);
  return stamps;
}

}  // namespace

std::optional<std::int64_t> Step::first_issue() const {
  const auto& turn = (*this)[Stage::kTurnTaken];
  return turn ? turn : (*this)[Stage::kKeysReady];
}

bool Step::scores_come_first() const {
  const auto& values = (*this)[Stage::kValuesReady];
  return !values || *values >= (*this)[Stage::kFirstIssued].value_or(0);
}

std::vector<Step> steps_of(const core::RoleStamps& role) {
  std::vector<Step> steps;
  for (const core::Stamp& stamp : role.stamps) {
    const bool begins = steps.empty()
                            ? stamp.stage == Stage::kTile || stamp.stage == Stage::kKeysWait
                            : begins_step(steps.back(), stamp.stage);
    if (begins) steps.emplace_back();
    if (!steps.empty()) put(stamp, steps.back());
  }
  std::erase_if(steps, is_empty);
  return steps;
}

std::vector<Gemm> gemms_of(const Step& step) {
  const auto& first = step[Stage::kFirstIssued];
  const auto& values = step[Stage::kValuesReady];
  const auto begin = step.first_issue();
  const std::int64_t given = step[Stage::kTurnGiven].value_or(first.value_or(0));
  std::vector<Gemm> gemms;
  if (!first || !begin) return gemms;
  const bool has_scores = step[Stage::kScoresDone].has_value();
  const bool has_output = values && step[Stage::kOutputDone];
  const Gemm scores{.is_scores = true,
                    .issue_begin = step.scores_come_first() ? *begin : *first,
                    .issue_end = step.scores_come_first() ? *first : given,
                    .wait_begin = given,
                    .done = step[Stage::kScoresDone].value_or(0)};
  if (has_scores && step.scores_come_first()) gemms.push_back(scores);
  if (has_output) {
    // Without scores, at the end, P V alone is issued first.
    const bool is_first = !has_scores || !step.scores_come_first();
    gemms.push_back({.is_scores = false,
                     .issue_begin = *values,
                     .issue_end = is_first ? *first : given,
                     .wait_begin = step[Stage::kOutputWait].value_or(given),
                     .done = *step[Stage::kOutputDone]});
  }
  if (has_scores && !step.scores_come_first()) gemms.push_back(scores);
  return gemms;
}

std::vector<Stretch> stretches_of(const std::vector<Step>& steps, std::int64_t begin) {
  std::vector<Stretch> stretches;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const bool is_last = !steps[i][Stage::kKeysWait];
    const bool is_first = i == 0 && steps[i].tile;
    for (const auto& [at, stage] : in_order(steps[i])) {
      Doing doing = doing_until(stage, steps[i].tile || is_last);
      // Before the first GEMM and after the last softmax nothing overlaps: all of it is ramp.
      const bool is_outside = is_last || (is_first && stage <= Stage::kFirstIssued);
      if (is_outside && doing != Doing::kIssue && doing != Doing::kGemmWait) doing = Doing::kRamp;
      stretches.push_back({.doing = doing, .until = stage, .begin = begin, .end = at});
      begin = at;
    }
  }
  return stretches;
}

}  // namespace fa3prof::analysis
