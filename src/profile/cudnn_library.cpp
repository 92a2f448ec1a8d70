#include "src/profile/cudnn_library.h"

#include "src/core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

namespace fa3prof::profile {
namespace {

constexpr const char* kName = "libcudnn.so.9";
constexpr const char* kInstall =
    "install cuDNN 9.10.2 or newer (pip install nvidia-cudnn-cu12), or set FA3PROF_CUDNN to its "
    "libcudnn.so.9";

/// The loader's own search first, then where archives and toolkits put the library.
std::vector<std::string> candidates() {
  std::vector<std::string> paths{kName};
  for (const char* variable : {"CUDNN_PATH", "CUDA_HOME", "CUDA_PATH"}) {
    const char* root = std::getenv(variable);
    if (root == nullptr || *root == '\0') continue;
    for (const char* folder : {"/lib/", "/lib64/"})
      paths.push_back(root + (folder + std::string(kName)));
  }
  paths.push_back(std::string("/usr/local/cuda/lib64/") + kName);
  return paths;
}

DynamicLibrary open_library() {
  const char* chosen = std::getenv(kCudnnVariable);
  if (chosen == nullptr || *chosen == '\0') {
    if (const auto library = DynamicLibrary::open(candidates())) return *library;
    throw core::UnavailableError(fmt::format("{} was not found", kName), kInstall);
  }
  std::string reason;
  if (const auto library = DynamicLibrary::open_file(chosen, reason)) return *library;
  throw core::UnavailableError(
      fmt::format("{} '{}' cannot be loaded: {}", kCudnnVariable, chosen, reason),
      "set it to the file libcudnn.so.9 itself, with the libraries that came with it beside it");
}

/// 91900 -> "9.19.0"
std::string version_text(std::size_t version) {
  return fmt::format("{}.{}.{}", version / 10000, version / 100 % 100, version % 100);
}

/// One line that a terminal and JSON can hold.
std::string printable(std::string text) {
  std::ranges::replace_if(
      text, [](char c) { return c < ' ' || c > '~'; }, ' ');
  text.erase(std::find_if_not(text.rbegin(), text.rend(), [](char c) { return c == ' '; }).base(),
             text.end());
  return text;
}

}  // namespace

CudnnLibrary::CudnnLibrary(DynamicLibrary library) : library_(std::move(library)) {
  const auto load = [this]<typename Function>(const char* name, Function*& function) {
    function = library_.find<Function>(name);
    if (function != nullptr) return;
    throw core::UnavailableError(fmt::format("{} exports no {}", path(), name), kInstall);
  };
  load("cudnnGetVersion", functions_.GetVersion);
  version_ = version_text(functions_.GetVersion());
  if (functions_.GetVersion() < kOldestCudnn) {
    throw core::UnavailableError(
        fmt::format("cuDNN {} ({}) is older than {}", version_, path(), version_text(kOldestCudnn)),
        kInstall);
  }
  load("cudnnGetErrorString", functions_.GetErrorString);
  load("cudnnGetLastErrorString", functions_.GetLastErrorString);
  load("cudnnCreate", functions_.Create);
  load("cudnnDestroy", functions_.Destroy);
  load("cudnnSetStream", functions_.SetStream);
  load("cudnnBackendCreateDescriptor", functions_.BackendCreateDescriptor);
  load("cudnnBackendDestroyDescriptor", functions_.BackendDestroyDescriptor);
  load("cudnnBackendFinalize", functions_.BackendFinalize);
  load("cudnnBackendSetAttribute", functions_.BackendSetAttribute);
  load("cudnnBackendGetAttribute", functions_.BackendGetAttribute);
  load("cudnnBackendExecute", functions_.BackendExecute);
}

CudnnLibrary CudnnLibrary::open() { return CudnnLibrary(open_library()); }

void CudnnLibrary::check(CudnnStatus status, const std::string& call) const {
  if (status == kCudnnSuccess) return;
  std::array<char, 512> text{};
  functions_.GetLastErrorString(text.data(), text.size() - 1);
  const std::string words = printable(std::string(text.data(), strnlen(text.data(), text.size())));
  const char* name = functions_.GetErrorString(status);
  throw CudnnError(fmt::format("{} gave {} ({}){}", call, name == nullptr ? "a status" : name,
                               status, words.empty() ? "" : ": " + words));
}

}  // namespace fa3prof::profile
