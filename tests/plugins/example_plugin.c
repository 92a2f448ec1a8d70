/* The smallest whole plugin: everything but a kernel. Its launch says so instead of launching. */
#include <stdio.h>

#include "fa3prof_plugin.h"

static int32_t supports(const fa3prof_problem* problem, char* reason, size_t reason_size) {
  if (problem->dtype != FA3PROF_DTYPE_FP16) {
    snprintf(reason, reason_size, "takes fp16 only");
    return 0;
  }
  if (problem->head_dim > 256) {
    snprintf(reason, reason_size, "head_dim %lld is more than 256", (long long)problem->head_dim);
    return 0;
  }
  return 1;
}

static uint64_t workspace_bytes(const fa3prof_problem* problem) {
  (void)problem;
  return 0;
}

static int32_t launch(const fa3prof_problem* problem, const fa3prof_tensors* tensors, char* error,
                      size_t error_size) {
  /* my_kernel<<<grid, block, 0, (cudaStream_t)tensors->stream>>>(tensors->q, ...); */
  (void)problem;
  (void)tensors;
  snprintf(error, error_size, "no CUDA in this example");
  return 1;
}

const fa3prof_plugin* fa3prof_plugin_entry(void) {
  static const fa3prof_plugin plugin = {
      .abi_version = FA3PROF_PLUGIN_ABI_VERSION,
      .struct_size = sizeof(fa3prof_plugin),
      .name = "example",
      .version = "1.0",
      .description = "shows the interface, computes nothing",
      .supports = supports,
      .workspace_bytes = workspace_bytes,
      .launch = launch,
  };
  return &plugin;
}
