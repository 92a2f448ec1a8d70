#include "kernels/microbenchmarks.h"

#include "kernels/microbench/benchmarks.h"
#include "kernels/microbench/warm_up.h"
#include "src/core/error.h"

#include <array>

namespace fa3prof::kernels {
namespace {

using Benchmark = std::vector<Series> (*)(microbench::Session&);

// In the order of kMicrobenchmarks.
constexpr std::array<Benchmark, kMicrobenchmarks.size()> kFunctions{
    microbench::device_sizes,    microbench::wgmma,    microbench::mma_sync, microbench::pipes,
    microbench::interference,    microbench::turns,    microbench::barriers, microbench::tma,
    microbench::memory,          microbench::launches, microbench::start,    microbench::code,
    microbench::clock_under_load};

}  // namespace

std::vector<Series> run_microbenchmark(std::string_view name) {
  for (std::size_t i = 0; i < kMicrobenchmarks.size(); ++i) {
    if (kMicrobenchmarks.at(i) != name) continue;
    microbench::Session session;
    microbench::warm_up(session);
    std::vector<Series> all = kFunctions.at(i)(session);
    for (Series& series : all) series.benchmark = name;
    return all;
  }
  throw core::UsageError("there is no microbenchmark '" + std::string(name) + "'");
}

}  // namespace fa3prof::kernels
