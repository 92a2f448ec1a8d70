// Facts of the machine and the build that take no GPU to read.
#pragma once

#include "src/core/report.h"

#include <optional>
#include <string>
#include <string_view>

namespace fa3prof::profile {

/// Everything but `gpu`. Never throws: what cannot be read stays empty.
[[nodiscard]] core::Environment host_environment();

/// "580.159.04" from the first line of /proc/driver/nvidia/version; empty when there is none in it.
[[nodiscard]] std::string parse_driver_version(std::string_view text);

/// Value of `key` in lines of "KEY=value", quotes removed (as in /etc/os-release); empty if absent.
[[nodiscard]] std::string parse_os_release(std::string_view text, std::string_view key);

/// Whether the driver lets only administrators read counters (RmProfilingAdminOnly of
/// /proc/driver/nvidia/params); nothing when `params` does not say.
[[nodiscard]] std::optional<bool> parse_profiling_admin_only(std::string_view params);

/// Whether `status` (/proc/self/status) gives the effective capability CAP_SYS_ADMIN, which root
/// has outside of containers and which the driver asks for.
[[nodiscard]] bool parse_has_sys_admin(std::string_view status);

/// The whole file, or empty.
[[nodiscard]] std::string read_text(const std::string& path);

}  // namespace fa3prof::profile
