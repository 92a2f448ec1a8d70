// Steps of a pipeline file from JSON.
#pragma once

#include "sim/pipeline.h"
#include "src/core/json_reader.h"

namespace fa3prof::sim {

/// Reads one step, an object with exactly one of the verbs load, store, wait, arrive, sync,
/// barrier, mma, wait_group, elementwise, delay, atomic, register_change, tensor_map. Looks up
/// buffers and barriers in `pipeline`, adds the CTA barrier to it at the first `barrier`, and new
/// asynchronous groups to `role`. Throws ConfigError.
[[nodiscard]] Step read_step(core::JsonReader reader, Pipeline& pipeline, Role& role);

}  // namespace fa3prof::sim
