// Which build this is.
#pragma once

#include <string_view>

namespace fa3prof::core {

/// "0.1.0": the project's version.
[[nodiscard]] std::string_view tool_version();

/// Abbreviated commit, with "-dirty" for uncommitted changes; "unknown" outside a git checkout.
[[nodiscard]] std::string_view tool_commit();

/// "GNU 12.2.0".
[[nodiscard]] std::string_view tool_compiler();

/// Version of the CUDA toolkit that compiled the kernels, "13.0"; empty in a build without CUDA.
[[nodiscard]] std::string_view tool_cuda_toolkit();

}  // namespace fa3prof::core
