// Order between plain stores to shared memory and the asynchronous proxy (WGMMA, TMA).
// https://docs.nvidia.com/cuda/parallel-thread-execution/#parallel-synchronization-and-communication-instructions-membar-fence
#pragma once

namespace fa3prof::kernels::ptx {

/// Shows this thread's stores to shared memory to the asynchronous proxy; a barrier must follow.
__device__ __forceinline__ void fence_proxy_async() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

}  // namespace fa3prof::kernels::ptx
