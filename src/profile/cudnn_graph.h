// Attention as a graph of cuDNN operations: two matrix products with scale, mask and softmax
// between them, the form in which cuDNN's fused attention engines recognise it (the operation of
// its own, CUDNN_BACKEND_OPERATION_SDPA_FWD_DESCRIPTOR, has no causal mask in cuDNN 9.19).
#pragma once

#include "src/core/attention_problem.h"
#include "src/profile/cudnn_descriptor.h"

#include <cstdint>
#include <deque>
#include <initializer_list>
#include <optional>
#include <vector>

namespace fa3prof::profile {

/// Unique ids of the tensors that a launch must give. The last four are single values in host
/// memory: float32 scale and -inf, int32 lengths, which only a mask that is not square has.
enum class CudnnTensor : std::int64_t {
  kQ = 1,
  kK,
  kV,
  kO,
  kLse,
  kScale,
  kMaskedScore,
  kSeqlenQ,
  kSeqlenKv,
};

/// Those that the graph of the problem has.
[[nodiscard]] std::vector<CudnnTensor> cudnn_tensors(const core::AttentionProblem& problem);

/// Q, K, V and O are dense [batch, seqlen, heads, head_dim], LSE dense [batch, heads, seqlen_q];
/// the problem has no row that sees no key.
class CudnnGraph {
 public:
  /// `library` and `handle` must outlive it. Throws CudnnError.
  CudnnGraph(const CudnnLibrary& library, CudnnHandle handle,
             const core::AttentionProblem& problem);

  [[nodiscard]] const CudnnDescriptor& descriptor() const { return graph_; }

 private:
  using Tensor = const CudnnDescriptor&;
  using Shape = std::vector<std::int64_t>;

  struct Layout {
    Shape dimensions;
    Shape strides;
  };

  struct Pointwise {
    CudnnPointwise mode;
    CudnnDataType compute = CudnnDataType::kFloat;
    std::optional<std::int64_t> axis = std::nullopt;  ///< of kIndex
  };

  CudnnDescriptor& make_tensor(std::int64_t id, CudnnDataType type, const Layout& layout);
  Tensor given(CudnnTensor id, CudnnDataType type, const Layout& layout);
  Tensor host_value(CudnnTensor id, CudnnDataType type);
  /// What passes from operation to operation without ever being stored.
  Tensor passing(CudnnDataType type, const Layout& layout);
  /// [batch, num_heads, seqlen_q, seqlen_kv] that passes.
  Tensor scores(CudnnDataType type = CudnnDataType::kFloat);
  /// [batch, num_heads, seqlen_q, 1]
  [[nodiscard]] Layout row_layout() const;
  [[nodiscard]] Layout tensor_layout(std::int64_t seqlen, std::int64_t heads) const;

  Tensor multiply(Tensor a, Tensor b, Tensor c);
  Tensor apply(const Pointwise& what, std::initializer_list<const CudnnDescriptor*> inputs,
               Tensor output);
  Tensor reduce(CudnnReduction mode, Tensor input);
  Tensor mask(Tensor input);
  Tensor softmax(Tensor input, CudnnDataType type);

  const CudnnLibrary& library_;
  const core::AttentionProblem problem_;
  std::deque<CudnnDescriptor> tensors_;     // references into it stay valid
  std::vector<CudnnDescriptor> operators_;  // modes and types of the operations
  std::vector<CudnnDescriptor> operations_;
  CudnnDescriptor graph_;
  std::int64_t next_id_ = 100;  // of passing tensors, beyond CudnnTensor
};

}  // namespace fa3prof::profile
