// Whether a file is a shared library for this program, by its ELF header: the loader's own words
// for a library of another architecture are "no such file".
#pragma once

#include <optional>
#include <string>

namespace fa3prof::profile {

struct SharedObjectFault {
  std::string what;  ///< after the file's name: "is a folder"
  std::string cure;
};

/// Nothing when the file can be read and its header fits this process. Does not load it.
[[nodiscard]] std::optional<SharedObjectFault> find_shared_object_fault(const std::string& path);

}  // namespace fa3prof::profile
