// Numbers and tables for people: fixed wording, aligned columns, colour only when told. Percent
// exists only here; everywhere else a ratio is 0..1.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fa3prof::report {

enum class Colour { kNever, kAlways };

enum class Tone { kPlain, kHeading, kGood, kWarning, kBad };

/// `text` in the tone's colour, or as it is.
[[nodiscard]] std::string paint(std::string_view text, Tone tone, Colour colour);

/// 1434112.4 with 0 digits: "1,434,112".
[[nodiscard]] std::string grouped(double value, int digits);

/// 0.6432: "64.3 %".
[[nodiscard]] std::string percent(double ratio);

/// -0.031: "-3.1 %"; the sign is always there, except for a rounded zero: "0.0 %".
[[nodiscard]] std::string signed_percent(double ratio);

/// 2.4545: "2.45x".
[[nodiscard]] std::string times(double ratio);

/// The formatted value, or nothing.
[[nodiscard]] std::string text_or_empty(const std::optional<double>& value, auto format) {
  return value ? format(*value) : std::string();
}

/// Columns that stay empty are left out. The first column is aligned to the left, the others to the
/// right unless they are named as text.
class Table {
 public:
  enum class Align { kLeft, kRight };

  struct Column {
    std::string heading;
    Align align = Align::kRight;
  };

  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  /// One cell per column.
  void add_row(std::vector<std::string> cells, Tone tone = Tone::kPlain);

  /// A first cell, then a text over all other columns; does not widen them.
  void add_note(std::string label, std::string text, Tone tone = Tone::kPlain);

  /// A line over all columns; does not widen them.
  void add_line(std::string text, Tone tone = Tone::kPlain);

  /// The heading, unless all headings are empty, and all rows; each line ends with a newline.
  [[nodiscard]] std::string text(Colour colour) const;

 private:
  struct Row {
    std::vector<std::string> cells;  ///< 1: a line; 2 and is_note: label and text
    bool is_note = false;
    Tone tone = Tone::kPlain;
  };

  [[nodiscard]] std::vector<std::size_t> widths() const;

  std::vector<Column> columns_;
  std::vector<Row> rows_;
};

}  // namespace fa3prof::report
