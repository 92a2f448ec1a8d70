#include "src/profile/dynamic_library.h"

#include <dlfcn.h>
#include <filesystem>
#include <link.h>

namespace fa3prof::profile {
namespace {

/// Where the loader found it; `name` if it does not say.
std::string path_of(void* handle, const std::string& name) {
  link_map* map = nullptr;
  const bool is_known = dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 && map->l_name != nullptr;
  return is_known && *map->l_name != '\0' ? map->l_name : name;
}

}  // namespace

std::optional<DynamicLibrary> DynamicLibrary::open(std::span<const std::string> candidates) {
  for (const std::string& candidate : candidates) {
    if (void* handle = dlopen(candidate.c_str(), RTLD_NOW | RTLD_LOCAL)) {
      return DynamicLibrary(handle, path_of(handle, candidate));
    }
  }
  return std::nullopt;
}

std::optional<DynamicLibrary> DynamicLibrary::open_file(const std::string& path,
                                                        std::string& reason) {
  const std::string absolute = std::filesystem::absolute(path).string();
  if (void* handle = dlopen(absolute.c_str(), RTLD_NOW | RTLD_LOCAL)) {
    return DynamicLibrary(handle, absolute);
  }
  const char* text = dlerror();
  reason = text == nullptr ? "the loader gives no reason" : text;
  return std::nullopt;
}

void* DynamicLibrary::symbol(const char* name) const { return dlsym(handle_, name); }

}  // namespace fa3prof::profile
