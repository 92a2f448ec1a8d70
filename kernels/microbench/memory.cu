// Reads by all SMs, each warp 512 bytes at a time past L1, by the size of the working set: L2 while
// it fits, HBM beyond. And global atomics: one thread alone, and one of every SM at the same
// address.
#include "kernels/microbench/benchmarks.h"
#include "kernels/microbench/launch.cuh"
#include "kernels/microbench/read_memory.h"

#include <array>
#include <string>

namespace fa3prof::kernels::microbench {
namespace {

constexpr double kMib = 1024.0 * 1024.0;
constexpr std::array kWorkingSetsMib{1,  2,  4,  8,  16, 24, 32,  36,  40,  44,
                                     48, 52, 56, 64, 80, 96, 128, 256, 512, 1024};
constexpr std::size_t kMaxBytes = std::size_t{1} << 30;
constexpr double kReadBytes = 2e9;  // in one timed launch, all SMs together

/// The next atomic waits for the one before, as far as the hardware can tell.
__global__ void count_up(std::uint32_t* results, unsigned* counter, int rounds, int active_cta) {
  if (active_cta >= 0 && static_cast<int>(blockIdx.x) != active_cta) return;
  const std::uint64_t begin = ptx::clock64();
  unsigned seen = 0;
  for (int round = 0; round < rounds; ++round) seen = atomicAdd(counter + (seen >> 31), 1U);
  const std::uint32_t cycles = cycles_since(begin);
  results[active_cta >= 0 ? 0 : blockIdx.x] = cycles + (seen >> 31);
}

struct ReadRates {
  std::vector<double> bytes_per_cycle;  ///< of all SMs
  std::vector<double> bytes_per_s;
};

ReadRates read_rates(Session& session, const DeviceBuffer& data, std::size_t bytes) {
  const unsigned ctas = session.sms() * kReadCtasPerSm;
  const auto steps = static_cast<unsigned>(kReadBytes / (static_cast<double>(ctas) * kChunkBytes));
  const double read_bytes = static_cast<double>(ctas) * steps * kChunkBytes;
  ReadRates result;
  for (int repetition = -1; repetition < kRepetitions; ++repetition) {
    const Event begin = make_event();
    const Event end = make_event();
    cuda_check(cudaEventRecord(begin.get(), session.stream()));
    enqueue_read(session, data, bytes, steps);
    cuda_check(cudaEventRecord(end.get(), session.stream()));
    const auto cycles = session.collect(ctas);
    float milliseconds = 0.0F;
    cuda_check(cudaEventElapsedTime(&milliseconds, begin.get(), end.get()));
    if (repetition < 0) continue;
    double bytes_per_cycle = 0.0;
    for (const double cta : cycles) bytes_per_cycle += steps * double{kChunkBytes} / cta;
    result.bytes_per_cycle.push_back(bytes_per_cycle);
    result.bytes_per_s.push_back(read_bytes / (milliseconds * 1e-3));
  }
  return result;
}

void add_reads(Session& session, std::vector<Series>& all) {
  const DeviceBuffer data(kMaxBytes);
  cuda_check(cudaMemsetAsync(data.get(), 1, data.size_bytes(), session.stream()));
  const std::string axis = "working_set_bytes";
  Series by_cycle{
      .benchmark = "", .name = "read", .axis = axis, .unit = "bytes/cycle", .points = {}};
  Series by_time{
      .benchmark = "", .name = "read_time", .axis = axis, .unit = "bytes/s", .points = {}};
  for (const int mib : kWorkingSetsMib) {
    const double bytes = mib * kMib;
    const ReadRates rates = read_rates(session, data, static_cast<std::size_t>(bytes));
    by_cycle.points.push_back(point(bytes, rates.bytes_per_cycle));
    by_time.points.push_back(point(bytes, rates.bytes_per_s));
  }
  all.push_back(std::move(by_cycle));
  all.push_back(std::move(by_time));
}

void add_atomics(Session& session, std::vector<Series>& all) {
  constexpr int kRounds = 64;
  const DeviceBuffer counters(2 * sizeof(unsigned));
  auto* counter = static_cast<unsigned*>(counters.get());
  cuda_check(cudaMemsetAsync(counter, 0, counters.size_bytes(), session.stream()));
  std::vector<double> alone;
  for (int cta = 0; cta < static_cast<int>(session.sms()); cta += 8) {
    auto cycles = slopes(session, 1, kRounds, [&](int rounds) {
      launch(session, {session.sms(), 1}, &count_up, session.results(), counter, rounds, cta);
    });
    alone.insert(alone.end(), cycles.begin(), cycles.end());
  }
  all.push_back(single("atomic_round_trip", "cycles", alone));
  all.push_back(single(
      "atomic_all_sms", "cycles", slopes(session, session.sms(), kRounds, [&](int rounds) {
        launch(session, {session.sms(), 1}, &count_up, session.results(), counter, rounds, -1);
      })));
}

}  // namespace

std::vector<Series> memory(Session& session) {
  std::vector<Series> all;
  add_reads(session, all);
  add_atomics(session, all);
  return all;
}

}  // namespace fa3prof::kernels::microbench
