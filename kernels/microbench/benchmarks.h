// The microbenchmarks one by one; each .cu file states what its kernels do and how time is taken.
#pragma once

#include "kernels/microbench/session.h"
#include "kernels/microbenchmarks.h"

#include <vector>

namespace fa3prof::kernels::microbench {

/// Sizes that the driver states.
[[nodiscard]] std::vector<Series> device_sizes(Session& session);

/// Cycles of WGMMA by shape, operands and warpgroups; issue and end of batches of it.
[[nodiscard]] std::vector<Series> wgmma(Session& session);

/// mma.sync and ldmatrix.
[[nodiscard]] std::vector<Series> mma_sync(Session& session);

/// Rates and latencies of scalar instructions, and of softmax-like mixes of them.
[[nodiscard]] std::vector<Series> pipes(Session& session);

/// WGMMA in one warpgroup beside elementwise work in others.
[[nodiscard]] std::vector<Series> interference(Session& session);

/// Warpgroups that take turns at WGMMA, with elementwise work between.
[[nodiscard]] std::vector<Series> turns(Session& session);

/// CTA barriers, named barriers, mbarriers.
[[nodiscard]] std::vector<Series> barriers(Session& session);

/// TMA and cp.async: latency and bandwidth.
[[nodiscard]] std::vector<Series> tma(Session& session);

/// Reads of L2 and HBM by all SMs, by working set; atomics; stores of rows.
[[nodiscard]] std::vector<Series> memory(Session& session);

/// Kernel launches in a stream.
[[nodiscard]] std::vector<Series> launches(Session& session);

/// What a kernel pays once: setmaxnreg, a tensor map's first use, loads of all SMs at once.
[[nodiscard]] std::vector<Series> start(Session& session);

/// Straight code by its length, when it runs first and again.
[[nodiscard]] std::vector<Series> code(Session& session);

/// The SM clock while all tensor cores are busy.
[[nodiscard]] std::vector<Series> clock_under_load(Session& session);

}  // namespace fa3prof::kernels::microbench
