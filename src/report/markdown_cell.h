// Text inside Markdown. Not: the tables around it.
#pragma once

#include <string>

namespace fa3prof::report {

/// Text that neither ends its table cell nor is taken for markup.
[[nodiscard]] std::string markdown_escaped(const std::string& text);

}  // namespace fa3prof::report
