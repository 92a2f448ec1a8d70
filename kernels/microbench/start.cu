// What a kernel pays once, when it starts: setmaxnreg, the first copy through a tensor map, and the
// first loads, which all SMs ask for at the same time.
#include "kernels/microbench/benchmarks.h"
#include "kernels/microbench/launch.cuh"
#include "kernels/microbench/read_memory.h"
#include "kernels/ptx/mbarrier.cuh"
#include "kernels/ptx/tma.cuh"
#include "kernels/ptx/warpgroup.cuh"
#include "kernels/runtime/tensor_map.h"

#include <array>

namespace fa3prof::kernels::microbench {
namespace {

constexpr int kRowBytes = 128;
constexpr int kBoxRows = 128;
constexpr unsigned kBoxBytes = kBoxRows * kRowBytes;
constexpr int kMaxBoxes = 12;
constexpr std::size_t kDataBytes = std::size_t{1} << 30;

/// A producer warpgroup gives registers away that two consumers take; each warp's cycles.
__global__ void __launch_bounds__(384, 1) change_registers(std::uint32_t* results) {
  __syncthreads();
  const std::uint64_t begin = ptx::clock64();
  if (uniform_warpgroup() == 0) {
    ptx::setmaxnreg_dec<24>();
  } else {
    ptx::setmaxnreg_inc<240>();
  }
  const std::uint32_t cycles = cycles_since(begin);
  if (threadIdx.x % 32 == 0) results[blockIdx.x * 12 + threadIdx.x / 32] = cycles;
}

__device__ __forceinline__ void start_box(void* to, const CUtensorMap* map, int row,
                                          std::uint64_t* full) {
  ptx::mbarrier_arrive_expect_tx(full, kBoxBytes);
  ptx::tma_load_tile(to, map, {row, 0, 0}, full, ptx::CacheHint::kEvictFirst);
}

/// The first copies of one SM through a map, one after the other.
__global__ void __launch_bounds__(32)
    copy_first(std::uint32_t* results, const __grid_constant__ CUtensorMap map, int copies) {
  extern __shared__ __align__(1024) unsigned char box[];
  __shared__ std::uint64_t full;
  if (threadIdx.x != 0) return;
  ptx::mbarrier_init(&full, 1);
  ptx::fence_mbarrier_init();
  for (int copy = 0; copy < copies; ++copy) {
    const std::uint64_t begin = ptx::clock64();
    start_box(box, &map, 0, &full);
    ptx::mbarrier_wait(&full, static_cast<std::uint32_t>(copy) & 1U);
    results[copy] = cycles_since(begin);
  }
}

/// Every SM starts `boxes` copies at once, at about the same time; cycles until each has come.
__global__ void __launch_bounds__(32)
    copy_at_once(std::uint32_t* results, unsigned* arrived, const __grid_constant__ CUtensorMap map,
                 int boxes, int first_row) {
  extern __shared__ __align__(1024) unsigned char ring[];
  __shared__ std::uint64_t full[kMaxBoxes];
  if (threadIdx.x != 0) return;
  for (int box = 0; box < boxes; ++box) ptx::mbarrier_init(&full[box], 1);
  ptx::fence_mbarrier_init();
  ptx::prefetch_tensormap(&map);
  atomicAdd(arrived, 1U);
  while (*static_cast<volatile unsigned*>(arrived) < gridDim.x) {
  }
  spin_until(ptx::clock64() + 2000);
  const int row = first_row + static_cast<int>(blockIdx.x) * boxes * kBoxRows;
  const std::uint64_t begin = ptx::clock64();
  for (int box = 0; box < boxes; ++box) {
    start_box(ring + box * kBoxBytes, &map, row + box * kBoxRows, &full[box]);
  }
  for (int box = 0; box < boxes; ++box) {
    ptx::mbarrier_wait(&full[box], 0);
    results[static_cast<int>(blockIdx.x) * kMaxBoxes + box] = cycles_since(begin);
  }
}

CUtensorMap map_of(const DeviceBuffer& data) {
  constexpr std::int64_t kRows = kDataBytes / kRowBytes;
  return make_tile_map({.base = data.get(),
                        .strides = dense_strides(kRows, 1, kRowBytes / 2),
                        .batch = 1,
                        .seqlen = kRows,
                        .heads = 1,
                        .head_dim = kRowBytes / 2,
                        .tile_rows = kBoxRows});
}

void add_register_change(Session& session, std::vector<Series>& all) {
  std::vector<double> samples;
  for (int repetition = -1; repetition < kRepetitions; ++repetition) {
    launch(session, {session.sms(), 384}, &change_registers, session.results());
    const auto cycles = session.collect(std::size_t{12} * session.sms());
    if (repetition >= 0) samples.insert(samples.end(), cycles.begin(), cycles.end());
  }
  all.push_back(single("register_change", "cycles", samples));
}

/// The data is in L2 from the second launch on, the map is fetched anew in each.
void add_first_copy(Session& session, const CUtensorMap& map, std::vector<Series>& all) {
  constexpr int kCopies = 8;
  std::vector<double> first;
  std::vector<double> later;
  for (int repetition = -1; repetition < 4 * kRepetitions; ++repetition) {
    launch(session, {1, 32, kBoxBytes}, &copy_first, session.results(), map, kCopies);
    const auto cycles = session.collect(kCopies);
    if (repetition < 0) continue;
    first.push_back(cycles[0]);
    later.insert(later.end(), cycles.begin() + 2, cycles.end());
  }
  all.push_back(single("first_copy", "cycles", first));
  all.push_back(single("later_copy", "cycles", later));
}

/// New rows in each launch, so that memory answers.
void add_burst(Session& session, const CUtensorMap& map, std::vector<Series>& all) {
  constexpr std::array kBoxes{1, 2, 4, 8, kMaxBoxes};
  Series first{
      .benchmark = "", .name = "burst_first", .axis = "bytes", .unit = "cycles", .points = {}};
  Series last = first;
  last.name = "burst_last";
  const DeviceBuffer arrived(sizeof(unsigned));
  int row = 0;
  for (const int boxes : kBoxes) {
    std::vector<double> of_first;
    std::vector<double> of_last;
    for (int repetition = 0; repetition < kRepetitions; ++repetition) {
      cuda_check(cudaMemsetAsync(arrived.get(), 0, arrived.size_bytes(), session.stream()));
      launch(session, {session.sms(), 32, kMaxBoxes * kBoxBytes}, &copy_at_once, session.results(),
             static_cast<unsigned*>(arrived.get()), map, boxes, row);
      row += static_cast<int>(session.sms()) * boxes * kBoxRows;
      const auto cycles = session.collect(std::size_t{kMaxBoxes} * session.sms());
      for (std::size_t at = 0; at < cycles.size(); at += kMaxBoxes) {
        of_first.push_back(cycles[at]);
        of_last.push_back(cycles[at + static_cast<std::size_t>(boxes) - 1]);
      }
    }
    const double bytes = static_cast<double>(boxes) * kBoxBytes;
    first.points.push_back(point(bytes, of_first));
    last.points.push_back(point(bytes, of_last));
  }
  all.push_back(std::move(first));
  all.push_back(std::move(last));
}

}  // namespace

std::vector<Series> start(Session& session) {
  const DeviceBuffer data(kDataBytes);
  cuda_check(cudaMemsetAsync(data.get(), 0, data.size_bytes(), session.stream()));
  const CUtensorMap map = map_of(data);
  std::vector<Series> all;
  add_register_change(session, all);
  add_first_copy(session, map, all);
  add_burst(session, map, all);
  return all;
}

}  // namespace fa3prof::kernels::microbench
