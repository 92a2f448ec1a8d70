// CUPTI, opened at run time, and calls into it. Free of CUPTI's own types: the .cpp files that call
// include its headers.
#pragma once

#include "src/profile/dynamic_library.h"

namespace fa3prof::profile {

/// The library, opened by the first call. Throws CounterError that says where to get it.
[[nodiscard]] const DynamicLibrary& cupti_library();

/// Stands for a status of a function that this libcupti does not have.
inline constexpr int kCuptiFunctionMissing = -1;

/// Throws CounterError with the status in words and its cure, unless `status` is CUPTI_SUCCESS.
void cupti_check(int status, const char* call);

/// Calls a CUPTI function, all of which take one struct: Function = decltype(cuptiX), name =
/// "cuptiX". Returns its CUptiResult or kCuptiFunctionMissing.
template <typename Function, typename Params>
[[nodiscard]] int cupti_status(const char* name, Params& params) {
  auto* function = cupti_library().find<Function>(name);
  return function == nullptr ? kCuptiFunctionMissing : static_cast<int>(function(&params));
}

/// The same; throws CounterError unless it succeeds.
template <typename Function, typename Params>
void cupti_call(const char* name, Params& params) {
  cupti_check(cupti_status<Function>(name, params), name);
}

}  // namespace fa3prof::profile
