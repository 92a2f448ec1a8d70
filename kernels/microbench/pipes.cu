// Scalar instructions: how many a clock and SM with 4, 8 and 12 warps, each with eight independent
// chains, and after how many cycles a dependent one can start; then softmax-like mixes, which show
// how the instructions share issue slots and pipes.
#include "kernels/microbench/benchmarks.h"
#include "kernels/microbench/elementwise.cuh"
#include "kernels/microbench/launch.cuh"

#include <string>

namespace fa3prof::kernels::microbench {
namespace {

struct Ffma {
  static constexpr int kInstructions = 1;

  static __device__ void apply(float& x, float a, float b) { ptx::ffma(x, a, b); }
};

struct Fadd {
  static constexpr int kInstructions = 1;

  static __device__ void apply(float& x, float a, float) { ptx::fadd(x, a); }
};

struct Fmul {
  static constexpr int kInstructions = 1;

  static __device__ void apply(float& x, float a, float) { ptx::fmul(x, a); }
};

struct Fmnmx {
  static constexpr int kInstructions = 1;

  static __device__ void apply(float& x, float a, float) { ptx::fmnmx(x, a); }
};

struct Vimax3 {
  static constexpr int kInstructions = 1;

  static __device__ void apply(float& x, float a, float b) {
    x = __int_as_float(__vimax3_s32(__float_as_int(x), __float_as_int(a), __float_as_int(b)));
  }
};

struct Ex2 {
  static constexpr int kInstructions = 1;

  static __device__ void apply(float& x, float, float) { ptx::mufu_ex2(x); }
};

struct F2fpF16 {
  static constexpr int kInstructions = 1;

  static __device__ void apply(float& x, float a, float) { ptx::f2fp_f16x2(x, a); }
};

struct F2fpE4m3 {
  static constexpr int kInstructions = 2;

  static __device__ void apply(float& x, float a, float) { ptx::f2fp_e4m3x4(x, a); }
};

struct Shfl {
  static constexpr int kInstructions = 1;

  static __device__ void apply(float& x, float, float) { ptx::shfl_xor_1(x); }
};

/// One step of a row maximum over lanes.
struct ShflFmnmx {
  static constexpr int kInstructions = 2;

  static __device__ void apply(float& x, float, float) {
    float other = x;
    ptx::shfl_xor_1(other);
    ptx::fmnmx(x, other);
  }
};

struct CompareSelect {
  static constexpr int kInstructions = 2;

  static __device__ void apply(float& x, float a, float b) { ptx::compare_select(x, a, b); }
};

constexpr int kSteps = 64;  // of a loop pass, over all chains

template <typename Instruction, int kChains>
__global__ void __launch_bounds__(384, 1) repeat(std::uint32_t* results, float* sink, int passes) {
  const float a = sink[0] + 1.0F;
  const float b = sink[1] + 0.5F;
  float x[kChains];
  FA3PROF_UNROLL
  for (int i = 0; i < kChains; ++i)
    x[i] = static_cast<float>(threadIdx.x) + a * static_cast<float>(i);
  __syncthreads();
  const std::uint64_t begin = ptx::clock64();
  for (int pass = 0; pass < passes; ++pass) {
    FA3PROF_UNROLL
    for (int step = 0; step < kSteps; ++step) Instruction::apply(x[step % kChains], a, b);
  }
  finish(results, begin);
  float sum = 0.0F;
  FA3PROF_UNROLL
  for (int i = 0; i < kChains; ++i) sum += x[i];
  sink[threadIdx.x] = sum;
}

template <unsigned kWork>
__global__ void __launch_bounds__(384, 1) mix(std::uint32_t* results, float* sink, int rounds) {
  Elementwise<kWork> elements(sink[0] + 1.0F + static_cast<float>(threadIdx.x % 32));
  __syncthreads();
  const std::uint64_t begin = ptx::clock64();
  for (int round = 0; round < rounds; ++round) elements.round();
  finish(results, begin);
  sink[threadIdx.x] = elements.sum();
}

constexpr int kPasses = 64;

/// Thread instructions per cycle and SM, by warps.
template <typename Instruction>
Series throughput(Session& session, const std::string& name) {
  Series series{
      .benchmark = "", .name = name + "_rate", .axis = "warps", .unit = "1/cycle", .points = {}};
  for (const unsigned warps : {4U, 8U, 12U}) {
    const auto cycles = slopes(session, session.sms(), kPasses, [&](int passes) {
      launch(session, {session.sms(), 32 * warps}, &repeat<Instruction, 8>, session.results(),
             session.sink(), passes);
    });
    const double instructions = 32.0 * warps * kSteps * Instruction::kInstructions;
    series.points.push_back(point(warps, rates(instructions, cycles)));
  }
  return series;
}

/// Cycles of a step that needs the one before.
template <typename Instruction>
Series latency(Session& session, const std::string& name) {
  auto cycles = slopes(session, session.sms(), kPasses, [&](int passes) {
    launch(session, {session.sms(), 32}, &repeat<Instruction, 1>, session.results(), session.sink(),
           passes);
  });
  for (double& pass : cycles) pass /= kSteps;
  return single(name + "_latency", "cycles", cycles);
}

template <typename Instruction>
void add(Session& session, const std::string& name, std::vector<Series>& all) {
  all.push_back(throughput<Instruction>(session, name));
  all.push_back(latency<Instruction>(session, name));
}

/// Elements per cycle and SM, by warps; one, two and three on each scheduler.
template <unsigned kWork>
void add_mix(Session& session, const std::string& name, std::vector<Series>& all) {
  Series series{
      .benchmark = "", .name = name, .axis = "warps", .unit = "elements/cycle", .points = {}};
  for (const unsigned warps : {4U, 8U, 12U}) {
    const auto cycles = slopes(session, session.sms(), kPasses, [&](int rounds) {
      launch(session, {session.sms(), 32 * warps}, &mix<kWork>, session.results(), session.sink(),
             rounds);
    });
    series.points.push_back(point(warps, rates(32.0 * warps * kElements, cycles)));
  }
  all.push_back(std::move(series));
}

}  // namespace

std::vector<Series> pipes(Session& session) {
  std::vector<Series> all;
  add<Ffma>(session, "ffma", all);
  add<Fadd>(session, "fadd", all);
  add<Fmul>(session, "fmul", all);
  add<Fmnmx>(session, "fmnmx", all);
  add<Vimax3>(session, "vimax3", all);
  add<Ex2>(session, "ex2", all);
  add<F2fpF16>(session, "f2fp_f16x2", all);
  add<F2fpE4m3>(session, "f2fp_e4m3x2", all);
  add<Shfl>(session, "shfl", all);
  add<ShflFmnmx>(session, "shfl_fmnmx", all);
  add<CompareSelect>(session, "fsetp_fsel", all);
  add_mix<kSoftmax>(session, "mix_fmnmx_ffma_ex2_fadd_f2fp", all);
  add_mix<kExponential>(session, "mix_ffma_ex2_fadd_f2fp", all);
  add_mix<kFma | kEx2>(session, "mix_ffma_ex2", all);
  add_mix<kFma | kAdd>(session, "mix_ffma_fadd", all);
  add_mix<kMax | kFma>(session, "mix_fmnmx_ffma", all);
  add_mix<kMax | kEx2>(session, "mix_fmnmx_ex2", all);
  return all;
}

}  // namespace fa3prof::kernels::microbench
