// TMA tile loads and cp.async. Latency: from the issue of one copy to the thread that waits for it,
// on one SM at a time, for data in L2 and for data that only HBM has. Bandwidth: a ring of copies
// in flight, on one SM and on all.
#include "kernels/microbench/benchmarks.h"
#include "kernels/microbench/launch.cuh"
#include "kernels/microbench/read_memory.h"
#include "kernels/ptx/cp_async.cuh"
#include "kernels/ptx/mbarrier.cuh"
#include "kernels/ptx/tma.cuh"
#include "kernels/ptx/unroll.h"
#include "kernels/runtime/tensor_map.h"

#include <algorithm>
#include <array>
#include <string>

namespace fa3prof::kernels::microbench {
namespace {

constexpr int kRowBytes = 128;      // 64 elements of 2 bytes
constexpr int kRingBytes = 131072;  // copies in flight on an SM
constexpr int kMaxStages = 16;
constexpr std::array kBoxRows{8, 16, 32, 64, 128, 256};  // 1 to 32 KiB

/// Which rows are copied: copy i starts at first_row + i * row_stride, modulo wrap_rows.
struct Walk {
  int copies = 0;
  int box_rows = 0;
  int first_row = 0;
  int row_stride = 0;
  int wrap_rows = 1;
  int active_cta = -1;  ///< only this one works; -1: all do
};

__device__ __forceinline__ bool is_idle(const Walk& walk) {
  return walk.active_cta >= 0 && static_cast<int>(blockIdx.x) != walk.active_cta;
}

__device__ __forceinline__ void start_copy(void* destination, const CUtensorMap* map,
                                           const Walk& walk, int row, std::uint64_t* full) {
  ptx::mbarrier_arrive_expect_tx(full, static_cast<std::uint32_t>(walk.box_rows * kRowBytes));
  ptx::tma_load_tile(destination, map, {row, 0, 0}, full, ptx::CacheHint::kEvictFirst);
}

/// One copy after the other; the cycles of each.
__global__ void __launch_bounds__(32)
    copy_boxes(std::uint32_t* results, const __grid_constant__ CUtensorMap map, Walk walk) {
  extern __shared__ __align__(1024) unsigned char box[];
  __shared__ std::uint64_t full;
  if (is_idle(walk) || threadIdx.x != 0) return;
  ptx::mbarrier_init(&full, 1);
  ptx::fence_mbarrier_init();
  ptx::prefetch_tensormap(&map);
  for (int copy = 0; copy < walk.copies; ++copy) {
    const int row = walk.first_row + copy * walk.row_stride;
    const std::uint64_t begin = ptx::clock64();
    start_copy(box, &map, walk, row, &full);
    ptx::mbarrier_wait(&full, static_cast<std::uint32_t>(copy) & 1U);
    results[copy] = cycles_since(begin);
  }
}

/// Keeps `stages` copies in flight, each CTA from another row on.
__global__ void __launch_bounds__(32)
    stream_boxes(std::uint32_t* results, const __grid_constant__ CUtensorMap map, Walk walk,
                 int stages) {
  extern __shared__ __align__(1024) unsigned char ring[];
  __shared__ std::uint64_t full[kMaxStages];
  if (is_idle(walk) || threadIdx.x != 0) return;
  for (int stage = 0; stage < stages; ++stage) ptx::mbarrier_init(&full[stage], 1);
  ptx::fence_mbarrier_init();
  ptx::prefetch_tensormap(&map);
  int row = (walk.first_row + static_cast<int>(blockIdx.x) * walk.row_stride) % walk.wrap_rows;
  const int walkers = walk.active_cta >= 0 ? 1 : static_cast<int>(gridDim.x);
  const int step = walkers * walk.row_stride % walk.wrap_rows;
  int stage = 0;
  std::uint32_t parity = 0;
  const std::uint64_t begin = ptx::clock64();
  for (int copy = 0; copy < walk.copies + stages; ++copy) {
    if (copy >= stages) ptx::mbarrier_wait(&full[stage], parity ^ 1U);
    if (copy < walk.copies) {
      start_copy(ring + stage * walk.box_rows * kRowBytes, &map, walk, row, &full[stage]);
    }
    row += step;
    if (row >= walk.wrap_rows) row -= walk.wrap_rows;
    if (++stage == stages) {
      stage = 0;
      parity ^= 1U;
    }
  }
  results[blockIdx.x] = cycles_since(begin);
}

constexpr unsigned kCopyThreads = 1024;
constexpr int kCopiesPerThread = 8;

/// One warp copies 512 bytes and waits, again and again.
__global__ void copy_async_once(std::uint32_t* results, const std::uint32_t* data, int rounds,
                                int active_cta) {
  __shared__ __align__(128) unsigned char box[512];
  if (static_cast<int>(blockIdx.x) != active_cta) return;
  const std::uint32_t destination = ptx::shared_address(box) + threadIdx.x * 16;
  const std::uint64_t begin = ptx::clock64();
  for (int round = 0; round < rounds; ++round) {
    ptx::cp_async_cg(destination, data + threadIdx.x * 4);
    ptx::cp_async_wait_all();
  }
  results[0] = cycles_since(begin);
}

/// All warps, each waiting only for its own copies; `bytes` of data go round.
__global__ void __launch_bounds__(kCopyThreads, 1)
    copy_async(std::uint32_t* results, const unsigned char* data, unsigned bytes, int rounds) {
  extern __shared__ __align__(1024) unsigned char box[];
  const std::uint32_t destination = ptx::shared_address(box) + threadIdx.x * 16;
  unsigned offset = (blockIdx.x * kCopiesPerThread * kCopyThreads * 16) % bytes;
  __syncthreads();
  const std::uint64_t begin = ptx::clock64();
  for (int round = 0; round < rounds; ++round) {
    FA3PROF_UNROLL
    for (unsigned copy = 0; copy < kCopiesPerThread; ++copy) {
      const unsigned within = copy * kCopyThreads * 16;
      ptx::cp_async_cg(destination + within, data + offset + within + threadIdx.x * 16);
    }
    ptx::cp_async_wait_all();
    offset += kCopiesPerThread * kCopyThreads * 16;
    if (offset >= bytes) offset -= bytes;
  }
  finish(results, begin);
}

constexpr std::size_t kDataBytes = std::size_t{512} << 20;
constexpr int kHotRows = 16 << 20 >> 7;  // 16 MiB, which L2 keeps

/// Memory to copy from, and other memory to read in order to empty L2.
class Source {
 public:
  explicit Source(const Session& session) : data_(kDataBytes), other_(kDataBytes / 2) {
    cuda_check(cudaMemsetAsync(data_.get(), 0, data_.size_bytes(), session.stream()));
    cuda_check(cudaMemsetAsync(other_.get(), 0, other_.size_bytes(), session.stream()));
  }

  [[nodiscard]] const void* data() const { return data_.get(); }

  [[nodiscard]] CUtensorMap map(int box_rows) const {
    constexpr std::int64_t kRows = kDataBytes / kRowBytes;
    return make_tile_map({.base = data_.get(),
                          .strides = dense_strides(kRows, 1, kRowBytes / 2),
                          .batch = 1,
                          .seqlen = kRows,
                          .heads = 1,
                          .head_dim = kRowBytes / 2,
                          .tile_rows = box_rows});
  }

  void empty_l2(const Session& session) const { flush_l2(session, other_); }

 private:
  DeviceBuffer data_;
  DeviceBuffer other_;
};

/// SMs that latencies are taken on, one at a time; distances to L2 slices differ between them.
std::vector<int> probed_ctas(const Session& session) {
  std::vector<int> ctas;
  for (int cta = 0; cta < static_cast<int>(session.sms()); cta += 8) ctas.push_back(cta);
  return ctas;
}

/// Cycles of copies `kept` and following of one SM after the other.
std::vector<double> copy_cycles(Session& session, const CUtensorMap& map, Walk walk, int kept,
                                int rows_per_cta) {
  std::vector<double> samples;
  for (const int cta : probed_ctas(session)) {
    walk.active_cta = cta;
    launch(session, {session.sms(), 32, static_cast<std::size_t>(walk.box_rows) * kRowBytes},
           &copy_boxes, session.results(), map, walk);
    const auto cycles = session.collect(static_cast<std::size_t>(walk.copies));
    samples.insert(samples.end(), cycles.begin() + kept, cycles.end());
    walk.first_row += rows_per_cta;
  }
  return samples;
}

void add_latencies(Session& session, const Source& source, std::vector<Series>& all) {
  Series hit{
      .benchmark = "", .name = "tma_latency", .axis = "box_bytes", .unit = "cycles", .points = {}};
  Series miss = hit;
  miss.name = "tma_miss_latency";
  int cold_row = kHotRows;
  for (const int rows : kBoxRows) {
    const CUtensorMap map = source.map(rows);
    const double bytes = static_cast<double>(rows) * kRowBytes;
    hit.points.push_back(
        point(bytes, copy_cycles(session, map, {.copies = 16, .box_rows = rows}, 4, 0)));
    // New rows every time, 64 KiB apart within 2 MiB of each SM, so that the first copies fetch the
    // address translation of the others.
    constexpr int kStrideRows = 512;
    constexpr int kCopies = 32;
    source.empty_l2(session);
    miss.points.push_back(point(
        bytes,
        copy_cycles(
            session, map,
            {.copies = kCopies, .box_rows = rows, .first_row = cold_row, .row_stride = kStrideRows},
            4, kCopies * kStrideRows)));
    cold_row += kCopies * kStrideRows * static_cast<int>(probed_ctas(session).size());
  }
  all.push_back(std::move(hit));
  all.push_back(std::move(miss));
}

/// Bytes per cycle of each SM while `ctas` SMs stream rows [0, wrap_rows).
Series bandwidth(Session& session, const Source& source, const std::string& name, Walk walk) {
  Series series{
      .benchmark = "", .name = name, .axis = "box_bytes", .unit = "bytes/cycle", .points = {}};
  const std::size_t ctas = walk.active_cta >= 0 ? 1 : session.sms();
  for (const int rows : kBoxRows) {
    const CUtensorMap map = source.map(rows);
    const int bytes = rows * kRowBytes;
    const int stages = std::min(kMaxStages, kRingBytes / bytes);
    walk.box_rows = rows;
    walk.row_stride = rows;
    // 264 MiB of all SMs, so that a larger-than-L2 region is out of it when it is read again.
    constexpr int kBytesPerSm = 2 << 20;
    const auto cycles = slopes(session, ctas, kBytesPerSm / bytes, [&](int copies) {
      walk.copies = copies;
      launch(session, {session.sms(), 32, kRingBytes}, &stream_boxes, session.results(), map, walk,
             stages);
    });
    series.points.push_back(point(bytes, rates(bytes, cycles)));
  }
  return series;
}

void add_async_copies(Session& session, const Source& source, std::vector<Series>& all) {
  constexpr int kRounds = 64;
  constexpr unsigned kBytes = 16U << 20;
  std::vector<double> alone;
  for (const int cta : probed_ctas(session)) {
    const auto cycles = slopes(session, 1, kRounds, [&](int rounds) {
      launch(session, {session.sms(), 32}, &copy_async_once, session.results(),
             static_cast<const std::uint32_t*>(source.data()), rounds, cta);
    });
    alone.insert(alone.end(), cycles.begin(), cycles.end());
  }
  all.push_back(single("cp_async_latency", "cycles", alone));
  for (const unsigned ctas : {1U, session.sms()}) {
    constexpr int kRoundBytes = kCopiesPerThread * kCopyThreads * 16;
    const auto cycles = slopes(session, ctas, kRounds, [&](int rounds) {
      launch(session, {ctas, kCopyThreads, kRoundBytes}, &copy_async, session.results(),
             static_cast<const unsigned char*>(source.data()), kBytes, rounds);
    });
    all.push_back(single(ctas == 1 ? "cp_async_one_sm" : "cp_async_all_sms", "bytes/cycle",
                         rates(kRoundBytes, cycles)));
  }
}

}  // namespace

std::vector<Series> tma(Session& session) {
  const Source source(session);
  std::vector<Series> all;
  add_latencies(session, source, all);
  all.push_back(bandwidth(session, source, "tma_one_sm", {.wrap_rows = 4096, .active_cta = 0}));
  all.push_back(bandwidth(session, source, "tma_all_sms", {.wrap_rows = kHotRows}));
  all.push_back(bandwidth(session, source, "tma_all_sms_from_hbm",
                          {.wrap_rows = static_cast<int>(kDataBytes / kRowBytes)}));
  add_async_copies(session, source, all);
  return all;
}

}  // namespace fa3prof::kernels::microbench
