#include "src/profile/guarded_buffer.h"

#include <cstdint>
#include <vector>

namespace fa3prof::profile {

using kernels::cuda_check;

GuardedBuffer::GuardedBuffer(std::size_t size_bytes)
    : size_bytes_(size_bytes), memory_(size_bytes + 2 * kGuardBytes) {
  cuda_check(cudaMemset(memory_.get(), 0, memory_.size_bytes()));
  // A memset may return before it is done, and our streams do not wait for the default stream.
  cuda_check(cudaDeviceSynchronize());
}

std::uint8_t* GuardedBuffer::at(std::size_t offset) const {
  return static_cast<std::uint8_t*>(memory_.get()) + offset;
}

void* GuardedBuffer::get() const { return size_bytes_ == 0 ? nullptr : at(kGuardBytes); }

void GuardedBuffer::restore_guards(cudaStream_t stream) const {
  cuda_check(cudaMemsetAsync(at(0), kGuardByte, kGuardBytes, stream));
  cuda_check(cudaMemsetAsync(at(kGuardBytes + size_bytes_), kGuardByte, kGuardBytes, stream));
}

std::optional<std::string> GuardedBuffer::find_overwrite(std::string_view tensor,
                                                         cudaStream_t stream) const {
  std::vector<std::uint8_t> before(kGuardBytes);
  std::vector<std::uint8_t> after(kGuardBytes);
  cuda_check(cudaMemcpyAsync(before.data(), at(0), kGuardBytes, cudaMemcpyDeviceToHost, stream));
  cuda_check(cudaMemcpyAsync(after.data(), at(kGuardBytes + size_bytes_), kGuardBytes,
                             cudaMemcpyDeviceToHost, stream));
  cuda_check(cudaStreamSynchronize(stream));
  return profile::find_overwrite(tensor, {before, after});
}

}  // namespace fa3prof::profile
