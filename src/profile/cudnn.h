// NVIDIA's cuDNN as a peer of our kernels: its fused attention, under the name "cudnn". Free of
// CUDA types: a build without it refuses a missing library with the same words.
#pragma once

#include "src/core/attention_problem.h"
#include "src/profile/cudnn_library.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace fa3prof::profile {

/// Where a launch reads and writes: device memory laid out as CudnnGraph says.
struct CudnnTensors {
  const void* q = nullptr;
  const void* k = nullptr;
  const void* v = nullptr;
  void* o = nullptr;
  float* lse = nullptr;
  void* workspace = nullptr;
};

/// cuDNN's choice of an engine for one problem on the current device, compiled.
class CudnnPlan {
 public:
  /// Throws CudnnError in cuDNN's words where no engine takes the problem, or without a GPU.
  CudnnPlan(std::shared_ptr<const CudnnLibrary> library, const core::AttentionProblem& problem);
  CudnnPlan(const CudnnPlan&) = delete;
  CudnnPlan& operator=(const CudnnPlan&) = delete;
  ~CudnnPlan();

  /// Device memory that a launch needs besides the tensors.
  [[nodiscard]] std::size_t workspace_bytes() const;

  /// Enqueues the attention on `stream`, a cudaStream_t. Throws CudnnError when cuDNN refuses.
  void launch(const CudnnTensors& tensors, void* stream);

 private:
  class Session;
  std::unique_ptr<Session> session_;
};

/// A cheap handle of the opened library.
class Cudnn {
 public:
  /// Throws UnavailableError as CudnnLibrary::open does.
  [[nodiscard]] static Cudnn open();

  [[nodiscard]] const std::string& path() const { return library_->path(); }

  [[nodiscard]] const std::string& version() const { return library_->version(); }

  /// Why cuDNN cannot solve the problem on any GPU, or nothing. Whether it can on this one, only
  /// its plan says.
  [[nodiscard]] std::optional<std::string> why_unsupported(
      const core::AttentionProblem& problem) const;

  /// A supported problem. Throws CudnnError as CudnnPlan does.
  [[nodiscard]] std::shared_ptr<CudnnPlan> make_plan(const core::AttentionProblem& problem) const;

 private:
  explicit Cudnn(std::shared_ptr<const CudnnLibrary> library) : library_(std::move(library)) {}

  std::shared_ptr<const CudnnLibrary> library_;
};

}  // namespace fa3prof::profile
