// What fa3prof uses of the cuDNN 9 backend interface, declared anew so that no cuDNN header is
// needed to build. Names and numbers are those of NVIDIA's cudnn_graph.h, which keeps them from
// release to release: https://docs.nvidia.com/deeplearning/cudnn/backend/latest
#pragma once

#include <cstddef>
#include <cstdint>

namespace fa3prof::profile {

using CudnnHandle = struct cudnnContext*;
using CudnnDescriptorHandle = void*;  ///< cudnnBackendDescriptor_t
using CudnnStatus = int;              ///< cudnnStatus_t

inline constexpr CudnnStatus kCudnnSuccess = 0;

/// cudnnBackendDescriptorType_t
enum class CudnnDescriptorType : int {
  kPointwise = 0,
  kEngineConfig = 3,
  kEngineHeuristics = 4,
  kExecutionPlan = 5,
  kPointwiseOperation = 13,
  kOperationGraph = 15,
  kVariantPack = 16,
  kTensor = 17,
  kMatmul = 18,
  kMatmulOperation = 19,
  kReduction = 21,
  kReductionOperation = 22,
};

/// cudnnBackendAttributeName_t
enum class CudnnAttribute : int {
  kPointwiseMode = 0,
  kPointwiseComputeType = 1,
  kPointwiseAxis = 9,
  kHeuristicsMode = 200,
  kHeuristicsGraph = 201,
  kHeuristicsResults = 202,
  kPlanHandle = 400,
  kPlanEngineConfig = 401,
  kPlanWorkspaceSize = 402,
  kPointwiseOperator = 750,
  kPointwiseX = 751,
  kPointwiseB = 752,
  kPointwiseY = 753,
  kPointwiseT = 758,
  kGraphHandle = 800,
  kGraphOperations = 801,
  kTensorAlignment = 900,
  kTensorDataType = 901,
  kTensorDimensions = 902,
  kTensorStrides = 903,
  kTensorUniqueId = 906,
  kTensorIsVirtual = 907,
  kTensorIsByValue = 908,
  kPackUniqueIds = 1000,
  kPackPointers = 1001,
  kPackWorkspace = 1003,
  kMatmulComputeType = 1500,
  kMatmulA = 1520,
  kMatmulB = 1521,
  kMatmulC = 1522,
  kMatmulOperator = 1523,
  kReductionMode = 1600,
  kReductionComputeType = 1601,
  kReductionX = 1610,
  kReductionY = 1611,
  kReductionOperator = 1612,
};

/// cudnnBackendAttributeType_t
enum class CudnnAttributeType : int {
  kHandle = 0,
  kDataType = 1,
  kBoolean = 2,
  kInt64 = 3,
  kVoidPointer = 6,
  kHeuristicsMode = 8,
  kPointwiseMode = 14,
  kDescriptor = 15,
  kReductionMode = 18,
};

/// cudnnDataType_t
enum class CudnnDataType : int {
  kFloat = 0,
  kHalf = 2,
  kInt32 = 4,
  kBFloat16 = 9,
  kBoolean = 11,
};

/// cudnnPointwiseMode_t
enum class CudnnPointwise : int {
  kAdd = 0,
  kMultiply = 1,
  kDivide = 6,
  kSubtract = 9,
  kExp = 13,
  kLog = 15,
  kIsGreaterOrEqual = 303,
  kIndex = 501,   ///< each element's index along an axis
  kSelect = 601,  ///< t ? x : b
};

/// cudnnReduceTensorOp_t
enum class CudnnReduction : int { kSum = 0, kMax = 3 };

/// cudnnBackendHeurMode_t
enum class CudnnHeuristics : int { kFallback = 2, kA = 3 };

/// The functions by their names without "cudnn".
struct CudnnFunctions {
  std::size_t (*GetVersion)() = nullptr;
  const char* (*GetErrorString)(CudnnStatus) = nullptr;
  void (*GetLastErrorString)(char* text, std::size_t size) = nullptr;
  CudnnStatus (*Create)(CudnnHandle*) = nullptr;
  CudnnStatus (*Destroy)(CudnnHandle) = nullptr;
  CudnnStatus (*SetStream)(CudnnHandle, void* stream) = nullptr;
  CudnnStatus (*BackendCreateDescriptor)(CudnnDescriptorType, CudnnDescriptorHandle*) = nullptr;
  CudnnStatus (*BackendDestroyDescriptor)(CudnnDescriptorHandle) = nullptr;
  CudnnStatus (*BackendFinalize)(CudnnDescriptorHandle) = nullptr;
  CudnnStatus (*BackendSetAttribute)(CudnnDescriptorHandle, CudnnAttribute, CudnnAttributeType,
                                     std::int64_t count, const void* elements) = nullptr;
  CudnnStatus (*BackendGetAttribute)(CudnnDescriptorHandle, CudnnAttribute, CudnnAttributeType,
                                     std::int64_t room, std::int64_t* count,
                                     void* elements) = nullptr;
  CudnnStatus (*BackendExecute)(CudnnHandle, CudnnDescriptorHandle plan,
                                CudnnDescriptorHandle variant_pack) = nullptr;
};

}  // namespace fa3prof::profile
