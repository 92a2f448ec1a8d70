// Kernel launches. The period of empty kernels back to back, which is the host's or the device's
// limit; an empty kernel between two events; and how much longer than its work a kernel takes that
// fills the SMs as an attention kernel does, in a stream of its like.
#include "kernels/microbench/benchmarks.h"
#include "kernels/microbench/launch.cuh"
#include "kernels/runtime/clock_stamp.h"

#include <array>

namespace fa3prof::kernels::microbench {
namespace {

constexpr std::size_t kStampBytes = kMaxStampedSms * sizeof(ClockStamp);
constexpr double kMicrosecondsPerMillisecond = 1e3;

__global__ void nothing() {}

__global__ void __launch_bounds__(384, 1) spin(unsigned cycles) {
  spin_until(ptx::clock64() + cycles);
}

template <typename Launch>
double microseconds(const Session& session, const Launch& launch_all) {
  const Event begin = make_event();
  const Event end = make_event();
  cuda_check(cudaEventRecord(begin.get(), session.stream()));
  launch_all();
  cuda_check(cudaEventRecord(end.get(), session.stream()));
  cuda_check(cudaEventSynchronize(end.get()));
  float milliseconds = 0.0F;
  cuda_check(cudaEventElapsedTime(&milliseconds, begin.get(), end.get()));
  return milliseconds * kMicrosecondsPerMillisecond;
}

/// Clock stamps of every SM, copied to the host after the stream has come to its end.
class Stamps {
 public:
  explicit Stamps(const Session& session) : memory_(kStampBytes) {
    cuda_check(cudaMemsetAsync(memory_.get(), 0, kStampBytes, session.stream()));
  }

  void take(const Session& session) {
    launch_clock_stamp(static_cast<ClockStamp*>(memory_.get()), session.stream());
  }

  [[nodiscard]] std::array<ClockStamp, kMaxStampedSms> read(const Session& session) const {
    std::array<ClockStamp, kMaxStampedSms> stamps{};
    cuda_check(cudaStreamSynchronize(session.stream()));
    cuda_check(cudaMemcpy(stamps.data(), memory_.get(), kStampBytes, cudaMemcpyDeviceToHost));
    return stamps;
  }

 private:
  DeviceBuffer memory_;
};

/// Microseconds beyond the work of each of a stream of full-size kernels.
double overhead_us(Session& session) {
  constexpr int kLaunches = 200;
  constexpr unsigned kCycles = 60'000;  // some 35 us, longer than the host takes to launch
  constexpr std::size_t kSharedBytes = 200 * 1024;
  const Shape shape{session.sms(), 384, kSharedBytes};
  Stamps before(session);
  Stamps after(session);
  launch(session, shape, &spin, 100 * kCycles);  // the host gets ahead meanwhile
  before.take(session);
  const double total_us = microseconds(session, [&] {
    for (int i = 0; i < kLaunches; ++i) launch(session, shape, &spin, kCycles);
  });
  after.take(session);
  const double clock_mhz = mean_clock_mhz(before.read(session), after.read(session)).value_or(0.0);
  return total_us / kLaunches - kCycles / clock_mhz;
}

std::vector<double> repeated(auto measure) {
  std::vector<double> samples;
  static_cast<void>(measure());
  for (int repetition = 0; repetition < kRepetitions; ++repetition) samples.push_back(measure());
  return samples;
}

}  // namespace

std::vector<Series> launches(Session& session) {
  constexpr int kEmpty = 1000;
  const Shape small{1, 32};
  const auto period = repeated([&] {
    return microseconds(session,
                        [&] {
                          for (int i = 0; i < kEmpty; ++i) launch(session, small, &nothing);
                        }) /
           kEmpty;
  });
  const auto alone =
      repeated([&] { return microseconds(session, [&] { launch(session, small, &nothing); }); });
  return {single("launch_empty_period", "us", period), single("launch_empty_alone", "us", alone),
          single("launch_overhead", "us", repeated([&] { return overhead_us(session); }))};
}

}  // namespace fa3prof::kernels::microbench
