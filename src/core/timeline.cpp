#include "src/core/timeline.h"

#include "src/core/error.h"

#include <algorithm>
#include <cmath>

namespace fa3prof::core {
namespace {

std::size_t place_of(const std::string& name, std::vector<std::string>& names) {
  const auto known = std::ranges::find(names, name);
  const auto place = static_cast<std::size_t>(known - names.begin());
  if (known == names.end()) names.push_back(name);
  return place;
}

/// The spans of a track that begin before `end`.
PackedTrack packed(const Track& track, double end) {
  PackedTrack packed{.name = track.name, .overlaps = track.overlaps};
  for (const Span& span : track.spans) {
    if (span.begin >= end) continue;
    const std::int64_t begin = std::max<std::int64_t>(0, std::llround(span.begin));
    packed.kinds.push_back(place_of(span.name, packed.names));
    packed.begins.push_back(begin);
    packed.lengths.push_back(std::max<std::int64_t>(0, std::llround(span.end) - begin));
  }
  return packed;
}

}  // namespace

void validate(const PackedTrack& track) {
  if (track.kinds.size() != track.begins.size() || track.kinds.size() != track.lengths.size()) {
    throw UsageError("kinds, begins and lengths of a track are of one length");
  }
  const auto is_named = [&track](std::size_t kind) { return kind < track.names.size(); };
  if (!std::ranges::all_of(track.kinds, is_named)) {
    throw UsageError("kinds are places in the names of a track");
  }
}

TimelineExcerpt excerpt(const Process& process, std::size_t most_spans) {
  std::vector<double> begins;
  for (const Track& track : process.tracks) {
    for (const Span& span : track.spans) begins.push_back(span.begin);
  }
  std::ranges::sort(begins);
  TimelineExcerpt excerpt{.name = process.name,
                          .clock_mhz = process.clock_mhz,
                          .is_whole = begins.size() <= most_spans};
  const double end = excerpt.is_whole ? INFINITY : begins[most_spans];
  for (const Track& track : process.tracks) {
    PackedTrack made = packed(track, end);
    if (!made.begins.empty()) excerpt.tracks.push_back(std::move(made));
  }
  return excerpt;
}

}  // namespace fa3prof::core
