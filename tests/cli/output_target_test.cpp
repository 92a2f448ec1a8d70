#include "src/cli/output_target.h"

#include "src/core/error.h"
#include "tests/catch.h"
#include "tests/cli/temporary_directory.h"

#include <filesystem>
#include <unistd.h>

using namespace fa3prof;
using namespace fa3prof::tests;
using cli::AtomicFile;

TEST_CASE("A file appears under its name only when it is complete", "[cli]") {
  const TemporaryDirectory directory;
  AtomicFile file(directory.path("report.json"));
  CHECK_FALSE(std::filesystem::exists(directory.path("report.json")));
  file.commit("{}\n");
  CHECK(directory.read("report.json") == "{}\n");
  CHECK(directory.size() == 1);
}

TEST_CASE("An abandoned file leaves nothing, and an older one as it was", "[cli]") {
  const TemporaryDirectory directory;
  directory.write("report.json", "old");
  { const AtomicFile abandoned(directory.path("report.json")); }
  CHECK(directory.read("report.json") == "old");
  CHECK(directory.size() == 1);
}

TEST_CASE("An older file is replaced and keeps its permissions", "[cli]") {
  using std::filesystem::perms;
  const TemporaryDirectory directory;
  const std::string path = directory.write("report.json", "old");
  std::filesystem::permissions(path, perms::owner_read | perms::owner_write);
  AtomicFile(path).commit("new");
  CHECK(directory.read("report.json") == "new");
  CHECK(std::filesystem::status(path).permissions() == (perms::owner_read | perms::owner_write));
}

TEST_CASE("A symbolic link stays a link to the new text", "[cli]") {
  const TemporaryDirectory directory;
  directory.write("real.json", "old");
  std::filesystem::create_symlink("real.json", directory.path("link.json"));
  AtomicFile(directory.path("link.json")).commit("new");
  CHECK(std::filesystem::is_symlink(directory.path("link.json")));
  CHECK(directory.read("real.json") == "new");
}

TEST_CASE("A device is written to and not replaced", "[cli]") {
  AtomicFile("/dev/null").commit("gone");
  CHECK(std::filesystem::is_character_file("/dev/null"));
}

TEST_CASE("A path that cannot be written is refused when it is opened", "[cli]") {
  const TemporaryDirectory directory;
  CHECK_THROWS_WITH(AtomicFile(directory.path("missing/report.json")),
                    contains("missing/report.json") && contains("No such file or directory"));
  CHECK_THROWS_WITH(AtomicFile(directory.path(".")), contains("it is a directory"));
  directory.write("file", "");
  CHECK_THROWS_AS(AtomicFile(directory.path("file/report.json")), core::UsageError);
}

TEST_CASE("A full disk is reported", "[cli]") {
  CHECK_THROWS_WITH(AtomicFile("/dev/full").commit("text"), contains("No space left on device"));
}
