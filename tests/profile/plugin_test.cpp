#include "src/profile/plugin.h"

#include "src/core/error.h"
#include "tests/catch.h"

#include <string>
#include <vector>

namespace fa3prof::tests {
namespace {

using profile::Plugin;

std::string path_of(const std::string& name) {
  return std::string(FA3PROF_PLUGIN_DIR) + "/" + name + ".so";
}

const core::AttentionProblem kProblem{.seqlen_q = 64, .seqlen_kv = 64, .head_dim = 128};

TEST_CASE("the example plugin says what it is and what it takes", "[profile]") {
  const Plugin plugin = Plugin::load(path_of("example"));
  CHECK(plugin.name() == "example");
  CHECK(plugin.version() == "1.0");
  CHECK(plugin.workspace_bytes(kProblem) == 0);
  CHECK_FALSE(plugin.why_unsupported(kProblem).has_value());

  core::AttentionProblem problem = kProblem;
  problem.head_dim = 512;
  CHECK(plugin.why_unsupported(problem) == "example: head_dim 512 is more than 256");
  problem = kProblem;
  problem.dtype = core::DataType::kBFloat16;
  CHECK(plugin.why_unsupported(problem) == "example: takes fp16 only");
  problem.dtype = core::DataType::kFloat8E4M3;
  CHECK_THAT(plugin.why_unsupported(problem).value(), contains("plugins have no dtype fp8_e4m3"));
}

TEST_CASE("a plugin multiplies numbers of the problem's type unless its table says e4m3",
          "[profile]") {
  CHECK(Plugin::load(path_of("sound")).multiplied_type(kProblem) == core::DataType::kFloat16);
  CHECK(Plugin::load(path_of("e4m3")).multiplied_type(kProblem) == core::DataType::kFloat8E4M3);
  // A table that ends before the member, as one built before there was one.
  CHECK(Plugin::load(path_of("e4m3_unseen")).multiplied_type(kProblem) == core::DataType::kFloat16);
}

TEST_CASE("a launch that a plugin refuses is told in its words", "[profile]") {
  const Plugin plugin = Plugin::load(path_of("example"));
  CHECK(plugin.launch(kProblem, {}) == "its launch returned 1: no CUDA in this example");
  CHECK_FALSE(Plugin::load(path_of("sound")).launch(kProblem, {}).has_value());
}

TEST_CASE("what a plugin says is made fit for a terminal", "[profile]") {
  CHECK(Plugin::load(path_of("unprintable_reason")).why_unsupported(kProblem) == "broken: a z");
  CHECK_THAT(Plugin::load(path_of("no_reason")).why_unsupported(kProblem).value(),
             contains("gives no reason"));
}

TEST_CASE("an exception out of a plugin is a reason, not the end", "[profile]") {
  CHECK_THAT(Plugin::load(path_of("throws")).why_unsupported(kProblem).value(),
             contains("broken threw an exception: out of ideas"));
}

TEST_CASE("a workspace that no GPU has makes a problem unsupported", "[profile]") {
  CHECK_THAT(Plugin::load(path_of("huge_workspace")).why_unsupported(kProblem).value(),
             contains("1.84e+19 bytes of workspace"));
}

TEST_CASE("a name without a slash is a file here, not one of the loader", "[profile]") {
  CHECK(Plugin::load(path_of("sound")).name() == "broken");
  CHECK_THROWS_WITH(Plugin::load("sound.so"), contains("'sound.so' does not exist"));
}

TEST_CASE("plugins of one name cannot be told apart and are refused", "[profile]") {
  const std::vector<std::string> paths{path_of("sound"), path_of("example")};
  CHECK(profile::load_plugins(paths).size() == 2);
  const std::vector<std::string> twins{path_of("sound"), path_of("no_reason")};
  CHECK_THROWS_WITH(profile::load_plugins(twins),
                    contains("no_reason.so' calls itself broken, as '") && contains("sound.so'"));
}

}  // namespace
}  // namespace fa3prof::tests
