/* The plugin interface of fa3prof, version 1: how a shared library offers an attention kernel to
   `fa3prof run --plugin`. Plain C99, needs no CUDA header. docs/plugins.md teaches it; copy this
   file freely.

   How it grows. Every struct begins with (or holds) its size, and new members come at its end: the
   program reads of a plugin's table no more than its struct_size, and a plugin may read of a
   problem or of tensors what lies within their struct_size. FA3PROF_PLUGIN_ABI_VERSION is raised
   only when something that exists changes; the program refuses a plugin of another version. */
#ifndef FA3PROF_PLUGIN_H
#define FA3PROF_PLUGIN_H

/* NOLINTBEGIN: this is C. */
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define FA3PROF_PLUGIN_ABI_VERSION 1

/* The one symbol that a plugin exports. */
#define FA3PROF_PLUGIN_ENTRY "fa3prof_plugin_entry"
#define FA3PROF_PLUGIN_EXPORT __attribute__((visibility("default")))

/* Longest texts, without the terminating zero. */
#define FA3PROF_PLUGIN_MAX_NAME 32
#define FA3PROF_PLUGIN_MAX_TEXT 200

/* Values of fa3prof_problem.dtype. Later programs may know more; say no to what you do not know. */
enum { FA3PROF_DTYPE_FP16 = 0, FA3PROF_DTYPE_BF16 = 1 };

/* Values of fa3prof_plugin.products. */
enum { FA3PROF_PRODUCTS_OF_DTYPE = 0, FA3PROF_PRODUCTS_E4M3 = 1 };

/* O = softmax(softmax_scale * Q K^T + mask) V. The causal mask is aligned to the bottom right: row
   i sees keys j <= i + seqlen_kv - seqlen_q. All sizes are at least 1, and num_heads_kv divides
   num_heads: query head h reads key head h / (num_heads / num_heads_kv). */
typedef struct fa3prof_problem {
  uint32_t struct_size; /* bytes of this struct in the program */
  int32_t dtype;        /* of Q, K, V and O */
  int64_t batch;
  int64_t num_heads;
  int64_t num_heads_kv;
  int64_t seqlen_q;
  int64_t seqlen_kv;
  int64_t head_dim;
  int32_t is_causal; /* 0 or 1 */
  float softmax_scale;
} fa3prof_problem;

/* Distances in elements between neighbours in each outer dimension; head_dim is contiguous. Today's
   tensors are dense, in the order of the shapes below; a kernel that needs that must check. */
typedef struct fa3prof_strides {
  int64_t batch;
  int64_t seq;
  int64_t head;
} fa3prof_strides;

/* Device memory of one launch, every pointer aligned to 256 bytes.
   q, o: [batch, seqlen_q, num_heads, head_dim]; k, v: [batch, seqlen_kv, num_heads_kv, head_dim].
   A query row that sees no key has O = 0 and LSE = -inf. */
typedef struct fa3prof_tensors {
  uint32_t struct_size; /* bytes of this struct in the program */
  uint32_t reserved;    /* 0 */
  const void* q;        /* must not be written */
  const void* k;        /* must not be written */
  const void* v;        /* must not be written */
  void* o;              /* every element must be written */
  float* lse;           /* dense [batch, num_heads, seqlen_q]: natural logarithm of the sum of
                           exp(softmax_scale * score), every element must be written.
                           m, l = maximum of the scores, sum of exp(softmax_scale * (score - m)):
                           m * softmax_scale + logf(l) */
  fa3prof_strides q_strides;
  fa3prof_strides k_strides;
  fa3prof_strides v_strides;
  fa3prof_strides o_strides;
  void* workspace;          /* the plugin's own, zero before the first launch of each problem and
                               left alone between launches; null where workspace_bytes is 0 */
  uint64_t workspace_bytes; /* as asked for */
  void* stream;             /* a cudaStream_t; does not wait for the default stream */
} fa3prof_tensors;

/* What a plugin is and does; must stay valid while the program runs. All functions are called from
   one thread, must not throw or call exit(), and must not change the calling thread's CUDA device.
   None is called at the end. */
typedef struct fa3prof_plugin {
  uint32_t abi_version; /* FA3PROF_PLUGIN_ABI_VERSION */
  uint32_t struct_size; /* sizeof(fa3prof_plugin) */

  /* The kernel in reports and on the command line: 1 to FA3PROF_PLUGIN_MAX_NAME of A-Z a-z 0-9 . _
     + - and none of the program's own kernels. */
  const char* name;
  const char* version;     /* printable ASCII, 1 to FA3PROF_PLUGIN_MAX_TEXT: "2.8.3", a commit */
  const char* description; /* the same, one line; may be null */

  /* 1 if launch can solve the problem, else 0 with the reason for people in `reason`, a buffer of
     reason_size bytes that holds an empty text. Called without a GPU too: judge by the problem,
     without CUDA calls. */
  int32_t (*supports)(const fa3prof_problem* problem, char* reason, size_t reason_size);

  /* Bytes of device memory that a launch needs besides the tensors; 0 for none. */
  uint64_t (*workspace_bytes)(const fa3prof_problem* problem);

  /* Enqueues the kernel on tensors->stream, never on another, and returns without waiting. The
     first launch of each problem is verified and not timed: it may plan, allocate and synchronise.
     The later ones must not, since that would be timed. Key what you keep on the whole problem and
     the pointers. The device's primary context is current. Called many times with the same tensors,
     again for each pass of the counters, each time with the same result. 0 when enqueued; anything
     else is a failure, with the text for people in `error`, a buffer of error_size bytes that holds
     an empty text. */
  int32_t (*launch)(const fa3prof_problem* problem, const fa3prof_tensors* tensors, char* error,
                    size_t error_size);

  /* The numbers that the kernel multiplies: those of the problem's dtype, or E4M3, which it makes
     of them in the first launch of each problem. Decides the tolerances and the peak. May be left
     out of a table (struct_size): as 0. */
  int32_t products;
} fa3prof_plugin;

/* Returns the plugin's table; never null. */
FA3PROF_PLUGIN_EXPORT const fa3prof_plugin* fa3prof_plugin_entry(void);

#ifdef __cplusplus
}
#endif

/* NOLINTEND */
#endif /* FA3PROF_PLUGIN_H */
