// Shards of one sweep as one report.
#pragma once

#include "src/core/report.h"

#include <string>
#include <vector>

namespace fa3prof::analysis {

/// A report to be merged and what errors call it.
struct Part {
  std::string name;
  core::Report report;
};

/// The parts as if one run had made them: shards in the order in which they were dealt, so that
/// their rows stand in the order of the whole sweep. Hosts are listed; the GPU has no uuid where
/// the parts ran on several. The result is no shard.
///
/// Throws UsageError naming the parts where they are of two kinds of GPU, builds or seeds, have the
/// same row, are not all shards of one count, or lack a shard, unless `is_partial`, which makes
/// that a warning.
[[nodiscard]] core::Report merge(std::vector<Part> parts, bool is_partial);

}  // namespace fa3prof::analysis
