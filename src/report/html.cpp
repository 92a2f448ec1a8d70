#include "src/report/html.h"

#include "src/core/error.h"
#include "src/report/page_files.h"

#include <algorithm>

namespace fa3prof::report {
namespace {

constexpr std::string_view kOpen = "{{";
constexpr std::string_view kClose = "}}";
constexpr std::string_view kData = "data";
constexpr std::string_view kAsText = "text ";  ///< before a file's name: shown, not interpreted

std::string_view page_file(std::string_view name) {
  const auto file = std::ranges::find(page_files(), name, &PageFile::name);
  if (file == page_files().end()) {
    throw core::UsageError("the page has no file '" + std::string(name) + "'; build fa3prof anew");
  }
  return file->text;
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

std::string html_escaped(std::string_view text) {
  std::string escaped(text);
  replace_all(escaped, "&", "&amp;");
  replace_all(escaped, "<", "&lt;");
  return escaped;
}

std::string filled(std::string_view mark, const std::string& data) {
  if (mark == kData) return data;
  if (mark.starts_with(kAsText)) return html_escaped(page_file(mark.substr(kAsText.size())));
  return std::string(page_file(mark));
}

}  // namespace

std::string script_safe_text(const core::Json& document) {
  std::string text = document.dump(-1, ' ', false, core::Json::error_handler_t::replace);
  // Inside a document these stand only in strings.
  replace_all(text, "<", "\\u003c");
  replace_all(text, "\u2028", "\\u2028");
  replace_all(text, "\u2029", "\\u2029");
  return text;
}

std::string filled_page(std::string_view file, const core::Json& document) {
  const std::string data = script_safe_text(document);
  std::string page;
  std::string_view rest = page_file(file);
  for (auto open = rest.find(kOpen); open != std::string_view::npos; open = rest.find(kOpen)) {
    const auto close = rest.find(kClose, open);
    page += rest.substr(0, open);
    page += filled(rest.substr(open + kOpen.size(), close - open - kOpen.size()), data);
    rest.remove_prefix(close + kClose.size());
  }
  return page.append(rest);
}

std::string html_page(const std::vector<PageReport>& reports) {
  return filled_page("page.html", page_document(reports));
}

}  // namespace fa3prof::report
