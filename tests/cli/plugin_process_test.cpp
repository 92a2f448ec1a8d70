// Bad plugins as a user meets them: the binary refuses each with exit code 2, its path and the
// cure.
#include "tests/catch.h"
#include "tests/cli/process.h"
#include "tests/cli/temporary_directory.h"

#include <iostream>
#include <string>

using namespace fa3prof::tests;

namespace {

std::string plugin(const std::string& name) {
  return std::string(FA3PROF_PLUGIN_DIR) + "/" + name + ".so";
}

void check_refused(const std::string& path, const std::string& message) {
  INFO(path);
  const ProcessOutcome outcome = run_process("run --plugin '" + path + "'");
  CHECK(outcome.exit_code == 2);
  CHECK(outcome.out.empty());
  CHECK_THAT(outcome.err,
             contains("fa3prof: --plugin '" + path + "' ") && contains(message) && contains("; "));
}

/// The first `size` bytes of the example plugin, with `byte` at `offset`.
std::string patched_plugin(std::size_t size, std::size_t offset, char byte) {
  std::ifstream stream(plugin("example"), std::ios::binary);
  std::string bytes(size, '\0');
  stream.read(bytes.data(), static_cast<std::streamsize>(size));
  bytes.at(offset) = byte;
  return bytes;
}

constexpr std::size_t kElfMachineOffset = 18;
constexpr std::size_t kElfTypeOffset = 16;

}  // namespace

TEST_CASE("A plugin with a bad table is refused with what is wrong", "[cli]") {
  struct BadTable {
    std::string name;
    std::string message;
  };

  const auto bad =
      GENERATE(BadTable{"no_entry", "exports no fa3prof_plugin_entry"},
               BadTable{"null_table", "returns no table"},
               BadTable{"other_abi", "has plugin interface version 99, this fa3prof has 1"},
               BadTable{"small_table", "has a table of 16 bytes, at least "},
               BadTable{"null_name", "bad name: it is null"},
               BadTable{"empty_name", "bad name: it is empty"},
               BadTable{"long_name", "bad name: it is longer than 32 characters"},
               BadTable{"unprintable_name", "bad name: it holds the byte 0x1B"},
               BadTable{"name_with_comma", "bad name: it holds ','"},
               BadTable{"our_name", "calls itself fa3, which is a kernel of fa3prof"},
               BadTable{"null_version", "bad version: it is null"},
               BadTable{"null_supports", "no function supports"},
               BadTable{"null_workspace", "no function workspace_bytes"},
               BadTable{"null_launch", "no function launch"},
               BadTable{"unknown_products", "has unknown products (99)"},
               BadTable{"unresolved", "function_that_nobody_defines"});
  check_refused(plugin(bad.name), bad.message);
}

TEST_CASE("A file that is no plugin at all is refused with what it is", "[cli]") {
  const TemporaryDirectory directory;
  check_refused(directory.path("missing.so"), "does not exist");
  check_refused(directory.path(""), "is no regular file");
  check_refused(directory.write("empty.so", ""), "no ELF header");
  check_refused(directory.write("text.so", std::string(500, 'x')), "no ELF header");
  check_refused(directory.write("cut.so", patched_plugin(300, kElfTypeOffset, 3)),
                "cannot be loaded: ");
  check_refused(directory.write("arm.so", patched_plugin(4096, kElfMachineOffset, '\x28')),
                "is built for another architecture: ELF machine 40");
  check_refused(directory.write("object.so", patched_plugin(4096, kElfTypeOffset, 1)),
                "is no shared library, but an object or program");
  check_refused(FA3PROF_BINARY, "cannot be loaded: ");
}

TEST_CASE("Twice the same plugin is refused", "[cli]") {
  const std::string twice = plugin("example") + "," + plugin("example");
  CHECK_THAT(run_process("run --plugin " + twice).err, contains("is there twice"));
}

TEST_CASE("A plugin that crashes is named, and the report of before is as it was", "[cli]") {
  const std::string name = GENERATE("crashes", "entry_aborts");
  const TemporaryDirectory directory;
  const std::string report = directory.write("report.json", "as before");
  const ProcessOutcome outcome =
      run_process("run --kernel fa2 --plugin " + plugin(name) + " --json " + report);
  CHECK(outcome.exit_code > 128);
  CHECK_THAT(outcome.err, contains("fa3prof: plugin ") && contains(" crashed in ") &&
                              contains("no report was written"));
  CHECK(directory.read("report.json") == "as before");
  CHECK(directory.size() == 1);
}

TEST_CASE("A plugin that calls exit() is named, and nothing is left of the report", "[cli]") {
  struct Exit {
    std::string name;
    std::string where;
  };

  const auto exit = GENERATE(Exit{"exits", "plugin broken called exit() in supports"},
                             Exit{"exits_with_1", "plugin broken called exit() in supports"},
                             Exit{"entry_exits", "called exit() in fa3prof_plugin_entry"});
  const TemporaryDirectory directory;
  const std::string path = directory.path("report.json");
  const std::string arguments =
      "run --kernel fa2 --plugin " + plugin(exit.name) + " --json " + path;
  const ProcessOutcome outcome = run_process(arguments);
  CHECK(outcome.exit_code == 4);
  CHECK_THAT(outcome.err, contains(exit.where) && contains("no report was written"));
  CHECK(outcome.out == (exit.name == "entry_exits" ? "" : "the plugin's last words\n"));
  CHECK(directory.size() == 0);

  static_cast<void>(directory.write("report.json", "as before"));
  CHECK(run_process(arguments).exit_code == 4);
  CHECK(directory.read("report.json") == "as before");
  CHECK(directory.size() == 1);
}

TEST_CASE("A cuDNN that calls exit() is named as well", "[cli]") {
  const ProcessOutcome outcome =
      run_process("run --kernel fa2,cudnn", "FA3PROF_CUDNN=" + plugin("fake_cudnn_exits"));
  CHECK(outcome.exit_code == 4);
  CHECK_THAT(outcome.err, contains("fa3prof: cuDNN called exit() in its initialisation"));
}

TEST_CASE("A plugin that breaks the GPU's context is named and ends the run", "[cli]") {
  const std::string path = plugin("naive_illegal_address");
  if (run_process("doctor --quiet").exit_code != 0 || !std::ifstream(path)) {
    std::cout << "SKIPPED: no GPU that runs the kernels, or built without CUDA\n";
    return;
  }
  const ProcessOutcome outcome =
      run_process("run --seq 512 --batch 1 --heads 2 --kernel fa2 --plugin " + path);
  CHECK(outcome.exit_code == 4);
  CHECK_THAT(outcome.err, contains("while verifying naive_illegal_address"));
}

TEST_CASE("A launch that never ends is named, and what was measured before is reported", "[cli]") {
  const std::string name = GENERATE("naive_never_ends", "naive_never_ends_later");
  if (run_process("doctor --quiet").exit_code != 0 || !std::ifstream(plugin(name))) {
    std::cout << "SKIPPED: no GPU that runs the kernels, or built without CUDA\n";
    return;
  }
  const TemporaryDirectory directory;
  const std::string report = directory.path("report.json");
  const ProcessOutcome outcome =
      run_process("run --seq 512 --batch 1 --heads 2 --kernel fa2 --launch-limit 2 --plugin " +
                  plugin(name) + " --json " + report);
  CHECK(outcome.exit_code == 4);
  CHECK_THAT(outcome.err, contains(name + ": its launch did not end within 2 s"));
  CHECK_THAT(outcome.out, contains("fa2") && contains("FAILED verification: its launch did not"));
  CHECK_THAT(directory.read("report.json"), contains("the run ended early") && contains("\"fa2\""));
}
