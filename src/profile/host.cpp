#include "src/profile/host.h"

#include "src/core/version.h"
#include "src/profile/nvml.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <sys/utsname.h>
#include <vector>

namespace fa3prof::profile {
namespace {

constexpr std::string_view kBlankOrQuote = " \t\"";
constexpr unsigned kCapSysAdmin = 21;  // linux/capability.h

/// What follows `prefix` on the first line that starts with it.
std::optional<std::string_view> find_line(std::string_view text, std::string_view prefix) {
  while (!text.empty()) {
    const auto end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    if (line.starts_with(prefix)) return line.substr(prefix.size());
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return std::nullopt;
}

std::string_view trim(std::string_view text) {
  const auto first = text.find_first_not_of(kBlankOrQuote);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlankOrQuote) - first + 1);
}

bool is_version(std::string_view word) {
  return word.find('.') != std::string_view::npos && word.front() != '.' &&
         std::ranges::all_of(word, [](char c) { return c == '.' || (c >= '0' && c <= '9'); });
}

}  // namespace

std::string read_text(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::string parse_driver_version(std::string_view text) {
  text = text.substr(0, text.find('\n'));
  while (!text.empty()) {
    const auto end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    if (!word.empty() && is_version(word)) return std::string(word);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return {};
}

std::string parse_os_release(std::string_view text, std::string_view key) {
  const auto value = find_line(text, std::string(key) + "=");
  return std::string(trim(value.value_or("")));
}

std::optional<bool> parse_profiling_admin_only(std::string_view params) {
  const auto value = find_line(params, "RmProfilingAdminOnly:");
  if (!value) return std::nullopt;
  return trim(*value) != "0";
}

bool parse_has_sys_admin(std::string_view status) {
  const std::string_view hex = trim(find_line(status, "CapEff:").value_or(""));
  std::uint64_t bits = 0;
  const auto parsed = std::from_chars(hex.data(), hex.data() + hex.size(), bits, 16);
  return parsed.ec == std::errc() && ((bits >> kCapSysAdmin) & 1U) != 0;
}

core::Environment host_environment() {
  core::Environment environment;
  environment.tool_version = core::tool_version();
  environment.tool_commit = core::tool_commit();
  environment.compiler = core::tool_compiler();
  environment.cuda_toolkit = core::tool_cuda_toolkit();
  utsname names{};
  if (uname(&names) == 0) environment.host = names.nodename;
  environment.os = parse_os_release(read_text("/etc/os-release"), "PRETTY_NAME");
  environment.driver = parse_driver_version(read_text("/proc/driver/nvidia/version"));
  if (environment.driver.empty()) environment.driver = nvml_driver_version();
  return environment;
}

}  // namespace fa3prof::profile
