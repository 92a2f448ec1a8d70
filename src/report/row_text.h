// Reports as rows of text for other programs and for pull requests: one kernel on one problem a
// row.
#pragma once

#include "src/core/report.h"

#include <string>
#include <vector>

namespace fa3prof::report {

/// A report and what its rows say they are of: the name of its file, without folder and ending.
struct NamedReport {
  std::string name;
  core::Report report;
};

/// CSV as of RFC 4180, but with line feeds alone: a line of column names, each with its unit, then
/// a line for each row. Numbers have all their digits; an empty cell is one that was not measured.
///
///   report,kernel,...,time_us,...
///   h200,fa3,...,1484.528,...
[[nodiscard]] std::string csv_text(const std::vector<NamedReport>& reports);

/// A GitHub table for each report under its name and GPU, rounded for people; columns that stay
/// empty are left out. Warnings follow, each with how many rows have it.
[[nodiscard]] std::string markdown_text(const std::vector<NamedReport>& reports);

}  // namespace fa3prof::report
