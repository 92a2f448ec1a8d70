// Reads by all SMs, each warp 512 bytes at a time past L1, by the size of the working set: L2 while
// it fits, HBM beyond. Global atomics: one thread alone, and one of every SM at the same address.
// And stores of rows as an attention kernel's epilogue makes them.
#include "kernels/microbench/benchmarks.h"
#include "kernels/microbench/launch.cuh"
#include "kernels/microbench/read_memory.h"
#include "kernels/ptx/global_store.cuh"
#include "kernels/ptx/unroll.h"

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

constexpr int kStoredRows = 64;       // of a tile, one warpgroup's
constexpr int kStoredRowBytes = 256;  // 128 halves
constexpr int kRowPitch = 4096;

/// One warpgroup stores `tiles` tiles. Four lanes share a row, 16 bytes each at a time; a thread
/// has two rows, and the registers of one are used for the next at once.
__global__ void store_rows(std::uint32_t* results, char* out, int tiles) {
  constexpr int kPieces = kStoredRowBytes / 64;
  const unsigned lane = threadIdx.x % 32;
  std::uint32_t values[kPieces][4] = {};
  char* row = out +
              (std::size_t{blockIdx.x} * static_cast<unsigned>(tiles) * kStoredRows +
               threadIdx.x / 32 * 16 + lane / 4) *
                  kRowPitch +
              lane % 4 * 16;
  const std::uint64_t begin = ptx::clock64();
  for (int half = 0; half < 2 * tiles; ++half) {
    char* to = row + (half / 2 * kStoredRows + half % 2 * 8) * std::size_t{kRowPitch};
    FA3PROF_UNROLL
    for (int i = 0; i < kPieces; ++i) ptx::store_16_bytes_if(true, to + 64 * i, values[i]);
    FA3PROF_UNROLL
    for (int i = 0; i < kPieces; ++i) {
      FA3PROF_UNROLL
      for (std::uint32_t& value : values[i]) value += threadIdx.x + 1U;
    }
  }
  finish(results, begin);
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

void add_stores(Session& session, std::vector<Series>& all) {
  constexpr int kTiles = 8;
  constexpr std::size_t kTileBytes = std::size_t{kStoredRows} * kRowPitch;
  const DeviceBuffer data(session.sms() * 2 * kTiles * kTileBytes);
  const auto bytes_per_cycle = [&](unsigned ctas) {
    const std::vector<double> cycles = slopes(session, ctas, kTiles, [&](int tiles) {
      launch(session, {ctas, 128}, &store_rows, session.results(), static_cast<char*>(data.get()),
             tiles);
    });
    return rates(double{kStoredRows} * kStoredRowBytes, cycles);
  };
  all.push_back(single("store_rows", "bytes/cycle", bytes_per_cycle(1)));
  all.push_back(single("store_rows_all_sms", "bytes/cycle", bytes_per_cycle(session.sms())));
}

}  // namespace

std::vector<Series> memory(Session& session) {
  std::vector<Series> all;
  add_reads(session, all);
  add_atomics(session, all);
  add_stores(session, all);
  return all;
}

}  // namespace fa3prof::kernels::microbench
