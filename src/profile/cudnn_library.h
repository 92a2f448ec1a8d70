// NVIDIA's cuDNN, opened at run time: never needed to build or to start. Free of CUDA: what needs a
// GPU fails when it is called.
#pragma once

#include "src/profile/cudnn_api.h"
#include "src/profile/dynamic_library.h"

#include <stdexcept>
#include <string>

namespace fa3prof::profile {

/// The environment variable that names the library's file; nothing else is tried then.
inline constexpr const char* kCudnnVariable = "FA3PROF_CUDNN";

/// The oldest cuDNN that is taken, 9.10.2: attention of 9.10.0 and 9.10.1 is known to be wrong, and
/// older ones want the mask built differently.
inline constexpr std::size_t kOldestCudnn = 91002;

/// A cuDNN call said no: "cudnnBackendFinalize(execution plan) gave CUDNN_STATUS_...: ...".
class CudnnError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class CudnnLibrary {
 public:
  /// Opens kCudnnVariable's file, or where that is not set libcudnn.so.9 as the loader, CUDNN_PATH
  /// and the CUDA toolkit's folders have it. Throws UnavailableError that says what is wrong (no
  /// library, too old, a function missing) and the cure.
  [[nodiscard]] static CudnnLibrary open();

  [[nodiscard]] const std::string& path() const { return library_.path(); }

  [[nodiscard]] const std::string& version() const { return version_; }  ///< "9.19.0"

  [[nodiscard]] const CudnnFunctions& functions() const { return functions_; }

  /// Throws CudnnError with the status's name, cuDNN's own words and what `call` was on, unless
  /// `status` is kCudnnSuccess.
  void check(CudnnStatus status, const std::string& call) const;

 private:
  explicit CudnnLibrary(DynamicLibrary library);

  DynamicLibrary library_;
  CudnnFunctions functions_;
  std::string version_;
};

}  // namespace fa3prof::profile
