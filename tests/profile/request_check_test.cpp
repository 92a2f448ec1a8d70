#include "src/profile/request_check.h"

#include "src/core/error.h"
#include "tests/catch.h"

#include <string>
#include <vector>

namespace fa3prof::tests {
namespace {

using profile::RunRequest;

RunRequest fa3_and_example() {
  const std::vector<std::string> paths{std::string(FA3PROF_PLUGIN_DIR) + "/example.so"};
  RunRequest request;
  request.kernels = {"fa3", "example"};
  request.plugins = profile::load_plugins(paths);
  request.problem = {.seqlen_q = 64, .seqlen_kv = 64, .head_dim = 128};
  return request;
}

TEST_CASE("a request may name our kernels and the plugins that it brings", "[profile]") {
  RunRequest request = fa3_and_example();
  CHECK_NOTHROW(profile::check_request(request));
  CHECK(profile::find_plugin(request, "example")->name() == "example");
  CHECK(profile::find_plugin(request, "fa3") == nullptr);
  request.plugins.clear();
  CHECK_THROWS_WITH(profile::check_request(request), contains("unknown kernel 'example'"));
}

TEST_CASE("a request that no GPU could serve is a usage error", "[profile]") {
  RunRequest request = fa3_and_example();
  SECTION("no kernel") { request.kernels.clear(); }
  SECTION("too few samples") { request.samples = 19; }
  SECTION("a problem that a plugin does not take") {
    request.kernels = {"example"};
    request.problem.dtype = core::DataType::kBFloat16;
  }
  SECTION("an impossible size") { request.problem.seqlen_q = 0; }
  CHECK_THROWS_AS(profile::check_request(request), core::UsageError);
}

TEST_CASE("our kernels must fit the GPU, of plugins nothing is known", "[profile]") {
  RunRequest request = fa3_and_example();
  core::Gpu gpu;
  gpu.name = "Old";
  gpu.capability = {7, 0};
  CHECK_THROWS_WITH(profile::require_capability(request, gpu),
                    contains("fa3 needs compute capability 9.0") && contains("Old"));
  request.kernels = {"example"};
  CHECK_NOTHROW(profile::require_capability(request, gpu));
}

}  // namespace
}  // namespace fa3prof::tests
