#include "kernels/microbench/session.h"

#include "kernels/runtime/cuda_check.h"
#include "kernels/runtime/launch.h"
#include "src/core/statistics.h"

#include <algorithm>
#include <utility>

namespace fa3prof::kernels::microbench {
namespace {

constexpr std::size_t kMaxThreads = 1024;

}  // namespace

Session::Session()
    : sms_(static_cast<unsigned>(multiprocessors())),
      stream_(make_stream()),
      results_(kMaxResults * sizeof(std::uint32_t)),
      sink_(kMaxThreads * sizeof(float)) {}

std::vector<double> Session::collect(std::size_t count) const {
  std::vector<std::uint32_t> cycles(count);
  cuda_check(cudaMemcpyAsync(cycles.data(), results_.get(), count * sizeof(std::uint32_t),
                             cudaMemcpyDeviceToHost, stream_.get()));
  cuda_check(cudaStreamSynchronize(stream_.get()));
  return {cycles.begin(), cycles.end()};
}

MeasuredPoint point(double x, const std::vector<double>& samples) {
  return {.x = x,
          .value = core::median(samples),
          .low = core::quantile(samples, 0.1),
          .high = core::quantile(samples, 0.9)};
}

Series single(std::string name, std::string unit, const std::vector<double>& samples) {
  return {.benchmark = "",
          .name = std::move(name),
          .axis = "",
          .unit = std::move(unit),
          .points = {point(0.0, samples)}};
}

std::vector<double> rates(double numerator, std::vector<double> samples) {
  std::ranges::transform(samples, samples.begin(),
                         [numerator](double sample) { return numerator / sample; });
  return samples;
}

}  // namespace fa3prof::kernels::microbench
