#include "src/report/console_timeline.h"

#include "src/report/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

namespace fa3prof::report {
namespace {

constexpr std::string_view kMarks = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
constexpr char kWaiting = '.';

bool is_wait(const std::string& name) { return name.starts_with("wait"); }

/// A letter for each name; waits are dots and need none.
class Legend {
 public:
  char mark(const std::string& name) {
    if (is_wait(name)) return kWaiting;
    const auto known = std::ranges::find(names_, name);
    const auto index = static_cast<std::size_t>(known - names_.begin());
    if (known == names_.end()) names_.push_back(name);
    return kMarks[std::min(index, kMarks.size() - 1)];
  }

  [[nodiscard]] std::string text(std::size_t width) const {
    std::string lines;
    std::string line;
    for (std::size_t i = 0; i < names_.size(); ++i) {
      const std::string entry =
          fmt::format("{} {}  ", kMarks[std::min(i, kMarks.size() - 1)], names_[i]);
      if (line.size() + entry.size() > width && !line.empty()) {
        lines += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
        line.clear();
      }
      line += entry;
    }
    return lines + line + fmt::format("{} waits\n", kWaiting);
  }

 private:
  std::vector<std::string> names_;
};

/// Window and columns.
struct Scale {
  double begin = 0.0;
  double cycles_per_column = 1.0;
  std::size_t columns = 0;

  [[nodiscard]] double at(std::size_t column) const {
    return begin + static_cast<double>(column) * cycles_per_column;
  }
};

/// What most of each column is.
std::string row(const core::Track& track, const Scale& scale, Legend& legend) {
  std::string cells(scale.columns, ' ');
  for (std::size_t column = 0; column < scale.columns; ++column) {
    double most = scale.cycles_per_column / 8.0;  // less than that leaves the column empty
    for (const core::Span& span : track.spans) {
      const double shared =
          std::min(span.end, scale.at(column + 1)) - std::max(span.begin, scale.at(column));
      if (shared <= most) continue;
      most = shared;
      cells[column] = legend.mark(span.name);
    }
  }
  return cells;
}

/// Cycles at every tenth column.
std::string ruler(const Scale& scale) {
  constexpr std::size_t kEvery = 20;
  std::string line(scale.columns + kEvery, ' ');
  for (std::size_t column = 0; column < scale.columns; column += kEvery) {
    const std::string label = "|" + grouped(scale.at(column), 0);
    line.replace(column, label.size(), label);
  }
  return line.substr(0, line.find_last_not_of(' ') + 1);
}

/// Only what the window shows, so that a row is quickly drawn.
core::Track within(const core::Track& track, double begin, double end) {
  core::Track part{.name = track.name, .overlaps = track.overlaps, .spans = {}};
  std::ranges::copy_if(track.spans, std::back_inserter(part.spans), [&](const core::Span& span) {
    return span.begin < end && span.end > begin;
  });
  return part;
}

}  // namespace

TimelineWindow steady_window(const core::Process& process) {
  constexpr std::size_t kSkipped = 4;
  constexpr std::size_t kBlocks = 4;
  std::map<std::pair<std::string, std::string>, std::vector<double>> begins;
  TimelineWindow window;
  for (const core::Track& track : process.tracks) {
    for (const core::Span& span : track.spans) {
      window.end_cycles = std::max(window.end_cycles, span.end);
      if (track.overlaps || is_wait(span.name)) continue;
      begins[{track.name, span.name}].push_back(span.begin);
    }
  }
  const auto commonest = std::ranges::max_element(
      begins, {}, [](const auto& of_name) { return of_name.second.size(); });
  if (commonest == begins.end() || commonest->second.size() <= kSkipped + kBlocks) return window;
  window.begin_cycles = commonest->second[kSkipped];
  window.end_cycles = commonest->second[kSkipped + kBlocks];
  return window;
}

std::string timeline_text(const core::Process& process, const TimelineWindow& window,
                          Colour colour) {
  std::size_t label_width = 0;
  for (const core::Track& track : process.tracks) {
    label_width = std::max(label_width, track.name.size());
  }
  const std::size_t columns =
      window.width > label_width + 22 ? window.width - label_width - 2 : std::size_t{20};
  const Scale scale{.begin = window.begin_cycles,
                    .cycles_per_column = std::max(1.0, (window.end_cycles - window.begin_cycles) /
                                                           static_cast<double>(columns)),
                    .columns = columns};
  Legend legend;
  std::string text = paint(process.name, Tone::kHeading, colour) +
                     fmt::format(", a column is {:.0f} cycles\n", scale.cycles_per_column);
  text += std::string(label_width + 2, ' ') + ruler(scale) + "\n";
  for (const core::Track& track : process.tracks) {
    const core::Track part = within(track, scale.begin, scale.at(columns));
    if (part.spans.empty()) continue;
    const std::string cells = row(part, scale, legend);
    text += fmt::format("{:<{}}{}\n", track.name, label_width + 2,
                        cells.substr(0, cells.find_last_not_of(' ') + 1));
  }
  return text + legend.text(window.width);
}

}  // namespace fa3prof::report
