#include "src/profile/cudnn_graph.h"

#include <array>
#include <utility>

namespace fa3prof::profile {
namespace {

constexpr std::int64_t kAlignmentBytes = 16;
constexpr std::int64_t kRowAxis = 2;
constexpr std::int64_t kColumnAxis = 3;

CudnnDataType to_cudnn(core::DataType dtype) {
  return dtype == core::DataType::kBFloat16 ? CudnnDataType::kBFloat16 : CudnnDataType::kHalf;
}

bool is_square(const core::AttentionProblem& problem) {
  return problem.seqlen_q == problem.seqlen_kv;
}

}  // namespace

std::vector<CudnnTensor> cudnn_tensors(const core::AttentionProblem& problem) {
  using enum CudnnTensor;
  std::vector<CudnnTensor> tensors{kQ, kK, kV, kO, kLse, kScale};
  if (problem.is_causal) tensors.push_back(kMaskedScore);
  if (problem.is_causal && !is_square(problem)) {
    tensors.insert(tensors.end(), {kSeqlenQ, kSeqlenKv});
  }
  return tensors;
}

CudnnGraph::CudnnGraph(const CudnnLibrary& library, CudnnHandle handle,
                       const core::AttentionProblem& problem)
    : library_(library), problem_(problem), graph_(library, CudnnDescriptorType::kOperationGraph) {
  const CudnnDataType type = to_cudnn(problem.dtype);
  const Layout q_layout = tensor_layout(problem.seqlen_q, problem.num_heads);
  const Layout v_layout = tensor_layout(problem.seqlen_kv, problem.num_heads_kv);
  Layout k_layout = v_layout;  // transposed, as the right factor of Q K^T
  std::swap(k_layout.dimensions[2], k_layout.dimensions[3]);
  std::swap(k_layout.strides[2], k_layout.strides[3]);

  Tensor q = given(CudnnTensor::kQ, type, q_layout);
  Tensor k = given(CudnnTensor::kK, type, k_layout);
  Tensor v = given(CudnnTensor::kV, type, v_layout);
  Tensor o = given(CudnnTensor::kO, type, q_layout);
  Tensor scale = host_value(CudnnTensor::kScale, CudnnDataType::kFloat);
  Tensor product = multiply(q, k, scores());
  Tensor scaled = apply({.mode = CudnnPointwise::kMultiply}, {&product, &scale}, scores());
  Tensor visible = problem.is_causal ? mask(scaled) : scaled;
  multiply(softmax(visible, type), v, o);

  graph_.set(CudnnAttribute::kGraphHandle, handle);
  graph_.set(CudnnAttribute::kGraphOperations, std::span<const CudnnDescriptor>(operations_));
  graph_.finalize();
}

CudnnGraph::Layout CudnnGraph::tensor_layout(std::int64_t seqlen, std::int64_t heads) const {
  const std::int64_t d = problem_.head_dim;
  return {.dimensions = {problem_.batch, heads, seqlen, d},
          .strides = {seqlen * heads * d, d, heads * d, 1}};
}

CudnnGraph::Layout CudnnGraph::row_layout() const {
  const std::int64_t rows = problem_.seqlen_q;
  return {.dimensions = {problem_.batch, problem_.num_heads, rows, 1},
          .strides = {problem_.num_heads * rows, rows, 1, 1}};
}

CudnnDescriptor& CudnnGraph::make_tensor(std::int64_t id, CudnnDataType type,
                                         const Layout& layout) {
  CudnnDescriptor& tensor = tensors_.emplace_back(library_, CudnnDescriptorType::kTensor);
  tensor.set(CudnnAttribute::kTensorUniqueId, id);
  tensor.set(CudnnAttribute::kTensorDataType, type);
  tensor.set(CudnnAttribute::kTensorDimensions, std::span<const std::int64_t>(layout.dimensions));
  tensor.set(CudnnAttribute::kTensorStrides, std::span<const std::int64_t>(layout.strides));
  tensor.set(CudnnAttribute::kTensorAlignment, kAlignmentBytes);
  return tensor;
}

CudnnGraph::Tensor CudnnGraph::given(CudnnTensor id, CudnnDataType type, const Layout& layout) {
  CudnnDescriptor& tensor = make_tensor(static_cast<std::int64_t>(id), type, layout);
  tensor.finalize();
  return tensor;
}

CudnnGraph::Tensor CudnnGraph::host_value(CudnnTensor id, CudnnDataType type) {
  CudnnDescriptor& tensor =
      make_tensor(static_cast<std::int64_t>(id), type, {{1, 1, 1, 1}, {1, 1, 1, 1}});
  tensor.set(CudnnAttribute::kTensorIsByValue, true);
  tensor.finalize();
  return tensor;
}

CudnnGraph::Tensor CudnnGraph::passing(CudnnDataType type, const Layout& layout) {
  CudnnDescriptor& tensor = make_tensor(next_id_++, type, layout);
  tensor.set(CudnnAttribute::kTensorIsVirtual, true);
  tensor.finalize();
  return tensor;
}

CudnnGraph::Tensor CudnnGraph::scores(CudnnDataType type) {
  const std::int64_t columns = problem_.seqlen_kv;
  const std::int64_t matrix = problem_.seqlen_q * columns;
  return passing(type, {{problem_.batch, problem_.num_heads, problem_.seqlen_q, columns},
                        {problem_.num_heads * matrix, matrix, columns, 1}});
}

CudnnGraph::Tensor CudnnGraph::multiply(Tensor a, Tensor b, Tensor c) {
  CudnnDescriptor& matmul = operators_.emplace_back(library_, CudnnDescriptorType::kMatmul);
  matmul.set(CudnnAttribute::kMatmulComputeType, CudnnDataType::kFloat);
  matmul.finalize();
  CudnnDescriptor& operation =
      operations_.emplace_back(library_, CudnnDescriptorType::kMatmulOperation);
  operation.set(CudnnAttribute::kMatmulA, a);
  operation.set(CudnnAttribute::kMatmulB, b);
  operation.set(CudnnAttribute::kMatmulC, c);
  operation.set(CudnnAttribute::kMatmulOperator, matmul);
  operation.finalize();
  return c;
}

CudnnGraph::Tensor CudnnGraph::apply(const Pointwise& what,
                                     std::initializer_list<const CudnnDescriptor*> inputs,
                                     Tensor output) {
  CudnnDescriptor& pointwise = operators_.emplace_back(library_, CudnnDescriptorType::kPointwise);
  pointwise.set(CudnnAttribute::kPointwiseMode, what.mode);
  pointwise.set(CudnnAttribute::kPointwiseComputeType, what.compute);
  if (what.axis) pointwise.set(CudnnAttribute::kPointwiseAxis, *what.axis);
  pointwise.finalize();
  CudnnDescriptor& operation =
      operations_.emplace_back(library_, CudnnDescriptorType::kPointwiseOperation);
  operation.set(CudnnAttribute::kPointwiseOperator, pointwise);
  constexpr std::array kInputs{CudnnAttribute::kPointwiseX, CudnnAttribute::kPointwiseB,
                               CudnnAttribute::kPointwiseT};
  const auto* attribute = kInputs.begin();
  for (const CudnnDescriptor* input : inputs) operation.set(*attribute++, *input);
  operation.set(CudnnAttribute::kPointwiseY, output);
  operation.finalize();
  return output;
}

CudnnGraph::Tensor CudnnGraph::reduce(CudnnReduction mode, Tensor input) {
  Tensor output = passing(CudnnDataType::kFloat, row_layout());
  CudnnDescriptor& reduction = operators_.emplace_back(library_, CudnnDescriptorType::kReduction);
  reduction.set(CudnnAttribute::kReductionMode, mode);
  reduction.set(CudnnAttribute::kReductionComputeType, CudnnDataType::kFloat);
  reduction.finalize();
  CudnnDescriptor& operation =
      operations_.emplace_back(library_, CudnnDescriptorType::kReductionOperation);
  operation.set(CudnnAttribute::kReductionOperator, reduction);
  operation.set(CudnnAttribute::kReductionX, input);
  operation.set(CudnnAttribute::kReductionY, output);
  operation.finalize();
  return output;
}

// Row i sees column j where i + seqlen_kv - seqlen_q >= j. A square mask goes without the lengths:
// both forms are known to the engines, and this is the common one.
CudnnGraph::Tensor CudnnGraph::mask(Tensor input) {
  using enum CudnnDataType;
  const Pointwise row_index{.mode = CudnnPointwise::kIndex, .axis = kRowAxis};
  const Pointwise column_index{.mode = CudnnPointwise::kIndex, .axis = kColumnAxis};
  const CudnnDescriptor* row = &apply(row_index, {&input}, scores(kInt32));
  Tensor column = apply(column_index, {&input}, scores(kInt32));
  if (!is_square(problem_)) {
    Tensor seqlen_kv = host_value(CudnnTensor::kSeqlenKv, kInt32);
    Tensor seqlen_q = host_value(CudnnTensor::kSeqlenQ, kInt32);
    row = &apply({.mode = CudnnPointwise::kAdd, .compute = kInt32}, {row, &seqlen_kv},
                 scores(kInt32));
    row = &apply({.mode = CudnnPointwise::kSubtract, .compute = kInt32}, {row, &seqlen_q},
                 scores(kInt32));
  }
  Tensor is_visible = apply({.mode = CudnnPointwise::kIsGreaterOrEqual, .compute = kBoolean},
                            {row, &column}, scores(kBoolean));
  Tensor masked = host_value(CudnnTensor::kMaskedScore, kFloat);
  return apply({.mode = CudnnPointwise::kSelect}, {&input, &masked, &is_visible}, scores());
}

CudnnGraph::Tensor CudnnGraph::softmax(Tensor input, CudnnDataType type) {
  Tensor maximum = reduce(CudnnReduction::kMax, input);
  Tensor shifted = apply({.mode = CudnnPointwise::kSubtract}, {&input, &maximum}, scores());
  Tensor exponential = apply({.mode = CudnnPointwise::kExp}, {&shifted}, scores());
  Tensor sum = reduce(CudnnReduction::kSum, exponential);
  Tensor log_sum =
      apply({.mode = CudnnPointwise::kLog}, {&sum}, passing(CudnnDataType::kFloat, row_layout()));
  Tensor lse = given(CudnnTensor::kLse, CudnnDataType::kFloat, row_layout());
  apply({.mode = CudnnPointwise::kAdd}, {&maximum, &log_sum}, lse);
  return apply({.mode = CudnnPointwise::kDivide}, {&exponential, &sum}, scores(type));
}

}  // namespace fa3prof::profile
