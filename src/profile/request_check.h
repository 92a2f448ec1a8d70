// Whether a request can be served, before a GPU is touched.
#pragma once

#include "src/profile/profiler.h"

#include <string>

namespace fa3prof::profile {

/// The plugin of that name, or null: then it is one of our kernels.
[[nodiscard]] const Plugin* find_plugin(const RunRequest& request, const std::string& name);

/// Throws UsageError for what no GPU could serve.
void check_request(const RunRequest& request);

/// Throws UnavailableError where one of our kernels does not fit the GPU. What a plugin needs, only
/// its launch knows.
void require_capability(const RunRequest& request, const core::Gpu& gpu);

}  // namespace fa3prof::profile
