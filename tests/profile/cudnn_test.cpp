// cuDNN without a GPU: a fake library stands in for it and tells what it was asked.
#include "src/profile/cudnn.h"

#include "src/core/error.h"
#include "src/profile/dynamic_library.h"
#include "src/profile/findings.h"
#include "tests/catch.h"
#include "tests/profile/fake_cudnn.h"

#include <string>

namespace fa3prof::tests {
namespace {

using core::AttentionProblem;
using profile::Cudnn;
using profile::CudnnError;

/// Grouped heads, more keys than queries.
AttentionProblem problem(bool is_causal) {
  return {.batch = 2,
          .num_heads = 4,
          .num_heads_kv = 2,
          .seqlen_q = 3,
          .seqlen_kv = 5,
          .head_dim = 64,
          .is_causal = is_causal};
}

Cudnn open(const std::string& fault = "") {
  const ChosenCudnn chosen(fake_cudnn(fault));
  return Cudnn::open();
}

/// What the sound fake was asked since its handle was made.
std::string log() {
  std::string reason;
  const auto library = profile::DynamicLibrary::open_file(fake_cudnn(), reason);
  REQUIRE(library.has_value());
  return library->find<const char*()>("fake_cudnn_log")();
}

void check_unavailable(const std::string& path, const std::string& words) {
  INFO(path);
  const ChosenCudnn chosen(path);
  CHECK_THROWS_AS(Cudnn::open(), core::UnavailableError);
  CHECK_THROWS_WITH(Cudnn::open(), contains(words) && contains("libcudnn.so.9"));
}

TEST_CASE("cuDNN is opened from the file that the variable names", "[profile]") {
  const Cudnn cudnn = open();
  CHECK(cudnn.version() == "9.19.0");
  CHECK(cudnn.path() == fake_cudnn());
}

TEST_CASE("a cuDNN that cannot be used is unavailable, with what is wrong and the cure",
          "[profile]") {
  check_unavailable("/no/such/libcudnn.so",
                    "FA3PROF_CUDNN '/no/such/libcudnn.so' cannot be loaded");
  check_unavailable(std::string(FA3PROF_PLUGIN_DIR) + "/example.so", "exports no cudnnGetVersion");
  check_unavailable(fake_cudnn("old"),
                    "cuDNN 9.1.0 (" + fake_cudnn("old") + ") is older than 9.10.2");
  check_unavailable(fake_cudnn("no_execute"), "exports no cudnnBackendExecute");
}

TEST_CASE("doctor shows cuDNN, or why there is none", "[profile]") {
  {
    const ChosenCudnn chosen(fake_cudnn());
    const profile::Finding finding = profile::cudnn_finding();
    CHECK(finding.severity == profile::Finding::Severity::kOk);
    CHECK(finding.detail == "9.19.0, " + fake_cudnn());
  }
  const ChosenCudnn chosen(fake_cudnn("old"));
  const profile::Finding finding = profile::cudnn_finding();
  CHECK(finding.severity == profile::Finding::Severity::kWarning);
  CHECK_THAT(finding.detail, contains("is older than"));
  CHECK_THAT(finding.cure, contains("install cuDNN") && contains("--kernel cudnn"));
}

TEST_CASE("what cuDNN takes on no GPU is known without one", "[profile]") {
  const Cudnn cudnn = open();
  CHECK_FALSE(cudnn.why_unsupported(problem(false)).has_value());
  CHECK_FALSE(cudnn.why_unsupported(problem(true)).has_value());
  AttentionProblem other = problem(true);
  other.seqlen_q = 6;
  CHECK_THAT(cudnn.why_unsupported(other).value(), contains("more queries than keys"));
  other.is_causal = false;
  CHECK_FALSE(cudnn.why_unsupported(other).has_value());
  other.dtype = core::DataType::kFloat8E4M3;
  CHECK_THAT(cudnn.why_unsupported(other).value(), contains("fp16 and bf16 only"));
}

TEST_CASE("tensors go to cuDNN as [batch, heads, seqlen, head_dim] views, K transposed",
          "[profile]") {
  const auto plan = open().make_plan(problem(false));
  const std::string asked = log();
  CHECK_THAT(asked, contains("tensor 1 type=2 dims=2,4,3,64 strides=768,64,256,1\n"));
  CHECK_THAT(asked, contains("tensor 2 type=2 dims=2,2,64,5 strides=640,64,1,128\n"));
  CHECK_THAT(asked, contains("tensor 3 type=2 dims=2,2,5,64 strides=640,64,128,1\n"));
  CHECK_THAT(asked, contains("tensor 4 type=2 dims=2,4,3,64 strides=768,64,256,1\n"));
  CHECK_THAT(asked, contains("tensor 5 type=0 dims=2,4,3,1 strides=12,3,1,1\n"));
  CHECK_THAT(asked, contains("tensor 6 type=0 dims=1,1,1,1 strides=1,1,1,1 host\n"));
  CHECK(plan->workspace_bytes() == 4096);
}

TEST_CASE("bf16 is bf16 from Q to O, and float32 between", "[profile]") {
  AttentionProblem bf16 = problem(false);
  bf16.dtype = core::DataType::kBFloat16;
  const auto plan = open().make_plan(bf16);
  const std::string asked = log();
  CHECK_THAT(asked, contains("tensor 1 type=9 ") && contains("tensor 4 type=9 "));
  CHECK_THAT(asked, contains("tensor 100 type=0 dims=2,4,3,5 strides=60,15,5,1 virtual\n"));
}

TEST_CASE("without a mask the graph is scale, softmax and LSE between two products", "[profile]") {
  const auto plan = open().make_plan(problem(false));
  const std::string asked = log();
  CHECK_THAT(asked, contains("matmul a=1 b=2 c=100\n"));
  CHECK_THAT(asked, contains("pointwise 1 x=100 b=6 y=101\n"));    // scaled
  CHECK_THAT(asked, contains("reduce 3 x=101 y=102\n"));           // maximum
  CHECK_THAT(asked, contains("pointwise 9 x=101 b=102 y=103\n"));  // less the maximum
  CHECK_THAT(asked, contains("pointwise 13 x=103 y=104\n"));       // exponential
  CHECK_THAT(asked, contains("reduce 0 x=104 y=105\n"));           // sum
  CHECK_THAT(asked, contains("pointwise 15 x=105 y=106\n"));       // logarithm
  CHECK_THAT(asked, contains("pointwise 0 x=102 b=106 y=5\n"));    // LSE
  CHECK_THAT(asked, contains("pointwise 6 x=104 b=105 y=107\n"));  // probabilities
  CHECK_THAT(asked, contains("matmul a=107 b=3 c=4\n"));
  CHECK_THAT(asked, contains("graph of 10\n"));
}

TEST_CASE("a causal mask compares row and column, shifted where it is not square", "[profile]") {
  AttentionProblem square = problem(true);
  square.seqlen_q = square.seqlen_kv;
  const auto square_plan = open().make_plan(square);
  const std::string of_square = log();
  CHECK_THAT(of_square, contains("graph of 14\n") && !contains("tensor 8 "));
  CHECK_THAT(of_square, contains("pointwise 303 x=102 b=103 y=104\n"));
  CHECK_THAT(of_square, contains("pointwise 601 x=101 b=7 t=104 y=105\n"));
  const auto plan = open().make_plan(problem(true));
  const std::string asked = log();
  CHECK_THAT(asked, contains("graph of 16\n"));
  CHECK_THAT(asked, contains("pointwise 0 x=102 b=9 y=104\n"));  // row + seqlen_kv
  CHECK_THAT(asked, contains("pointwise 9 x=104 b=8 y=105\n"));  // - seqlen_q
  CHECK_THAT(asked, contains("pointwise 303 x=105 b=103 y=106\n"));
}

TEST_CASE("a launch gives every tensor of the graph, on the stream it is told", "[profile]") {
  const auto plan = open().make_plan(problem(true));
  float lse = 0.0F;
  int stream = 0;
  const auto* q = reinterpret_cast<const void*>(16);
  plan->launch({.q = q, .lse = &lse, .workspace = &stream}, &stream);
  plan->launch({.q = q, .lse = &lse, .workspace = &stream}, &stream);
  const std::string asked = log();
  CHECK_THAT(asked, contains("launch ids=1,2,3,4,5,6,7,8,9 pointers=16,0,0,0,"));
  CHECK_THAT(asked, contains("execute\nlaunch"));
  CHECK(asked.find("stream\n") == asked.rfind("stream\n"));  // set once
}

TEST_CASE("what cuDNN refuses comes with its status and its words", "[profile]") {
  CHECK_THROWS_WITH(open("no_handle").make_plan(problem(false)),
                    contains("cudnnCreate gave CUDNN_STATUS_EXECUTION_FAILED (5000): no GPU"));
  CHECK_THROWS_WITH(open("no_engine").make_plan(problem(false)),
                    contains("its heuristics propose no engine"));
  CHECK_THROWS_WITH(open("refuses_graph").make_plan(problem(false)),
                    contains("(operation graph) gave CUDNN_STATUS_NOT_SUPPORTED (3000): no such "
                             "pattern"));
  CHECK_THROWS_WITH(
      open("refuses_plan").make_plan(problem(false)),
      contains("cudnnBackendFinalize(execution plan) gave CUDNN_STATUS_NOT_SUPPORTED (3000): "
               "head_dim is odd"));
  const auto plan = open("refuses_launch").make_plan(problem(false));
  CHECK_THROWS_AS(plan->launch({}, nullptr), CudnnError);
  CHECK_THROWS_WITH(plan->launch({}, nullptr),
                    contains("cudnnBackendExecute gave CUDNN_STATUS_EXECUTION_FAILED (5000)"));
}

TEST_CASE("where cuDNN's first proposal cannot be had, the next is taken", "[profile]") {
  CHECK(open("refuses_first_plan").make_plan(problem(false))->workspace_bytes() == 4096);
}

}  // namespace
}  // namespace fa3prof::tests
