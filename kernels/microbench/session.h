// What every microbenchmark needs on the host: a stream, where kernels leave their cycles, and the
// way from cycles to points of a series.
#pragma once

#include "kernels/microbenchmarks.h"
#include "kernels/runtime/handles.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace fa3prof::kernels::microbench {

/// Results that one launch may leave.
inline constexpr std::size_t kMaxResults = 1 << 16;

/// The current device. Every kernel takes results() and writes cycles there, as many as collect()
/// is told to read, and takes sink() and stores there what it computed, so that the compiler keeps
/// the computation.
class Session {
 public:
  Session();

  [[nodiscard]] unsigned sms() const { return sms_; }

  [[nodiscard]] cudaStream_t stream() const { return stream_.get(); }

  [[nodiscard]] std::uint32_t* results() const {
    return static_cast<std::uint32_t*>(results_.get());
  }

  /// Room for one float of each thread of a CTA.
  [[nodiscard]] float* sink() const { return static_cast<float*>(sink_.get()); }

  /// Waits for the stream; the first `count` results.
  [[nodiscard]] std::vector<double> collect(std::size_t count) const;

 private:
  unsigned sms_;
  Stream stream_;
  DeviceBuffer results_;
  DeviceBuffer sink_;
};

/// Median and spread of samples at `x`.
[[nodiscard]] MeasuredPoint point(double x, const std::vector<double>& samples);

/// A series of one point.
[[nodiscard]] Series single(std::string name, std::string unit, const std::vector<double>& samples);

/// `numerator / sample` for each: cycles into rates.
[[nodiscard]] std::vector<double> rates(double numerator, std::vector<double> samples);

/// Repetitions of every measurement, after one that warms up.
inline constexpr int kRepetitions = 5;

/// Cycles that one more unit of length takes: (t(2 length) - t(length)) / length, so that start and
/// end cancel. `launch(length)` enqueues a kernel that leaves `count` results, one per CTA.
template <typename Launch>
[[nodiscard]] std::vector<double> slopes(const Session& session, std::size_t count, int length,
                                         const Launch& launch) {
  std::vector<double> samples;
  for (int repetition = -1; repetition < kRepetitions; ++repetition) {
    launch(length);
    const std::vector<double> shorter = session.collect(count);
    launch(2 * length);
    const std::vector<double> longer = session.collect(count);
    if (repetition < 0) continue;
    for (std::size_t i = 0; i < count; ++i) samples.push_back((longer[i] - shorter[i]) / length);
  }
  return samples;
}

}  // namespace fa3prof::kernels::microbench
