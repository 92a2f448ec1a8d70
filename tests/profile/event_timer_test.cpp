// The order in which a timed launch reaches the stream, on a CUDA runtime that only writes down
// what it is asked for: links src/profile/event_timer.cpp and no CUDA library, and needs no GPU.
#include "src/profile/event_timer.h"

#include "tests/catch.h"

#include <cstdint>
#include <string>
#include <vector>

namespace fa3prof::tests {
namespace {

/// What was enqueued, in order.
struct Recorder {
  std::vector<std::string> calls;
  std::uintptr_t handles = 0;
};

Recorder& recorder() {
  static Recorder instance;
  return instance;
}

template <typename Handle>
cudaError_t make(Handle* handle) {
  recorder().handles += 256;
  *handle = reinterpret_cast<Handle>(recorder().handles);  // NOLINT: an address nobody follows
  return cudaSuccess;
}

cudaError_t enqueue(const std::string& call) {
  recorder().calls.push_back(call);
  return cudaSuccess;
}

constexpr std::size_t kFlushBytes = 4096;

}  // namespace
}  // namespace fa3prof::tests

using fa3prof::tests::enqueue;
using fa3prof::tests::kFlushBytes;
using fa3prof::tests::make;

cudaError_t cudaMalloc(void** memory, std::size_t) { return make(memory); }

cudaError_t cudaFree(void*) { return cudaSuccess; }

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) { return make(stream); }

cudaError_t cudaStreamDestroy(cudaStream_t) { return cudaSuccess; }

cudaError_t cudaStreamSynchronize(cudaStream_t) { return cudaSuccess; }

cudaError_t cudaEventCreate(cudaEvent_t* event) { return make(event); }

cudaError_t cudaEventDestroy(cudaEvent_t) { return cudaSuccess; }

cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t) { return enqueue("event"); }

cudaError_t cudaEventQuery(cudaEvent_t) { return cudaSuccess; }

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t, cudaEvent_t) {
  *milliseconds = 1.5F;
  return cudaSuccess;
}

cudaError_t cudaMemsetAsync(void*, int, std::size_t bytes, cudaStream_t) {
  return enqueue(bytes == kFlushBytes ? "flush" : "clear");
}

cudaError_t cudaMemcpyAsync(void*, const void*, std::size_t, cudaMemcpyKind, cudaStream_t) {
  return cudaSuccess;
}

cudaError_t cudaLaunchHostFunc(cudaStream_t, cudaHostFn_t, void*) { return enqueue("gate"); }

namespace fa3prof::kernels {

void cuda_check(cudaError_t status, std::source_location) {
  if (status != cudaSuccess) throw core::DeviceError("a call failed", "the recorded runtime");
}

void launch_clock_stamp(ClockStamp*, cudaStream_t) { enqueue("stamp"); }

std::optional<double> mean_clock_mhz(std::span<const ClockStamp>, std::span<const ClockStamp>) {
  return 1600.0;
}

}  // namespace fa3prof::kernels

namespace fa3prof::tests {
namespace {

using profile::CacheMode;
using profile::EventTimer;
using Calls = std::vector<std::string>;

/// What reaches the stream for two launches of one kernel.
Calls calls_of(const profile::SamplingPlan& plan) {
  recorder() = {};
  EventTimer timer(nullptr, {.flush_bytes = kFlushBytes});
  profile::Sampler sampler(timer, {[] { enqueue("kernel"); }}, plan,
                           [](std::size_t) { return true; });
  sampler.run();
  CHECK(sampler.samples().front().front().duration_us == 1500.0);
  CHECK(sampler.samples().front().front().clock_mhz == 1600.0);
  return recorder().calls;
}

TEST_CASE("between the two events of a timed launch there is the kernel alone", "[profile]") {
  CHECK(calls_of({.rounds = 1}) ==
        Calls{"gate", "clear", "stamp", "event", "kernel", "event", "stamp", "event"});
}

TEST_CASE("the flush of a cold cache ends before the first event of its launch", "[profile]") {
  for (const auto pause : {std::chrono::milliseconds(0), std::chrono::milliseconds(1)}) {
    const Calls calls = calls_of({.cache = CacheMode::kCold, .pause = pause, .rounds = 1});
    CHECK(calls ==
          Calls{"gate", "flush", "clear", "stamp", "event", "kernel", "event", "stamp", "event"});
  }
}

}  // namespace
}  // namespace fa3prof::tests
