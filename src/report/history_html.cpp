#include "src/report/history_text.h"
#include "src/report/html.h"

namespace fa3prof::report {

std::string history_html(const HistoryView& view) {
  return filled_page("history.html", history_json(view));
}

}  // namespace fa3prof::report
