// The fake cuDNN libraries of tests/plugins in the place of a real one.
#pragma once

#include "src/profile/cudnn_library.h"

#include <cstdlib>
#include <string>

namespace fa3prof::tests {

/// While it lives, FA3PROF_CUDNN is `path`.
class ChosenCudnn {
 public:
  explicit ChosenCudnn(const std::string& path) {
    setenv(profile::kCudnnVariable, path.c_str(), 1);
  }

  ChosenCudnn(const ChosenCudnn&) = delete;
  ChosenCudnn& operator=(const ChosenCudnn&) = delete;

  ~ChosenCudnn() { unsetenv(profile::kCudnnVariable); }
};

inline std::string fake_cudnn(const std::string& fault = "") {
  return std::string(FA3PROF_PLUGIN_DIR) + "/fake_cudnn" + (fault.empty() ? "" : "_" + fault) +
         ".so";
}

}  // namespace fa3prof::tests
