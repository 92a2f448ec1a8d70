// The real cuDNN on a GPU, verified like every other kernel.
#include "src/core/error.h"
#include "src/profile/device.h"
#include "src/profile/profiler.h"
#include "tests/catch.h"

#include <iostream>
#include <optional>
#include <string>
#include <vector>

namespace fa3prof::tests {
namespace {

using core::AttentionProblem;
using profile::RunRequest;

std::optional<profile::Cudnn> cudnn_here() {
  if (profile::why_no_gpu() || profile::describe_gpu(0).capability.major < 8) {
    std::cout << "SKIPPED: no GPU of compute capability 8.0 or newer\n";
    return std::nullopt;
  }
  try {
    return profile::Cudnn::open();
  } catch (const core::UnavailableError& error) {
    std::cout << "SKIPPED: " << error.what() << "\n";
    return std::nullopt;
  }
}

RunRequest beside_fa2(const profile::Cudnn& cudnn, const AttentionProblem& problem) {
  RunRequest request;
  request.settle_time = {};
  request.kernels = {"cudnn"};
  if (problem.head_dim == 128 && problem.dtype == core::DataType::kFloat16) {
    request.kernels.push_back("fa2");
  }
  request.cudnn = cudnn;
  request.problem = problem;
  request.samples = 20;
  request.verify = profile::VerifyMode::kFull;
  request.counters = profile::CounterMode::kOff;
  return request;
}

TEST_CASE("cuDNN is right in both types, all head dimensions, masked or not, with grouped heads",
          "[profile]") {
  const auto cudnn = cudnn_here();
  if (!cudnn) return;
  AttentionProblem problem{.batch = 2,
                           .num_heads = 4,
                           .num_heads_kv = GENERATE(4, 2),
                           .seqlen_q = 256,
                           .seqlen_kv = GENERATE(256, 413),
                           .head_dim = GENERATE(64, 128, 256),
                           .is_causal = GENERATE(false, true)};
  problem.dtype = GENERATE(core::DataType::kFloat16, core::DataType::kBFloat16);
  CAPTURE(core::describe(problem));
  for (const core::Result& result :
       profile::make_profiler()->run(beside_fa2(*cudnn, problem), {})) {
    CAPTURE(result.kernel, result.unsupported_reason);
    REQUIRE(result.verification.has_value());
    INFO(result.verification->failure);
    CHECK(result.verification->passed);
    CHECK(result.time_us.has_value());
    CHECK(result.kernel_version == (result.kernel == "cudnn" ? cudnn->version() : ""));
  }
}

TEST_CASE("a problem that no cuDNN engine takes is a row with its words, and others run",
          "[profile]") {
  const auto cudnn = cudnn_here();
  if (!cudnn) return;
  const std::vector<std::string> paths{std::string(FA3PROF_PLUGIN_DIR) + "/naive.so"};
  RunRequest request = beside_fa2(*cudnn, {.seqlen_q = 64, .seqlen_kv = 64, .head_dim = 3});
  request.plugins = profile::load_plugins(paths);
  request.kernels = {"cudnn", "naive"};
  const auto results = profile::make_profiler()->run(request, {});
  REQUIRE(results.size() == 2);
  CHECK_THAT(results[0].unsupported_reason, contains("cudnn " + cudnn->version() + ": "));
  CHECK_FALSE(results[0].verification.has_value());
  CHECK(results[1].verification->passed);
  CHECK(results[1].time_us.has_value());
}

}  // namespace
}  // namespace fa3prof::tests
