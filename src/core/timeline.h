// Who did what when: spans on tracks, from stamps of a GPU or from the model. Not: how it is drawn
// or written (src/report).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace fa3prof::core {

/// Times are cycles since the beginning of the process.
struct Span {
  std::string name;
  double begin = 0.0;
  double end = 0.0;

  bool operator==(const Span&) const = default;
};

/// A role's or a hardware unit's spans, by beginning.
struct Track {
  std::string name;       ///< "consumer 1", "tensor core"
  bool overlaps = false;  ///< its spans are things under way at the same time
  std::vector<Span> spans;
};

/// A moment on a track: within a span of it, or where one begins or ends.
struct TrackPoint {
  std::size_t track = 0;  ///< in Process::tracks
  double at = 0.0;
};

/// Leads from a load to its use.
struct Flow {
  std::string name;
  TrackPoint from;
  TrackPoint to;
};

/// A CTA or an SM, measured or simulated.
struct Process {
  std::string name;        ///< "fa3 measured: CTA 0 on SM 17"
  double clock_mhz = 0.0;  ///< turns cycles into time; above 0
  double begin_us = 0.0;   ///< of the process after that of its kernel
  std::vector<Track> tracks;
  std::vector<Flow> flows;
};

/// A track as a report holds it: whole cycles, and each name once.
struct PackedTrack {
  std::string name;
  bool overlaps = false;
  std::vector<std::string> names = {};
  std::vector<std::size_t> kinds = {};  ///< of the spans: places in names
  std::vector<std::int64_t> begins = {};
  std::vector<std::int64_t> lengths = {};
};

/// Throws UsageError unless the lists fit together.
void validate(const PackedTrack& track);

/// The beginning of a process, short enough for a report.
struct TimelineExcerpt {
  std::string name;        ///< of the process
  double clock_mhz = 0.0;  ///< turns cycles into time
  bool is_whole = false;   ///< there is no more of the process
  std::vector<PackedTrack> tracks = {};
};

/// The spans that begin first, at most so many.
[[nodiscard]] TimelineExcerpt excerpt(const Process& process, std::size_t most_spans);

/// Everything in one picture.
struct Timeline {
  std::vector<Process> processes;
};

}  // namespace fa3prof::core
