#include "src/report/markdown_cell.h"

#include <string_view>

namespace fa3prof::report {

std::string markdown_escaped(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    if (c == '\n' || c == '\r') {
      safe += ' ';
      continue;
    }
    if (std::string_view("|\\`*_<[]#").find(c) != std::string_view::npos) safe += '\\';
    safe += c;
  }
  return safe;
}

}  // namespace fa3prof::report
