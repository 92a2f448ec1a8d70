#include "src/report/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace fa3prof::report {
namespace {

constexpr std::string_view kGap = "  ";

std::string_view escape_of(Tone tone) {
  switch (tone) {
    case Tone::kHeading:
      return "\x1b[1m";
    case Tone::kGood:
      return "\x1b[32m";
    case Tone::kWarning:
      return "\x1b[33m";
    case Tone::kBad:
      return "\x1b[1;31m";
    case Tone::kPlain:
      break;
  }
  return "";
}

std::string without_trailing_spaces(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

}  // namespace

std::string paint(std::string_view text, Tone tone, Colour colour) {
  const bool is_plain = colour == Colour::kNever || tone == Tone::kPlain || text.empty();
  return is_plain ? std::string(text) : fmt::format("{}{}\x1b[0m", escape_of(tone), text);
}

std::string grouped(double value, int digits) {
  std::string text = fmt::format("{:.{}f}", value, digits);
  const std::size_t first = text.front() == '-' ? 1 : 0;
  for (std::size_t at = std::min(text.find('.'), text.size()); at > first + 3;) {
    at -= 3;
    text.insert(at, ",");
  }
  return text;
}

std::string percent(double ratio) { return fmt::format("{:.1f} %", 100.0 * ratio); }

std::string signed_percent(double ratio) {
  const double tenths = std::round(1000.0 * ratio);
  return tenths == 0.0 ? "0.0 %" : fmt::format("{:+.1f} %", tenths / 10.0);
}

std::string times(double ratio) { return fmt::format("{:.2f}x", ratio); }

void Table::add_row(std::vector<std::string> cells, Tone tone) {
  cells.resize(columns_.size());
  rows_.push_back({.cells = std::move(cells), .tone = tone});
}

void Table::add_note(std::string label, std::string text, Tone tone) {
  rows_.push_back({.cells = {std::move(label), std::move(text)}, .is_note = true, .tone = tone});
}

void Table::add_line(std::string text, Tone tone) {
  rows_.push_back({.cells = {std::move(text)}, .tone = tone});
}

/// Width of each column; 0 where no row has a cell for it.
std::vector<std::size_t> Table::widths() const {
  std::vector<std::size_t> widths(columns_.size(), 0);
  for (const Row& row : rows_) {
    if (row.is_note) widths[0] = std::max(widths[0], row.cells[0].size());
    if (row.is_note || row.cells.size() != columns_.size()) continue;
    for (std::size_t i = 0; i < widths.size(); ++i) {
      widths[i] = std::max(widths[i], row.cells[i].size());
    }
  }
  for (std::size_t i = 0; i < widths.size(); ++i) {
    if (widths[i] > 0) widths[i] = std::max(widths[i], columns_[i].heading.size());
  }
  return widths;
}

std::string Table::text(Colour colour) const {
  const std::vector<std::size_t> width = widths();
  const auto line_of = [&](auto cell_at) {
    std::string line;
    for (std::size_t i = 0; i < width.size(); ++i) {
      if (width[i] == 0) continue;
      if (i > 0) line += kGap;
      const bool is_left = i == 0 || columns_[i].align == Align::kLeft;
      const std::string& cell = cell_at(i);
      line +=
          is_left ? fmt::format("{:<{}}", cell, width[i]) : fmt::format("{:>{}}", cell, width[i]);
    }
    return without_trailing_spaces(line);
  };
  const std::string heading =
      line_of([this](std::size_t i) -> const std::string& { return columns_[i].heading; });
  std::string text = heading.empty() ? "" : paint(heading, Tone::kHeading, colour) + "\n";
  for (const Row& row : rows_) {
    std::string line;
    if (row.is_note) {
      line = fmt::format("{:<{}}{}{}", row.cells[0], width[0], kGap, row.cells[1]);
    } else if (row.cells.size() == columns_.size()) {
      line = line_of([&row](std::size_t i) -> const std::string& { return row.cells[i]; });
    } else {
      line = row.cells[0];
    }
    text += paint(line, row.tone, colour) + "\n";
  }
  return text;
}

}  // namespace fa3prof::report
