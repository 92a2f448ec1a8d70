#include "kernels/microbench/launch.cuh"
#include "kernels/microbench/warm_up.h"

namespace fa3prof::kernels::microbench {
namespace {

__global__ void spin_for(unsigned nanoseconds) {
  const std::uint64_t begin = ptx::globaltimer();
  while (ptx::globaltimer() - begin < nanoseconds) {
  }
}

}  // namespace

void warm_up(const Session& session) {
  constexpr unsigned kNanoseconds = 150'000'000;
  launch(session, {session.sms(), 128}, &spin_for, kNanoseconds);
  cuda_check(cudaStreamSynchronize(session.stream()));
}

}  // namespace fa3prof::kernels::microbench
