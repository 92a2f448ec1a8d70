#include "src/profile/cudnn.h"

#include "src/profile/crash_note.h"
#include "src/profile/cudnn_graph.h"

#include <fmt/format.h>

#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace fa3prof::profile {
namespace {

/// A cudnnHandle_t; it belongs to the device that is current when it is made.
class Handle {
 public:
  explicit Handle(const CudnnLibrary& library) : library_(library) {
    library_.check(library_.functions().Create(&handle_), "cudnnCreate");
  }

  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

  ~Handle() { library_.functions().Destroy(handle_); }

  [[nodiscard]] CudnnHandle get() const { return handle_; }

 private:
  const CudnnLibrary& library_;
  CudnnHandle handle_ = nullptr;
};

/// The configurations that cuDNN proposes, the fastest by its own estimate first.
std::vector<CudnnDescriptor> proposals(const CudnnLibrary& library, const CudnnGraph& graph,
                                       CudnnHeuristics mode) {
  CudnnDescriptor heuristics(library, CudnnDescriptorType::kEngineHeuristics);
  heuristics.set(CudnnAttribute::kHeuristicsGraph, graph.descriptor());
  heuristics.set(CudnnAttribute::kHeuristicsMode, mode);
  heuristics.finalize();
  return heuristics.get_descriptors(CudnnAttribute::kHeuristicsResults,
                                    CudnnDescriptorType::kEngineConfig);
}

CudnnDescriptor finalize_plan(const CudnnLibrary& library, CudnnHandle handle,
                              const CudnnDescriptor& configuration) {
  CudnnDescriptor plan(library, CudnnDescriptorType::kExecutionPlan);
  plan.set(CudnnAttribute::kPlanHandle, handle);
  plan.set(CudnnAttribute::kPlanEngineConfig, configuration);
  plan.finalize();
  return plan;
}

/// The first proposal that can be made a plan. A mode of the heuristics may have none or fail.
CudnnDescriptor choose_plan(const CudnnLibrary& library, CudnnHandle handle,
                            const CudnnGraph& graph) {
  std::string refusal;
  const auto keep_first = [&refusal](const CudnnError& error) {
    if (refusal.empty()) refusal = error.what();
  };
  for (const CudnnHeuristics mode : {CudnnHeuristics::kA, CudnnHeuristics::kFallback}) {
    try {
      for (const CudnnDescriptor& configuration : proposals(library, graph, mode)) {
        try {
          return finalize_plan(library, handle, configuration);
        } catch (const CudnnError& error) {
          keep_first(error);
        }
      }
    } catch (const CudnnError& error) {
      keep_first(error);
    }
  }
  throw CudnnError(refusal.empty() ? "its heuristics propose no engine" : refusal);
}

}  // namespace

class CudnnPlan::Session {
 public:
  Session(std::shared_ptr<const CudnnLibrary> library, const core::AttentionProblem& problem)
      : library_(std::move(library)),
        handle_(*library_),
        graph_(*library_, handle_.get(), problem),
        plan_(choose_plan(*library_, handle_.get(), graph_)),
        tensors_(cudnn_tensors(problem)),
        scale_(static_cast<float>(core::softmax_scale(problem))),
        seqlen_q_(static_cast<std::int32_t>(problem.seqlen_q)),
        seqlen_kv_(static_cast<std::int32_t>(problem.seqlen_kv)) {}

  [[nodiscard]] std::size_t workspace_bytes() const {
    return static_cast<std::size_t>(plan_.get_int64(CudnnAttribute::kPlanWorkspaceSize));
  }

  void launch(const CudnnTensors& tensors, void* stream) {
    const CrashNote note("cuDNN " + library_->version(), "a launch");
    const CudnnFunctions& functions = library_->functions();
    if (stream != stream_) {
      library_->check(functions.SetStream(handle_.get(), stream), "cudnnSetStream");
      stream_ = stream;
    }
    const CudnnDescriptor pack = make_pack(tensors);
    library_->check(functions.BackendExecute(handle_.get(), plan_.get(), pack.get()),
                    "cudnnBackendExecute");
  }

 private:
  [[nodiscard]] CudnnDescriptor make_pack(const CudnnTensors& tensors) {
    std::vector<std::int64_t> ids;
    std::vector<void*> pointers;
    for (const CudnnTensor tensor : tensors_) {
      ids.push_back(static_cast<std::int64_t>(tensor));
      pointers.push_back(pointer_to(tensor, tensors));
    }
    CudnnDescriptor pack(*library_, CudnnDescriptorType::kVariantPack);
    pack.set(CudnnAttribute::kPackUniqueIds, std::span<const std::int64_t>(ids));
    pack.set(CudnnAttribute::kPackPointers, std::span<void* const>(pointers));
    pack.set(CudnnAttribute::kPackWorkspace, std::span<void* const>(&tensors.workspace, 1));
    pack.finalize();
    return pack;
  }

  /// cuDNN takes inputs by pointers that are not const, too.
  [[nodiscard]] void* pointer_to(CudnnTensor tensor, const CudnnTensors& tensors) {
    switch (tensor) {
      case CudnnTensor::kQ:
        return const_cast<void*>(tensors.q);
      case CudnnTensor::kK:
        return const_cast<void*>(tensors.k);
      case CudnnTensor::kV:
        return const_cast<void*>(tensors.v);
      case CudnnTensor::kO:
        return tensors.o;
      case CudnnTensor::kLse:
        return tensors.lse;
      case CudnnTensor::kScale:
        return &scale_;
      case CudnnTensor::kMaskedScore:
        return &masked_score_;
      case CudnnTensor::kSeqlenQ:
        return &seqlen_q_;
      case CudnnTensor::kSeqlenKv:
        return &seqlen_kv_;
    }
    return nullptr;
  }

  std::shared_ptr<const CudnnLibrary> library_;
  Handle handle_;
  CudnnGraph graph_;
  CudnnDescriptor plan_;
  std::vector<CudnnTensor> tensors_;
  void* stream_ = nullptr;  // cuDNN's default, too
  float scale_;
  float masked_score_ = -std::numeric_limits<float>::infinity();
  std::int32_t seqlen_q_;
  std::int32_t seqlen_kv_;
};

CudnnPlan::CudnnPlan(std::shared_ptr<const CudnnLibrary> library,
                     const core::AttentionProblem& problem) {
  const CrashNote note("cuDNN " + library->version(), "planning");
  session_ = std::make_unique<Session>(std::move(library), problem);
}

CudnnPlan::~CudnnPlan() = default;

std::size_t CudnnPlan::workspace_bytes() const { return session_->workspace_bytes(); }

void CudnnPlan::launch(const CudnnTensors& tensors, void* stream) {
  session_->launch(tensors, stream);
}

Cudnn Cudnn::open() {
  const CrashNote note("cuDNN", "its initialisation");
  return Cudnn(std::make_shared<const CudnnLibrary>(CudnnLibrary::open()));
}

std::optional<std::string> Cudnn::why_unsupported(const core::AttentionProblem& problem) const {
  if (problem.dtype != core::DataType::kFloat16 && problem.dtype != core::DataType::kBFloat16) {
    return fmt::format("cudnn {} is asked for fp16 and bf16 only, not {}", version(),
                       core::name_of(problem.dtype));
  }
  if (problem.is_causal && problem.seqlen_q > problem.seqlen_kv) {
    return fmt::format(
        "cudnn {} has no causal mask aligned to the bottom right with more queries than keys",
        version());
  }
  return std::nullopt;
}

std::shared_ptr<CudnnPlan> Cudnn::make_plan(const core::AttentionProblem& problem) const {
  return std::make_shared<CudnnPlan>(library_, problem);
}

}  // namespace fa3prof::profile
