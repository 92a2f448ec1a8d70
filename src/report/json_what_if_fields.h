// The layout of what a what-if and sensitivities add to a report; see json_fields.h.
#pragma once

#include "src/core/what_if.h"
#include "src/report/json_fields.h"

namespace fa3prof::report {

template <Is<core::MovedNumber> T>
void walk(auto& walker, T& moved) {
  walker.required("value", moved.value);
  walker.optional("time_ratio", moved.time_ratio);
  walker.optional("unsupported_reason", moved.unsupported_reason);
}

template <Is<core::Sensitivity> T>
void walk(auto& walker, T& sensitivity) {
  walker.required("number", sensitivity.number);
  walker.required("value", sensitivity.value);
  walker.required("lower", sensitivity.lower);
  walker.required("upper", sensitivity.upper);
}

template <Is<core::ValueChange> T>
void walk(auto& walker, T& change) {
  walker.required("stated", change.stated);
  walker.required("file", change.file);
  walker.required("pointer", change.pointer);
  walker.optional("from", change.from);
  walker.required("to", change.to);
}

}  // namespace fa3prof::report
