#include "kernels/microbench/launch.cuh"
#include "kernels/microbench/read_memory.h"
#include "kernels/ptx/unroll.h"

#include <cstddef>
#include <cstdint>

namespace fa3prof::kernels::microbench {
namespace {

constexpr unsigned kThreads = 512;
constexpr unsigned kLoadsInFlight = 4;  // of a thread, 16 bytes each
static_assert(kChunkBytes == kThreads * kLoadsInFlight * 16);

/// Every CTA reads `steps` of the `chunks` of `data`, starting at its own and going on by the grid.
__global__ void __launch_bounds__(kThreads, kReadCtasPerSm)
    read_memory(std::uint32_t* results, float* sink, const uint4* data, unsigned chunks,
                unsigned steps) {
  std::uint32_t sum = 0;
  unsigned chunk = blockIdx.x % chunks;
  const unsigned stride = gridDim.x % chunks;
  const std::uint64_t begin = ptx::clock64();
  for (unsigned step = 0; step < steps; ++step) {
    const uint4* from = data + std::size_t{chunk} * (kChunkBytes / 16) + threadIdx.x;
    uint4 loaded[kLoadsInFlight];
    FA3PROF_UNROLL
    for (unsigned i = 0; i < kLoadsInFlight; ++i) loaded[i] = __ldcg(from + i * kThreads);
    FA3PROF_UNROLL
    for (unsigned i = 0; i < kLoadsInFlight; ++i) {
      sum ^= loaded[i].x ^ loaded[i].y ^ loaded[i].z ^ loaded[i].w;
    }
    chunk += stride;
    if (chunk >= chunks) chunk -= chunks;
  }
  finish(results, begin);
  sink[threadIdx.x] = __uint_as_float(sum);
}

}  // namespace

void enqueue_read(const Session& session, const DeviceBuffer& data, std::size_t bytes,
                  unsigned steps) {
  launch(session, {session.sms() * kReadCtasPerSm, kThreads}, &read_memory, session.results(),
         session.sink(), static_cast<const uint4*>(data.get()),
         static_cast<unsigned>(bytes / kChunkBytes), steps);
}

void flush_l2(const Session& session, const DeviceBuffer& data) {
  const auto chunks = static_cast<unsigned>(data.size_bytes() / kChunkBytes);
  enqueue_read(session, data, data.size_bytes(), chunks / (session.sms() * kReadCtasPerSm) + 1);
}

}  // namespace fa3prof::kernels::microbench
