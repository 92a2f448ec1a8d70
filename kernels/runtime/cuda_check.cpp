#include "kernels/runtime/cuda_check.h"

#include "src/core/error.h"

#include <string>

namespace fa3prof::kernels {
namespace {

std::string text_of(const std::source_location& where) {
  const std::string file = where.file_name();
  const auto slash = file.rfind('/');
  const std::string name = slash == std::string::npos ? file : file.substr(slash + 1);
  return name + ":" + std::to_string(where.line()) + ", " + where.function_name();
}

}  // namespace

void cuda_check(cudaError_t status, std::source_location where) {
  if (status == cudaSuccess) return;
  throw core::DeviceError(std::string(cudaGetErrorName(status)) + ": " + cudaGetErrorString(status),
                          text_of(where));
}

void driver_check(CUresult status, const char* call, std::source_location where) {
  if (status == CUDA_SUCCESS) return;
  throw core::DeviceError(std::string(call) + " returned CUresult " + std::to_string(status),
                          text_of(where));
}

}  // namespace fa3prof::kernels
