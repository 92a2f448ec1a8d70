// WGMMA in warpgroup 0 beside elementwise work in the other warpgroups of the same SM. Only one of
// the two is timed; the other starts earlier and has enough work to end later, so that they run
// beside each other for the whole of the timed stretch.
#include "kernels/microbench/benchmarks.h"
#include "kernels/microbench/elementwise.cuh"
#include "kernels/microbench/launch.cuh"
#include "kernels/microbench/wgmma_stream.cuh"
#include "kernels/ptx/warpgroup.cuh"
#include "src/core/error.h"

#include <algorithm>
#include <string>

namespace fa3prof::kernels::microbench {
namespace {

/// Work of each side; none: it does not run. The sides start after their delays.
struct Plan {
  int tensor_groups = 0;
  int element_rounds = 0;
  unsigned tensor_delay_cycles = 0;
  unsigned element_delay_cycles = 0;
};

constexpr std::size_t kRaceResults = 4;  // begin and end of WGMMA, of elementwise work

template <typename Instruction, unsigned kWork>
__global__ void __launch_bounds__(128 * kMaxWarpgroups, 1)
    race(std::uint32_t* results, float* sink, Plan plan) {
  extern __shared__ __align__(1024) unsigned char raw_shared[];
  const int warpgroup = uniform_warpgroup();
  const Operands at = fill_operands(*reinterpret_cast<OperandStorage*>(raw_shared), warpgroup);
  std::uint32_t* own = results + blockIdx.x * kRaceResults;
  const float seed = sink[0] + 1.0F;
  __syncthreads();
  const std::uint64_t start = ptx::clock64();
  if (warpgroup == 0) {
    float d[Instruction::kN / 2] = {};
    spin_until(start + plan.tensor_delay_cycles);
    ptx::bar_sync(1, 128);
    const std::uint32_t begin = cycles_since(start);
    multiply<Instruction>(d, at, plan.tensor_groups);
    ptx::bar_sync(1, 128);
    const std::uint32_t end = cycles_since(start);
    if (threadIdx.x == 0) {
      own[0] = begin;
      own[1] = end;
    }
    sink[threadIdx.x] = sum_of(d);
  } else {
    const int threads = static_cast<int>(blockDim.x) - 128;
    Elementwise<kWork> elements(seed);
    spin_until(start + plan.element_delay_cycles);
    ptx::bar_sync(2, threads);
    const std::uint32_t begin = cycles_since(start);
    for (int round = 0; round < plan.element_rounds; ++round) elements.round();
    ptx::bar_sync(2, threads);
    const std::uint32_t end = cycles_since(start);
    if (threadIdx.x == 128) {
      own[2] = begin;
      own[3] = end;
    }
    sink[threadIdx.x] = elements.sum();
  }
}

constexpr unsigned kHeadStartCycles = 2000;

/// Durations of the timed side and whether the other side was running all along.
struct Durations {
  std::vector<double> cycles;
  bool is_covered = true;
};

/// All SMs, kRepetitions times. `timed` is 0 for WGMMA, 1 for elementwise work.
template <typename Instruction, unsigned kWork>
Durations run(Session& session, unsigned warpgroups, const Plan& plan, std::size_t timed) {
  Durations durations;
  const bool has_other = plan.tensor_groups > 0 && plan.element_rounds > 0;
  const std::size_t other = 1 - timed;
  for (int repetition = -1; repetition < kRepetitions; ++repetition) {
    launch(session, {session.sms(), 128 * warpgroups, sizeof(OperandStorage)},
           &race<Instruction, kWork>, session.results(), session.sink(), plan);
    const auto times = session.collect(kRaceResults * session.sms());
    if (repetition < 0) continue;
    for (std::size_t i = 0; i < times.size(); i += kRaceResults) {
      const double* own = &times[i];
      durations.cycles.push_back(own[2 * timed + 1] - own[2 * timed]);
      durations.is_covered =
          durations.is_covered && (!has_other || (own[2 * other] < own[2 * timed] &&
                                                  own[2 * other + 1] > own[2 * timed + 1]));
    }
  }
  return durations;
}

/// One side alone and beside the other.
template <typename Instruction, unsigned kWork>
class Race {
 public:
  Race(Session& session, unsigned warpgroups, std::string name)
      : session_(session), warpgroups_(warpgroups), name_(std::move(name)) {}

  /// Slowdown of WGMMA and of the elementwise work, the latter's elements per cycle and SM while
  /// beside, and alone.
  [[nodiscard]] std::vector<Series> measure() const {
    const auto tensor_alone = run<Instruction, kWork>(
        session_, warpgroups_, {.tensor_groups = kGroups, .element_rounds = 0}, 0);
    const auto element_alone = run<Instruction, kWork>(
        session_, warpgroups_, {.tensor_groups = 0, .element_rounds = kRounds}, 1);
    const double tensor_cycles = point(0.0, tensor_alone.cycles).value;
    const double element_cycles = point(0.0, element_alone.cycles).value;
    // The side that is not timed must outlast the other though nobody slows it down.
    constexpr double kOutlast = 4.0;
    const int long_rounds =
        static_cast<int>(kRounds * std::max(1.0, kOutlast * tensor_cycles / element_cycles));
    const int long_groups =
        static_cast<int>(kGroups * std::max(1.0, kOutlast * element_cycles / tensor_cycles));
    const auto tensor_beside = run<Instruction, kWork>(session_, warpgroups_,
                                                       {.tensor_groups = kGroups,
                                                        .element_rounds = long_rounds,
                                                        .tensor_delay_cycles = kHeadStartCycles},
                                                       0);
    const auto element_beside = run<Instruction, kWork>(session_, warpgroups_,
                                                        {.tensor_groups = long_groups,
                                                         .element_rounds = kRounds,
                                                         .element_delay_cycles = kHeadStartCycles},
                                                        1);
    if (!tensor_beside.is_covered || !element_beside.is_covered) {
      throw core::DeviceError("the sides of " + name_ + " did not run beside each other",
                              "interference.cu");
    }
    const double elements = kElements * 128.0 * (warpgroups_ - 1) * kRounds;
    return {
        named("_wgmma_slowdown", "ratio", tensor_beside.cycles, 1.0 / tensor_cycles),
        named("_slowdown", "ratio", element_beside.cycles, 1.0 / element_cycles),
        single(name_ + "_rate_beside", "elements/cycle", rates(elements, element_beside.cycles)),
        single(name_ + "_rate_alone", "elements/cycle", rates(elements, element_alone.cycles))};
  }

 private:
  static constexpr int kGroups = 64;   // 512 instructions: 32,768 cycles alone for N = 128
  static constexpr int kRounds = 200;  // some 50,000 cycles of softmax in one warpgroup

  [[nodiscard]] Series named(const std::string& suffix, const std::string& unit,
                             std::vector<double> samples, double factor) const {
    for (double& sample : samples) sample *= factor;
    return single(name_ + suffix, unit, samples);
  }

  Session& session_;
  unsigned warpgroups_;
  std::string name_;
};

template <typename Instruction, unsigned kWork>
void add(Session& session, unsigned warpgroups, const std::string& name, std::vector<Series>& all) {
  for (Series& series : Race<Instruction, kWork>(session, warpgroups, name).measure()) {
    all.push_back(std::move(series));
  }
}

/// Every mix beside one kind of WGMMA: in one warpgroup, softmax also in two.
template <typename Instruction>
void add_all(Session& session, const std::string& name, std::vector<Series>& all) {
  add<Instruction, kSoftmax>(session, 2, name + "_softmax", all);
  add<Instruction, kSoftmax>(session, 3, name + "_softmax_2_warpgroups", all);
  add<Instruction, kExponential>(session, 2, name + "_exponential", all);
  add<Instruction, kFma>(session, 2, name + "_ffma", all);
  add<Instruction, kAdd>(session, 2, name + "_fadd", all);
  add<Instruction, kEx2>(session, 2, name + "_ex2", all);
  add<Instruction, kMax>(session, 2, name + "_fmnmx", all);
  add<Instruction, kPack>(session, 2, name + "_f2fp", all);
}

}  // namespace

std::vector<Series> interference(Session& session) {
  std::vector<Series> all;
  add_all<SharedA<128>>(session, "beside_shared_a", all);
  add_all<RegisterA<128>>(session, "beside_register_a", all);
  add_all<Fp8SharedA<128>>(session, "beside_fp8_shared_a", all);
  add_all<Fp8RegisterA<128>>(session, "beside_fp8_register_a", all);
  return all;
}

}  // namespace fa3prof::kernels::microbench
