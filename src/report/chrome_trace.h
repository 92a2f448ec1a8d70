// Timelines as a Chrome trace: JSON that Perfetto (ui.perfetto.dev) and chrome://tracing open.
// Format: "Trace Event Format",
// https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU
#pragma once

#include "src/core/timeline.h"

#include <string>

namespace fa3prof::report {

/// Each process and track has a name and its place in the order given. Spans of a track are
/// complete events (X), of one that overlaps pairs of asynchronous ones (b, e), flows pairs of s
/// and f (bound to the enclosing span). `ts` and `dur` are microseconds with three decimals,
/// 1 ns, one or two cycles of a GPU.
///
///   {"ph":"X","pid":1,"tid":2,"ts":1.250,"dur":0.310,"name":"softmax"}
[[nodiscard]] std::string chrome_trace(const core::Timeline& timeline);

}  // namespace fa3prof::report
