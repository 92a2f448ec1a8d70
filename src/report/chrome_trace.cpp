#include "src/report/chrome_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <string_view>

namespace fa3prof::report {
namespace {

/// A JSON string's inside.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) >= 0x20U) out += c;
  }
  return out;
}

/// Writes one event a line.
class Writer {
 public:
  template <typename... Args>
  void add(fmt::format_string<Args...> format, Args&&... args) {
    text_ += is_first_ ? "\n" : ",\n";
    is_first_ = false;
    fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
  }

  [[nodiscard]] std::string take() {
    return R"({"displayTimeUnit":"ns","traceEvents":[)" + text_ + "\n]}\n";
  }

 private:
  std::string text_;
  bool is_first_ = true;
};

/// Whole nanoseconds, so that spans that touch still do so after rounding.
std::int64_t ns_of(const core::Process& process, double cycles) {
  constexpr double kNsPerUs = 1e3;
  return std::llround((process.begin_us + cycles / process.clock_mhz) * kNsPerUs);
}

std::string us(std::int64_t ns) { return fmt::format("{}.{:03}", ns / 1000, ns % 1000); }

class ProcessWriter {
 public:
  ProcessWriter(Writer& writer, const core::Process& process, std::size_t pid,
                std::uint64_t& next_id)
      : writer_(writer), process_(process), pid_(pid), next_id_(next_id) {}

  void write() {
    name("process", 0, process_.name, pid_);
    for (std::size_t track = 0; track < process_.tracks.size(); ++track) {
      const core::Track& of = process_.tracks[track];
      if (!of.overlaps) name("thread", track + 1, of.name, track);
      for (const core::Span& span : of.spans) {
        of.overlaps ? overlapping(of, span) : complete(track, span);
      }
    }
    for (const core::Flow& flow : process_.flows) arrow(flow);
  }

 private:
  void name(std::string_view what, std::size_t tid, std::string_view text, std::size_t place) {
    writer_.add(R"({{"ph":"M","pid":{},"tid":{},"name":"{}_name","args":{{"name":"{}"}}}})", pid_,
                tid, what, escaped(text));
    writer_.add(
        R"({{"ph":"M","pid":{},"tid":{},"name":"{}_sort_index","args":{{"sort_index":{}}}}})", pid_,
        tid, what, place);
  }

  void complete(std::size_t track, const core::Span& span) {
    const std::int64_t begin = ns_of(process_, span.begin);
    const std::int64_t end = ns_of(process_, span.end);
    writer_.add(R"({{"ph":"X","pid":{},"tid":{},"ts":{},"dur":{},"name":"{}"}})", pid_, track + 1,
                us(begin), us(end - begin), escaped(span.name));
  }

  /// Viewers put those of one name on a track of their own.
  void overlapping(const core::Track& track, const core::Span& span) {
    const std::uint64_t id = next_id_++;
    for (const auto& [phase, at] : {std::pair{'b', span.begin}, std::pair{'e', span.end}}) {
      writer_.add(R"({{"ph":"{}","pid":{},"tid":0,"id":{},"ts":{},"cat":"async","name":"{}: {}"}})",
                  phase, pid_, id, us(ns_of(process_, at)), escaped(track.name),
                  escaped(span.name));
    }
  }

  /// Viewers bind an end to the span around it; where there is none, it moves to the end of the
  /// span before.
  [[nodiscard]] std::int64_t bound_ns(const core::TrackPoint& point) const {
    const auto& spans = process_.tracks[point.track].spans;
    const auto after = std::ranges::upper_bound(spans, point.at, {}, &core::Span::begin);
    const double at = after == spans.begin() ? point.at : std::min(point.at, std::prev(after)->end);
    return ns_of(process_, at);
  }

  /// Stands on tracks whose spans do not overlap.
  void arrow(const core::Flow& flow) {
    const std::uint64_t id = next_id_++;
    writer_.add(R"({{"ph":"s","pid":{},"tid":{},"id":{},"ts":{},"cat":"load","name":"{}"}})", pid_,
                flow.from.track + 1, id, us(bound_ns(flow.from)), escaped(flow.name));
    writer_.add(
        R"({{"ph":"f","bp":"e","pid":{},"tid":{},"id":{},"ts":{},"cat":"load","name":"{}"}})", pid_,
        flow.to.track + 1, id, us(bound_ns(flow.to)), escaped(flow.name));
  }

  Writer& writer_;
  const core::Process& process_;
  std::size_t pid_;
  std::uint64_t& next_id_;
};

}  // namespace

std::string chrome_trace(const core::Timeline& timeline) {
  Writer writer;
  std::uint64_t next_id = 1;
  for (std::size_t p = 0; p < timeline.processes.size(); ++p) {
    ProcessWriter(writer, timeline.processes[p], p + 1, next_id).write();
  }
  return writer.take();
}

}  // namespace fa3prof::report
