// A real plugin, as short as a correct one can be: one block per query row, FP16, head_dim up to
// 256. Slow. NAME is what it calls itself; a FAULT_... macro makes it misbehave as its name says.
#include "src/profile/fa3prof_plugin.h"

#include <cuda_fp16.h>
#include <cuda_runtime_api.h>

#include <cmath>
#include <cstdio>

#ifndef NAME
#define NAME "naive"
#endif

namespace {

constexpr int kThreads = 128;  // keys of a step, one a thread
constexpr int kMaxHeadDim = 256;
constexpr int kColumnsPerThread = kMaxHeadDim / kThreads;

struct Row {
  int64_t batch;
  int64_t head;
  int64_t row;
};

const __device__ __half* key_row(const void* tensor, const fa3prof_strides& strides,
                                 const fa3prof_problem& p, const Row& at, int64_t key) {
  const int64_t head_kv = at.head / (p.num_heads / p.num_heads_kv);
  return static_cast<const __half*>(tensor) + at.batch * strides.batch + key * strides.seq +
         head_kv * strides.head;
}

/// Largest or sum over the block; every thread gets it.
template <typename Combine>
__device__ float reduce(float value, float* shared, Combine combine) {
  shared[threadIdx.x] = value;
  __syncthreads();
  for (int half = kThreads / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) {
      shared[threadIdx.x] = combine(shared[threadIdx.x], shared[threadIdx.x + half]);
    }
    __syncthreads();
  }
  const float result = shared[0];
  __syncthreads();
  return result;
}

__global__ void attend(fa3prof_problem p, fa3prof_tensors t) {
  __shared__ float q[kMaxHeadDim];
  __shared__ float weights[kThreads];
  __shared__ float scratch[kThreads];
  const Row at{blockIdx.z, blockIdx.y, blockIdx.x};
  const __half* const q_row = static_cast<const __half*>(t.q) + at.batch * t.q_strides.batch +
                              at.row * t.q_strides.seq + at.head * t.q_strides.head;
  for (int d = threadIdx.x; d < p.head_dim; d += kThreads) q[d] = __half2float(q_row[d]);
  __syncthreads();

  const int64_t visible =
      p.is_causal ? min(at.row + p.seqlen_kv - p.seqlen_q + 1, p.seqlen_kv) : p.seqlen_kv;
  float top = -INFINITY;
  float sum = 0.0F;
  float o[kColumnsPerThread] = {};
  for (int64_t first = 0; first < visible; first += kThreads) {
    const int64_t key = first + threadIdx.x;
    float score = -INFINITY;
    if (key < visible) {
      const __half* const k = key_row(t.k, t.k_strides, p, at, key);
      float dot = 0.0F;
      for (int d = 0; d < p.head_dim; ++d) dot += q[d] * __half2float(k[d]);
      score = dot * p.softmax_scale;
    }
    const float new_top =
        fmaxf(top, reduce(score, scratch, [](float a, float b) { return fmaxf(a, b); }));
    const float rescale = expf(top - new_top);
    weights[threadIdx.x] = expf(score - new_top);
    sum = sum * rescale +
          reduce(weights[threadIdx.x], scratch, [](float a, float b) { return a + b; });
    top = new_top;
    const int count = static_cast<int>(min(visible - first, static_cast<int64_t>(kThreads)));
    for (int c = 0; c < kColumnsPerThread; ++c) {
      const int d = threadIdx.x + c * kThreads;
      if (d >= p.head_dim) continue;
      float added = 0.0F;
      for (int i = 0; i < count; ++i) {
        added += weights[i] * __half2float(key_row(t.v, t.v_strides, p, at, first + i)[d]);
      }
      o[c] = o[c] * rescale + added;
    }
    __syncthreads();  // before the next step's weights
  }

  __half* const o_row = static_cast<__half*>(t.o) + at.batch * t.o_strides.batch +
                        at.row * t.o_strides.seq + at.head * t.o_strides.head;
  for (int c = 0; c < kColumnsPerThread; ++c) {
    const int d = threadIdx.x + c * kThreads;
    if (d < p.head_dim) o_row[d] = __float2half(sum > 0.0F ? o[c] / sum : 0.0F);
  }
  if (threadIdx.x != 0) return;
  const int64_t index = (at.batch * p.num_heads + at.head) * p.seqlen_q + at.row;
  t.lse[index] = sum > 0.0F ? top + logf(sum) : -INFINITY;
}

#if defined(FAULT_WRITES_PAST_O) || defined(FAULT_CHANGES_K) || defined(FAULT_ILLEGAL_ADDRESS) || \
    defined(FAULT_WRITES_BEFORE_WORKSPACE) || defined(FAULT_WRITES_PAST_O_LATER) ||               \
    defined(FAULT_CHANGES_V_LATER) || defined(FAULT_TWO_KERNELS)
__global__ void store_zero(void* address) { *static_cast<uint16_t*>(address) = 0; }
#endif

#ifdef FAULT_TRAPS_AT_512
__global__ void trap() { asm volatile("trap;"); }
#endif

#if defined(FAULT_NEVER_ENDS) || defined(FAULT_NEVER_ENDS_LATER)
/// Not for ever after all, so that no machine is lost to a test.
__global__ void spin() {
  constexpr long long kNanoseconds = 25'000'000'000;
  const auto now = [] {
    long long time;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time));
    return time;
  };
  for (const long long begin = now(); now() - begin < kNanoseconds;) __nanosleep(1000);
}
#endif

int32_t supports(const fa3prof_problem* p, char* reason, size_t reason_size) {
  const bool is_fit = p->dtype == FA3PROF_DTYPE_FP16 && p->head_dim <= kMaxHeadDim &&
                      p->num_heads < 65536 && p->batch < 65536;
  if (!is_fit) {
    std::snprintf(reason, reason_size,
                  "takes fp16 with head_dim up to %d, heads and batch below 64k", kMaxHeadDim);
  }
  return is_fit ? 1 : 0;
}

uint64_t workspace_bytes(const fa3prof_problem*) {
#if defined(FAULT_WRITES_BEFORE_WORKSPACE) || defined(FAULT_TWO_KERNELS)
  return 64;
#elif defined(FAULT_LARGE_WORKSPACE)
  return 900'000'000'000;
#else
  return 0;
#endif
}

/// What a broken build does besides, on the same stream.
void misbehave([[maybe_unused]] const fa3prof_problem& p,
               [[maybe_unused]] const fa3prof_tensors& t) {
#ifdef FAULT_WRITES_PAST_O
  const int64_t size = p.batch * p.seqlen_q * p.num_heads * p.head_dim;
  store_zero<<<1, 1, 0, static_cast<cudaStream_t>(t.stream)>>>(static_cast<__half*>(t.o) + size);
#endif
#ifdef FAULT_WRITES_BEFORE_WORKSPACE
  store_zero<<<1, 1, 0, static_cast<cudaStream_t>(t.stream)>>>(static_cast<__half*>(t.workspace) -
                                                               1);
#endif
#ifdef FAULT_CHANGES_K
  store_zero<<<1, 1, 0, static_cast<cudaStream_t>(t.stream)>>>(const_cast<void*>(t.k));
#endif
#if defined(FAULT_WRITES_PAST_O_LATER) || defined(FAULT_CHANGES_V_LATER) || \
    defined(FAULT_NEVER_ENDS_LATER)
  static int launches = 0;
  if (++launches < 10) return;
#endif
#ifdef FAULT_WRITES_PAST_O_LATER
  const int64_t size = p.batch * p.seqlen_q * p.num_heads * p.head_dim;
  store_zero<<<1, 1, 0, static_cast<cudaStream_t>(t.stream)>>>(static_cast<__half*>(t.o) + size);
#endif
#ifdef FAULT_CHANGES_V_LATER
  store_zero<<<1, 1, 0, static_cast<cudaStream_t>(t.stream)>>>(const_cast<void*>(t.v));
#endif
#if defined(FAULT_NEVER_ENDS) || defined(FAULT_NEVER_ENDS_LATER)
  spin<<<1, 1, 0, static_cast<cudaStream_t>(t.stream)>>>();
#endif
#ifdef FAULT_TWO_KERNELS
  store_zero<<<1, 1, 0, static_cast<cudaStream_t>(t.stream)>>>(t.workspace);
#endif
#ifdef FAULT_TRAPS_AT_512
  if (p.seqlen_q == 512) trap<<<1, 1, 0, static_cast<cudaStream_t>(t.stream)>>>();
#endif
#ifdef FAULT_ILLEGAL_ADDRESS
  store_zero<<<1, 1, 0, static_cast<cudaStream_t>(t.stream)>>>(reinterpret_cast<void*>(2));
#endif
}

int32_t launch(const fa3prof_problem* p, const fa3prof_tensors* t, char* error, size_t error_size) {
#ifdef FAULT_FAILS_LATER
  static int launches = 0;
  if (++launches > 3) {
    std::snprintf(error, error_size, "tired");
    return 7;
  }
#endif
#ifdef FAULT_WRITES_NOTHING
  return 0;
#endif
  const dim3 grid(static_cast<unsigned>(p->seqlen_q), static_cast<unsigned>(p->num_heads),
                  static_cast<unsigned>(p->batch));
  attend<<<grid, kThreads, 0, static_cast<cudaStream_t>(t->stream)>>>(*p, *t);
  misbehave(*p, *t);
  const cudaError_t status = cudaGetLastError();
  if (status == cudaSuccess) return 0;
  std::snprintf(error, error_size, "%s", cudaGetErrorString(status));
  return 1;
}

}  // namespace

extern "C" const fa3prof_plugin* fa3prof_plugin_entry(void) {
  static const fa3prof_plugin plugin = {FA3PROF_PLUGIN_ABI_VERSION,
                                        sizeof(fa3prof_plugin),
                                        NAME,
                                        "1.0",
                                        "one block per query row",
                                        supports,
                                        workspace_bytes,
                                        launch,
                                        FA3PROF_PRODUCTS_OF_DTYPE};
  return &plugin;
}
