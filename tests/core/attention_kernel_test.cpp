#include "src/core/attention_kernel.h"

#include "src/core/error.h"
#include "tests/catch.h"

#include <set>

namespace fa3prof::tests {
namespace {

using core::AttentionProblem;
using core::ComputeCapability;
using core::DataType;

TEST_CASE("kernels are found by their own, distinct names", "[core]") {
  std::set<std::string_view> names;
  for (const core::AttentionKernel& kernel : core::attention_kernels()) {
    CHECK(&core::find_kernel(kernel.name) == &kernel);
    CHECK_FALSE(kernel.description.empty());
    names.insert(kernel.name);
  }
  CHECK(names.size() == core::attention_kernels().size());
}

TEST_CASE("an unknown kernel is refused with the known names", "[core]") {
  CHECK_THROWS_AS(core::find_kernel("fa9"), core::UsageError);
  CHECK_THROWS_WITH(core::find_kernel(""), contains("unknown kernel ''") && contains("fa2, fa3"));
}

TEST_CASE("every kernel solves FP16 with head dimension 128", "[core]") {
  for (const core::AttentionKernel& kernel : core::attention_kernels()) {
    CHECK_FALSE(core::why_unsupported(kernel, AttentionProblem{.head_dim = 128}).has_value());
  }
}

TEST_CASE("every schedule names one kernel of fa3, and only the full one is a complete kernel",
          "[core]") {
  std::set<std::string_view> names;
  for (const std::string_view schedule : core::schedules()) {
    const core::AttentionKernel& kernel = core::find_schedule(schedule);
    CHECK(kernel.schedule == schedule);
    const auto complete = core::complete_kernels();
    const bool is_complete =
        std::ranges::find(complete, kernel.name, &core::AttentionKernel::name) != complete.end();
    CHECK(is_complete == (schedule == core::kFullSchedule));
    names.insert(kernel.name);
  }
  CHECK(names ==
        std::set<std::string_view>{"fa3-serial", "fa3-ws", "fa3-pingpong", "fa3-overlap", "fa3"});
  CHECK(core::complete_kernels().front().name == "fa2");
}

TEST_CASE("kernels that quantize multiply e4m3, the others the type of the problem", "[core]") {
  for (const DataType dtype : {DataType::kFloat16, DataType::kBFloat16}) {
    const AttentionProblem problem{.head_dim = 128, .dtype = dtype};
    CHECK(core::multiplied_type(core::find_kernel("fa3"), problem) == dtype);
    for (const std::string_view name : {core::kFp8, core::kFp8Flushing}) {
      CHECK(core::multiplied_type(core::find_kernel(name), problem) == DataType::kFloat8E4M3);
    }
  }
}

TEST_CASE("an unknown schedule is refused with the known ones", "[core]") {
  CHECK_THROWS_WITH(
      core::find_schedule("fast"),
      contains("unknown schedule 'fast'") && contains("serial, ws, pingpong, overlap, full"));
  CHECK_THROWS_AS(core::find_schedule(""), core::UsageError);
}

TEST_CASE("an unsupported problem is explained by what the kernel has instead", "[core]") {
  const core::AttentionKernel& fa3 = core::find_kernel("fa3");
  const auto head_dim = core::why_unsupported(fa3, AttentionProblem{.head_dim = 80});
  REQUIRE(head_dim.has_value());
  CHECK_THAT(*head_dim, contains("fa3 has no head_dim 80; it has ") && contains("128"));

  const std::int64_t supported = fa3.head_dims.front();
  for (const DataType dtype : {DataType::kFloat16, DataType::kBFloat16, DataType::kFloat8E4M3}) {
    const bool is_listed = std::ranges::find(fa3.dtypes, dtype) != fa3.dtypes.end();
    const AttentionProblem problem{.head_dim = supported, .dtype = dtype};
    const auto reason = core::why_unsupported(fa3, problem);
    CHECK(reason.has_value() != is_listed);
    if (reason) CHECK_THAT(*reason, contains("has no dtype " + std::string(core::name_of(dtype))));
  }
}

TEST_CASE("portable code runs on newer GPUs, architecture-specific code on its own only",
          "[core]") {
  const auto runs = [](std::string_view name, ComputeCapability capability) {
    return !core::why_unsupported(core::find_kernel(name), capability).has_value();
  };
  CHECK(runs("fa2", {8, 0}));
  CHECK(runs("fa2", {9, 0}));
  CHECK(runs("fa2", {10, 0}));
  CHECK_FALSE(runs("fa2", {7, 5}));
  CHECK(runs("fa3", {9, 0}));
  CHECK_FALSE(runs("fa3", {8, 9}));
  CHECK_FALSE(runs("fa3", {10, 0}));
}

TEST_CASE("an unfit GPU is explained by both capabilities", "[core]") {
  CHECK(core::why_unsupported(core::find_kernel("fa2"), ComputeCapability{7, 5}) ==
        "fa2 needs compute capability 8.0 or newer, this GPU has 7.5");
  CHECK(core::why_unsupported(core::find_kernel("fa3"), ComputeCapability{10, 0}) ==
        "fa3 needs compute capability 9.0, this GPU has 10.0");
}

}  // namespace
}  // namespace fa3prof::tests
