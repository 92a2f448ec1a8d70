#include "src/core/result.h"

#include "src/core/error.h"

namespace fa3prof::core {

std::string_view name_of(ResultSource source) {
  switch (source) {
    case ResultSource::kMeasured:
      return "measured";
    case ResultSource::kClosedForm:
      return "closed_form";
    case ResultSource::kDiscreteEvent:
      return "discrete_event";
  }
  throw UsageError("unknown result source");
}

ResultSource parse_result_source(std::string_view text) {
  for (const auto source :
       {ResultSource::kMeasured, ResultSource::kClosedForm, ResultSource::kDiscreteEvent}) {
    if (name_of(source) == text) return source;
  }
  throw UsageError("unknown result source '" + std::string(text) +
                   "': choose measured, closed_form or discrete_event");
}

std::string row_label(const Result& result) {
  if (!result.device) return result.kernel;
  return result.kernel + " on GPU " + std::to_string(result.device->index);
}

bool is_same_device(const Result& a, const Result& b) {
  if (!a.device || !b.device) return !a.device && !b.device;
  return a.device->index == b.device->index;
}

}  // namespace fa3prof::core
